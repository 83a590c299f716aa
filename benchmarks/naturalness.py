"""Yield, a referee's share and conformance for each judge.

`yield`: the share of sentences that get a swap; the sentences are from paragraphs that no judge has learnt from.
`referee`: the share of these swaps that a language model which no judge was trained by finds natural: it gives the swap
at most --nats less than the source, each after the same full stop, since the very first word of a text is an odd one.
The referee is Gemma-3-270M (a GGUF file, or whatever transformers loads); without --referee there is none. It is no
reader: it tells settings apart, `read_swaps.py` says how good they are. `top1` and `in_beam`: see `conformance.py`.

    python benchmarks/naturalness.py --referee gemma-3-270m.gguf
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any, Dict, List, Sequence

from conformance import conformance, same_token_pairs, settings_with_judges, settings_without_judges
from data import kept_sentences, load_pipeline
from read_swaps import Row, find_swaps, interval, parse_setting, shown
from tqdm import tqdm

from paws_components.lm.causal import make_causal_lm
from paws_components.lm.protocol import LanguageModel, score_sentences

CONTEXT = ". "


class Pieces:
    """The tokenizer in a GGUF file as SentencePiece has it: of all neighbours those with the best score merge first.

    What transformers 4.57 makes of Gemma's merges in another order ("Fl igh ts f rom"): noise to the model.
    """

    def __init__(self, path: str) -> None:
        from gguf import GGUFReader

        fields = GGUFReader(path).fields
        tokens = fields["tokenizer.ggml.tokens"].contents()
        self.ids: Dict[str, int] = {token: i for i, token in enumerate(tokens)}
        self.scores: Dict[str, float] = dict(zip(tokens, fields["tokenizer.ggml.scores"].contents()))

    def encode(self, text: str, add_special_tokens: bool = False) -> List[int]:
        parts = list(text.replace(" ", "▁"))
        while True:
            pairs = enumerate(a + b for a, b in zip(parts, parts[1:]))
            _, at = max(((self.scores[pair], -i) for i, pair in pairs if pair in self.scores), default=(0.0, 1))
            if at > 0:
                break
            parts[-at : 2 - at] = [parts[-at] + parts[1 - at]]
        spelled = ([part] if part in self.ids else [f"<0x{byte:02X}>" for byte in part.encode()] for part in parts)
        return [self.ids[piece] for pieces in spelled for piece in pieces]


def load_referee(path: str) -> LanguageModel:
    """In single precision and one thread: what it says must not depend on the machine."""
    import torch

    torch.set_num_threads(1)
    if not path.endswith(".gguf"):
        return make_causal_lm(path, dtype="float32")
    referee = make_causal_lm(str(Path(path).parent), Path(path).name, dtype="float32")
    if "gemma" in referee.model.config.model_type:
        referee.tokenizer = Pieces(path)
    return referee


def gaps(referee: LanguageModel, rows: Sequence[Row]) -> List[float]:
    """How many nats the referee gives each swap less than its source."""
    found = []
    for row in tqdm(rows, desc="referee", unit="swaps"):
        source, swap = score_sentences(referee, [[CONTEXT + row.source], [CONTEXT + row.swap]])
        found.append(source - swap)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setting", type=parse_setting, action="append", help="NAME={JSON}  [default: all there are]")
    parser.add_argument("--referee", help="a GGUF file, a folder or a name on the hub")
    parser.add_argument("--nats", type=float, default=3.0, help="what a natural swap may lose by the referee")
    parser.add_argument("--limit", type=int, default=300, help="how many sentences")
    parser.add_argument("--skip", type=int, default=0, help="leave out this many sentences first")
    parser.add_argument("--referee-swaps", type=int, default=100, help="how many swaps of a setting the referee sees")
    parser.add_argument("--pairs", type=int, default=150, help="how many pairs for the conformance; 0 for none")
    args = parser.parse_args()

    chosen = dict(args.setting or ()) or {**settings_without_judges(), **settings_with_judges()}
    nlp = load_pipeline()
    sentences = kept_sentences(args.limit, args.skip)
    pairs = same_token_pairs("paws_wiki/dev.tsv")[: args.pairs]
    docs = list(nlp.pipe(s1 for s1, _ in pairs))
    referee = load_referee(args.referee) if args.referee else None
    figures: Dict[str, Dict[str, Any]] = {}
    for name, settings in chosen.items():
        began = time.perf_counter()
        rows = find_swaps(nlp, name, settings, sentences)
        seconds = (time.perf_counter() - began) / len(sentences)
        figure = figures[name] = {"yield": interval(len(rows), len(sentences)), "seconds": round(seconds, 4)}
        print(f"{name}: yield {shown(figure['yield'])}, {seconds:.3f} s per sentence with its pipeline", flush=True)
        if referee is not None and rows:
            found = gaps(referee, rows[: args.referee_swaps])
            figure["referee"] = interval(sum(gap <= args.nats for gap in found), len(found))
            print(f"  within {args.nats:g} nats by the referee: {shown(figure['referee'])} of {len(found)}", flush=True)
        if pairs:
            same = conformance(nlp, docs, pairs, settings, f"{name}, conformance")
            figure.update(top1=round(same.top1, 4), in_beam=round(same.in_beam, 4))
            print(f"  {same} on {len(pairs)} pairs", flush=True)
    print(json.dumps({"sentences": len(sentences), "nats": args.nats, "settings": figures}))


if __name__ == "__main__":
    main()
