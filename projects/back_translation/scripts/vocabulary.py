"""Train one sentencepiece vocabulary for both languages.

Writes a folder as MarianTokenizer reads it: source.spm and target.spm (the same model, since both sides share it) and
vocab.json, which maps pieces to ids in the order of OPUS-MT: </s> is 0, <unk> is 1, and <pad> comes last.
"""

import argparse
import json
import shutil
from pathlib import Path

import sentencepiece

EOS, UNK, PAD = "</s>", "<unk>", "<pad>"


def train_vocabulary(files: list, size: int, output: Path) -> int:
    """Train the sentencepiece model and write the three files.

    files (list): Text files, a sentence per line.
    size (int): How many pieces the sentencepiece model has.
    output (Path): The folder, made when it is not there.
    RETURNS (int): The size of vocab.json.
    """
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise SystemExit(f"Not there: {', '.join(missing)}.")
    output.mkdir(parents=True, exist_ok=True)
    try:
        sentencepiece.SentencePieceTrainer.train(
            input=[str(file) for file in files],
            model_prefix=str(output / "joint"),
            vocab_size=size,
            model_type="unigram",
            character_coverage=1.0,
            # Sentencepiece's own <s> is of no use to Marian, whose decoder starts with <pad>.
            bos_id=-1,
            eos_id=0,
            unk_id=1,
            num_threads=1,
            minloglevel=1,
        )
    except RuntimeError as e:
        # It says which size would do.
        raise SystemExit(f"{size} pieces cannot be made from this text: {str(e).rpartition(']')[2].strip()}") from None
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(output / "joint.model"))
    vocab = {pieces.id_to_piece(i): i for i in range(pieces.get_piece_size())}
    vocab[PAD] = len(vocab)
    (output / "vocab.json").write_text(json.dumps(vocab, indent=2) + "\n", encoding="ascii")
    shutil.copyfile(output / "joint.model", output / "target.spm")
    (output / "joint.model").rename(output / "source.spm")
    (output / "joint.vocab").unlink()
    return len(vocab)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="text files of both languages, a sentence per line")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder to write")
    parser.add_argument("--size", type=int, default=6000, help="how many pieces  [default: 6000]")
    args = parser.parse_args()
    size = train_vocabulary(args.files, args.size, args.output)
    print(json.dumps({"vocabulary": str(args.output), "size": size}))


if __name__ == "__main__":
    main()
