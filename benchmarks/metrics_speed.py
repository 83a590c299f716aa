"""How fast are WPD and LD beside the authors' package, `paraphrase-metrics`?

Both score the same MRPC pairs in one run, in turns, and the scores are compared. `metrics_over_peer`: from Docs that
are there to scores. `end_to_end_over_peer`: from raw text to scores; the peer's way is the full pipeline, a sentence at
a time, ours is `measure_records`, which runs what makes lemmas and nothing else. One process each.
"""

import argparse
import contextlib
import io
import json
import statistics
import sys
import time
from functools import partial
from typing import Callable, List, Tuple

from data import data_file, load_pipeline
from spacy.language import Language
from spacy.tokens import Doc

from paws_components.metrics.measure import Measurer, measure_records, with_variant
from paws_components.metrics.sides import Side
from paws_components.records import PairRecord

MRPC = "mrpc/msr_paraphrase_train.txt"
RELEASED = with_variant(["wpd", "ld"], "released")
Scores = List[Tuple[float, float]]


def load_peer():
    try:
        from paraphrase_metrics import metrics
    except ImportError as error:
        sys.exit(
            f"The peer can't be imported ({error}). It is compared without its own large dependencies:\n"
            "    pip install --no-deps paraphrase-metrics && pip install rouge nltk textdistance\n"
            "Nothing was measured."
        )
    return metrics


def read_mrpc(limit: int) -> List[PairRecord]:
    with data_file(MRPC).open(encoding="utf-8-sig", newline="") as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines][1:]
    return [PairRecord(row[3], row[4]) for row in rows[:limit]]


def peer_scores(peer, pairs: List[Tuple[Doc, Doc]]) -> Scores:
    # It prints a warning for each pair that has nothing in common.
    with contextlib.redirect_stdout(io.StringIO()):
        return [(peer.wpd(one, two), peer.ld(one, two)) for one, two in pairs]


def our_scores(pairs: List[Tuple[Doc, Doc]], batch: int = 1000) -> Scores:
    # As many at a time as `nlp.pipe` hands to a component by default.
    measure = Measurer(["wpd", "ld"], RELEASED)
    scores: Scores = []
    for start in range(0, len(pairs), batch):
        sides = [(Side(one, 0, len(one)), Side(two, 0, len(two))) for one, two in pairs[start : start + batch]]
        scores += [(values["wpd"], values["ld"]) for values in measure(sides)]
    return scores


def peer_from_text(nlp: Language, peer, records: List[PairRecord]) -> Scores:
    return peer_scores(peer, [(nlp(record.sentence1), nlp(record.sentence2)) for record in records])


def ours_from_text(nlp: Language, records: List[PairRecord]) -> Scores:
    scores = measure_records(records, ["wpd", "ld"], nlp=nlp, settings=RELEASED)
    return [(values["wpd"], values["ld"]) for values in scores]


def timed(work: Callable[[], Scores]) -> Tuple[float, Scores]:
    began = time.perf_counter()
    scores = work()
    return time.perf_counter() - began, scores


def metrics_alone(nlp: Language, peer, records: List[PairRecord], rounds: int) -> float:
    docs = list(nlp.pipe([text for record in records for text in (record.sentence1, record.sentence2)]))
    pairs = list(zip(docs[::2], docs[1::2]))
    theirs, ours = [], []
    for turn in range(rounds):
        peer_time, expected = timed(lambda: peer_scores(peer, pairs))
        our_time, found = timed(lambda: our_scores(pairs))
        worst = max(abs(a - b) for pair in zip(expected, found) for a, b in zip(*pair))
        theirs.append(peer_time)
        ours.append(our_time)
        print(f"  round {turn + 1}: peer {peer_time:.3f} s, ours {our_time:.3f} s, largest difference {worst:.1e}")
        if worst > 1e-9:
            sys.exit("The scores are not the same: the times mean nothing.")
    return statistics.median(theirs) / statistics.median(ours)


def end_to_end(nlp: Language, peer, records: List[PairRecord], step: int = 250) -> float:
    """Both in turns, a few hundred pairs at a time, so that whatever else the machine does slows both."""
    theirs = ours = 0.0
    for start in range(0, len(records), step):
        part = records[start : start + step]
        peer_time, _ = timed(partial(peer_from_text, nlp, peer, part))
        our_time, _ = timed(partial(ours_from_text, nlp, part))
        theirs, ours = theirs + peer_time, ours + our_time
        print(f"  {start + len(part)} pairs: peer {theirs:.1f} s, ours {ours:.1f} s", flush=True)
    return theirs / ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=2000, help="how many pairs")
    parser.add_argument("--rounds", type=int, default=9, help="how often the metrics alone are timed")
    args = parser.parse_args()
    peer = load_peer()
    records = read_mrpc(args.limit)
    nlp = load_pipeline(exclude=())
    print(f"{MRPC}: {len(records)} pairs; {nlp.meta['name']} {nlp.meta['version']}: {', '.join(nlp.pipe_names)}")
    print("From Docs to scores:", flush=True)
    metrics = metrics_alone(nlp, peer, records, args.rounds)
    print("From text to scores:", flush=True)
    whole = end_to_end(nlp, peer, records)
    print(f"metrics alone {metrics:.2f} times as fast as the peer, from text to scores {whole:.2f} times")
    print(json.dumps({"metrics_over_peer": round(metrics, 2), "end_to_end_over_peer": round(whole, 2)}))


if __name__ == "__main__":
    main()
