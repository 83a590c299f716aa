"""The parts of corpora that a project trains and tests on: read from any layout, kept free of leaks, written as pair
records. Every step counts what it did into one dictionary, which the project prints."""

from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence, Union

from ..curation.splitting import HasSentences, without_shared
from ..records import PairRecord, RecordWriter
from .labelled import UNKNOWN, Account, Pair, read_labelled
from .sources import Source

Counts = Dict[str, int]
PathLike = Union[str, Path]


def read_part(path: PathLike, name: str, counts: Counts, layout: Optional[str] = None) -> List[Pair]:
    """The labelled pairs of a file. Rows that give no pair are left out, and counted by the reason.

    path (Union[str, Path]): The file.
    name (str): What its counts begin with.
    counts (Dict[str, int]): Where NAME_rows, NAME_rows_left_out and NAME_rows_left_out_REASON go.
    layout (Optional[str]): The name of its layout; None to guess it.
    RETURNS (List[Pair]): The pairs, in the order of the file.
    """
    account = Account(str(path))
    pairs = list(read_labelled(Source(str(path), layout), account))
    counts[f"{name}_rows"] = account.rows
    counts[f"{name}_rows_left_out"] = account.rows - account.pairs
    counts.update({f"{name}_rows_left_out_{why}": count for why, count in sorted(account.why.items()) if count})
    return pairs


def drop_shared(pairs: Sequence[Pair], others: Iterable[HasSentences], name: str, counts: Counts) -> List[Pair]:
    """The pairs that share no sentence with some others.

    pairs (Sequence[Pair]): The pairs, of which those that leak are left out.
    others (Iterable): The pairs that must stay unseen.
    name (str): The count of what was left out.
    counts (Dict[str, int]): Where it goes.
    RETURNS (List[Pair]): The rest, in their order.
    """
    kept = without_shared(pairs, others)
    counts[name] = len(pairs) - len(kept)
    return kept


def write_part(path: PathLike, pairs: Iterable[Pair], counts: Counts) -> None:
    """Write pairs as pair records; how many there are, and how many of them are paraphrases, is counted.

    path (Union[str, Path]): The file; its name without the ending is what the counts begin with.
    pairs (Iterable[Pair]): The pairs.
    counts (Dict[str, int]): Where NAME and NAME_paraphrases go.
    """
    name = Path(path).stem
    counts[name] = counts[f"{name}_paraphrases"] = 0
    with RecordWriter(path) as writer:
        for pair in pairs:
            label = int(pair.label == "paraphrase")
            given_by = None if pair.label_source == UNKNOWN else pair.label_source
            writer.write(PairRecord(pair.sentence1, pair.sentence2, label=label, label_source=given_by))
            counts[name] += 1
            counts[f"{name}_paraphrases"] += label
