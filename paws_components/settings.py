"""Settings of what plugins register: the schema is the maker's own signature."""

import inspect
import json
import re
from difflib import get_close_matches
from functools import partial
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Type, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from .errors import Errors, PawsError

# `name (type): text`, and the lines after it that stand further in.
DOCUMENTED = re.compile(r"^(\w+) \(.*?\): (.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)


class Setting(NamedTuple):
    """A setting as it is shown: its name, its type, its default if it has one, and what its maker's docstring says."""

    name: str
    type: str
    default: Any
    required: bool
    about: str = ""


def parameters(maker: Callable[..., Any], given: int = 0) -> List[inspect.Parameter]:
    """The parameters of a maker that are settings.

    maker (Callable): A class or a function.
    given (int): How many of its first parameters the host fills in.
    RETURNS (List[Parameter]): The others, with their types in place of the names of types.
    """
    hints = _hints(maker, include_extras=True)
    found = list(inspect.signature(maker).parameters.values())[given:]
    return [parameter.replace(annotation=hints.get(parameter.name, Any)) for parameter in found]


def describe(maker: Callable[..., Any], given: int = 0) -> List[Setting]:
    """The settings of a maker, for people."""
    settings = []
    said, hints = _said(maker), _hints(maker)
    for parameter in parameters(maker, given):
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            required = parameter.default is inspect.Parameter.empty
            # Without what pydantic is told, and without modules: Optional[int], not Annotated[…].
            kind = re.sub(r"\b(?:\w+\.)+", "", inspect.formatannotation(hints.get(parameter.name, Any)))
            default = None if required else parameter.default
            settings.append(Setting(parameter.name, kind, default, required, said.get(parameter.name, "")))
    return settings


def _typed(maker: Callable[..., Any]) -> Any:
    return maker.func if isinstance(maker, partial) else maker


def _hints(maker: Callable[..., Any], include_extras: bool = False) -> Dict[str, Any]:
    typed = _typed(maker)
    return get_type_hints(typed.__init__ if inspect.isclass(typed) else typed, include_extras=include_extras)


def _said(maker: Callable[..., Any]) -> Dict[str, str]:
    """What the docstring of a maker says of its parameters, where it is written in spaCy's manner."""
    typed = _typed(maker)
    docs = [typed.__doc__, typed.__init__.__doc__ if inspect.isclass(typed) else None]
    text = "\n".join(inspect.cleandoc(doc) for doc in docs if doc)
    return {name: " ".join(about.split()) for name, about in DOCUMENTED.findall(text)}


def validate(label: str, maker: Callable[..., Any], settings: Dict[str, Any], given: int = 0) -> Dict[str, Any]:
    """Check settings against the signature of their maker.

    label (str): What they are settings of, for the error: "generator 'word_swap'".
    maker (Callable): A class or a function; parameters without annotation take anything.
    settings (Dict[str, Any]): The settings.
    given (int): How many of the maker's first parameters the host fills in.
    RETURNS (Dict[str, Any]): The settings that were given, as the types of the parameters want them.
    """
    model = schema(maker, given)
    try:
        checked = model.model_validate(settings)
    except ValidationError as error:
        reasons = [_reason(problem, list(model.model_fields)) for problem in error.errors()]
        raise PawsError(Errors.P203.format(label=label, reasons="; ".join(reasons))) from error
    return {name: getattr(checked, name) for name in settings}


def schema(maker: Callable[..., Any], given: int = 0) -> Type[BaseModel]:
    """The pydantic model of a maker's settings. What it has no parameter for is forbidden, unless it takes **kwargs."""
    fields: Dict[str, Any] = {}
    extra = "forbid"
    for parameter in parameters(maker, given):
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            extra = "allow"
        else:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (parameter.annotation, default)
    config = ConfigDict(extra=extra, arbitrary_types_allowed=True, protected_namespaces=())  # type: ignore[typeddict-item]
    return create_model("Settings", __config__=config, **fields)


def _reason(problem: Any, known: Sequence[str]) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        close = get_close_matches(key, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are: {', '.join(known) or 'none'}"
        return f"there is no `{key}` ({hint})"
    if problem["type"] == "missing":
        return f"`{key}` is missing"
    return f"`{key}`: {problem['msg']}, but it is {problem['input']!r}"


def parse_assignments(assignments: Sequence[str]) -> Dict[str, Any]:
    """Settings from `key=value`: values are JSON where they can be read as such and text elsewhere; dots go deeper."""
    settings: Dict[str, Any] = {}
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        keys = path.strip().split(".")
        if not equals or not all(keys):
            raise PawsError(Errors.P204.format(text=assignment))
        place = settings
        for key in keys[:-1]:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                raise PawsError(Errors.P204.format(text=assignment))
        place[keys[-1]] = _value(text)
    return settings


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
