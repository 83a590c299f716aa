import json
from typing import Any, List, Optional

import click
from click.formatting import wrap_text


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def plugins(name: Optional[str], as_json: bool) -> None:
    """List the installed plugins, or the settings of NAME: a plugin, a generator, a translator and so on.

    Plugins add generators, translators, language models, judges, metrics or commands. One that can't be loaded is
    listed with the reason; the others still work.

    \b
    paws plugins
    paws plugins --json
    paws plugins back_translation
    """
    from ..plugins import host

    if name is not None:
        _show_registered(name, as_json)
    elif as_json:
        click.echo(json.dumps([plugin.to_dict() for plugin in host().plugins], ensure_ascii=False, indent=2))
    else:
        click.echo(_listing())


def _listing() -> str:
    """A block per plugin: what it is, the hooks it has, what it brings, and what went wrong."""
    from ..plugins import KINDS, host

    lines = []
    for plugin in host().plugins:
        colour = "green" if plugin.state == "ok" else "red"
        state = click.style(plugin.state, fg=colour)
        lines.append(f"{click.style(plugin.name, bold=True)}  {plugin.package} {plugin.version}  {state}")
        lines.append(f"    {'hooks':16} {', '.join(plugin.hooks) or 'none'}")
        for kind in (*KINDS, "commands"):
            names = getattr(plugin, kind)
            if names:
                lines.append(f"    {kind.replace('_', ' '):16} {', '.join(names)}")
        if plugin.error:
            lines.append(f"    {'error':16} {plugin.error}")
    return "\n".join(lines)


def _show_registered(name: str, as_json: bool) -> None:
    """What is registered under a name, of whatever kind, or what a plugin of that name brings."""
    from ..plugins import KINDS, host
    from ..settings import describe

    found: List[Any] = []
    owner = next((plugin for plugin in host().plugins if plugin.name == name), None)
    for kind, (_, label, given, *_) in KINDS.items():
        for one in host().registered[kind].values():
            if name == one.name or (owner and one.plugin == owner.name):
                settings = [setting._asdict() for setting in describe(one.maker, given)]
                told = {"kind": label, "name": one.name, "plugin": one.plugin, "about": one.summary}
                found.append({**told, "settings": settings})
    if not found and owner and owner.error:
        raise click.ClickException(f"{owner.name} could not be loaded: {owner.error}")
    if not found:
        host().find("generators", name)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2, default=str))
    for thing in [] if as_json else found:
        of = f"a {thing['kind']} of {thing['plugin']}"
        click.echo(f"{click.style(thing['name'], bold=True)}, {of}\n  {thing['about']}")
        for setting in thing["settings"]:
            default = "required" if setting["required"] else f"default {json.dumps(setting['default'], default=str)}"
            click.echo(f"    {setting['name']} ({setting['type']}): {default}")
            if setting["about"]:
                click.echo(wrap_text(setting["about"], 100, " " * 8, " " * 8))
