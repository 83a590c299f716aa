"""The audit of a corpus: every check over every split, and every two splits against each other."""

from functools import partial
from pathlib import Path
from typing import Callable, Collection, Dict, Iterable, List, Mapping, Optional

from ..errors import Errors, PawsError
from ..readers import Source
from ..readers.guess import guess_layout
from ..records import PathLike
from . import checks_across, checks_file, checks_label, checks_names, checks_text
from .findings import LEVELS, Finding, Split

# Checks of one split, in the order of a reader: the file, its rows, its texts, its labels.
CHECKS: Dict[str, Callable[[Split], List[Finding]]] = {
    "byte_order_mark": checks_file.byte_order_mark,
    "line_endings": checks_file.line_endings,
    "encoding": checks_file.encoding,
    "broken_off": checks_file.broken_off,
    "stray_lines": checks_file.stray_lines,
    "column_count": checks_file.column_count,
    "quoting_loss": checks_file.quoting_loss,
    "quoting_change": checks_file.quoting_change,
    "csv_quoted": checks_file.csv_quoted,
    "empty_sentences": checks_text.empty_sentences,
    "placeholders": checks_text.placeholders,
    "bytes_literals": checks_text.bytes_literals,
    "ptb_tokens": checks_text.ptb_tokens,
    "lopsided_pairs": checks_text.lopsided_pairs,
    "identical_pairs": checks_text.identical_pairs,
    "identical_not_paraphrase": checks_text.identical_not_paraphrase,
    "duplicate_pairs": checks_text.duplicate_pairs,
    "contradictory_pairs": checks_text.contradictory_pairs,
    "labels_missing": checks_label.labels_missing,
    "labels_unknown": checks_label.labels_unknown,
    "labels_undecided": checks_label.labels_undecided,
    "label_encoding": checks_label.label_encoding,
    "imbalance": checks_label.imbalance,
    "same_bow": checks_text.same_bow,
    "inconsistent_names": checks_names.inconsistent_names,
    "fixed_sides": checks_text.fixed_sides,
    "duplicate_ids": checks_label.duplicate_ids,
    "source_ids": checks_label.source_ids,
    "unrewarded": checks_label.unrewarded,
}
# Checks of all splits together.
CHECKS_ACROSS: Dict[str, Callable[[List[Split]], List[Finding]]] = {
    "shared_pairs": checks_across.shared_pairs,
    "shared_sentences": checks_across.shared_sentences,
    "shared_rows": checks_across.shared_rows,
    "contradictory_across": checks_across.contradictory_across,
    "inverted_labels": checks_across.inverted_labels,
    "label_reference": checks_across.label_reference,
    "mixed_line_endings": checks_across.mixed_line_endings,
}


def audit(
    splits: Mapping[str, Source],
    *,
    layout: Optional[str] = None,
    reference: Optional[str] = None,
    checks: Optional[Collection[str]] = None,
) -> List[Finding]:
    """Look for what is wrong with a corpus.

    splits (Mapping[str, Source]): The sources by the names of their splits: see `open_pairs`.
    layout (Optional[str]): The layout of all of them; None to guess each.
    reference (Optional[str]): The split whose labels are right, for the others with the same ids; None for the English
        one of PAWS-X.
    checks (Optional[Collection[str]]): The names of the checks to run; None for all.
    RETURNS (List[Finding]): What was found, split by split, the checks of several splits last.
    """
    if reference is not None and reference not in splits:
        raise PawsError(Errors.P147.format(name=reference, known=", ".join(splits)))
    return audit_splits([Split(name, path, layout) for name, path in splits.items()], reference, checks)


def audit_splits(
    splits: List[Split], reference: Optional[str] = None, checks: Optional[Collection[str]] = None
) -> List[Finding]:
    """The same for splits that are read already."""
    known = (*CHECKS, *CHECKS_ACROSS)
    for name in checks or ():
        if name not in known:
            raise PawsError(Errors.P148.format(what="check", name=name, known=", ".join(known)))
    across: Dict[str, Callable[[List[Split]], List[Finding]]] = {
        **CHECKS_ACROSS,
        "label_reference": partial(checks_across.label_reference, reference=reference),
    }
    findings: List[Finding] = []
    for split in splits:
        for name, check in CHECKS.items():
            if checks is None or name in checks:
                findings += check(split)
    for name, check_all in across.items():
        if checks is None or name in checks:
            findings += check_all(splits)
    return findings


def count_levels(findings: Iterable[Finding]) -> Dict[str, int]:
    """How many findings there are of each level."""
    found = list(findings)
    return {level: sum(finding.level == level for finding in found) for level in LEVELS}


def find_splits(folder: PathLike) -> Dict[str, Path]:
    """The files of a folder, and of the folders in it, that hold sentence pairs.

    folder (Union[str, Path]): The folder.
    RETURNS (Dict[str, Path]): Each file by its path within the folder, without its ending where that loses nothing;
        training files first in each folder.
    """
    root = Path(folder)
    found: List[Path] = []
    for path in sorted(root.rglob("*"), key=lambda path: (path.parent, "train" not in path.name, path.name)):
        if path.is_file() and _has_layout(path):
            found.append(path)
    if not found:
        raise PawsError(Errors.P149.format(path=str(folder)))
    names = [path.relative_to(root).as_posix() for path in found]
    bare = [name.rpartition(".")[0] or name for name in names]
    return {short if bare.count(short) == 1 else name: path for short, name, path in zip(bare, names, found)}


def _has_layout(path: Path) -> bool:
    try:
        guess_layout(path)
    except PawsError:
        return False
    return True
