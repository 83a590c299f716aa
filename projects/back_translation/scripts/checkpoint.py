"""Folders that are there whole or not at all, and the state of a training run."""

import json
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional

from safetensors.torch import load_file, save_file


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """Write to a folder beside it, and put that in its place at the end.

    folder (Path): The folder to write.
    YIELDS (Path): The folder to write to meanwhile.
    """
    fresh, old = (folder.with_name(f".{folder.name}.{name}") for name in ("new", "old"))
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)
    fresh.mkdir(parents=True)
    yield fresh
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def save_state(folder: Path, model, optimizer, state: dict) -> None:
    """Save all that a run needs to go on: weights, Adam's moments and the counters."""
    moments = {}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state[parameter].items():
            moments[f"{name}/{key}"] = value
    with replace_folder(folder) as fresh:
        save_file({name: value.detach() for name, value in model.named_parameters()}, fresh / "weights.safetensors")
        save_file(moments, fresh / "moments.safetensors")
        (fresh / "state.json").write_text(json.dumps(state) + "\n", encoding="utf8")


def load_state(folder: Path, model, optimizer, settings: dict) -> Optional[dict]:
    """Load what save_state saved, into the model and the optimizer.

    folder (Path): The checkpoint.
    model (MarianMTModel): Gets the weights.
    optimizer (torch.optim.Adam): Gets the moments.
    settings (dict): What the run is asked for: the checkpoint's must be the same.
    RETURNS (Optional[dict]): The counters, or None when nothing has been saved yet.
    """
    if not folder.exists():
        return None
    state = json.loads((folder / "state.json").read_text(encoding="utf8"))
    other = [f"{name} was {was}" for name, was in state["settings"].items() if settings.get(name) != was]
    if other:
        raise SystemExit(f"{folder} is of another run ({', '.join(other)}): take its settings, or remove it.")
    weights = load_file(folder / "weights.safetensors")
    moments = load_file(folder / "moments.safetensors")
    for name, parameter in model.named_parameters():
        parameter.data.copy_(weights[name])
        keys = [key for key in moments if key.rpartition("/")[0] == name]
        optimizer.state[parameter] = {key.rpartition("/")[2]: moments[key] for key in keys}
    return state
