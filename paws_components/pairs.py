"""A pair is one Doc: the first sentence, a tab, the second sentence."""

from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from .errors import Errors, PawsError
from .records import NLI, PairRecord, normalise

PAIR_KEY = "paws_pair"
TAB = "\t"
# Where a `.spacy` file of ours keeps what a Doc has no place for.
USER_DATA = "paws_pair"
PARAPHRASE, NOT_PARAPHRASE = "paraphrase", "not_paraphrase"
# `textcat` takes its columns in the order in which it meets the labels. A model that computes one number, how alike the
# sentences are, gives it out as the second column: 1 - c, c.
BINARY_CATS = (NOT_PARAPHRASE, PARAPHRASE)
# What of a token an embedding may look at, besides its text. Tokenizers set norms of their own ("n't": "not").
OF_WORDS: List[Union[int, str]] = ["NORM", "LEMMA", "POS", "TAG"]


def pair_text(s1: str, s2: str) -> str:
    """The text of a pair Doc. White space within the sentences becomes single spaces, so that there is one tab only."""
    return normalise(s1) + TAB + normalise(s2)


def make_pair(nlp: Language, s1: str, s2: str) -> Doc:
    """Make the Doc of a pair and run the pipeline on it.

    nlp (Language): The pipeline; `paws_pair` need not be in it.
    s1, s2 (str): The sentences.
    RETURNS (Doc): The Doc; `pair_spans` gives its two sentences.
    """
    return nlp(mark_pair(nlp.make_doc(pair_text(s1, s2))))


def pipe_pairs(nlp: Language, records: Iterable[PairRecord], **pipe_kwargs: Any) -> Iterator[Tuple[Doc, PairRecord]]:
    """Make the Docs of many pairs.

    nlp (Language): The pipeline; `paws_pair` need not be in it.
    records (Iterable[PairRecord]): The pairs; read as they are needed.
    **pipe_kwargs: For `nlp.pipe`: `batch_size`, `n_process`, `disable`, …
    YIELDS (Tuple[Doc, PairRecord]): Each Doc with its record, in the order of the records.
    """
    texts = ((mark_pair(nlp.make_doc(pair_text(record.sentence1, record.sentence2))), record) for record in records)
    yield from nlp.pipe(texts, as_tuples=True, **pipe_kwargs)


def pair_spans(doc: Doc) -> Tuple[Span, Span]:
    """The two sentences of a pair Doc: the spans that `paws_pair` left, or else what stands either side of the tab.

    Reference Docs of a corpus never saw a component, so everything that works on pairs asks here and not `doc.spans`.

    doc (Doc): The Doc.
    RETURNS (Tuple[Span, Span]): The sentences; an empty sentence is an empty span.
    """
    if PAIR_KEY in doc.spans:
        spans = list(doc.spans[PAIR_KEY])
        if len(spans) == 2:
            return spans[0], spans[1]
    tab = find_tab(doc)
    return doc[:tab], doc[tab + 1 :]


def find_tab(doc: Doc) -> int:
    """The index of the token that is the tab; our error where there is none, or more than one."""
    if doc.text.count(TAB) != 1:
        start = doc.text[:60] + ("…" if len(doc.text) > 60 else "")
        raise PawsError(Errors.P103.format(count=doc.text.count(TAB), text=start))
    # A text that nobody normalised has spaces around its tab, which are part of the same token.
    return next(token.i for token in doc if TAB in token.text)


def mark_pair(doc: Doc) -> Doc:
    """Write the two spans to the Doc, and where the second sentence starts.

    A pair with an empty sentence gets no spans: spaCy can't copy a Doc that has an empty one (E1052), and it copies
    Docs in training and evaluation. `pair_spans` finds the sentences by the tab.
    """
    first, second = pair_spans(doc)
    if len(first) and len(second):
        doc.spans[PAIR_KEY] = SpanGroup(doc, name=PAIR_KEY, spans=[first, second])
    # A parser keeps these: the tab belongs to the first sentence and nothing reaches across it.
    if first.end > 0:
        doc[first.end].is_sent_start = False
    if second.start < len(doc):
        doc[second.start].is_sent_start = True
    return doc


def swap_words(doc: Doc) -> Doc:
    """A pair Doc with its second sentence first. It has the words and what was said of each, and no more.

    doc (Doc): The Doc of (a, b).
    RETURNS (Doc): The Doc of (b, a).
    """
    first, second = pair_spans(doc)
    order = [*range(second.start, second.end), first.end, *range(first.start, first.end)]
    words = [doc[i].text for i in order]
    # The last word before the tab and the last of all are followed by no space, whichever sentence they end.
    ends = (len(second) - 1, len(second), len(order) - 1)
    spaces = [place not in ends and bool(doc[i].whitespace_) for place, i in enumerate(order)]
    swapped = Doc(doc.vocab, words=words, spaces=spaces)
    rows: Any = doc.to_array(OF_WORDS)[order]
    return swapped.from_array(OF_WORDS, rows)


def label_name(label: Union[int, str]) -> str:
    """The name of a label: an NLI judgement has its own."""
    return label if isinstance(label, str) else BINARY_CATS[label]


def family(name: str) -> tuple:
    """All labels that a pair could have had, in the order of `doc.cats`."""
    return NLI if name in NLI else BINARY_CATS


def make_cats(name: str) -> Dict[str, float]:
    """The `doc.cats` of a pair: every label that it could have had, with 1.0 for its own."""
    return {other: float(other == name) for other in family(name)}


def read_cats(cats: Dict[str, float]) -> Optional[str]:
    """The name of the label that `doc.cats` says; None if it says none or several."""
    said = [name for name, value in cats.items() if value == 1.0]
    return said[0] if len(said) == 1 else None
