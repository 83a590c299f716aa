"""What does word swapping cost beside the pipeline it needs?

`swapper_over_pipeline`: seconds in the swapper over seconds in tok2vec, tagger, attribute_ruler and ner, on 1,000
sentences of PAWS-Wiki dev, one process, all defaults. What the run frame costs, and what more processes bring, is
measured by `engine.py`.
"""

import argparse
import json
import time
from typing import List

from data import load_pipeline, read_pairs


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=1000, help="how many sentences")
    args = parser.parse_args()
    sentences = [s1 for s1, _, _ in read_pairs("paws_wiki/dev.tsv")]
    ratio = swapper_over_pipeline(sentences[: args.limit], sentences[args.limit : args.limit + 200])
    print(json.dumps({"swapper_over_pipeline": round(ratio, 3)}))


if __name__ == "__main__":
    main()
