"""Put the judge together: the network, made small, and trees that learn from the neural judge what is natural."""

import argparse
import hashlib
import tempfile
from pathlib import Path
from typing import Any, Dict, List

import numpy
import srsly
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, roc_auc_score

from paws_components.generation.embedded import FACTS, Asked, EmbeddedJudge

MAX_GAP, MOST = 10.0, 8


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


def tree_arrays(model: HistGradientBoostingClassifier) -> Dict[str, Any]:
    """The trees as tables: a row for each tree, a column for each of its nodes. A leaf leads to itself."""
    trees = [stage[0].nodes for stage in model._predictors]
    size = max(len(nodes) for nodes in trees)
    tables = {name: numpy.zeros((len(trees), size), dtype=kind) for name, kind in KINDS.items()}
    for i, nodes in enumerate(trees):
        here = numpy.arange(len(nodes))
        leaf = nodes["is_leaf"].astype(bool)
        tables["tree_feature"][i, here] = numpy.where(leaf, 0, nodes["feature_idx"])
        tables["tree_threshold"][i, here] = numpy.where(leaf, 0.0, nodes["num_threshold"])
        tables["tree_left"][i, here] = numpy.where(leaf, here, nodes["left"])
        tables["tree_right"][i, here] = numpy.where(leaf, here, nodes["right"])
        tables["tree_value"][i, here] = numpy.where(leaf, nodes["value"], 0.0)
    depth = max(int(nodes["depth"].max()) for nodes in trees)
    return {
        **tables,
        "tree_depth": numpy.array(depth),
        "tree_base": numpy.array(float(model._baseline_prediction[0, 0])),
    }


KINDS = {
    "tree_feature": "int16",
    "tree_threshold": "float64",
    "tree_left": "int16",
    "tree_right": "int16",
    "tree_value": "float32",
}


def no_trees() -> Dict[str, Any]:
    trees = {name: numpy.zeros((1, 1), dtype=kind) for name, kind in KINDS.items()}
    return {**trees, "tree_depth": numpy.array(0), "tree_base": numpy.array(0.0)}


def empty_judge(network: Path) -> EmbeddedJudge:
    """The judge without its trees: it can give the facts that they will read."""
    rest = {"scale": numpy.array([1.0, 0.0]), "limits": numpy.array([0.5, MAX_GAP, MOST])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judge.npz"
        numpy.savez(path, **network_arrays(network), **no_trees(), **rest)
        return EmbeddedJudge(path)


def asked(row: Dict[str, Any], exchanges: List[Any]) -> Asked:
    found = []
    for _, _, gap, a, b in exchanges:
        a, b = sorted((a, b))
        found.append((gap, tuple(a[:2]), tuple(b[:2])))
    return Asked(row["plain"], row["tags"], row["ents"], found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("labels", type=Path, help="proposals with what the neural judge says of them")
    parser.add_argument("output", type=Path)
    parser.add_argument("--held", type=int, default=600, help="sentences to look at, not learnt from")
    parser.add_argument("--keeps", type=float, default=0.385)
    parser.add_argument("--scale", type=float, nargs=2, default=(1.165, 0.477), help="fitted on what readers said")
    args = parser.parse_args()
    arrays = {**network_arrays(args.network), **no_trees(), "scale": numpy.array(args.scale)}
    arrays["limits"] = numpy.array([args.keeps, MAX_GAP, MOST])
    judge = empty_judge(args.network)
    facts, natural, sentence = [], [], []
    for i, row in enumerate(srsly.read_gzip_jsonl(args.labels)):
        chosen = [k for k, value in enumerate(row["natural"]) if value is not None]
        if chosen:
            table = judge.facts(asked(row, row["proposals"][:MOST]))
            facts += [table[k] for k in chosen if k < MOST]
            natural += [row["natural"][k] for k in chosen if k < MOST]
            sentence += [i for k in chosen if k < MOST]
    x, y, s = numpy.array(facts), numpy.array(natural), numpy.array(sentence)
    held = s < args.held
    print(f"{len(y)} labels of {len(set(sentence))} sentences, mean {y.mean():.3f}")
    model = HistGradientBoostingClassifier(
        max_iter=250,
        learning_rate=0.05,
        max_leaf_nodes=16,
        min_samples_leaf=60,
        l2_regularization=5.0,
        early_stopping=False,
        random_state=0,
    )

    def learn(rows: numpy.ndarray) -> HistGradientBoostingClassifier:
        # A probability as label: each row once as natural and once as not, weighted by it.
        twice = numpy.concatenate((x[rows], x[rows]))
        labels = numpy.concatenate((numpy.ones(rows.sum()), numpy.zeros(rows.sum())))
        return model.fit(twice, labels, sample_weight=numpy.concatenate((y[rows], 1 - y[rows])))

    learn(~held)
    said = model.predict_proba(x[held])[:, 1]
    good = y[held] > 0.5
    for name, score in (("trees", said), *((n, -x[held][:, FACTS.index(n)]) for n in ("gap", "sum", "losses"))):
        auc, precision = roc_auc_score(good, score), average_precision_score(good, score)
        print(f"{name}: AUC {auc:.3f}, average precision {precision:.3f}")
    learn(numpy.ones(len(y), dtype=bool))
    arrays.update(tree_arrays(model))
    numpy.savez_compressed(args.output, **arrays)
    again = EmbeddedJudge(args.output).naturalness(x[:500])
    slope, shift = args.scale
    logits = model.decision_function(x[:500])
    assert numpy.allclose(again, 1 / (1 + numpy.exp(-(slope * logits + shift))), atol=1e-5)
    checksum = hashlib.sha256(args.output.read_bytes()).hexdigest()
    print(f"{args.output}: {args.output.stat().st_size / 1e6:.2f} MB, {checksum}")
