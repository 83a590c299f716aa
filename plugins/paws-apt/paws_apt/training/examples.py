"""Pairs of paraphrases as what a sequence-to-sequence model is trained on."""

from typing import Any, Dict, Iterable, List, NamedTuple, Sequence

from paws_components.plugin import PairRecord

from ..seq2seq import encode

# What torch's cross-entropy leaves out.
IGNORED = -100


class Examples(NamedTuple):
    """Training examples; a sequence of features for a DataLoader.

    sentences (List[str]): The first sentences.
    features (List[Dict[str, Any]]): For each its tokens in the prompt, and those of its paraphrase.
    not_positive (int): How many pairs were left out since they are not paraphrases, or it is not known.
    too_long (int): How many were left out since a side has too many tokens.
    """

    sentences: List[str]
    features: List[Dict[str, Any]]
    not_positive: int
    too_long: int


def make_examples(pairs: Iterable[PairRecord], tokenizer: Any, prompt: str, max_length: int) -> Examples:
    """Encode the positive pairs: the second sentence is what the model should write for the first.

    pairs (Iterable[PairRecord]): The pairs.
    tokenizer (Any): The model's.
    prompt (str): What the model is given; {sentence} stands for the sentence.
    max_length (int): The most tokens of either side.
    RETURNS (Examples): The examples.
    """
    examples = Examples([], [], 0, 0)
    not_positive = too_long = 0
    for pair in pairs:
        if pair.label != 1:
            not_positive += 1
            continue
        source = encode(tokenizer, prompt.replace("{sentence}", pair.sentence1))
        target = encode(tokenizer, pair.sentence2)
        if max(len(source), len(target)) > max_length:
            too_long += 1
            continue
        # The number leads back to the sentence: texts do not travel through a DataLoader to the device.
        examples.features.append({"input_ids": source, "labels": target, "number": len(examples.sentences)})
        examples.sentences.append(pair.sentence1)
    return examples._replace(not_positive=not_positive, too_long=too_long)


class Collate:
    """Puts features together into a batch, padded.

    padding (int): The token that sources are padded with.
    """

    def __init__(self, padding: int) -> None:
        self.padding = padding

    def __call__(self, features: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        import torch

        def padded(name: str, value: int) -> Any:
            rows = [torch.tensor(feature[name]) for feature in features]
            return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)

        return {
            "input_ids": padded("input_ids", self.padding),
            "attention_mask": padded("input_ids", IGNORED).ne(IGNORED).long(),
            "labels": padded("labels", IGNORED),
            "number": torch.tensor([feature["number"] for feature in features]),
        }
