"""Many trainings: configs by mixes of corpora by seeds. Each is what `spacy train` does with one config."""

from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from spacy.util import load_config
from thinc.api import Config

from ..errors import Errors, PawsError
from ..records import PathLike
from .runs import fit_schedule, innermost

NAME, SEEDED_NAME = "{model}-{mix}", "{model}-{mix}-{seed}"


class Mix(NamedTuple):
    """What is trained on, and what the checkpoint is chosen by.

    name (str): Names of corpora with a plus between them: `qqp+paws`, or `qqp+paws:3000` for 3,000 pairs of the second.
    train (List[str]), dev (List[str]): The files.
    limits (List[int]): How many pairs of each file to train on; 0 for all.
    """

    name: str
    train: List[str]
    limits: List[int]
    dev: List[str]


def read_mix(name: str, folders: Sequence[PathLike], dev: Optional[PathLike] = None) -> Mix:
    """Find the files of a mix: NAME_train.jsonl of each corpus, and NAME_dev.jsonl of each that has one.

    name (str): The mix.
    folders (Sequence[Union[str, Path]]): Where the files are; the first that has one counts.
    dev (Union[str, Path, None]): A file to choose by instead.
    RETURNS (Mix): The files.
    """
    train, limits, chosen = [], [], []
    for entry in name.split("+"):
        corpus, _, number = entry.partition(":")
        found = _find(folders, f"{corpus}_train.jsonl")
        if found is None or (number and not (number.isdecimal() and int(number))) or entry.endswith(":"):
            places = ", ".join(map(str, folders))
            raise PawsError(Errors.P316.format(mix=name, entry=entry, file=f"{corpus}_train.jsonl", folders=places))
        train.append(found)
        limits.append(int(number or 0))
        chosen.append(_find(folders, f"{corpus}_dev.jsonl"))
    files = [str(dev)] if dev is not None else [path for path in chosen if path is not None]
    if not files:
        raise PawsError(Errors.P317.format(mix=name, file=f"{name.split('+')[0].partition(':')[0]}_dev.jsonl"))
    return Mix(name, train, limits, files)


def plan_runs(
    configs: Sequence[PathLike],
    mixes: Sequence[Mix],
    seeds: Sequence[int] = (0,),
    *,
    name: Optional[str] = None,
    init: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
) -> Dict[str, Config]:
    """The config of every run by its name: seed by seed, so that one that is stopped early has something of all.

    configs (Sequence[Union[str, Path]]): Complete configs, whose corpora read `${paths.train}` and `${paths.dev}`. The
        name of the file is the name of the model.
    mixes (Sequence[Mix]): What they are trained on.
    seeds (Sequence[int]): Of each.
    name (Optional[str]): What a run is called, with `{model}`, `{mix}` and `{seed}` to fill in.
    init (Optional[str]): The trained pipeline to go on from, for `${paths.init}`, with the same to fill in.
    overrides (Optional[Mapping[str, Any]]): Other values of the configs, as `spacy train` takes them. A value goes to
        the configs that have its setting. At least one must, but for `paths`: a model may do without vectors.
    RETURNS (Dict[str, Config]): The configs; a learning rate that falls reaches its end with the last epoch.
    """
    name = name or (NAME if len(seeds) < 2 else SEEDED_NAME)
    planned: Dict[str, Config] = {}
    unused = set(overrides or {})
    for seed in seeds:
        for mix in mixes:
            for path in configs:
                # No colon: it can't be in the name of a folder everywhere.
                fields = {"model": Path(path).stem, "mix": mix.name.replace(":", ""), "seed": seed}
                config = _load(path)
                known = {key: value for key, value in (overrides or {}).items() if _has(config, key)}
                unused -= set(known)
                known.update({"paths.train": mix.train, "paths.dev": mix.dev, "system.seed": seed})
                if init is not None:
                    known["paths.init"] = _fill(init, fields)
                config = load_config(Path(path), overrides=known, interpolate=False)
                _check_reads(config, path, ("train", "dev") if init is None else ("train", "dev", "init"))
                limit_pairs(config, mix.limits)
                fit_schedule(config)
                run = _fill(name, fields)
                if run in planned:
                    raise PawsError(Errors.P318.format(name=run))
                planned[run] = config
    unused = {key for key in unused if not key.startswith("paths.")}
    if unused:
        raise PawsError(Errors.P319.format(keys=", ".join(sorted(unused))))
    return planned


def limit_pairs(config: Config, limits: Sequence[int]) -> None:
    """Let the innermost reader of the training corpus take no more than so many pairs of each file."""
    if any(limits):
        innermost(config["corpora"]["train"])["limit"] = list(limits)


def _check_reads(config: Config, path: PathLike, names: Sequence[str]) -> None:
    """Our error for a config that would train on something else, or from nothing, under the name of the run."""
    text = config.to_str(interpolate=False)
    for name in names:
        variable = f"${{paths.{name}}}"
        if variable not in text:
            raise PawsError(Errors.P313.format(path=str(path), name=variable, value=config["paths"][name]))


def _load(path: PathLike) -> Config:
    if not Path(path).is_file():
        raise PawsError(Errors.P020.format(path=str(path), reason="it is not there"))
    return load_config(Path(path), interpolate=False)


def _has(config: Config, key: str) -> bool:
    block: Any = config
    for part in key.split("."):
        if not isinstance(block, dict) or part not in block:
            return False
        block = block[part]
    return True


def _fill(template: str, fields: Mapping[str, Any]) -> str:
    for key, value in fields.items():
        template = template.replace("{" + key + "}", str(value))
    return template


def _find(folders: Sequence[PathLike], name: str) -> Optional[str]:
    return next((str(Path(folder) / name) for folder in folders if (Path(folder) / name).is_file()), None)
