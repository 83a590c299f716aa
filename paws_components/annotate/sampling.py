"""Examples that fooled a target, for people to look at: Table 2 of the paper on shared words (section 4.4)."""

import random
from typing import Any, Dict, List, Sequence

from ..errors import Errors, PawsError


def sample_fooled(drafts: Sequence[Any], count: int, seed: int) -> List[Any]:
    """Draw examples of what `paws attack` wrote, half of each label, each as the original and as it was modified.

    drafts (Sequence[Draft]): An item for each outcome; outcomes that did not fool the target are passed over.
    count (int): How many examples; 0 for all that there are.
    seed (int): Of the draws.
    RETURNS (List[Draft]): Two items per example: their `version` is "original" or "modified".
    """
    fooled = [draft for draft in drafts if _fooled(draft.content["record"])]
    by_label = {label: [d for d in fooled if d.content["record"]["label"] == label] for label in (1, 0)}
    if count:
        share = {1: count - count // 2, 0: count // 2}
        for label, found in by_label.items():
            if len(found) < share[label]:
                raise PawsError(Errors.P810.format(wanted=share[label], there=len(found), label=label, all=len(drafts)))
        by_label = {
            label: random.Random(f"{seed} {label}").sample(found, share[label]) for label, found in by_label.items()
        }
    return [item for found in by_label.values() for draft in found for item in _both(draft)]


def _fooled(record: Any) -> bool:
    evidence = record["evidence"]
    return (
        evidence.get("status") == "succeeded" and record["label"] in (0, 1) and len(evidence.get("original", ())) == 2
    )


def _both(draft: Any) -> List[Any]:
    original = {**draft.content, "pair": list(draft.content["record"]["evidence"]["original"]), "version": "original"}
    modified = {**draft.content, "version": "modified"}
    return [
        draft._replace(key=f"{draft.key}#original", content=original),
        draft._replace(key=f"{draft.key}#modified", content=modified),
    ]


def is_checked(item: int, settings: Dict[str, Any]) -> bool:
    """Whether a translation is among those that somebody else checks: the same ones whenever it is asked."""
    return random.Random(f"{settings['seed']} check {item}").random() < settings["checked"]
