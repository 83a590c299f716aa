"""What does the engine of the long commands cost, and what do its workers bring?

`overhead`: the share of time that a run of `paws generate` takes beyond a bare loop over `nlp.pipe` and the generator
that writes its pairs, too; one process, 10,000 sentences. Chunk by chunk, by turns, so that both see the same machine.
`two_processes_over_one`, `ray_over_one`: rows per second of two processes, and of two actors of a Ray cluster of this
machine, over one process; by turns. `resume_share`: a run of which every shard is there, and only has to be put
together, over the whole run. `peak_rss_gb`: the peaks of the driver and of two workers, added, in `paws metrics` on
1,000,000 short pairs; printed beside that on 10,000.

Start-up is left out everywhere: models are loaded before the clock starts, and the rates begin when so many shards are
there that all workers have begun (two for each), and end with the last. CPU seconds stand beside the time, for machines
that others use.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from data import wiki_sentences

from paws_components.engine.frame import Run
from paws_components.engine.pool import CHUNK
from paws_components.engine.work import Tally
from paws_components.generation.job import GenerateJob, records_of
from paws_components.readers import Text
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

PAIR = "The {} of {} is near the {} .\tThe {} is near the {} of {} .\n"
WORDS = "house river bridge garden school museum station church".split()


class Spent(NamedTuple):
    """Time on the clock, and of the processor."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> "Spent":
        return cls(time.perf_counter(), time.process_time())

    def since(self, begun: "Spent") -> "Spent":
        return Spent(self.wall - begun.wall, self.cpu - begun.cpu)


def to_dicts(_: Text, records: List[PairRecord]) -> List[Dict[str, Any]]:
    return [record.to_dict() for record in records]


def write(values: Any, place: str) -> int:
    with RecordWriter(place) as writer:
        for record in records_of(values):
            writer.write(record)
    return writer.count


def run_of(job: Any, output: Path) -> Run:
    """A run as `paws generate` makes it. Its shards stay, so that they can be looked at."""
    return Run("generate", job, [], str(output), {}, value=to_dicts, finish=write, keeps=True)


class Loaded:
    """A job whose worker is there already."""

    def __init__(self, job: GenerateJob) -> None:
        self.worker = job.start()

    def start(self) -> Any:
        return self.worker


def overhead(texts: Sequence[str], folder: Path) -> Tuple[Spent, Spent, Spent]:
    """What a bare loop takes, what a run takes, and what one takes that only has to be put together.

    texts (Sequence[str]): The sentences.
    folder (Path): Where the outputs go.
    RETURNS (Tuple[Spent, Spent, Spent]): The three.
    """
    bare, job = GenerateJob().start(), Loaded(GenerateJob())
    warm = texts[:CHUNK]
    bare(warm), job.worker(warm)
    spent: List[Spent] = []
    # Both see all sentences, but never the same at once: the second would find all in the processor's caches.
    half = len(texts) // CHUNK // 2 * CHUNK
    others = [*texts[half:], *texts[:half]]

    def lines() -> Iterator[Text]:
        with RecordWriter(str(folder / "bare.jsonl")) as writer:
            for start in range(0, len(texts), CHUNK):
                begun = Spent.now()
                for records in bare(others[start : start + CHUNK]):
                    for record in records:
                        writer.write(record)
                spent.append(Spent.now().since(begun))
                for number, text in enumerate(texts[start : start + CHUNK], start + 1):
                    yield Text("", number, text)

    begun = Spent.now()
    run_of(job, folder / "engine.jsonl")(lines(), quiet=True)
    both = Spent.now().since(begun)
    loop = Spent(sum(each.wall for each in spent), sum(each.cpu for each in spent))
    begun = Spent.now()
    run_of(job, folder / "engine.jsonl")(rows_of(texts), quiet=True)
    again = Spent.now().since(begun)
    loose, kept = (sorted((folder / name).read_bytes().splitlines()) for name in ("bare.jsonl", "engine.jsonl"))
    if loose != kept:
        sys.exit("The run and the bare loop have other pairs.")
    return loop, both.since(loop), again


def rows_of(texts: Sequence[str]) -> Iterator[Text]:
    return (Text("", number, text) for number, text in enumerate(texts, 1))


def rate(texts: Sequence[str], folder: Path, workers: int, **options: Any) -> float:
    """Rows per second, from the moment at which two shards are there for each worker to the last shard."""
    output = folder / "rate.jsonl"
    run = run_of(GenerateJob(), output)
    before = os.times()
    tally: Tally = run(rows_of(texts), n_process=workers, quiet=True, fresh=True, **options)
    after = os.times()
    shards = sorted((path.stat().st_mtime, path) for path in Path(f"{output}.run").glob("0*.jsonl"))
    counts = [json.loads(path.read_bytes().splitlines()[-1])[1] for _, path in shards]
    first = 2 * workers
    if len(shards) <= first:
        sys.exit("These are too few sentences.")
    found = sum(counts[first:]) / (shards[-1][0] - shards[first - 1][0])
    cpu = sum(after[:4]) - sum(before[:4])
    about = f"{len(shards)} shards" + (f", {tally.rows / cpu:.0f} rows per CPU second, start-up and all" if cpu else "")
    if options.get("engine") == "ray":
        about = f"{len(shards)} shards"
    print(f"{options.get('engine', 'local')}, {workers} worker(s): {found:.1f} rows per second; {about}", flush=True)
    return found


def peaks(process: int) -> Dict[int, int]:
    """The peak memory of a process and of those below it, in kB."""
    found: Dict[int, int] = {}
    todo = [process]
    while todo:
        number = todo.pop()
        with suppress(OSError, StopIteration):
            status = Path(f"/proc/{number}/status").read_text().splitlines()
            found[number] = int(next(line for line in status if line.startswith("VmHWM")).split()[1])
            for task in Path(f"/proc/{number}/task").iterdir():
                todo += map(int, (task / "children").read_text().split())
    return found


def memory(rows: int, folder: Path) -> float:
    """The peaks of the driver and its workers, added, in GB."""
    pairs = folder / f"pairs{rows}.tsv"
    with open(pairs, "w") as file:
        file.write("sentence1\tsentence2\n")
        for number in range(rows):
            one, other, third = (WORDS[number // place % len(WORDS)] for place in (1, 8, 64))
            file.write(PAIR.format(one, number, other, third, other, number))
    command = ["metrics", str(pairs), "-o", str(folder / "measured.tsv"), "--metrics", "bow_cosine", "--quiet"]
    begun = time.perf_counter()
    code = "from paws_components.cli import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code, *command, "--n-process", "2"], stderr=subprocess.DEVNULL)
    found: Dict[int, int] = {}
    while process.poll() is None:
        found.update(peaks(process.pid))
        time.sleep(0.2)
    if process.returncode:
        sys.exit(f"paws {' '.join(command)} ended with {process.returncode}")
    driver = found.pop(process.pid)
    told = ", ".join(f"{peak / 1e6:.3f}" for peak in found.values() if peak > 50_000)
    seconds = time.perf_counter() - begun
    print(f"{rows:,} pairs, {seconds:.0f} s: driver {driver / 1e6:.3f} GB, workers {told} GB", flush=True)
    return (driver + sum(found.values())) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=10_000, help="how many sentences")
    parser.add_argument("--pairs", type=int, default=1_000_000, help="how many pairs the memory is measured on")
    parser.add_argument("--rounds", type=int, default=2, help="how often the rates are measured; the best counts")
    parser.add_argument("--only", nargs="+", choices=["overhead", "rates", "memory"])
    options = parser.parse_args()
    parts = options.only or ["overhead", "rates", "memory"]
    figures: Dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = wiki_sentences(options.limit) if {"overhead", "rates"} & {*parts} else []
        if "overhead" in parts:
            loop, run, again = overhead(texts, folder)
            for about, spent in (("bare loop", loop), ("run", run), ("put together again", again)):
                print(f"{about}: {spent.wall:.2f} s, {spent.cpu:.2f} of the CPU", flush=True)
            figures["overhead"] = run.wall / loop.wall - 1
            figures["overhead_cpu"] = run.cpu / loop.cpu - 1
            figures["resume_share"] = again.wall / run.wall
        if "rates" in parts:
            kinds: Dict[str, Dict[str, Any]] = {"one": {"workers": 1}, "two": {"workers": 2}}
            kinds["ray"] = {"workers": 2, "engine": "ray"}
            best = dict.fromkeys(kinds, 0.0)
            for _ in range(options.rounds):
                for kind, how in kinds.items():
                    best[kind] = max(best[kind], rate(texts, folder, **how))
            figures["two_processes_over_one"] = best["two"] / best["one"]
            figures["ray_over_one"] = best["ray"] / best["one"]
        if "memory" in parts:
            few = memory(min(10_000, options.pairs), folder)
            figures["peak_rss_gb"] = memory(options.pairs, folder)
            print(f"peak memory: {few:.3f} GB, then {figures['peak_rss_gb']:.3f} GB", flush=True)
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
