"""What does the neural judge cost beside its language model asked the plain way?

`neural_over_plain`: seconds per sentence of the neural judge with its defaults, over seconds of the same model as
`paws.CausalLM.v1` in float32 that scores each source and its candidates in one padded batch. The plain way has no rules
and no judge before it: it is asked about the eight best proposals of the search. The neural judge is asked about what
the rules leave, and asks the embedded judge first. Wiki sentences that the search proposes something for, both asked
about one sentence after the other, so that they see the same machine. Tagging and searching are not counted.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Iterator, Optional, Tuple

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


def questions() -> Iterator[Tuple[Question, Optional[Question]]]:
    """Of the wiki sentences that have a proposal what is asked without rules, and with them."""
    nlp = load_pipeline()
    swappers = []
    for constraints in ([], ALL):
        config = {
            "precise": False,
            "constraints": constraints,
            "threshold": MAX_GAP,
            "extension": f"with_{len(constraints)}",
        }
        swappers.append(nlp.add_pipe("paws_swapper", name=f"with_{len(constraints)}", config=config))
    with nlp.select_pipes(disable=[swapper.name for swapper in swappers]):
        for doc in nlp.pipe(wiki_sentences(5000)):
            both = []
            for component in swappers:
                maker = component.find_maker()
                tokens = [Tokens(doc, maker.settings.attr)]
                templates = component.swapper.make_templates(tokens, maker)
                both.append(component.swapper.questions(tokens, templates, maker.settings, CANDIDATES))
            if both[0]:
                yield both[0][0], (both[1] or [None])[0]


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
    asked = [both for _, both in zip(range(args.limit + 3), questions())]
    neural = batch = 0.0
    passes = candidates = left = 0
    for number, (everything, allowed) in enumerate(asked):
        start = time.perf_counter()
        said = judge([allowed])[0] if allowed else []
        middle = time.perf_counter()
        score_sentences(plain, [everything.words, *(proposal.words for proposal in everything.proposals)])
        end = time.perf_counter()
        if number >= 3:  # the first ones warm up
            neural += middle - start
            batch += end - middle
            passes += any(one.sum is not None for one in said)
            candidates += len(everything.proposals)
            left += len(said)
    size = len(asked) - 3
    print(f"{size} sentences with {candidates / size:.1f} candidates each, {left / size:.1f} by the rules")
    print(f"{passes} of them needed a pass of the neural judge")
    print(f"neural judge ({judge.model.model.dtype}, trie: {judge.model.as_trie}): {neural / size:.3f} s a sentence")
    print(f"plain, float32, {CANDIDATES} candidates at most: {batch / size:.3f} s a sentence")
    print(json.dumps({"neural_over_plain": round(neural / batch, 3)}))


if __name__ == "__main__":
    main()
