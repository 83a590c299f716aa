"""Rows from wherever pairs come from: files in any layout, `.spacy` files, data sets by their name."""

from itertools import islice
from pathlib import Path
from typing import Any, Dict, Iterator, NamedTuple, Optional

from spacy.tokens import DocBin
from spacy.training.corpus import walk_corpus
from spacy.vocab import Vocab

from ..curation.guess import PEEK, guess_fields
from ..curation.labels import ANY
from ..curation.layouts import Layout, find_layout, for_records, get_layout, read_rows, record_row, unpacked
from ..curation.row import COLUMNS, Row
from ..errors import Errors, PawsError
from ..pairs import TAB
from ..tables import ENDINGS, load_data_set
from .cats import read_cats

DOCBIN = ".spacy"
DOCBIN_LAYOUT = Layout("spacy", "sentence1", "sentence2", "label", ANY, label_source=None, reads="records")
# Where a `.spacy` file of ours keeps what a Doc has no place for.
USER_DATA = "paws_pair"


class Source(NamedTuple):
    """Something to read pairs from.

    path (str): A file, a folder of `.spacy` files, or the name or the folder of a data set.
    layout (Optional[str]): The name of its layout; None to guess it.
    config (Optional[str]), split (Optional[str]): The part of a data set.
    """

    path: str
    layout: Optional[str] = None
    config: Optional[str] = None
    split: Optional[str] = None


class Opened(NamedTuple):
    """The rows of a source, all of them, and the layout that they were read by."""

    rows: Iterator[Row]
    layout: Layout


def open_source(source: Source) -> Opened:
    """Open a source and find out its layout; the rows are read as they are asked for.

    source (Source): The source.
    RETURNS (Opened): Its rows and its layout.
    """
    path = Path(source.path)
    if source.path.endswith(DOCBIN) or (path.is_dir() and any(path.rglob("*" + DOCBIN))):
        return Opened(_docbin_rows(path), DOCBIN_LAYOUT)
    if path.is_file() or unpacked(source.path).lower().endswith(ENDINGS):
        layout = find_layout(path, source.layout)
        return Opened(read_rows(path, layout), layout)
    return _open_data_set(source)


def _docbin_rows(path: Path) -> Iterator[Row]:
    """Pairs that `paws convert`, or anybody else, put into a DocBin. Their words go to a vocabulary of their own."""
    number = 0
    for file in walk_corpus(path, DOCBIN):
        try:
            docs = DocBin(store_user_data=True).from_disk(file).get_docs(Vocab())
            for doc in docs:
                number += 1
                sentences = doc.text.split(TAB)
                if len(sentences) != 2:
                    yield Row(number, "", "", problem=COLUMNS, readable=False)
                    continue
                kept: Dict[str, Any] = dict(doc.user_data.get(USER_DATA, {}))
                data = {"sentence1": sentences[0], "sentence2": sentences[1], "label": read_cats(doc.cats), **kept}
                yield record_row(number, data, DOCBIN_LAYOUT)
        except (OSError, ValueError) as error:
            raise PawsError(Errors.P020.format(path=str(file), reason=error)) from error


def _open_data_set(source: Source) -> Opened:
    loaded = load_data_set(source.path, source.config, source.split)
    named = for_records(get_layout(source.layout)) if source.layout else None
    plain = _Plain(loaded.features)
    layout = named or guess_fields([plain(data) for data in islice(loaded, PEEK)])
    if layout is None:
        raise PawsError(Errors.P303.format(name=source.path, known=", ".join(loaded.column_names)))
    rows = (record_row(number, plain(data), layout) for number, data in enumerate(loaded, 1))
    return Opened(rows, layout)


class _Plain:
    """Makes plain data of a row of a data set: where a class has a name, that, and nothing where it has no class."""

    def __init__(self, features: Dict[str, Any]) -> None:
        self.names = {name: feature.names for name, feature in features.items() if hasattr(feature, "names")}

    def __call__(self, data: Dict[str, Any]) -> Dict[str, Any]:
        plain = dict(data)
        for name, classes in self.names.items():
            value = plain.get(name)
            if isinstance(value, int):
                plain[name] = classes[value] if value >= 0 else None
        return plain
