"""N-gram models through KenLM."""

import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ..errors import Errors, PawsError
from ..needed import import_needed
from .binary import Fault, check_binary
from .protocol import State, Word

LN_10 = 2.302585092994046
# The transitions remembered before a new sentence starts with an empty memory: some 30 MB.
MEMORY = 100_000
# Quotes are written in many ways; training and scoring agree on one.
NORMAL = {"``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "`": "'"}


def normal_form(word: str) -> str:
    """A token as the n-gram models know it."""
    word = NORMAL.get(word, word)
    return word.replace("’", "'") if "’" in word else word


class KenLM:
    """A KenLM model as a `LanguageModel`. Equal contexts are one state, and every transition is asked for once."""

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = str(path)
        kenlm = import_needed("kenlm", "An n-gram model")
        self._model = _load(kenlm, self.path)
        self._new_state = kenlm.State
        self._begin = kenlm.State()
        self._model.BeginSentenceWrite(self._begin)
        self._reset()

    def __reduce__(self) -> tuple:
        # A kenlm.Model pickles as its path too, but is noisy when it loads again.
        return KenLM, (self.path,)

    @property
    def order(self) -> Optional[int]:
        return int(self._model.order)

    def __contains__(self, word: str) -> bool:
        return normal_form(word) in self._model

    def begin(self) -> State:
        if len(self._memory) > MEMORY:
            self._reset()
        return self._begin

    def extend(self, states: Sequence[State], words: Sequence[Sequence[Word]]) -> Tuple[List[float], List[State]]:
        memory = self._memory
        scores, after = [], []
        for state, sequence in zip(states, words):
            total = 0.0
            for word in sequence:
                found = memory.get((state, word))
                if found is None:
                    found = self._ask(state, word)
                score, state = found
                total += score
            scores.append(total)
            after.append(state)
        return scores, after

    def end(self, states: Sequence[State]) -> List[float]:
        return self.extend(states, [("</s>",)] * len(states))[0]

    def _ask(self, state: State, word: Word) -> Tuple[float, State]:
        score = 0.0
        if word.startswith("\n"):  # the sentence before ends here
            score += self.end([state])[0]
            before = self._begin
        else:
            before = state
        after = self._new_state()
        # Lone surrogates have no UTF-8; to the model they are unknown words like any other.
        text = normal_form(word.strip()).encode("utf8", "replace").decode("utf8")
        score += self._model.BaseScore(before, text, after) * LN_10
        # One object for equal states makes looking them up cheap.
        found = score, self._states.setdefault(after, after)
        self._memory[state, word] = found
        return found

    def _reset(self) -> None:
        self._memory: Dict[Tuple[State, Word], Tuple[float, State]] = {}
        self._states: Dict[State, State] = {}


def _load(kenlm: Any, path: str) -> Any:
    """A model of the module `kenlm`, loaded quietly."""
    if not os.path.isfile(path):
        raise PawsError(Errors.P003.format(path=path, reason="there is no such file"))
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:
        check_binary(path)
        return kenlm.Model(path, config)
    except UnicodeDecodeError as error:
        # KenLM quotes the first line of what it takes for text.
        reason = "it is neither text nor a binary of KenLM"
        raise PawsError(Errors.P003.format(path=path, reason=reason)) from error
    except (Fault, OSError, RuntimeError, MemoryError) as error:
        reason = str(error).partition("\n")[0] or "there is not enough memory"
        raise PawsError(Errors.P003.format(path=path, reason=reason)) from error


def make_kenlm(path: str) -> KenLM:
    """`paws.KenLM.v1`: an n-gram model.

    path (str): An ARPA file, a gzipped ARPA file, or a KenLM binary.
    """
    return KenLM(path)
