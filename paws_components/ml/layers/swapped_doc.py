from typing import Any, List, Union

from spacy.tokens import Doc

from ...pairs import pair_spans

# What of a token an embedding may look at, besides its text. Tokenizers set norms of their own ("n't": "not").
ATTRIBUTES: List[Union[int, str]] = ["NORM", "LEMMA", "POS", "TAG"]


def swapped_doc(doc: Doc) -> Doc:
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
    rows: Any = doc.to_array(ATTRIBUTES)[order]
    return swapped.from_array(ATTRIBUTES, rows)
