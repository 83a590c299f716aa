"""What a training run with the paper's loss came to: the first part of its curve beside the last."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence

from paws_components.plugin import PathLike, PawsError

from ..errors import Errors
from .run import CURVE

MEASURES = ("loss", "reward", "reward_of_batch", "mi_rate", "apt_rate")
Points = Sequence[Dict[str, Any]]


class Ends(NamedTuple):
    """Both ends of a curve.

    steps (int): How many steps the run had.
    points (int): How many points each end has.
    first (Dict[str, float]), last (Dict[str, float]): The mean of each measure over the points of the end.
    """

    steps: int
    points: int
    first: Dict[str, float]
    last: Dict[str, float]

    def __str__(self) -> str:
        first, last = self.first["reward"], self.last["reward"]
        way = "went up" if last > first else "did not go up"
        return f"The reward {way}: from {first:.4f} per sentence to {last:.4f}"


def read_curve(path: PathLike) -> List[Dict[str, Any]]:
    """Read the curve of a run with --loss reward.

    path (Union[str, Path]): The output of `paws apt train`, or the file of the curve in it.
    RETURNS (List[Dict[str, Any]]): Its points, in the order of the steps.
    """
    file = Path(path) / CURVE if Path(path).is_dir() else Path(path)
    try:
        points = json.loads(file.read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise PawsError(Errors.A032.format(path=file, reason=error)) from error
    if not isinstance(points, list) or not points:
        raise PawsError(Errors.A032.format(path=file, reason="it is not a list of points"))
    for point in points:
        lacking = [name for name in ("step", *MEASURES) if not isinstance(point, dict) or name not in point]
        if lacking:
            raise PawsError(Errors.A032.format(path=file, reason=f"a point has no {lacking[0]}"))
    return points


def both_ends(points: Points, share: float = 0.25) -> Ends:
    """The first part of a curve beside the last.

    points (Sequence[Dict[str, Any]]): The curve.
    share (float): How large a share of the points each part has.
    RETURNS (Ends): The two.
    """
    if not 0 < share <= 0.5:
        raise PawsError(Errors.A022.format(name="share", what="over 0 and at most 0.5", value=share))
    size = max(1, round(share * len(points)))
    return Ends(points[-1]["step"], size, _means(points[:size]), _means(points[-size:]))


def _means(points: Points) -> Dict[str, float]:
    return {name: sum(point[name] for point in points) / len(points) for name in MEASURES}
