"""The plugin host: finds plugins by their entry points, keeps broken ones apart, and makes what they register."""

import inspect
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .errors import Errors, PawsError
from .loading import COMMANDS, GROUP, package_of, prints_to_stderr
from .needed import import_needed
from .settings import validate

OK, FAILED = "ok", "failed"
# What can be registered, the hook for it, what one of it is called, and how many arguments the host gives its maker.
KINDS: Dict[str, Tuple[str, str, int]] = {
    "generators": ("paws_register_generators", "generator", 1),
    "translators": ("paws_register_translators", "translator", 0),
    "language_models": ("paws_register_language_models", "language model", 0),
    "metrics": ("paws_register_metrics", "metric", 0),
}
HOOKS = tuple(hook for hook, _, _ in KINDS.values())


class Part(NamedTuple):
    """Something that a plugin has registered.

    name (str): How it is asked for.
    maker (Callable): The class or function that makes it; the settings' schema is its signature.
    needs (Tuple[str, ...]): Of a generator: the trained pipes it needs, such as "tagger"; none if words will do.
    plugin (str): Whose it is.
    """

    name: str
    maker: Callable[..., Any]
    needs: Tuple[str, ...]
    plugin: str


@dataclass
class Plugin:
    """A plugin as `paws plugins` lists it. A failed one has registered nothing."""

    name: str
    package: str
    version: str
    hooks: List[str] = field(default_factory=list)
    generators: List[str] = field(default_factory=list)
    translators: List[str] = field(default_factory=list)
    language_models: List[str] = field(default_factory=list)
    metrics: List[str] = field(default_factory=list)
    commands: List[str] = field(default_factory=list)
    state: str = OK
    error: Optional[str] = None

    def to_dict(self) -> Dict[str, Any]:
        return asdict(self)


class Host:
    """Loads plugins one by one, so that a broken one harms nobody but itself.

    points (Iterable[EntryPoint]): The entry points to load.
    """

    def __init__(self, points: Iterable[EntryPoint]) -> None:
        pluggy = import_needed("pluggy", "The plugin host")
        from . import hookspecs

        self.manager = pluggy.PluginManager(GROUP)
        self.manager.add_hookspecs(hookspecs)
        self.plugins: List[Plugin] = []
        self.parts: Dict[str, Dict[str, Part]] = {kind: {} for kind in KINDS}
        for point in points:
            self.load(point)

    def load(self, point: EntryPoint) -> Plugin:
        """Load a plugin. Whatever goes wrong is written down, and the plugin is left out whole."""
        dist = point.dist
        plugin = Plugin(point.name, package_of(point), dist.version if dist else "?")
        if dist:
            plugin.commands = sorted(found.name for found in dist.entry_points if found.group == COMMANDS)
        self.plugins.append(plugin)
        try:
            with prints_to_stderr():
                self._register(plugin, point.load())
        # Importing a package can raise anything, and leave with sys.exit.
        except (Exception, SystemExit) as error:
            plugin.state = FAILED
            plugin.error = str(error) if isinstance(error, PawsError) else f"{type(error).__name__}: {error}"
        return plugin

    def _register(self, plugin: Plugin, module: Any) -> None:
        if self.manager.has_plugin(plugin.name):
            raise PawsError(Errors.P213.format(name=plugin.name))
        try:
            self.manager.register(module, plugin.name)
            self._check_hooks(plugin, module)
            found = self._call_hooks(plugin)
        except BaseException:
            self.manager.unregister(name=plugin.name)
            raise
        for kind, parts in found.items():
            self.parts[kind].update(parts)
            setattr(plugin, kind, sorted(parts))

    def _check_hooks(self, plugin: Plugin, module: Any) -> None:
        callers = self.manager.get_hookcallers(module) or []
        plugin.hooks = sorted(caller.name for caller in callers)
        for caller in callers:
            # pluggy takes a hook that nobody specified for one of a later version, and would never call it.
            if not caller.has_spec():
                raise PawsError(_misspelt(caller.name))
        if not callers:
            raise PawsError(Errors.P208.format(known=", ".join(HOOKS)))

    def _call_hooks(self, plugin: Plugin) -> Dict[str, Dict[str, Part]]:
        """What the plugin registers, by kind. Its hooks are called without those of the others."""
        others = [other for name, other in self.manager.list_name_plugin() if name != plugin.name]
        found: Dict[str, Dict[str, Part]] = {}
        for kind, (hook, _, _) in KINDS.items():
            found[kind] = {}
            register = _Register(kind, plugin.name, self.parts[kind], found[kind])
            self.manager.subset_hook_caller(hook, others)(register=register)
        return found

    def find(self, kind: str, name: str) -> Part:
        """What is registered under a name, or our error that says what there is."""
        parts = self.parts[kind]
        if name in parts:
            return parts[name]
        close = get_close_matches(name, parts, 1)
        hints = [f" Did you mean {close[0]!r}?"] if close else []
        hints += [f" The plugin {p.name!r} could not be loaded: {p.error}." for p in self.plugins if p.state == FAILED]
        known = ", ".join(sorted(parts)) or "none"
        raise PawsError(Errors.P201.format(kind=KINDS[kind][1], name=name, known=known, hint="".join(hints)))

    def make(self, kind: str, name: str, settings: Dict[str, Any], *given: Any) -> Any:
        """Make what is registered under a name.

        kind (str): "generators", "translators", "language_models" or "metrics".
        name (str): The name.
        settings (Dict[str, Any]): Its settings; checked against its maker's signature.
        *given: What the host gives its maker besides: a generator gets the pipeline.
        RETURNS (Any): The generator, translator, language model or metric.
        """
        part = self.find(kind, name)
        label = KINDS[kind][1]
        checked = validate(f"{label} {name!r}", part.maker, settings, len(given))
        try:
            return part.maker(*given, **checked)
        except PawsError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}. It comes from the plugin {part.plugin!r}."
            raise PawsError(Errors.P202.format(kind=label, name=name, reason=reason)) from error


class _Register:
    """What a plugin's hook is given to register things with."""

    def __init__(self, kind: str, plugin: str, taken: Dict[str, Part], found: Dict[str, Part]) -> None:
        self.kind = kind
        self.plugin = plugin
        self.taken = taken
        self.found = found

    def __call__(self, name: str, maker: Callable[..., Any], *, needs: Sequence[str] = ()) -> None:
        if not isinstance(name, str) or not callable(maker):
            raise PawsError(Errors.P209.format(kind=self.kind, what=f"{maker!r} called {name!r}"))
        owner = self.taken.get(name) or self.found.get(name)
        if owner is not None:
            raise PawsError(Errors.P205.format(kind=KINDS[self.kind][1], name=name, owner=owner.plugin))
        self.found[name] = Part(name, maker, tuple(needs), self.plugin)


def _misspelt(name: str) -> str:
    close = get_close_matches(name, HOOKS, 1)
    hint = f", did you mean `{close[0]}`?" if close else ""
    return Errors.P207.format(name=name, hint=hint, known=", ".join(HOOKS))


@lru_cache(maxsize=None)
def host() -> Host:
    """The host of this process, made when it is first asked for. Our own parts come first, then others by name."""
    points = entry_points(group=GROUP)
    return Host(sorted(points, key=lambda point: (point.value != "paws_components.builtin", point.name)))


def make_part(kind: str, name: str, settings: Optional[Dict[str, Any]] = None, *given: Any) -> Any:
    """Make a generator, translator, language model or metric by its name: `make_part("translators", "marian")`."""
    return host().make(kind, name, settings or {}, *given)


def summary_of(part: Part) -> str:
    """The first paragraph of what the maker says about itself."""
    maker = part.maker.func if isinstance(part.maker, partial) else part.maker
    return inspect.cleandoc(maker.__doc__ or "").split("\n\n")[0]
