"""A small T5 that has learnt nothing yet, with a tokenizer of its own: what a training on a CPU can begin with."""

from pathlib import Path
from typing import Any, Iterable, List, Sequence

from paws_components.plugin import PairRecord, PathLike, PawsError

from ..errors import Errors
from ..seq2seq import PROMPT, require

PAD, END, UNKNOWN = SPECIAL = ["<pad>", "</s>", "<unk>"]
HEADS = 4


def short_paraphrases(pairs: Iterable[PairRecord], words: int) -> List[PairRecord]:
    """The paraphrases that are short on both sides, each once.

    pairs (Iterable[PairRecord]): The pairs, of which those labelled 1 are taken.
    words (int): The most words of a sentence; 0 for any number.
    RETURNS (List[PairRecord]): The pairs, in their order.
    """
    found = {}
    for pair in pairs:
        longest = max(len(pair.sentence1.split()), len(pair.sentence2.split()))
        if pair.label == 1 and (not words or longest <= words):
            found[pair.sentence1, pair.sentence2] = pair
    return list(found.values())


def with_copies(pairs: Sequence[PairRecord]) -> List[PairRecord]:
    """The pairs, and every sentence of them with itself: a model that can't write yet learns sooner to copy.

    pairs (Sequence[PairRecord]): The pairs.
    RETURNS (List[PairRecord]): The pairs, then the copies.
    """
    copies = [PairRecord(text, text, label=1, label_source="rule") for text in sentences_of(pairs)]
    return [*pairs, *copies]


def sentences_of(pairs: Iterable[PairRecord]) -> List[str]:
    """Every sentence of some pairs, once."""
    return list(dict.fromkeys(text for pair in pairs for text in (pair.sentence1, pair.sentence2)))


def make_t5(
    sentences: Sequence[str],
    output: PathLike,
    *,
    vocabulary: int = 2000,
    width: int = 128,
    layers: int = 2,
    prompt: str = PROMPT,
    seed: int = 0,
) -> int:
    """Write a T5 with random weights, and a tokenizer whose pieces are those of some sentences.

    sentences (Sequence[str]): The sentences.
    output (Union[str, Path]): The folder for both, as `save_pretrained` writes them.
    vocabulary (int): How many pieces the tokenizer has at most.
    width (int): Of the embeddings and of the layers, a multiple of 4.
    layers (int): Of the encoder, and as many of the decoder.
    prompt (str): What the model will be given: the tokenizer has its words too.
    seed (int): Of the weights.
    RETURNS (int): How many parameters it has.
    """
    if width < HEADS or width % HEADS:
        raise PawsError(Errors.A022.format(name="width", what=f"a multiple of {HEADS}", value=width))
    if layers < 1:
        raise PawsError(Errors.A022.format(name="layers", what="1 or more", value=layers))
    require("torch", "transformers")
    import torch
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    tokenizer = _tokenizer([prompt.replace("{sentence}", ""), *sentences], vocabulary)
    padding, end = tokenizer.token_to_id(PAD), tokenizer.token_to_id(END)
    config = T5Config(
        vocab_size=tokenizer.get_vocab_size(),
        d_model=width,
        d_kv=width // HEADS,
        d_ff=3 * width,
        num_layers=layers,
        num_heads=HEADS,
        dropout_rate=0.0,
        pad_token_id=padding,
        decoder_start_token_id=padding,
        eos_token_id=end,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = T5ForConditionalGeneration(config)
    Path(output).mkdir(parents=True, exist_ok=True)
    names = {"pad_token": PAD, "eos_token": END, "unk_token": UNKNOWN}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(output)
    model.save_pretrained(output)
    return int(model.num_parameters())


def _tokenizer(texts: Sequence[str], vocabulary: int) -> Any:
    """A tokenizer of T5's kind: pieces of words by a unigram model, and one end."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=vocabulary, special_tokens=SPECIAL, unk_token=UNKNOWN, show_progress=False
    )
    # Every letter is a piece: with fewer pieces than letters the trainer has no way out.
    least = len(SPECIAL) + len(set("".join(map(tokenizer.normalizer.normalize_str, texts))))
    if vocabulary < least:
        what = f"{least} or more, for the sentences have so many letters and signs"
        raise PawsError(Errors.A022.format(name="vocabulary", what=what, value=vocabulary))
    tokenizer.train_from_iterator(texts, trainer)
    end = tokenizer.token_to_id(END)
    tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {END}", special_tokens=[(END, end)])
    return tokenizer
