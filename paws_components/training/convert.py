"""Labelled pairs as Docs in a `.spacy` file."""

from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import spacy
from spacy.tokens import Doc, DocBin

from ..engine.frame import Run, Tally
from ..engine.pool import in_chunks
from ..errors import Errors, PawsError
from ..models import too_long
from ..pairs import USER_DATA, make_cats, pair_text
from ..readers import Pairs, Row
from ..writers import is_pipe, write_bytes
from .labelled import ERRORS, UNKNOWN, Account, Pair, check_label_sources, read_labelled
from .mixing import Choice

DOCBIN = ".spacy"


class Chosen(NamedTuple):
    """A labelled pair that was chosen, or a row that is an error, as the engine takes it."""

    path: str
    number: int
    pair: Optional[Pair] = None
    reason: Optional[str] = None
    written: str = ""
    broke_off: bool = False

    @property
    def payload(self) -> Optional[Pair]:
        return self.pair

    @property
    def raw(self) -> str:
        return self.written or "\t".join(map(str, self.pair or ()))

    @property
    def notes(self) -> List[str]:
        return []


@dataclass
class ConvertJob:
    """Cut pairs into words.

    lang (str): The language whose tokenizer is used.
    """

    lang: str = "en"
    # Words that only one chunk has are forgotten after it, and the tokenizer's cache with them.
    chunk: int = 10_000

    def check(self) -> None:
        """Our error for a language that there is not, before any work begins."""
        try:
            spacy.blank(self.lang)
        except ImportError as error:
            raise PawsError(Errors.P312.format(lang=self.lang, reason=str(error).split("\n")[0])) from error

    def start(self) -> "ConvertWorker":
        return ConvertWorker(self)


class ConvertWorker:
    def __init__(self, job: ConvertJob) -> None:
        self.nlp = spacy.blank(job.lang)

    def __call__(self, pairs: Sequence[Pair]) -> List[Any]:
        """The words of each pair Doc, and whether a space follows each; or what is wrong with the pair."""
        with self.nlp.memory_zone():
            return [too_long(pair.sentence1) or too_long(pair.sentence2) or self._words(pair) for pair in pairs]

    def _words(self, pair: Pair) -> Tuple[List[str], List[bool]]:
        doc = self.nlp.make_doc(pair_text(pair.sentence1, pair.sentence2))
        return [token.text for token in doc], [bool(token.whitespace_) for token in doc]


def convert_pairs(
    sources: Sequence[Pairs],
    output: str,
    *,
    labels: Sequence[str] = ("all",),
    lang: str = "en",
    choice: Optional[Choice] = None,
    **frame: Any,
) -> Tuple[Account, Tally]:
    """Write the labelled pairs of some sources to a `.spacy` file.

    sources (Sequence[Pairs]): The sources; their pairs come one after the other.
    output (str): The file to write, or "-".
    labels (Sequence[str]): Whose labels are taken.
    lang (str): The language whose tokenizer is used.
    choice (Optional[Choice]): Which pairs of each source are taken, and in which order; None for all as they stand.
    **frame: How the run works: see `RunOptions`.
    RETURNS (Tuple[Account, Tally]): What came of the rows, and of the run.
    """
    if not is_pipe(output) and not output.endswith(DOCBIN):
        raise PawsError(Errors.P311.format(path=output))
    wanted = check_label_sources(labels)
    job = ConvertJob(lang)
    job.check()
    choice = choice or Choice(0, 0, False, 0)
    account = Account(", ".join(source.source for source in sources))

    def rows() -> Iterator[Chosen]:
        for i, source in enumerate(sources):
            part = Account(source.source)
            yield from _chosen(source, i, part, wanted, choice)
            account.add(part)

    def finish(values: Iterable[Any], place: str) -> int:
        docs = DocBin(attrs=["ORTH"], store_user_data=True)
        nlp = spacy.blank(lang)
        for chunk in in_chunks(values, job.chunk):
            with nlp.memory_zone():  # what is written holds strings of its own
                for data in chunk:
                    docs.add(_doc(nlp.vocab, data))
        if not len(docs):
            raise PawsError(
                Errors.P308.format(path=account.path, account=account, remarks=account.remarks or "it is empty")
            )
        write_bytes(place, docs.to_bytes())
        return len(docs)

    run = Run(
        "convert",
        job,
        [source.source for source in sources],
        output,
        {
            "layouts": [source.layout.name for source in sources],
            "labels": list(wanted),
            "lang": lang,
            "choice": choice._asdict(),
        },
        value=_value,
        finish=finish,
        unit="pairs",
    )
    meter = sources[0].meter if len(sources) == 1 else None
    tally = run(rows(), meter=meter, **frame)
    return account, tally


def _chosen(source: Pairs, i: int, account: Account, labels: Sequence[str], choice: Choice) -> Iterator[Chosen]:
    """The pairs that are chosen, and between them the rows that are errors."""
    wrong: List[Chosen] = []

    def tell(row: Row, why: str) -> None:
        reason = row.reason if why == "unreadable" else f"{ERRORS[why]}: {row.written}"
        wrong.append(Chosen(source.source, row.number, None, reason, row.raw, row.broke_off))

    count = 0
    for pair in choice(read_labelled(source, account, labels, tell), i):
        yield from wrong
        wrong.clear()
        count += 1
        yield Chosen(source.source, pair.number, pair)
    yield from wrong
    account.choose(count)


def _value(row: Chosen, tokens: Tuple[List[str], List[bool]]) -> Dict[str, Any]:
    words, spaces = tokens
    label, given_by = (row.pair.label, row.pair.label_source) if row.pair else ("", UNKNOWN)
    return {"words": words, "spaces": [int(space) for space in spaces], "label": label, "label_source": given_by}


def _doc(vocab: Any, data: Dict[str, Any]) -> Doc:
    doc = Doc(vocab, words=data["words"], spaces=[bool(space) for space in data["spaces"]])
    doc.cats = make_cats(data["label"])
    if data["label_source"] != UNKNOWN:
        doc.user_data[USER_DATA] = {"label_source": data["label_source"]}
    return doc
