"""Makes a small T5 that has learnt nothing yet, with a tokenizer of its own, and the pairs to teach it.

pairs.jsonl has paraphrases: those of AP_T5 that passed, and Twitter pairs; short ones, and none with a sentence of
AP_H. base.jsonl has these, and every sentence with itself: what a model that can't write yet begins with. Prints one
JSON object of counts.
"""

import argparse
import json
from pathlib import Path
from random import Random
from typing import List

from prepare import T5_FILES

from paws_components.errors import PawsError
from paws_components.pairs import PARAPHRASE
from paws_components.records import PairRecord
from paws_components.training.labelled import Pair
from paws_components.training.splits import Counts, drop_shared, read_split, to_record, write_splits

SPECIAL = ["<pad>", "</s>", "<unk>"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds apt/ and twitter_url/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the model and the pairs")
    parser.add_argument("--vocabulary", type=int, default=2000, help="pieces of the tokenizer")
    parser.add_argument("--width", type=int, default=128, help="of embeddings and layers")
    parser.add_argument("--layers", type=int, default=2, help="of the encoder, and of the decoder")
    parser.add_argument("--words", type=int, default=10, help="the most words of a sentence")
    parser.add_argument("--pairs", type=int, default=300, help="how many pairs, drawn at random; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and of the order")
    args = parser.parse_args()

    counts: Counts = {}
    try:
        pairs = read_paraphrases(args.data, args.words, counts)
        pairs = Random(args.seed).sample(pairs, min(args.pairs or len(pairs), len(pairs)))
        sentences = list(dict.fromkeys(text for pair in pairs for text in (pair.sentence1, pair.sentence2)))
        copies = [PairRecord(text, text, label=1, label_source="rule") for text in sentences]
        write_splits({"base": [*map(to_record, pairs), *copies], "pairs": pairs}, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    counts["parameters"] = make_model(sentences, args)
    print(json.dumps(counts))


def read_paraphrases(data: Path, words: int, counts: Counts) -> List[Pair]:
    """Short pairs of paraphrases whose sentences differ, each once."""
    passed = [files[0] for files in T5_FILES.values()]
    pairs = [pair for file in passed for pair in read_split(data / "apt" / file, Path(file).stem, counts)]
    pairs += read_split(data / "twitter_url" / "Twitter_URL_Corpus_test.txt", "twitter", counts, "twitter_url")
    human = read_split(data / "apt" / "final_checks.tsv", "aph_all", counts)
    found = {
        (pair.sentence1, pair.sentence2): pair
        for pair in pairs
        if pair.label == PARAPHRASE and max(len(pair.sentence1.split()), len(pair.sentence2.split())) <= words
    }
    return drop_shared(list(found.values()), human, "pairs_share_with_aph", counts)


def make_model(sentences: List[str], args: argparse.Namespace) -> int:
    """Write a T5 with random weights and its tokenizer.

    RETURNS (int): How many parameters it has.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=args.vocabulary, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(["paraphrase: ", *sentences], trainer)
    ending = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", ending)])
    names = {"pad_token": SPECIAL[0], "eos_token": SPECIAL[1], "unk_token": SPECIAL[2]}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(args.output)
    torch.manual_seed(args.seed)
    padding = tokenizer.token_to_id("<pad>")
    config = T5Config(
        vocab_size=tokenizer.get_vocab_size(),
        d_model=args.width,
        d_kv=args.width // 4,
        d_ff=3 * args.width,
        num_layers=args.layers,
        num_heads=4,
        dropout_rate=0.0,
        pad_token_id=padding,
        decoder_start_token_id=padding,
        eos_token_id=ending,
    )
    model = T5ForConditionalGeneration(config)
    model.save_pretrained(args.output)
    return int(model.num_parameters())


if __name__ == "__main__":
    main()
