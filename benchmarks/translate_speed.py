"""What does back-translating through the plugin cost beside a bare loop over `model.generate`?

`over_bare`: sentences per second of a pipeline with the generator `back_translation` over those of a loop written by
hand, on the same sentences of Multi30k val with the same models: sorted by length, the same batches, five German
translations of each sentence, five English ones of each different German one, decoded. `over_single`: the same pipeline
over that loop with one sentence a call. All three take turns, and the median of the rounds counts. The models are read
from `--models`, by default what projects/back_translation has trained; without them random ones of their size stand in.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

import spacy
from data import data_file

try:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    from paws_back_translation.batching import output_limit
except ImportError as error:
    sys.exit(
        f"{error.name} is not installed: pip install 'plugins/paws-back-translation[marian]'. Nothing was measured."
    )

TRAINED = str(Path(__file__).resolve().parents[1] / "projects/back_translation/build/models/{source}-{target}")
K = 5
BATCH_SIZE = 32
MAX_LENGTH = 256
ROUNDS = 5
Model = Tuple[Any, Any]


def bare(texts: List[str], model: Model, batch_size: int, max_length: int) -> Dict[str, List[str]]:
    """The loop that anybody would write: no scores, no checks."""
    tokenizer, network = model
    found: Dict[str, List[str]] = {}
    texts = sorted(dict.fromkeys(texts), key=lambda text: -len(text))
    for start in range(0, len(texts), batch_size):
        batch = texts[start : start + batch_size]
        encoded = tokenizer(batch, return_tensors="pt", padding=True)
        with torch.inference_mode():
            sequences = network.generate(
                **encoded,
                num_beams=K,
                num_return_sequences=K,
                early_stopping=False,
                # Neither side may spend more on a sentence that never ends.
                max_new_tokens=output_limit(encoded["input_ids"].shape[1], 2.0, max_length),
            )
        decoded = tokenizer.batch_decode(sequences, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        found.update({text: decoded[row * K : row * K + K] for row, text in enumerate(batch)})
    return found


def bare_round_trip(texts: List[str], models: Dict[str, Model], batch_size: int, max_length: int) -> float:
    """Sentences per second of the loop."""
    began = time.perf_counter()
    pivots = bare(texts, models["en-de"], batch_size, max_length)
    back = bare([pivot for found in pivots.values() for pivot in found], models["de-en"], batch_size, max_length)
    candidates = {text: {other for pivot in pivots[text] for other in back[pivot]} for text in texts}
    assert len(candidates) == len(set(texts))
    return len(texts) / (time.perf_counter() - began)


def make_pipeline(pattern: str, max_length: int) -> Any:
    nlp = spacy.blank("en")
    translator = {"model": pattern, "batch_size": BATCH_SIZE, "max_length": max_length}
    settings = {"translator_settings": translator, "pivots": ["de"], "k": K}
    nlp.add_pipe("paws_generator", config={"generator": "back_translation", "settings": settings})
    return nlp


def piped(nlp: Any, texts: List[str]) -> float:
    """Sentences per second of the pipeline, filters and all."""
    began = time.perf_counter()
    count = sum(len(doc._.paws_candidates) for doc in nlp.pipe(texts))
    seconds = time.perf_counter() - began
    print(f"  {count} candidates kept", end="; ")
    return len(texts) / seconds


def random_models(texts: List[str], folder: Path) -> str:
    """Models as large as the project's that know nothing: they cost the same, a token."""
    import sentencepiece
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    spm = folder / "pieces.model"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(folder / "pieces"),
        vocab_size=6000,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_file=str(spm))
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    tokens = ["</s>", "<unk>", *(piece for piece in pieces if piece not in ("<unk>", "<s>", "</s>")), "<pad>"]
    vocab = folder / "vocab.json"
    vocab.write_text(json.dumps({token: number for number, token in enumerate(tokens)}), encoding="utf8")
    pad = len(tokens) - 1
    for seed, direction in enumerate(("en-de", "de-en")):
        MarianTokenizer(str(spm), str(spm), str(vocab)).save_pretrained(folder / direction)
        torch.manual_seed(seed)
        config = MarianConfig(
            vocab_size=len(tokens),
            d_model=256,
            encoder_layers=3,
            decoder_layers=3,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=1024,
            decoder_ffn_dim=1024,
            max_position_embeddings=256,
            pad_token_id=pad,
            eos_token_id=0,
            decoder_start_token_id=pad,
            forced_eos_token_id=0,
        )
        model = MarianMTModel(config)
        model.generation_config.bad_words_ids = [[pad]]
        model.save_pretrained(folder / direction)
    return str(folder / "{source}-{target}")


def measure(texts: List[str], pattern: str, max_length: int) -> Dict[str, float]:
    models: Dict[str, Model] = {}
    for direction in ("en-de", "de-en"):
        name = pattern.format(source=direction[:2], target=direction[-2:])
        network = AutoModelForSeq2SeqLM.from_pretrained(name, use_safetensors=True).float().eval()
        models[direction] = (AutoTokenizer.from_pretrained(name), network)
    nlp = make_pipeline(pattern, max_length)
    # Loading, and the first calls of everything.
    piped(nlp, texts[:2])
    print("warmed up")
    bare_round_trip(texts[:2], models, BATCH_SIZE, max_length)
    few = texts[:: max(1, len(texts) // 12)]
    rates: Dict[str, List[float]] = {"plugin": [], "bare": [], "single": []}
    for number in range(1, ROUNDS + 1):
        # Whichever comes first in a round may find a cooler or a busier machine.
        turns = ["plugin", "bare"] if number % 2 else ["bare", "plugin"]
        for turn in [*turns, "single"]:
            if turn == "plugin":
                rate = piped(nlp, texts)
            elif turn == "bare":
                rate = bare_round_trip(texts, models, BATCH_SIZE, max_length)
            else:
                rate = bare_round_trip(few, models, 1, max_length)
            rates[turn].append(rate)
            print(f"round {number}, {turn}: {rate:.2f} sentences per second", flush=True)
    return {
        "over_bare": statistics.median(a / b for a, b in zip(rates["plugin"], rates["bare"])),
        "over_single": statistics.median(a / b for a, b in zip(rates["plugin"], rates["single"])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=96, help="how many sentences")
    parser.add_argument("--models", default=TRAINED, help="the pattern of the models, {source}-{target} in it")
    args = parser.parse_args()
    lines = data_file("multi30k/val.en").read_text(encoding="utf8").splitlines()
    # From all over the file, not its first lines.
    texts = lines[:: max(1, len(lines) // args.limit)][: args.limit]
    print(f"{len(texts)} sentences, {torch.get_num_threads()} threads", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        pattern, max_length = args.models, MAX_LENGTH
        if not Path(pattern.format(source="en", target="de")).is_dir():
            if pattern != TRAINED:
                sys.exit(f"There are no models at {pattern}. Nothing was measured.")
            print(
                "projects/back_translation has trained no models: random ones stand in, which never end by themselves."
            )
            pattern, max_length = random_models(lines, Path(folder)), 20
        figures = measure(texts, pattern, max_length)
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
