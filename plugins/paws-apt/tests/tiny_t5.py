"""A tiny T5 with a vocabulary of whole words, written as `save_pretrained` writes it."""

from pathlib import Path

SENTENCES = [
    "the old dog sleeps near the river",
    "a man with a red hat reads a book",
    "two girls run across the street and laugh",
    "the cat sees the dog",
    "he sold his car to a neighbour last week",
]


def make_t5(folder: Path, seed: int = 1) -> Path:
    """A T5 that has learnt nothing: it writes random words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    words = sorted({word for sentence in SENTENCES for word in sentence.split()} | {"paraphrase", ":", ".", ","})
    vocab = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    special = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    torch.manual_seed(seed)
    size = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "dropout_rate": 0.0}
    config = T5Config(vocab_size=len(vocab), decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, **size)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder
