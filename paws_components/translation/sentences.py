"""Rows as the sentences that they need: each distinct sentence is asked for in the first row that has it.

What is new in a row follows from the rows before it alone, so it is the same however often a run is killed, and however
many processes work.
"""

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ..errors import PawsError

# A translation, or why there is none; neither where the translator has none.
Outcome = Tuple[Optional[str], Optional[str]]
# How many distinct sentences are remembered: a hundred megabytes or so. One that comes back later is asked for again.
MEMORY = 200_000


class Known:
    """What was said of sentences, the last so many of them.

    memory (int): How many.
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self._outcomes: Dict[str, Outcome] = {}

    def __contains__(self, sentence: str) -> bool:
        return sentence in self._outcomes

    def __getitem__(self, sentence: str) -> Outcome:
        return self._outcomes[sentence]

    def learn(self, sentence: str, outcome: Outcome) -> None:
        """Remember what came of a sentence that is not known, and forget the one that was learnt first."""
        self._outcomes[sentence] = outcome
        if len(self._outcomes) > self.memory:
            del self._outcomes[next(iter(self._outcomes))]


@dataclass
class Asked:
    """A row on its way to the translator.

    row (Any): The row or the text of the reader.
    sentences (Sequence[str]): What has to be translated for it.
    new (Sequence[str]): Those that no row before it had.
    wrong (Optional[str]): Why nothing can be.
    """

    row: Any
    sentences: Sequence[str] = ()
    new: Sequence[str] = ()
    wrong: Optional[str] = None

    @property
    def path(self) -> str:
        return str(self.row.path)

    @property
    def number(self) -> int:
        return int(self.row.number)

    @property
    def reason(self) -> Optional[str]:
        return self.row.reason or self.wrong

    @property
    def raw(self) -> str:
        return str(self.row.raw)

    @property
    def payload(self) -> Optional[List[str]]:
        """What the worker is asked for; None where there is nothing to translate."""
        return list(self.new) if self.sentences else None

    @property
    def notes(self) -> List[str]:
        return list(self.row.notes)

    @property
    def broke_off(self) -> bool:
        return bool(self.row.broke_off)

    @property
    def text(self) -> str:
        """What the language is guessed from."""
        return " ".join(self.sentences)


def ask_for(rows: Iterable[Any], sentences_of: Callable[[Any], Sequence[str]], memory: int = MEMORY) -> Iterator[Asked]:
    """The rows, each with the sentences that are new in it.

    rows (Iterable[Any]): Rows of a reader.
    sentences_of (Callable): What has to be translated for one.
    memory (int): How many distinct sentences are remembered.
    YIELDS (Asked): The rows.
    """
    seen = Known(memory)
    for row in rows:
        try:
            sentences = sentences_of(row) if row.reason is None else ()
        except PawsError as error:
            yield Asked(row, wrong=str(error))
            continue
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in seen]
        for sentence in new:
            seen.learn(sentence, (None, None))
        yield Asked(row, sentences, new)
