"""PAWS-X by language: what is trained on, what the checkpoint is chosen by, and what is tested on.

Where every language has dev_2k.tsv and test_2k.tsv, they are the parts, and the training pairs are en/train.tsv and
LANG/translated_train.tsv. Where there is dev_2k.tsv alone, it is cut by id, the same ids in every language: pairs that
share an English sentence stay together. Every English pair of dev_2k is in PAWS-Wiki's development set too: of that,
pairs with other ids and other sentences are what English is trained on. What a person translated of the ids to train on
stands in for machine translation. A published translated_train.tsv beside it becomes LANG_published_train.jsonl, with
all pairs that are not tested on to choose by. Rows whose sentence is NS or empty are counted and left out.
train.jsonl and test.jsonl have the pairs of all languages, `--across de-zh` writes pairs of a German and a Chinese
sentence. Prints one JSON object of counts.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.evaluation.judging import read_test_set
from paws_components.records import PairRecord
from paws_components.training.splits import across, drop_shared, write_splits

Parts = Dict[str, List[PairRecord]]
# The files of a language. Of Chinese there are two with training pairs, of which one is not whole.
PUBLISHED = {
    "train": ("train.tsv", "translated_train_published.tsv", "translated_train.tsv"),
    "dev": ("dev_2k.tsv",),
    "test": ("test_2k.tsv",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of PAWS-X, with a folder per language")
    parser.add_argument("--langs", default="en fr es de zh ja ko", help="the languages, English first")
    parser.add_argument("--wiki", type=Path, required=True, help="PAWS-Wiki's dev.tsv, which need not be there")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--dev", type=int, default=250, help="ids to choose the checkpoint by, where dev_2k.tsv is cut")
    parser.add_argument("--test", type=int, default=1000, help="ids to test on, where dev_2k.tsv is cut")
    parser.add_argument("--across", default="", help="pairs of languages with spaces between them: 'de-zh ko-ja'")
    parser.add_argument("--seed", type=int, default=0, help="of the cut")
    args = parser.parse_args()

    counts: Dict[str, Any] = {}
    langs = args.langs.split()
    try:
        published = all((args.data / lang / "test_2k.tsv").is_file() for lang in langs)
        counts["paws_x_is"] = "published parts" if published else "cut from dev_2k.tsv by id"
        parts = read_published(args, langs, counts) if published else cut(args, langs, counts)
        unseen = {kind: [pair for lang in langs for pair in parts[f"{lang}_{kind}"]] for kind in ("dev", "test")}
        for name in [name for name in parts if name.endswith("_train")]:
            others = unseen["test"] if name.endswith("_published_train") else unseen["dev"] + unseen["test"]
            others = others + parts.get(name.replace("_train", "_dev"), [])
            parts[name] = drop_shared(parts[name], others, f"{name}_leaks", counts)
        for couple in args.across.split():
            first, second = couple.split("-")
            parts[f"{couple}_test"] = across(parts[f"{first}_test"], parts[f"{second}_test"])
        parts["test"] = unseen["test"]
        parts["train"] = [pair for lang in langs for pair in parts[f"{lang}_train"]]
        write_splits({name: pairs for name, pairs in parts.items() if pairs}, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read(path: Path, lang: str, counts: Dict[str, Any]) -> List[PairRecord]:
    """The pairs of a file, each with its language; what is left out is counted."""
    found = read_test_set(lang, path, "pawsx")
    name = f"{lang}_{path.stem}" if path.stem != "dev" else "paws_wiki_dev"
    counts[f"{name}_rows_kept"] = len(found.records)
    counts.update({f"{name}_rows_{why}": count for why, count in found.left_out.items() if count})
    if path.stem in ("dev_2k", "test_2k") and lang != "en":
        total = f"{path.stem}_rows_kept_but_en"
        counts[total] = counts.get(total, 0) + len(found.records)
    for record in found.records:
        record.evidence["lang"] = lang  # PAWS-Wiki's do not say it
    return found.records


def read_published(args: argparse.Namespace, langs: List[str], counts: Dict[str, Any]) -> Parts:
    """The parts as they were published."""
    parts: Parts = {}
    for lang in langs:
        folder = args.data / lang
        for kind, names in PUBLISHED.items():
            path = next((folder / name for name in names if (folder / name).is_file()), folder / names[-1])
            parts[f"{lang}_{kind}"] = read(path, lang, counts)
    return parts


def cut(args: argparse.Namespace, langs: List[str], counts: Dict[str, Any]) -> Parts:
    """The parts cut from dev_2k.tsv: English decides which ids go where."""
    pairs = {lang: read(args.data / lang / "dev_2k.tsv", lang, counts) for lang in langs}
    test, rest = set_apart(pairs[langs[0]], args.test, args.seed)
    dev, train = set_apart(rest, args.dev, args.seed)
    ids = {"train": train, "dev": dev, "test": test}
    parts: Parts = {}
    for lang in langs:
        for kind, chosen in ids.items():
            wanted = {record.id for record in chosen}
            parts[f"{lang}_{kind}"] = [record for record in pairs[lang] if record.id in wanted]
        translated = args.data / lang / "translated_train.tsv"
        if translated.is_file():
            parts[f"{lang}_published_train"] = read(translated, lang, counts)
            parts[f"{lang}_published_dev"] = parts[f"{lang}_dev"] + parts[f"{lang}_train"]
    if args.wiki.is_file():
        known = {record.id for record in pairs[langs[0]]}
        parts[f"{langs[0]}_train"] += [one for one in read(args.wiki, langs[0], counts) if one.id not in known]
    return parts


if __name__ == "__main__":
    main()
