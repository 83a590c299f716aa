"""What does a cache of answers save, what does it cost, and what holds up: MI over pairs of Quora, cold and warm.

`paws metrics` runs without a cache, with an empty one and with a full one; the three outputs must have the same bytes.
Then input that is a little different (what is still served), two processes that fill one folder at once, and processes
that are killed with SIGKILL while they write: what is served afterwards must be right. The model is a small BERT with
random weights, which costs what a trained one of its size does.

At the end several ways to store answers are compared: what they cost, what a kill costs, and whether they lock or map
files, which network file systems do badly or not at all.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from storages import ANSWER, STORAGES, measure_storage

from paws_components.engine.cache import current_cache, use_cache

LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}
METRICS = ["--metrics", "mi_forward,mi_verdict", "--set", "mi_forward.model=nli", "--set", "mi_verdict.model=nli"]
PAWS = [sys.executable, "-c", "from paws_components.cli import main; main()"]


def write_model(folder: Path, texts: List[str]) -> float:
    """The model, as `save_pretrained` leaves it. RETURNS (float): Its megabytes."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = sorted({word for text in texts for word in text.lower().replace("?", " ?").replace(".", " .").split()})
    letters = [chr(number) for number in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters), *words]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(pieces)) + "\n", encoding="utf8")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30_522,
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=1024,
        initializer_range=0.1,
        id2label=LABELS,
        label2id={label: number for number, label in LABELS.items()},
    )
    model = BertForSequenceClassification(config)
    model.save_pretrained(folder)
    return sum(tensor.numel() * tensor.element_size() for tensor in model.state_dict().values()) / 1e6


def write_pairs(path: str, pairs: List[Tuple[str, str, int]]) -> None:
    with open(path, "w", encoding="utf8") as file:
        for one, two, _ in pairs:
            file.write(json.dumps({"sentence1": one, "sentence2": two}) + "\n")


def command(source: str, output: str, cache: Optional[str]) -> List[str]:
    return ["metrics", source, "-o", output, *METRICS, "--quiet", *(["--cache", cache] if cache else [])]


class Done(NamedTuple):
    """A run.

    seconds (float), cpu (float): How long it took, and how long the processor worked for it.
    rate (float): Which share of the questions the cache answered.
    output (bytes): What was written.
    """

    seconds: float
    cpu: float
    rate: float
    output: bytes


def run(source: str, output: str, cache: Optional[str]) -> Done:
    """A run in this process, which loads its model anew."""
    from paws_components.cli import cli

    use_cache(None)
    began, worked = time.perf_counter(), time.process_time()
    with open(os.devnull, "w") as nowhere:
        out, err, sys.stdout, sys.stderr = sys.stdout, sys.stderr, nowhere, nowhere
        try:
            cli.main(command(source, output, cache), standalone_mode=False)
        finally:
            sys.stdout, sys.stderr = out, err
    taken, worked = time.perf_counter() - began, time.process_time() - worked
    found = current_cache()
    served, asked = found.counts if found else (0, 1)
    return Done(taken, worked, served / (served + asked), Path(output).read_bytes())


def measure_runs(pairs: List[Tuple[str, str, int]], more: List[Tuple[str, str, int]], rounds: int) -> Dict[str, Any]:
    write_pairs("pairs.jsonl", pairs)
    write_pairs("few.jsonl", pairs[:10])
    run("few.jsonl", "few.tsv", None)  # imports, and finds the pipeline
    kinds: Dict[str, List[Done]] = {"without": [], "cold": [], "warm": []}
    for _ in range(rounds):
        shutil.rmtree("answers", ignore_errors=True)
        for name, found in kinds.items():
            done = run("pairs.jsonl", f"{name}.tsv", None if name == "without" else "answers")
            found.append(done)
            told = f"{done.seconds:.1f} s, {done.cpu:.1f} s of the processor, {done.rate:.3f} of the questions served"
            print(f"{len(pairs):,} pairs, {name}: {told}", flush=True)
    same = len({done.output for found in kinds.values() for done in found}) == 1
    print(f"The same bytes: {same}", flush=True)
    size = sum(path.stat().st_size for path in Path("answers").iterdir())
    changed = {}
    for name, others in (
        ("one_pair_less", pairs[1:]),
        ("a_tenth_more", pairs + more),
        ("one_percent_less", [pair for i, pair in enumerate(pairs) if i % 100 != 50]),
    ):
        write_pairs("changed.jsonl", others)
        shutil.copytree("answers", "copy")
        served = run("changed.jsonl", "served.tsv", "copy")
        alike = served.output == run("changed.jsonl", "asked.tsv", None).output
        shutil.rmtree("copy")
        changed[name] = round(served.rate, 3)
        print(f"  {name}: {served.rate:.3f} served; the same bytes as without: {alike}", flush=True)
        same = same and alike
    seconds = {name: statistics.median(done.seconds for done in found) for name, found in kinds.items()}
    cpu = {name: statistics.median(done.cpu for done in found) for name, found in kinds.items()}
    return {
        "pairs": len(pairs),
        "hit_rate_cold": round(kinds["cold"][0].rate, 3),
        "hit_rate_warm": round(min(done.rate for done in kinds["warm"]), 3),
        **{f"seconds_{name}": round(value, 1) for name, value in seconds.items()},
        **{f"cpu_{name}": round(value, 2) for name, value in cpu.items()},
        "cold_over_without": round(cpu["cold"] / cpu["without"], 3),
        "without_over_warm": round(cpu["without"] / cpu["warm"], 1),
        "same_bytes": same,
        "bytes_per_pair": round(size / len(pairs)),
        "changed_input": changed,
    }


def measure_two_writers(expected: bytes) -> Dict[str, Any]:
    """Two processes with the same work and the same empty folder."""
    began = time.perf_counter()
    both = [subprocess.Popen([*PAWS, *command("pairs.jsonl", f"two{i}.tsv", "two")], **QUIET) for i in range(2)]
    codes = [process.wait() for process in both]
    taken = time.perf_counter() - began
    same = codes == [0, 0] and all(Path(f"two{i}.tsv").read_bytes() == expected for i in range(2))
    after = run("pairs.jsonl", "two.tsv", "two")
    print(f"Two writers at once: {taken:.1f} s, the same bytes: {same}; afterwards {after.rate:.3f} served", flush=True)
    return {"same_bytes": same and after.output == expected, "served_afterwards": round(after.rate, 3)}


PARTS = ["writers", "kills", "storages"]
QUIET: Dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def measure_kills(expected: bytes, rounds: int, chance: random.Random) -> Dict[str, Any]:
    """Runs that are killed while they fill the cache; then one that nobody disturbs."""
    served = []
    same = True
    for number in range(rounds):
        shutil.rmtree("killed", ignore_errors=True)
        process = subprocess.Popen([*PAWS, *command("pairs.jsonl", "killed.tsv", "killed")], **QUIET)
        while process.poll() is None and not list(Path().glob("killed/*.answers")):
            time.sleep(0.01)
        time.sleep(chance.random() * 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        shutil.rmtree("killed.tsv.run", ignore_errors=True)  # or the run would go on, and ask little
        after = run("pairs.jsonl", "killed.tsv", "killed")
        served.append(round(after.rate, 3))
        same = same and after.output == expected
    print(f"Killed while writing, {rounds} times: served afterwards {served}, the same bytes: {same}", flush=True)
    return {"rounds": rounds, "served_afterwards": served, "same_bytes": same}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=1000, help="How many pairs.")
    parser.add_argument("--answers", type=int, default=20_000, help="How many answers each storage gets.")
    parser.add_argument("--rounds", type=int, default=3, help="How often each thing is done.")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="What is measured besides the runs.")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    from data import read_qqp
    from transformers import BertForSequenceClassification

    from paws_components.ml.kept import hash_weights

    chance = random.Random(options.seed)
    found = read_qqp(options.limit + options.limit // 10)
    pairs, more = found[: options.limit], found[options.limit :]
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        size = write_model(Path("nli"), [text for pair in found for text in pair[:2]])
        model = BertForSequenceClassification.from_pretrained("nli")
        began = time.perf_counter()
        hash_weights(model)
        speed = size / (time.perf_counter() - began)
        print(f"A model of {size:,.0f} MB; its fingerprint is made at {speed:,.0f} MB a second", flush=True)
        figures: Dict[str, Any] = {"fingerprint_mb_per_second": round(speed)}
        figures.update(measure_runs(pairs, more, options.rounds))
        if "writers" in options.only:
            figures["two_writers"] = measure_two_writers(Path("without.tsv").read_bytes())
        if "kills" in options.only:
            figures["killed"] = measure_kills(Path("without.tsv").read_bytes(), options.rounds, chance)
        if "storages" in options.only:
            count = min(options.answers, 20 * options.limit)
            print(f"Storages, {count:,} answers of about {ANSWER + 20} bytes:", flush=True)
            figures["storages"] = {name: measure_storage(name, count, options.rounds, chance) for name in STORAGES}
        os.chdir(home)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
