"""What does the neural judge cost beside its language model asked the plain way?

`neural_over_plain`: seconds per sentence of the neural judge with its defaults, over seconds of the same model as
`paws.CausalLM.v1` in float32 that scores each source and its eight best candidates in one padded batch. Wiki sentences
that have a proposal, both asked about one sentence after the other, so that they see the same machine.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Iterator

import torch
from data import load_pipeline, wiki_sentences

from paws_components.generation.constraints import ALL
from paws_components.generation.judging import Question
from paws_components.generation.neural import make_neural_judge
from paws_components.generation.tokens import Tokens
from paws_components.lm.causal import make_causal_lm
from paws_components.lm.protocol import score_sentences
from paws_components.models import find_judge_model

CANDIDATES = 8
MAX_GAP = 10.0


def questions() -> Iterator[Question]:
    """What the judge is asked: the wiki sentences that have a proposal, each with its best ones."""
    nlp = load_pipeline()
    component = nlp.add_pipe("paws_swapper", config={"precise": False, "constraints": ALL, "threshold": MAX_GAP})
    maker = component.find_maker()
    with nlp.select_pipes(disable=["paws_swapper"]):
        for doc in nlp.pipe(wiki_sentences(5000)):
            tokens = [Tokens(doc, maker.settings.attr)]
            templates = component.swapper.make_templates(tokens, maker)
            yield from component.swapper.questions(tokens, templates, maker.settings, CANDIDATES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=60, help="how many sentences with a proposal")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    found = find_judge_model()
    if found is None:
        raise SystemExit("The judge's model is not here: run `paws download judge`. Nothing was measured.")
    judge = make_neural_judge()
    if found.suffix == ".gguf":
        plain = make_causal_lm(str(found.parent), gguf_file=Path(found).name)
    else:
        plain = make_causal_lm(str(found))
    # Scoring sentences of the pipeline's own making would count its time: they are made before.
    asked = [question for _, question in zip(range(args.limit + 3), questions())]
    neural = batch = 0.0
    passes = candidates = 0
    for number, question in enumerate(asked):
        start = time.perf_counter()
        (said,) = judge([question])
        middle = time.perf_counter()
        score_sentences(plain, [question.words, *(proposal.words for proposal in question.proposals)])
        end = time.perf_counter()
        if number >= 3:  # the first ones warm up
            neural += middle - start
            batch += end - middle
            passes += any(one.sum is not None for one in said)
            candidates += len(question.proposals)
    size = len(asked) - 3
    print(f"{size} sentences with {candidates / size:.1f} candidates each; {passes} needed a pass of the neural judge")
    print(f"neural judge ({judge.model.dtype}, trie: {judge.as_trie}): {neural / size:.3f} s a sentence")
    print(f"plain, float32, {CANDIDATES} candidates at most: {batch / size:.3f} s a sentence")
    print(json.dumps({"neural_over_plain": round(neural / batch, 3)}))


if __name__ == "__main__":
    main()
