"""One sentencepiece vocabulary for two languages."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any, List, Sequence

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import PathLike, PawsError, write_text

from ..errors import Errors, import_for

EOS, UNK, PAD = "</s>", "<unk>", "<pad>"
FILES = ("source.spm", "target.spm", "vocab.json")


def train_vocabulary(files: Sequence[PathLike], output: PathLike, size: int = 6000) -> int:
    """Train one sentencepiece vocabulary for both languages.

    Writes a folder as MarianTokenizer reads it: source.spm and target.spm (the same model, since both sides share it)
    and vocab.json, which maps pieces to ids in the order of OPUS-MT: </s> is 0, <unk> is 1, and <pad> comes last.

    files (Sequence[Union[str, Path]]): Text files of both languages, a sentence per line.
    output (Union[str, Path]): The folder, made when it is not there.
    size (int): How many pieces the sentencepiece model has.
    RETURNS (int): The size of vocab.json.
    """
    sentencepiece = import_for("sentencepiece", "training a vocabulary")
    for file in map(Path, files):
        if not file.is_file():
            raise PawsError(PawsErrors.P020.format(path=str(file), reason="there is no such file"))
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            _train(sentencepiece, [str(file) for file in files], os.path.join(beside, "joint"), size)
            model = Path(beside, "joint.model").read_bytes()
            for name in FILES[:2]:
                Path(beside, name).write_bytes(model)
                os.replace(Path(beside, name), folder / name)
    except OSError as error:
        raise PawsError(PawsErrors.P021.format(path=str(folder), reason=error)) from error
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / FILES[0]))
    vocab = {pieces.id_to_piece(i): i for i in range(pieces.get_piece_size())}
    vocab[PAD] = len(vocab)
    write_text(folder / FILES[2], json.dumps(vocab, indent=2) + "\n")
    return len(vocab)


def _train(sentencepiece: Any, files: List[str], prefix: str, size: int) -> None:
    try:
        sentencepiece.SentencePieceTrainer.train(
            input=files,
            model_prefix=prefix,
            vocab_size=size,
            model_type="unigram",
            character_coverage=1.0,
            # Sentencepiece's own <s> is of no use to Marian, whose decoder starts with <pad>.
            bos_id=-1,
            eos_id=0,
            unk_id=1,
            eos_piece=EOS,
            unk_piece=UNK,
            num_threads=1,
            minloglevel=1,
        )
    except RuntimeError as error:
        # It says which size would do.
        reason = str(error).rpartition("]")[2].strip()
        raise PawsError(Errors.B043.format(size=f"{size:,}", reason=reason)) from error
