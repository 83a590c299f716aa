"""The plugin host: finds plugins by their entry points, keeps broken ones apart, and makes what they register."""

import inspect
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .errors import Errors, Fatal, PawsError
from .loading import COMMANDS, GROUP, package_of, prints_to_stderr
from .needed import import_needed
from .settings import validate

OK, FAILED = "ok", "failed"
READS = ("texts", "words", "lemmas")


class Kind(NamedTuple):
    """A kind of thing that can be registered.

    hook (str): The hook for it.
    label (str): What one of it is called.
    given (int): How many arguments the host gives its maker.
    methods (Tuple[str, ...]): What such a thing must be able to do.
    facts (Tuple[str, ...]): What can be said of it when it is registered.
    """

    hook: str
    label: str
    given: int
    methods: Tuple[str, ...]
    facts: Tuple[str, ...] = ()


KINDS: Dict[str, Kind] = {
    "generators": Kind(
        "paws_register_generators", "generator", 1, ("__call__",), ("needs", "chunk", "takes_pairs", "choose")
    ),
    "translators": Kind("paws_register_translators", "translator", 0, ("translate",), ("chunk", "manner")),
    "language_models": Kind("paws_register_language_models", "language model", 0, ("begin", "extend", "end")),
    "judges": Kind("paws_register_judges", "judge", 0, ("__call__",)),
    "metrics": Kind("paws_register_metrics", "metric", 0, ("__call__",), ("reads", "title", "about", "light")),
}
HOOKS = tuple(kind.hook for kind in KINDS.values())


@dataclass(frozen=True)
class Registration:
    """A name, what makes the thing, and what the host must know of it.

    name (str): How it is asked for.
    maker (Callable): The class or function that makes it; the settings' schema is its signature.
    plugin (str): Whose it is.
    requires (Dict[str, str]): Modules that must be installed, each with what `pip install` is given for it.
    needs (Tuple[str, ...]): Of a generator: the trained pipes it needs, such as "tagger"; none if words will do.
    chunk (Optional[int]): How many lines a generator is handed at once, or rows a translator; a slow one takes few, so
        that progress shows.
    manner (Tuple[str, ...]): Of a translator: the settings that change how it works and not what comes of it, such as a
        rate; a run that goes on may have others.
    takes_pairs (bool): Whether it works on both sentences of a pair at once: a pair Doc comes to it whole.
    choose (Optional[Callable]): Given all records of a run and the settings, a function that says which stay.
    reads (str): What a metric reads of a sentence: "texts", "words" (lower-cased), or "lemmas".
    title (str): What it is called in tables and charts.
    about (str): What it says of a pair, in one line.
    light (bool): Whether it needs no model of its own, so that a report shows it where nobody says which metrics.
    """

    name: str
    maker: Callable[..., Any]
    plugin: str
    requires: Dict[str, str] = field(default_factory=dict)
    needs: Tuple[str, ...] = ()
    chunk: Optional[int] = None
    manner: Tuple[str, ...] = ()
    takes_pairs: bool = False
    choose: Optional[Callable[..., Any]] = None
    reads: str = "texts"
    title: str = ""
    about: str = ""
    light: bool = False

    @property
    def missing(self) -> Optional[str]:
        """The first module that it requires and that is not installed, if there is one."""
        return next((name for name in self.requires if find_spec(name.split(".")[0]) is None), None)

    @property
    def summary(self) -> str:
        """The first paragraph of what the maker says about itself."""
        maker = self.maker.func if isinstance(self.maker, partial) else self.maker
        return self.about or inspect.cleandoc(maker.__doc__ or "").split("\n\n")[0]


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
    judges: List[str] = field(default_factory=list)
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
        self.registered: Dict[str, Dict[str, Registration]] = {kind: {} for kind in KINDS}
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
        for kind, things in found.items():
            self.registered[kind].update(things)
            setattr(plugin, kind, sorted(things))

    def _check_hooks(self, plugin: Plugin, module: Any) -> None:
        callers = self.manager.get_hookcallers(module) or []
        plugin.hooks = sorted(caller.name for caller in callers)
        for caller in callers:
            # pluggy takes a hook that nobody specified for one of a later version, and would never call it.
            if not caller.has_spec():
                raise PawsError(_misspelt(caller.name))
        if not callers:
            raise PawsError(Errors.P208.format(known=", ".join(HOOKS)))

    def _call_hooks(self, plugin: Plugin) -> Dict[str, Dict[str, Registration]]:
        """What the plugin registers, by kind. Its hooks are called without those of the others."""
        others = [other for name, other in self.manager.list_name_plugin() if name != plugin.name]
        found: Dict[str, Dict[str, Registration]] = {}
        for name, kind in KINDS.items():
            found[name] = {}
            register = _Register(kind, plugin.name, self.registered[name], found[name])
            self.manager.subset_hook_caller(kind.hook, others)(register=register)
        return found

    def find(self, kind: str, name: str) -> Registration:
        """What is registered under a name, or our error that says what there is."""
        things = self.registered[kind]
        if name in things:
            return things[name]
        close = get_close_matches(name, things, 1)
        hints = [f" Did you mean {close[0]!r}?"] if close else []
        hints += [f" The plugin {p.name!r} could not be loaded: {p.error}." for p in self.plugins if p.state == FAILED]
        known = ", ".join(sorted(things)) or "none"
        raise PawsError(Errors.P201.format(kind=KINDS[kind].label, name=name, known=known, hint="".join(hints)))

    def require(self, kind: str, name: str) -> Registration:
        """What is registered under a name; our error, too, where a package that it requires is not installed."""
        found = self.find(kind, name)
        if found.missing:
            pip = found.requires[found.missing]
            raise Fatal(Errors.P101.format(kind=KINDS[kind].label, name=name, package=found.missing, pip=pip))
        return found

    def origin(self, kind: str, name: str) -> str:
        """The package that registered something, with its version: a run that goes on must have the same."""
        owner = self.find(kind, name).plugin
        packages = {plugin.name: f"{plugin.package} {plugin.version}" for plugin in self.plugins}
        return packages.get(owner, owner)

    def make(self, kind: str, name: str, settings: Dict[str, Any], *given: Any) -> Any:
        """Make what is registered under a name.

        kind (str): "generators", "translators", "language_models", "judges" or "metrics".
        name (str): The name.
        settings (Dict[str, Any]): Its settings; checked against its maker's signature.
        *given: What the host gives its maker besides: a generator gets the pipeline.
        RETURNS (Any): The generator, translator, language model, judge or metric.
        """
        found = self.require(kind, name)
        label = KINDS[kind].label
        checked = validate(f"{label} {name!r}", found.maker, settings, len(given))
        try:
            made = found.maker(*given, **checked)
        except PawsError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}. It comes from the plugin {found.plugin!r}."
            raise PawsError(Errors.P202.format(kind=label, name=name, reason=reason)) from error
        absent = [method for method in KINDS[kind].methods if not callable(getattr(made, method, None))]
        if absent:
            what = f"what the plugin {found.plugin!r} makes, a {type(made).__name__},"
            raise PawsError(Errors.P217.format(kind=label, name=name, what=what, methods=_methods(absent)))
        return made


class _Register:
    """What a plugin's hook is given to register things with. What has the wrong shape is refused here."""

    def __init__(self, kind: Kind, plugin: str, taken: Dict[str, Registration], found: Dict[str, Registration]) -> None:
        self.kind = kind
        self.plugin = plugin
        self.taken = taken
        self.found = found

    def __call__(
        self, name: str, maker: Callable[..., Any], *, requires: Optional[Dict[str, str]] = None, **facts: Any
    ) -> None:
        kind = self.kind
        if not isinstance(name, str) or not callable(maker):
            raise PawsError(Errors.P209.format(kind=kind.label, what=f"{maker!r} called {name!r}"))
        owner = self.taken.get(name) or self.found.get(name)
        if owner is not None:
            raise PawsError(Errors.P205.format(kind=kind.label, name=name, owner=owner.plugin))
        for fact in facts:
            if fact not in kind.facts:
                known = ", ".join(("requires", *kind.facts))
                raise PawsError(Errors.P218.format(kind=kind.label, name=name, fact=fact, known=known))
        if facts.get("reads", READS[0]) not in READS:
            known = ", ".join(READS)
            raise PawsError(Errors.P218.format(kind=kind.label, name=name, fact=f"reads={facts['reads']}", known=known))
        absent = [method for method in kind.methods if inspect.isclass(maker) and not _has(maker, method)]
        if absent:
            what = f"the class {maker.__name__}"
            raise PawsError(Errors.P217.format(kind=kind.label, name=name, what=what, methods=_methods(absent)))
        facts.update({fact: tuple(facts[fact]) for fact in ("needs", "manner") if fact in facts})
        self.found[name] = Registration(name, maker, self.plugin, requires or {}, **facts)


def _has(cls: type, method: str) -> bool:
    """Whether what a class makes has a method. Every class can be called itself, so `getattr` would not tell."""
    return any(callable(vars(base).get(method)) for base in cls.__mro__)


def _methods(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _misspelt(name: str) -> str:
    close = get_close_matches(name, HOOKS, 1)
    hint = f", did you mean `{close[0]}`?" if close else ""
    return Errors.P207.format(name=name, hint=hint, known=", ".join(HOOKS))


@lru_cache(maxsize=None)
def host() -> Host:
    """The host of this process, made when it is first asked for. What is ours comes first, then others by name."""
    points = entry_points(group=GROUP)
    return Host(sorted(points, key=lambda point: (point.value != "paws_components.builtin", point.name)))


def make_registered(kind: str, name: str, settings: Optional[Dict[str, Any]] = None, *given: Any) -> Any:
    """Make what is registered under a name: `make_registered("translators", "marian")`. See `Host.make`."""
    return host().make(kind, name, settings or {}, *given)
