"""Commands that plugins bring: known by their entry points, imported when they are asked for."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, List, Optional

import click
from click.shell_completion import CompletionItem

from ..errors import Errors, PawsError
from ..loading import COMMANDS, package_of, prints_to_stderr


class PluggedGroup(click.Group):
    """A group of commands that plugins can add to. Ours come first: no plugin can replace one.

    No plugin is imported for a command that is not its own, nor for the list of commands. One that can't be imported
    is an error when it is run.
    """

    def list_commands(self, ctx: click.Context) -> List[str]:
        return sorted({*super().list_commands(ctx), *(point.name for point in entry_points(group=COMMANDS))})

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        point = next(iter(entry_points(group=COMMANDS, name=cmd_name)), None)
        return None if point is None else load_command(point)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self._listed().format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> List[CompletionItem]:
        commands = self._listed().commands
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete) and not commands[name].hidden]
        found = [CompletionItem(name, help=commands[name].get_short_help_str()) for name in names]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def _listed(self) -> click.Group:
        """All commands as they are listed; in place of those of plugins stands what their packages say of themselves.
        Importing them all could take long: help and completion must not."""
        commands = {point.name: click.Command(point.name, help=_about(point)) for point in entry_points(group=COMMANDS)}
        return click.Group(commands={**commands, **self.commands})


def _about(point: EntryPoint) -> str:
    """The package of a command, and its summary where it has one."""
    summary = point.dist.metadata["Summary"] if point.dist and "Summary" in point.dist.metadata else ""
    return f"(from {package_of(point)}) {summary}".strip()


def load_command(point: EntryPoint) -> click.Command:
    """The command of an entry point, or one in its place that says why it can't be had."""
    try:
        with prints_to_stderr():
            command = point.load()
        if not isinstance(command, click.Command):
            raise TypeError(f"{point.value} is not a click command")
    # Importing a package can raise anything, and leave with sys.exit.
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        return _Broken(point.name, Errors.P216.format(name=point.name, package=package_of(point), reason=reason))
    return command


class _Broken(click.Command):
    """Stands for a command that can't be imported; takes whatever it is given, and raises our error."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(name, add_help_option=False)
        self.message = message

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        raise PawsError(self.message)
