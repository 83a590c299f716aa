"""What a training with the paper's loss came to: reward, MI rate and APT rate of the first part of its steps and of the
last, from the curve that `paws apt train` writes. Prints one JSON object, and a sentence."""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List, Sequence

MEASURES = ("loss", "reward", "reward_of_batch", "mi_rate", "apt_rate")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("curve", type=Path, help="curve.json of the output of `paws apt train`")
    parser.add_argument("--share", type=float, default=0.25, help="of the points, for the first and for the last part")
    args = parser.parse_args()

    if not args.curve.is_file():
        raise SystemExit(f"{args.curve} is not there: it is written when `paws apt train` has come to its end")
    points = json.loads(args.curve.read_text(encoding="utf8"))
    if not points or "reward" not in points[0]:
        raise SystemExit(f"{args.curve} has no rewards: train with --loss reward")
    size = max(1, round(args.share * len(points)))
    first, last = means(points[:size]), means(points[-size:])
    steps = {"steps": points[-1]["step"], "points": len(points), "points_of_a_part": size}
    print(json.dumps({**steps, "first": first, "last": last}))
    way = "went up" if last["reward"] > first["reward"] else "did not go up"
    print(f"The reward {way}: from {first['reward']:.4f} a sentence to {last['reward']:.4f}.")


def means(points: Sequence[Dict[str, Any]]) -> Dict[str, float]:
    values: Dict[str, List[float]] = {name: [point[name] for point in points] for name in MEASURES}
    return {name: round(sum(each) / len(each), 4) for name, each in values.items()}


if __name__ == "__main__":
    main()
