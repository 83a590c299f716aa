"""Translate the validation part with the models as saved, and measure BLEU with sacrebleu.

The text goes in and comes out raw: sacrebleu does its own tokenisation, which its signature names. Prints a JSON line a
direction.

    python scripts/evaluate.py data build/models en-de de-en
"""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import List

import torch
from corpus import read_split
from sacrebleu.metrics import BLEU
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer


def translate(folder: Path, texts: List[str], num_beams: int, batch_size: int) -> List[str]:
    """The best translation of each text.

    folder (Path): A model as train.py saves it.
    texts (List[str]): The texts.
    num_beams (int): The width of the beam.
    batch_size (int): How many texts go through the model at once.
    RETURNS (List[str]): The translations, in the order of the texts.
    """
    with warnings.catch_warnings():
        # It asks for sacremoses, and then never uses it.
        warnings.filterwarnings("ignore", message=".*sacremoses.*")
        tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    # Texts of about the same length go together, so that little is padding.
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    found = [""] * len(texts)
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        inputs = tokenizer([texts[i] for i in chosen], padding=True, return_tensors="pt")
        with torch.inference_mode():
            outputs = model.generate(**inputs, num_beams=num_beams)
        for i, text in zip(chosen, tokenizer.batch_decode(outputs, skip_special_tokens=True)):
            found[i] = text
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("data", type=Path, help="a folder with val.LANGUAGE, a sentence per line")
    add("models", type=Path, help="the folder that train.py wrote to")
    add("directions", nargs="+", help="as in train.py: en-de de-en")
    add("-o", "--output", type=Path, help="write the lines here as well")
    add("--num-beams", type=int, default=5, help="[5]")
    add("--batch-size", type=int, default=64, help="[64]")
    add("--threads", type=int, default=1, help="torch's threads  [1]")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    lines = []
    for direction in args.directions:
        sources, references = read_split(args.data, "val", direction)
        if not (args.models / direction).is_dir():
            raise SystemExit(f"{args.models / direction} is not there: train {direction} first.")
        began = time.perf_counter()
        found = translate(args.models / direction, sources, args.num_beams, args.batch_size)
        seconds = time.perf_counter() - began
        bleu = BLEU()
        score = bleu.corpus_score(found, [references])
        line = {"direction": direction, "bleu": round(score.score, 2), "signature": str(bleu.get_signature())}
        line.update(sentences=len(sources), num_beams=args.num_beams, seconds=round(seconds, 1))
        lines.append(json.dumps(line))
        print(lines[-1], flush=True)
    if args.output:
        args.output.write_text("".join(line + "\n" for line in lines), encoding="utf8")


if __name__ == "__main__":
    main()
