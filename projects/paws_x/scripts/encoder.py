"""A small multilingual encoder that knows nothing yet: a BERT with random weights and a vocabulary of its own, cut from
the sentences of some pairs. `paws mlm train --embeddings` teaches it. For those who have no mBERT at hand."""

import argparse
from pathlib import Path

from paws_components.readers import read_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", help="files of pairs; their labels are not read")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the encoder")
    parser.add_argument("--pieces", type=int, default=12000, help="of the vocabulary, at most")
    parser.add_argument("--width", type=int, default=192, help="of the encoder")
    parser.add_argument("--layers", type=int, default=3, help="of the encoder")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    args = parser.parse_args()
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    texts = [text for path in args.pairs for pair in read_pairs(path) for text in (pair.sentence1, pair.sentence2)]
    # As mBERT's: cased, and a Chinese character is a token.
    pieces = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    pieces.train_from_iterator(texts, vocab_size=args.pieces, limit_alphabet=4000, show_progress=False)
    args.output.mkdir(parents=True, exist_ok=True)
    pieces.save_model(str(args.output))
    tokenizer = BertTokenizerFast(str(args.output / "vocab.txt"), do_lower_case=False, strip_accents=False)
    tokenizer.save_pretrained(args.output)
    torch.manual_seed(args.seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=max(1, args.width // 64),
        intermediate_size=4 * args.width,
        max_position_embeddings=256,
    )
    BertForMaskedLM(config).save_pretrained(args.output)
    print(f"{len(texts):,} sentences, {len(tokenizer):,} pieces; the encoder is in {args.output}")


if __name__ == "__main__":
    main()
