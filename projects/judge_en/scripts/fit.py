"""Put the judge together: the network, made small, and trees that learn from readers what is natural.

Two sets of trees. `neural_` read what the neural judge's language model measured and the embedded judge's facts, and
learn from what the readers said. `tree_` read the facts alone, and learn from the readers and, for swaps that nobody
read, from the first set. Each is tried on sentences that it has not learnt from; from these trials come the two numbers
that make a probability of its score, and the reliability that is printed.
"""

import argparse
import hashlib
import tempfile
from pathlib import Path
from typing import Any, Dict, Tuple

import numpy
import srsly
import torch
from propose import MAX_GAP, MOST
from readings import key, read
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from paws_components.generation.embedded import Asked, EmbeddedJudge
from paws_components.generation.neural import Measured

# What a swap that nobody read counts beside one that somebody read.
UNREAD = 0.5
FOLDS = 8
Array = numpy.ndarray


def network_arrays(path: Path) -> Dict[str, Any]:
    """The network's weights as they are stored: word vectors in 8 bits with a scale for each, the rest in 16."""
    saved = torch.load(path, weights_only=True)
    state = {name: value.numpy() for name, value in saved["model"].items()}
    vectors = state["word.weight"]
    scale = numpy.maximum(numpy.abs(vectors).max(1), 1e-6) / 127
    arrays = {
        "words": numpy.frombuffer("\n".join(saved["words"]).encode("utf8"), dtype="uint8"),
        "word": numpy.round(vectors / scale[:, None]).astype("int8"),
        "word_scale": scale.astype("float16"),
        "bias": state["bias"].astype("float16"),
    }
    for name in ("first", "second"):
        arrays[name] = state[f"{name}.weight"].astype("float16")
        arrays[f"{name}_bias"] = state[f"{name}.bias"].astype("float16")
    return arrays


def tree_arrays(model: HistGradientBoostingClassifier, scale: Tuple[float, float], prefix: str) -> Dict[str, Any]:
    """The trees as `Forest` takes them."""
    trees = [stage[0].nodes for stage in model._predictors]
    size = max(len(nodes) for nodes in trees)
    tables = {name: numpy.zeros((len(trees), size), dtype=kind) for name, kind in KINDS.items()}
    for i, nodes in enumerate(trees):
        here = numpy.arange(len(nodes))
        leaf = nodes["is_leaf"].astype(bool)
        tables["feature"][i, here] = numpy.where(leaf, 0, nodes["feature_idx"])
        tables["threshold"][i, here] = numpy.where(leaf, 0.0, nodes["num_threshold"])
        tables["left"][i, here] = numpy.where(leaf, here, nodes["left"])
        tables["right"][i, here] = numpy.where(leaf, here, nodes["right"])
        tables["value"][i, here] = numpy.where(leaf, nodes["value"], 0.0)
    tables["depth"] = numpy.array(max(int(nodes["depth"].max()) for nodes in trees))
    tables["base"] = numpy.array(float(model._baseline_prediction[0, 0]))
    tables["scale"] = numpy.array(scale)
    return {prefix + name: table for name, table in tables.items()}


KINDS = {"feature": "int16", "threshold": "float64", "left": "int16", "right": "int16", "value": "float32"}


def empty_judge(network: Path) -> EmbeddedJudge:
    """The judge without its trees: it can give the facts that they will read."""
    trees: Dict[str, Any] = {f"tree_{name}": numpy.zeros((1, 1), dtype=kind) for name, kind in KINDS.items()}
    trees.update(tree_depth=numpy.array(0), tree_base=numpy.array(0.0), tree_scale=numpy.array([1.0, 0.0]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judge.npz"
        numpy.savez(path, **network_arrays(network), **trees, limits=numpy.array([0.5, MAX_GAP, MOST]))
        return EmbeddedJudge(path)


def make_trees() -> HistGradientBoostingClassifier:
    """Shallow ones: three questions are as many as these labels can answer, and quickly asked."""
    return HistGradientBoostingClassifier(
        max_iter=200,
        learning_rate=0.05,
        max_depth=3,
        min_samples_leaf=30,
        l2_regularization=5.0,
        early_stopping=False,
        random_state=0,
    )


class Swaps:
    """All proposals, as the trees take them.

    facts (Array): The embedded judge's facts, a row for each.
    measured (Array): What the language model says.
    sentence (Array): The number of the sentence.
    read (Array): 1 where a reader found it natural, 0 where not, -1 where nobody read it.
    """

    def __init__(self, judge: EmbeddedJudge, rows: Path, readings: Path) -> None:
        said = read(readings)
        facts, measured, sentence, answers = [], [], [], []
        for number, row in enumerate(srsly.read_gzip_jsonl(rows)):
            exchanges = [(gap, tuple(a), tuple(b)) for _, _, gap, a, b in row["proposals"]]
            table = judge.facts(Asked(row["plain"], row["tags"], row["labels"], exchanges))
            for one, proposal, values in zip(table, row["proposals"], row["measured"]):
                if values is not None:
                    facts.append(one)
                    measured.append(values)
                    sentence.append(number)
                    answers.append(said.get(key(row["text"], proposal[0]), -1))
        self.facts = numpy.array(facts)
        self.measured = numpy.array(measured)
        self.sentence = numpy.array(sentence)
        self.read = numpy.array(answers).astype(int)

    def learn(self, rows: Array) -> Tuple[HistGradientBoostingClassifier, HistGradientBoostingClassifier]:
        """Both sets of trees, from some of the rows."""
        both = numpy.hstack((self.measured, self.facts))
        told, untold = rows & (self.read >= 0), rows & (self.read < 0)
        neural = make_trees().fit(both[told], self.read[told])
        chance = numpy.concatenate((self.read[told], neural.predict_proba(both[untold])[:, 1]))
        weight = numpy.concatenate((numpy.ones(told.sum()), numpy.full(untold.sum(), UNREAD)))
        facts = numpy.concatenate((self.facts[told], self.facts[untold]))
        # A probability as label: each row once as natural and once as not, weighted by it.
        labels = numpy.repeat((1, 0), len(facts))
        weights = numpy.concatenate((weight * chance, weight * (1 - chance)))
        embedded = make_trees().fit(numpy.concatenate((facts, facts)), labels, sample_weight=weights)
        return neural, embedded

    def tried(self) -> Tuple[Array, Array]:
        """The scores of both sets for every row, by trees that have not learnt from its sentence."""
        both = numpy.hstack((self.measured, self.facts))
        scores = numpy.zeros((2, len(both)))
        for learnt, held in GroupKFold(FOLDS).split(both, groups=self.sentence):
            rows = numpy.zeros(len(both), dtype=bool)
            rows[learnt] = True
            neural, embedded = self.learn(rows)
            scores[0, held] = neural.decision_function(both[held])
            scores[1, held] = embedded.decision_function(self.facts[held])
        return scores[0], scores[1]


def fit_scale(score: Array, natural: Array) -> Tuple[float, float]:
    """Slope and shift with which the logistic function of a score is a probability."""
    model = LogisticRegression(C=1e6).fit(score[:, None], natural)
    return round(float(model.coef_[0, 0]), 4), round(float(model.intercept_[0]), 4)


def tell(name: str, chance: Array, natural: Array) -> None:
    """How well a set of trees tells natural from not, and whether its naturalness means what it says."""
    auc, precision = roc_auc_score(natural, chance), average_precision_score(natural, chance)
    print(f"{name}: AUC {auc:.3f}, average precision {precision:.3f}")
    for low in numpy.arange(0, 1, 0.1):
        rows = (chance >= low) & (chance < low + 0.1)
        if rows.sum() >= 10:
            print(f"  says {chance[rows].mean():.2f}: {natural[rows].mean():.2f} of {rows.sum()} are natural")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("rows", type=Path, help="proposals with what the language model measured")
    parser.add_argument("readings", type=Path, help="what readers said of some")
    parser.add_argument("output", type=Path)
    parser.add_argument("--keeps", type=float, default=0.5, help="the naturalness from which swaps are kept")
    args = parser.parse_args()
    swaps = Swaps(empty_judge(args.network), args.rows, args.readings)
    told = swaps.read >= 0
    print(f"{len(told)} swaps, {told.sum()} of them read, {(swaps.read == 1).sum()} natural")
    arrays = network_arrays(args.network)
    learnt = swaps.learn(numpy.ones(len(told), dtype=bool))
    for name, prefix, model, score in zip(("neural", "embedded"), ("neural_", "tree_"), learnt, swaps.tried()):
        scale = fit_scale(score[told], swaps.read[told])
        chance = 1 / (1 + numpy.exp(-(scale[0] * score + scale[1])))
        tell(name, chance[told], swaps.read[told])
        arrays.update(tree_arrays(model, scale, prefix))
    arrays["limits"] = numpy.array([args.keeps, MAX_GAP, MOST])
    numpy.savez_compressed(args.output, **arrays)
    judge = EmbeddedJudge(args.output)
    assert judge.neural is not None and swaps.measured.shape[1] == len(Measured._fields)
    slope, shift = judge.trees.slope, judge.trees.shift
    wanted = 1 / (1 + numpy.exp(-(slope * learnt[1].decision_function(swaps.facts) + shift)))
    assert numpy.allclose(judge.trees(swaps.facts), wanted, atol=1e-5)
    checksum = hashlib.sha256(args.output.read_bytes()).hexdigest()
    print(f"{args.output}: {args.output.stat().st_size / 1e6:.2f} MB, {checksum}")
