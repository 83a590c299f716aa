"""Pairs and texts in `.spacy` files."""

from typing import Any, Dict, Iterator

from ..errors import Errors, PawsError
from ..pairs import TAB, USER_DATA, read_cats
from ..records import PathLike
from ..storage import is_url
from .files import BrokenOff, open_bytes
from .labels import ANY
from .layouts import Layout

DOCBIN = ".spacy"
LAYOUT = Layout("spacy", "sentence1", "sentence2", "label", ANY, label_source=None, reads="records")


def docbin_docs(path: PathLike) -> Iterator[Any]:
    """The Docs of a file, of one at a URL, or of all files in a folder. Their words go to a vocabulary of their own."""
    from spacy.tokens import DocBin
    from spacy.training.corpus import walk_corpus
    from spacy.vocab import Vocab

    for file in [path] if is_url(path) else walk_corpus(path, DOCBIN):
        try:
            with open_bytes(file) as packed:
                yield from DocBin(store_user_data=True).from_bytes(packed.read()).get_docs(Vocab())
        except PawsError:
            raise
        # Whatever bytes may be unpacked to.
        except Exception as error:
            raise BrokenOff(Errors.P020.format(path=str(file), reason=f"{type(error).__name__}: {error}")) from error


def docbin_objects(path: PathLike) -> Iterator[Dict[str, Any]]:
    """The pairs that `paws convert`, or anybody else, put there, as plain data; without sentences if a Doc is none."""
    for doc in docbin_docs(path):
        sentences = doc.text.split(TAB)
        kept: Dict[str, Any] = dict(doc.user_data.get(USER_DATA, {}))
        pair = {"sentence1": sentences[0], "sentence2": sentences[1]} if len(sentences) == 2 else {"text": doc.text}
        yield {**pair, "label": read_cats(doc.cats), **kept}
