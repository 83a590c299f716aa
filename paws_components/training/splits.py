"""The splits of corpora that a project trains and tests on: read from any layout, kept free of leaks, written as pair
records. Every step counts what it did into one dictionary, which the project prints."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ..curation.splitting import HasSentences, P, set_apart, without_shared
from ..errors import Errors, PawsError
from ..pairs import PARAPHRASE
from ..readers import open_pairs
from ..records import NLI, PairRecord, PathLike
from ..writers import RecordWriter
from .labelled import UNKNOWN, Account, Pair, read_labelled

Counts = Dict[str, int]
AnyPair = Union[Pair, PairRecord]


def read_split(path: PathLike, name: str, counts: Counts, layout: Optional[str] = None) -> List[Pair]:
    """The labelled pairs of a file. Rows that give no pair are left out, and counted by the reason.

    path (Union[str, Path]): The file.
    name (str): What its counts begin with.
    counts (Dict[str, int]): Where NAME_rows, NAME_rows_left_out and NAME_rows_left_out_REASON go.
    layout (Optional[str]): The name of its layout; None to guess it.
    RETURNS (List[Pair]): The pairs, in the order of the file.
    """
    account = Account(str(path))
    pairs = list(read_labelled(open_pairs(path, layout), account))
    counts[f"{name}_rows"] = account.rows
    counts[f"{name}_rows_left_out"] = account.rows - account.pairs
    counts.update({f"{name}_rows_left_out_{why}": count for why, count in sorted(account.why.items()) if count})
    return pairs


def published_or_cut(
    folder: PathLike, name: str, sizes: Mapping[str, int], seed: int, counts: Dict[str, Any], layout: str
) -> Dict[str, List[Pair]]:
    """The train, dev and test split of a corpus: train.tsv, dev.tsv and test.tsv of a folder where all of them are
    there, else dev.tsv cut in three that share no sentence.

    folder (Union[str, Path]): The folder.
    name (str): What the counts begin with; NAME_is says which of the two it was.
    sizes (Mapping[str, int]): How many pairs of dev.tsv become `dev` and `test`, at most.
    seed (int): Of the cut.
    counts (Dict[str, Any]): Where the counts go.
    layout (str): The layout of the files.
    RETURNS (Dict[str, List[Pair]]): The pairs of "train", "dev" and "test".
    """
    files = {split: Path(folder) / f"{split}.tsv" for split in ("train", "dev", "test")}
    published = all(path.is_file() for path in files.values())
    counts[f"{name}_is"] = "published parts" if published else "cut from dev.tsv"
    if published:
        return {split: read_split(path, f"{name}_{split}", counts, layout) for split, path in files.items()}
    test, rest = set_apart(read_split(files["dev"], f"{name}_dev", counts, layout), sizes["test"], seed)
    dev, train = set_apart(rest, sizes["dev"], seed)
    return {"train": train, "dev": dev, "test": test}


def drop_shared(pairs: Sequence[P], others: Iterable[HasSentences], name: str, counts: Counts) -> List[P]:
    """The pairs that share no sentence with some others.

    pairs (Sequence): The pairs, of which those that leak are left out.
    others (Iterable): The pairs that must stay unseen.
    name (str): The count of what was left out.
    counts (Dict[str, int]): Where it goes.
    RETURNS (List): The rest, in their order.
    """
    kept = without_shared(pairs, others)
    counts[name] = len(pairs) - len(kept)
    return kept


def across(first: Sequence[PairRecord], second: Sequence[PairRecord]) -> List[PairRecord]:
    """Pairs across languages (PAWS-X, section 2): the first sentence as one corpus has it, the second as another does.

    first (Sequence[PairRecord]): The pairs in one language.
    second (Sequence[PairRecord]): The same pairs, by their ids, in another.
    RETURNS (List[PairRecord]): The pairs that are in both with the same label, in the order of the first; `lang` is
        both languages, such as "de-zh".
    """
    others = {(record.id, record.label): record for record in second}
    found = []
    for record in first:
        other = others.get((record.id, record.label))
        if other is not None:
            lang = f"{record.evidence.get('lang', '')}-{other.evidence.get('lang', '')}"
            found.append(replace(record, sentence2=other.sentence2, evidence={**record.evidence, "lang": lang}))
    return found


def write_splits(splits: Mapping[str, Sequence[AnyPair]], folder: PathLike, counts: Counts) -> None:
    """Write the splits of a corpus as FOLDER/NAME.jsonl; our error, before anything is written, for an empty one.

    splits (Mapping[str, Sequence]): The pairs of each split by its name: those of a reader, or records.
    folder (Union[str, Path]): Where they go; it is made if it is not there.
    counts (Dict[str, int]): Where NAME and NAME_paraphrases go; NAME_entailments of judgements of NLI.
    """
    for name, pairs in splits.items():
        if not pairs:
            raise PawsError(Errors.P152.format(name=name))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, pairs in splits.items():
        records = [to_record(pair) for pair in pairs]
        with RecordWriter(Path(folder) / f"{name}.jsonl") as writer:
            for record in records:
                writer.write(record)
        counts[name] = len(records)
        if any(record.nli for record in records):
            counts[f"{name}_entailments"] = sum(record.nli == NLI[0] for record in records)
        else:
            counts[f"{name}_paraphrases"] = sum(record.label == 1 for record in records)


def to_record(pair: AnyPair) -> PairRecord:
    """The record of a pair; one that is a record already stays as it is."""
    if isinstance(pair, PairRecord):
        return pair
    label_source = None if pair.label_source == UNKNOWN else pair.label_source
    if pair.label in NLI:
        return PairRecord(pair.sentence1, pair.sentence2, label_source=label_source, nli=pair.label)
    return PairRecord(pair.sentence1, pair.sentence2, label=int(pair.label == PARAPHRASE), label_source=label_source)
