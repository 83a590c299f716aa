"""What does word swapping cost beside the pipeline it needs?

`swapper_over_pipeline`: seconds in the swapper over seconds in tok2vec, tagger, attribute_ruler and ner, on 1,000
sentences of PAWS-Wiki dev, one process, all defaults. `two_processes_over_one`: lines a second of the run frame with
two processes over one, on 8,000 lines, start-up aside. `memory_growth_mb`: how much the peak memory grows between the
2,000th and the 20,000th line of one run.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import Any, Callable, Dict, Iterable, List

from data import load_pipeline, read_pairs, wiki_sentences

from paws_components.engine.frame import Run
from paws_components.engine.pool import CHUNK
from paws_components.generation.job import GenerateJob
from paws_components.readers import Text
from paws_components.records import PairRecord

WARM_UP = 10 * CHUNK


def swapper_over_pipeline(texts: List[str], warm_up: List[str]) -> float:
    """Batch by batch, first the pipeline and then the swapper, so that both see the same machine."""
    nlp = load_pipeline()
    swapper = nlp.add_pipe("paws_swapper")
    list(nlp.pipe(warm_up))
    pipeline = search = 0.0
    for start in range(0, len(texts), 128):
        docs = [nlp.make_doc(text) for text in texts[start : start + 128]]
        began = time.perf_counter()
        with nlp.select_pipes(disable=["paws_swapper"]):
            docs = list(nlp.pipe(docs))
        tagged = time.perf_counter()
        swapper.set_annotations(docs, swapper.predict(docs))
        done = time.perf_counter()
        pipeline += tagged - began
        search += done - tagged
    print(f"pipeline {', '.join(name for name in nlp.pipe_names[:-1])}: {pipeline:.2f} s")
    print(f"swapper: {search:.2f} s, {search / pipeline:.3f} of the pipeline", flush=True)
    return search / pipeline


class Finished(Exception):
    """All that was to be seen of a run was seen."""


def watch(texts: Iterable[str], n_process: int, moments: Iterable[int], look: Callable[[], float]) -> List[float]:
    """What `look` says when so many lines are done, of a run as `paws generate` makes it: with its shards on disk."""
    waiting = sorted(moments)
    seen: List[float] = []

    def value(line: Text, records: List[PairRecord]) -> List[Dict[str, Any]]:
        if line.number == waiting[0]:
            seen.append(look())
            if not waiting[1:]:
                raise Finished
            del waiting[0]
        return [record.to_dict() for record in records]

    lines = (Text("", number, text) for number, text in enumerate(texts, 1))
    with tempfile.TemporaryDirectory() as folder, suppress(Finished):
        run = Run("generate", GenerateJob(), [], f"{folder}/pairs.jsonl", {}, value=value, finish=lambda *_: 0)
        run(lines, n_process=n_process, quiet=True)
    return seen


def lines_a_second(texts: List[str], n_process: int) -> float:
    """Between two moments at which all workers are busy and as many lines are under way: loading does not count."""
    padding = [texts[number % len(texts)] for number in range(WARM_UP)]
    moments = (WARM_UP, WARM_UP + len(texts))
    start, end = watch([*padding, *texts, *padding], n_process, moments, time.perf_counter)
    rate = len(texts) / (end - start)
    print(f"{n_process} process(es): {rate:.1f} lines a second", flush=True)
    return rate


def memory_growth(first: int, last: int) -> float:
    """In a process of its own, since peak memory never goes down."""
    command = [sys.executable, __file__, "--memory", str(first), str(last)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1])


def _memory_child(first: int, last: int) -> None:
    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    at_first, at_last = watch(wiki_sentences(last), 1, (first, last), peak)
    print(at_last - at_first)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="use this many lines in each part, for a quick look")
    parser.add_argument("--memory", nargs=2, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory:
        return _memory_child(*args.memory)
    sentences = [s1 for s1, _, _ in read_pairs("paws_wiki/dev.tsv")]
    few = sentences[: min(1000, args.limit or 1000)]
    ratio = swapper_over_pipeline(few, sentences[1000:1200])
    many = sentences[: args.limit]
    gain = 1 / lines_a_second(many, 1) * lines_a_second(many, 2)
    print(f"two processes over one: {gain:.2f}", flush=True)
    last = args.limit or 20_000
    growth = memory_growth(last // 10, last)
    print(f"peak memory from line {last // 10} to line {last}: {growth:+.1f} MB")
    figures = {"swapper_over_pipeline": ratio, "two_processes_over_one": gain, "memory_growth_mb": growth}
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
