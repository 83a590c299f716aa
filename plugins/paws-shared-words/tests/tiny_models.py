"""Tiny models with random weights, written as `save_pretrained` writes them, and pairs to attack."""

from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

PAIRS: List[Tuple[str, str, int]] = [
    ("What is the ultimate purpose of life?", "What is the purpose of life, if not money?", 1),
    ("How can I lose weight fast?", "What are some ways to lose weight?", 1),
    ("The old dog sleeps near the river.", "Near the river the old dog sleeps.", 1),
    ("Which city is the capital of Peru?", "What is the capital city of Peru?", 1),
    ("How do I learn to cook?", "What is the best way to learn to cook?", 1),
    ("Two ships sank near the coast.", "Near the coast two ships sank.", 1),
    ("How can I get my Gmail account back?", "Where do I find my lost account?", 0),
    ("What is the best school management software?", "Who sells software to schools?", 0),
    ("Why is the sky blue?", "Why is the sea salty?", 0),
    ("The team plays its games in Dallas.", "The team never played a game there.", 0),
]
WORDS = (
    "dog cat river mountain city village house school teacher money life work purpose value measure credit score "
    "account software ship boat coast sea sky game team capital road market garden doctor story letter winter summer "
    "eat learn cook sell buy find write read build break old young small large blue green lost cheap strong quiet"
).split()
TINY = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    # With the usual 0.02 a model this small does not notice its input.
    "initializer_range": 0.5,
}


def make_tokenizer(folder: Path):
    """A tokenizer of whole words, some words' pieces, and letters."""
    from transformers import BertTokenizerFast

    letters = [chr(number) for number in range(ord("a"), ord("z") + 1)]
    small = "what is the how can i are some to which do of if not my near who why its in there , . ? !".split()
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    pieces += [*small, *WORDS, "##ing", "##er", "2016"]
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(dict.fromkeys(pieces)) + "\n", encoding="utf8")
    tokenizer = BertTokenizerFast(str(vocabulary))
    tokenizer.save_pretrained(folder)
    return tokenizer


def make_masked_lm(folder: Path, seed: int = 1) -> Path:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = make_tokenizer(folder)
    torch.manual_seed(seed)
    BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), **TINY)).save_pretrained(folder)
    return folder


def make_classifier(folder: Path, seed: int = 2, labels: Sequence[str] = ("not_paraphrase", "paraphrase")) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = make_tokenizer(folder)
    torch.manual_seed(seed)
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    config = BertConfig(vocab_size=len(tokenizer), **names, **TINY)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def make_pipeline(model: Optional[Dict[str, Any]] = None, steps: int = 3):
    """A pipeline with one of our classifiers, trained for a few steps on the pairs."""
    import spacy
    from spacy.training import Example
    from thinc.api import fix_random_seed

    from paws_components.pairs import pair_text

    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair")
    embed = {"@architectures": "paws.WordEmbed.v1", "width": 16, "rows": 200}
    nlp.add_pipe(
        "textcat", config={"model": model or {"@architectures": "paws.DecAtt.v1", "tok2vec": embed, "hidden": 16}}
    )
    gold = [
        Example.from_dict(
            nlp.make_doc(pair_text(one, two)), {"cats": {"paraphrase": float(label), "not_paraphrase": 1.0 - label}}
        )
        for one, two, label in PAIRS
    ]
    optimizer = nlp.initialize(lambda: gold)
    for _ in range(steps):
        nlp.update(gold, sgd=optimizer)
    return nlp
