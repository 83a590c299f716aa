"""A data set as a folder that `datasets.load_dataset` reads: files in one schema, and a card that says what it is."""

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

import srsly

from ..errors import Errors, PawsError
from ..records import FIELDS, PairRecord, PathLike, pyarrow_parquet
from ..writers import FORMATS, RecordWriter, write_text
from .sheet import show_sheet

CARD, COUNTS = "README.md", "counts.json"
# What the hub calls the split that we call dev.
HUB_NAMES = {"dev": "validation"}
# The splits of the set itself come under the first name, every other part under its own.
DEFAULT = "default"
# How large a set is, as the hub's cards say it.
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
COLUMNS = {
    "id": "a hash of the two sentences and the generator; it stays the same where the sides were flipped",
    "sentence1, sentence2": "the sentences; which of them is the source is left to chance",
    "label": "1 paraphrase, 0 not",
    "nli": "a judgement of natural language inference, where there is one",
    "label_source": "`human`, `silver` (by rule of generation or by a model) or `rule`",
    "generator": "what made the pair: `word_swap`, `back_translation`, `recombined`, …",
    "source_id": "the same for all pairs that come of one sentence; it is in one split only",
    "evidence": "what speaks for the pair, as JSON text, so that all generators have one schema",
}


def write_data_set(
    parts: Mapping[str, Mapping[str, Sequence[PairRecord]]],
    folder: PathLike,
    about: Mapping[str, Any],
    counts: Mapping[str, Any],
    formats: Sequence[str] = ("jsonl", "tsv", "parquet"),
) -> None:
    """Write a data set and its card to a new folder.

    FORMAT/SPLIT.FORMAT holds each split, FORMAT/PART/SPLIT.FORMAT those of the other parts. The evidence is JSON text
    in all of them: so the pairs of two generators load together.

    parts (Mapping): The splits of each part by their names; the part "default" is the set itself.
    folder (Union[str, Path]): The folder; it must not hold anything.
    about (Mapping[str, Any]): What the card says: name, license, lang, source, seed, generators, labels, version.
    counts (Mapping[str, Any]): What was counted, for the card and counts.json.
    formats (Sequence[str]): Which formats are written. `load_dataset` reads Parquet if it is among them, else JSONL.
    """
    check_formats(formats)
    root = Path(folder)
    for format in formats:
        for part, splits in parts.items():
            for split, records in splits.items():
                path = root / _place(format, part, split)
                path.parent.mkdir(parents=True, exist_ok=True)
                with RecordWriter(path, flat=True) as writer:
                    for record in records:
                        writer.write(record)
    write_text(root / COUNTS, json.dumps(counts, ensure_ascii=False, indent=2) + "\n")
    write_text(root / CARD, card(parts, about, counts, formats))


def check_formats(formats: Sequence[str]) -> None:
    """Our error for a format that is not written, or that needs a package which is not there."""
    for name in formats:
        if "." + name not in FORMATS:
            raise PawsError(Errors.P015.format(name="formats", what="some of jsonl, tsv, csv, parquet", value=name))
    if "parquet" in formats:
        pyarrow_parquet()


def card(
    parts: Mapping[str, Mapping[str, Sequence[PairRecord]]],
    about: Mapping[str, Any],
    counts: Mapping[str, Any],
    formats: Sequence[str],
) -> str:
    """The card of a data set: YAML for the hub, then what people read. See `write_data_set`."""
    total = sum(len(records) for splits in parts.values() for records in splits.values())
    front: Dict[str, Any] = {
        "pretty_name": about["name"],
        "language": [about["lang"]],
        "license": about.get("license") or "unknown",
        "task_categories": ["text-classification"],
        "task_ids": ["semantic-similarity-classification"],
        "size_categories": [next((name for size, name in SIZES if total < size), "n>1M")],
        "tags": ["paraphrase-identification", "adversarial", "paws-components"],
    }
    loaded = next((one for one in ("parquet", "jsonl") if one in formats), None)
    if loaded:
        front["configs"] = _configs(parts, loaded)
        front["dataset_info"] = [{"config_name": part, "features": _features()} for part in parts]
    return f"---\n{srsly.yaml_dumps(front, sort_keys=False)}---\n\n{_body(about, counts, loaded, list(parts))}\n"


def _place(format: str, part: str, split: str) -> str:
    return "/".join([format, *([] if part == DEFAULT else [part]), f"{split}.{format}"])


def _configs(parts: Mapping[str, Mapping[str, Any]], format: str) -> List[Dict[str, Any]]:
    return [
        {
            "config_name": part,
            **({"default": True} if part == DEFAULT else {}),
            "data_files": [
                {"split": HUB_NAMES.get(split, split), "path": _place(format, part, split)}
                for split, records in splits.items()
                if len(records)
            ],
        }
        for part, splits in parts.items()
    ]


def _features() -> List[Dict[str, str]]:
    return [{"name": name, "dtype": "int8" if name == "label" else "string"} for name in FIELDS]


def _body(about: Mapping[str, Any], counts: Mapping[str, Any], loaded: Optional[str], parts: List[str]) -> str:
    name = about["name"]
    lines = [
        f"# {name}",
        "",
        "Sentence pairs with much the same words that are paraphrases or not, made and put together as PAWS was "
        f"(Zhang, Baldridge and He 2019) by paws-components {about['version']}.",
        "",
    ]
    lines += [f"- **Text**: {about.get('source') or 'not said'}; its licence: {about.get('license') or 'not said'}"]
    lines += [f"- **Labels**: {about['labels']}"]
    for what, generator in about["generators"].items():
        lines.append(f"- **{what}**: {generator}")
    lines += [f"- **Seed**: {about['seed']}", "", "## Loading", ""]
    if loaded:
        more = "".join(f'\nload_dataset("FOLDER", "{part}")' for part in parts if part != DEFAULT)
        lines += ["```python", "from datasets import load_dataset", "", f'load_dataset("FOLDER"){more}', "```", ""]
    lines += ["| column | what it holds |", "|---|---|", *(f"| {key} | {text} |" for key, text in COLUMNS.items()), ""]
    lines += ["## Counts", "", show_sheet(dict(counts))]
    return "\n".join(lines)
