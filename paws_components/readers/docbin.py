"""Pairs and texts in `.spacy` files."""

from pathlib import Path
from typing import Any, Dict, Iterator

from ..errors import Errors
from ..pairs import TAB, USER_DATA, read_cats
from .files import BrokenOff
from .labels import ANY
from .layouts import Layout

DOCBIN = ".spacy"
LAYOUT = Layout("spacy", "sentence1", "sentence2", "label", ANY, label_source=None, reads="records")


def docbin_docs(path: Path) -> Iterator[Any]:
    """The Docs of a file, or of all files in a folder. Their words go to a vocabulary of their own."""
    from spacy.tokens import DocBin
    from spacy.training.corpus import walk_corpus
    from spacy.vocab import Vocab

    for file in walk_corpus(path, DOCBIN):
        try:
            yield from DocBin(store_user_data=True).from_disk(file).get_docs(Vocab())
        # Whatever bytes may be unpacked to.
        except Exception as error:
            raise BrokenOff(Errors.P020.format(path=str(file), reason=f"{type(error).__name__}: {error}")) from error


def docbin_objects(path: Path) -> Iterator[Dict[str, Any]]:
    """The pairs that `paws convert`, or anybody else, put there, as plain data; without sentences if a Doc is none."""
    for doc in docbin_docs(path):
        sentences = doc.text.split(TAB)
        kept: Dict[str, Any] = dict(doc.user_data.get(USER_DATA, {}))
        pair = {"sentence1": sentences[0], "sentence2": sentences[1]} if len(sentences) == 2 else {"text": doc.text}
        yield {**pair, "label": read_cats(doc.cats), **kept}
