"""Training n-gram models: tokenise with the pipeline's own tokenizer, then KenLM's `lmplz` and `build_binary`."""

import gzip
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, List, Optional, Sequence

from ..engine.backends import map_chunks
from ..errors import Errors, PawsError
from ..models import blank, load_pipeline, tokenizer_of
from .ngram import normal_form

BINARY = (".klm", ".bin", ".binary", ".mmap")
ENDINGS = (*BINARY, ".arpa", ".arpa.gz")


@dataclass
class TokeniseJob:
    """Cuts texts into lines of tokens separated by spaces.

    model (Optional[str]): The pipeline whose tokenizer is used; None for the plain one of the language.
    lang (str): That language.
    sentences (bool): Whether a text becomes one line per sentence.
    """

    model: Optional[str] = None
    lang: str = "en"
    sentences: bool = True

    def start(self) -> "Tokeniser":
        return Tokeniser(self)


class Tokeniser:
    def __init__(self, job: TokeniseJob) -> None:
        self.nlp = tokenizer_of(load_pipeline(job.model, lang=job.lang) if job.model else blank(job.lang))
        self.splitter = self.nlp.add_pipe("sentencizer") if job.sentences else None

    def __call__(self, texts: List[str]) -> List[str]:
        lines: List[str] = []
        with self.nlp.memory_zone():
            for text in texts:
                doc = self.nlp.make_doc(text)
                if self.splitter is not None:
                    doc = self.splitter(doc)
                for span in doc.sents if self.splitter is not None else (doc,):
                    words = [normal_form(token.text) for token in span if not token.is_space]
                    if words:
                        lines.append(" ".join(words))
        return lines


@dataclass
class NgramSettings:
    """How an n-gram model is estimated.

    order (int): The longest n-gram.
    prune (Sequence[int]): For each order the count up to which n-grams are left out; 0 for unigrams.
    vocab_size (int): How many of the most frequent words are known; 0 for all.
    memory (str): The memory that lmplz may take.
    bits (int): To how many bits probabilities are rounded in a binary; 0 for no rounding.
    """

    order: int = 3
    prune: Sequence[int] = (0, 1, 1)
    vocab_size: int = 0
    memory: str = "2G"
    bits: int = 8


def train_ngram(
    texts: Iterable[str],
    output: str,
    tokenise: TokeniseJob,
    settings: NgramSettings,
    *,
    kenlm_bin: Optional[str] = None,
    n_process: int = 1,
    say: Callable[[str], None] = print,
) -> None:
    """Train a model.

    texts (Iterable[str]): The training texts.
    output (str): Where the model goes: .klm (KenLM's binary), .arpa or .arpa.gz.
    tokenise (TokeniseJob): How the texts are cut up.
    settings (NgramSettings): How the model is estimated.
    kenlm_bin (Optional[str]): The folder with KenLM's programs; None to look on the PATH.
    n_process (int): How many processes tokenise.
    say (Callable): Told what is being done.
    """
    if not output.endswith(ENDINGS):
        raise PawsError(Errors.P011.format(path=output, known=", ".join(ENDINGS), hint=""))
    lmplz = find_tool("lmplz", kenlm_bin)
    builder = find_tool("build_binary", kenlm_bin) if output.endswith(BINARY) else None
    folder = Path(output).resolve().parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".paws-lm-") as name:
        work = Path(name)
        counts: Counter = Counter()
        lines = 0
        with (work / "text").open("w", encoding="utf8", errors="replace") as text:
            for chunk in map_chunks(tokenise, texts, n_process):
                for line in chunk:
                    text.write(line + "\n")
                    counts.update(line.split(" "))
                lines += len(chunk)
        if not counts:
            raise PawsError(Errors.P019.format(paths="the inputs"))
        say(f"{lines:,} sentences, {counts.total():,} words, {len(counts):,} different")
        say(f"Estimating a {settings.order}-gram model with lmplz")
        _run(_lmplz_command(lmplz, work, counts, settings))
        _finish(work / "arpa", Path(output), builder, settings)
    say(f"{output}: {os.path.getsize(output) / 1e6:.1f} MB")


def find_tool(name: str, folder: Optional[str] = None) -> str:
    """The path of one of KenLM's programs, or the error that says how to get it."""
    found = shutil.which(name, path=folder) if folder else shutil.which(name)
    if found is None:
        raise PawsError(Errors.P004.format(tool=name))
    return found


def _lmplz_command(lmplz: str, work: Path, counts: Counter, settings: NgramSettings) -> List[str]:
    command = [lmplz, "-o", str(settings.order), "-S", settings.memory, "-T", str(work)]
    command += ["--text", str(work / "text"), "--arpa", str(work / "arpa")]
    command += ["--prune", *(str(count) for count in settings.prune)]
    # Small texts lack the counts that the discounts are made from; lmplz would refuse them.
    command += ["--discount_fallback"]
    if 0 < settings.vocab_size < len(counts):
        # Ties are broken by the word itself, so that the model does not depend on the order of the texts.
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        (work / "vocab").write_text("\n".join(ranked[: settings.vocab_size]), encoding="utf8", errors="replace")
        command += ["--limit_vocab_file", str(work / "vocab")]
    return command


def _finish(arpa: Path, output: Path, builder: Optional[str], settings: NgramSettings) -> None:
    if builder is not None:
        rounding = ["-q", str(settings.bits), "-b", str(settings.bits)] if settings.bits else []
        _run([builder, *rounding, "-a", "22", "trie", str(arpa), str(output)])
    elif output.suffix == ".gz":
        with arpa.open("rb") as plain, gzip.open(output, "wb") as packed:
            shutil.copyfileobj(plain, packed)
    else:
        shutil.move(str(arpa), output)


def _run(command: List[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        last = "\n".join(done.stdout.strip().splitlines()[-5:])
        raise PawsError(Errors.P005.format(tool=Path(command[0]).name, code=done.returncode, output=last))
