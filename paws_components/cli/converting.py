"""A run of `paws convert`: rows in, Docs out, all accounted for."""

import json
from itertools import islice
from pathlib import Path
from typing import List, Sequence

import spacy
from spacy.tokens import DocBin
from tqdm import tqdm

from ..curation.reading import REASONS
from ..curation.row import Row
from ..errors import Errors, PawsError
from ..pairs import pair_text
from ..training.cats import make_cats
from ..training.labelled import ERRORS, UNKNOWN, Account, check_label_sources, read_labelled
from ..training.mixing import Choice
from ..training.sources import DOCBIN, USER_DATA, Source

# How many pairs are tokenised before the words that only they have are forgotten; the tokenizer's cache goes with them.
CHUNK = 10_000


class ConvertRun:
    """Writes the labelled pairs of some sources to a `.spacy` file.

    sources (Sequence[Source]): The sources; their pairs come one after the other.
    output (str): The file to write.
    labels (Sequence[str]): Whose labels are taken.
    lang (str): The language whose tokenizer is used.
    choice (Choice): Which pairs of each source are taken, and in which order.
    """

    def __init__(
        self, sources: Sequence[Source], output: str, *, labels: Sequence[str], lang: str, choice: Choice
    ) -> None:
        if not output.endswith(DOCBIN):
            raise PawsError(Errors.P311.format(path=output))
        for source in sources:
            if Path(source.path).exists() and Path(source.path).resolve() == Path(output).resolve():
                raise PawsError(Errors.P111.format(path=output))
        self.sources = sources
        self.output = output
        self.labels = check_label_sources(labels)
        try:
            self.nlp = spacy.blank(lang)
        except ImportError as error:
            raise PawsError(Errors.P312.format(lang=lang, reason=str(error).split("\n")[0])) from error
        self.choice = choice
        self.account = Account(", ".join(source.path for source in sources))
        self.errors = Path(output + ".errors.jsonl")

    def __call__(self, *, quiet: bool = False) -> None:
        """Do it. The file is written at the end, whole or not at all."""
        self.errors.unlink(missing_ok=True)
        docs = DocBin(attrs=["ORTH"], store_user_data=True)
        entries: List[dict] = []
        with tqdm(unit=" pairs", disable=quiet, leave=False, desc="paws") as bar:
            for i, source in enumerate(self.sources):
                self._add(source, i, docs, entries, bar)
        if not len(docs):
            account, remarks = self.account, self.account.remarks or "it is empty"
            raise PawsError(Errors.P308.format(path=account.path, account=account, remarks=remarks))
        try:
            docs.to_disk(self.output)
            if entries:
                lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
                self.errors.write_text(lines, encoding="utf8", errors="surrogatepass")
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.output, reason=error, done="nothing")) from error

    def _add(self, source: Source, i: int, docs: DocBin, entries: List[dict], bar: tqdm) -> None:
        def tell(row: Row, why: str) -> None:
            reason = REASONS.get(row.problem or "", "it belongs to no row") if why == "unreadable" else row.written
            text = "\t".join((row.sentence1, row.sentence2, row.written))
            entries.append({"path": source.path, "line": row.number, "error": f"{ERRORS[why]}: {reason}", "text": text})

        account = Account(source.path)
        before = len(docs)
        pairs = iter(self.choice(read_labelled(source, account, self.labels, tell), i))
        while chunk := list(islice(pairs, CHUNK)):
            with self.nlp.memory_zone():  # what is written holds strings of its own
                for pair in chunk:
                    doc = self.nlp.make_doc(pair_text(pair.sentence1, pair.sentence2))
                    doc.cats = make_cats(pair.label)
                    if pair.label_source != UNKNOWN:
                        doc.user_data[USER_DATA] = {"label_source": pair.label_source}
                    docs.add(doc)
                    bar.update()
        account.choose(len(docs) - before)
        self.account.add(account)
