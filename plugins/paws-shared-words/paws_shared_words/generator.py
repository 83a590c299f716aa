"""The generator `shared_words`: modifications of pairs that a target gets wrong."""

from typing import Annotated, Any, Dict, List, Literal, Optional, Sequence

from pydantic import Field
from spacy.language import Language
from spacy.tokens import Doc

from paws_components.plugin import Candidate, PairRecord, Target, load_target, pair_spans, says_paraphrase

from .examples import Example
from .positions import DEFAULT_STOP_WORDS, replaceable_positions
from .search import SUCCEEDED, Outcome, Settings, attack
from .sentences import Sentence
from .substitutes import MaskedSubstitutes, one_token

Count = Annotated[int, Field(ge=1)]


class SharedWords:
    """Replaces words of both sentences of a pair by one that they then share, until a target errs.

    nlp (Language): The pipeline; it has a tagger.
    target (str): The classifier: a spaCy pipeline, a sequence classifier of transformers, or `module:function`.
    mlm (str): The masked language model that proposes words.
    label (Optional[Literal[0, 1]]): What the pairs are: 1 for paraphrases, 0 for none. None takes the target's own
        answer for right, and looks for a modification that changes it.
    steps (int), top_k (int), beam (int): How many pairs of words are replaced at most, how many substitutes each has,
        and how many modifications are kept in each stage.
    max_queries (int): How often the target is asked about a pair at most; 0 for no limit.
    again (bool): Whether positions may be replaced again in a later step.
    context (str): What the language model sees: each "sentence" by itself, or both as a "pair".
    stop_words (Optional[List[str]]): Words that stay; None for spaCy's list.
    positive_label (Optional[str]): The target's label for a paraphrase; None where it is called so.
    only_succeeded (bool): Give back only modifications that the target gets wrong; else the best of every pair.
    batch_size (Optional[int]): How many pairs the target takes at once.
    """

    def __init__(
        self,
        nlp: Language,
        *,
        target: str,
        mlm: str = "bert-base-uncased",
        label: Optional[Literal[0, 1]] = None,
        steps: Count = 5,
        top_k: Count = 25,
        beam: Count = 25,
        max_queries: Annotated[int, Field(ge=0)] = 0,
        again: bool = False,
        context: Literal["sentence", "pair"] = "sentence",
        stop_words: Optional[List[str]] = None,
        positive_label: Optional[str] = None,
        only_succeeded: bool = True,
        batch_size: Optional[int] = None,
    ) -> None:
        self.nlp = nlp
        self.label = label
        self.settings = Settings(steps, top_k, beam, max_queries, again)
        self.stop_words = DEFAULT_STOP_WORDS if stop_words is None else frozenset(word.lower() for word in stop_words)
        self.only_succeeded = only_succeeded
        self.evidence: Dict[str, Any] = {
            "target": target,
            "mlm": mlm,
            "context": context,
            "search": self.settings.to_dict(),
        }
        self._target_settings: Dict[str, Any] = {"positive_label": positive_label, "batch_size": batch_size}
        self._target: Optional[Target] = None
        self._substitutes: Optional[MaskedSubstitutes] = None

    def __getstate__(self) -> Dict[str, Any]:
        # What pickles is the settings: other processes load the models themselves.
        return {**self.__dict__, "_target": None, "_substitutes": None}

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """The modification of each pair Doc, or nothing."""
        if self._target is None or self._substitutes is None:
            self._target = load_target(self.evidence["target"], **self._target_settings)
            self._substitutes = MaskedSubstitutes(
                self.evidence["mlm"],
                context=self.evidence["context"],
                stop_words=self.stop_words,
                keep=one_token(self.nlp),
            )
        examples = self._examples(docs, self._target)
        outcomes = attack(examples, self._target, self._substitutes, self.settings)
        return [[_candidate(outcome)] if self._wanted(outcome) else [] for outcome in outcomes]

    def _examples(self, docs: Sequence[Doc], target: Target) -> List[Example]:
        spans = [pair_spans(doc) for doc in docs]
        pairs = [(Sentence.of(first), Sentence.of(second)) for first, second in spans]
        labels = [self.label] * len(pairs) if self.label is not None else [*map(says_paraphrase, target(pairs))]
        found = []
        for (first, second), pair, label in zip(spans, pairs, labels):
            positions = replaceable_positions(list(first), list(second), int(label), self.stop_words)
            record = PairRecord(pair[0].text, pair[1].text, label=int(label))
            found.append(Example(*pair, int(label), tuple(positions), record))
        return found

    def _wanted(self, outcome: Outcome) -> bool:
        return outcome.status == SUCCEEDED or (not self.only_succeeded and bool(outcome.changes))


def _candidate(outcome: Outcome) -> Candidate:
    first, second = outcome.pair
    return {
        "text": second.text,
        "source": first.text,
        "original": [sentence.text for sentence in outcome.example.pair],
        "assumed_label": outcome.example.label,
        "status": outcome.status,
        "changes": [change._asdict() for change in outcome.changes],
        "score_before": outcome.before,
        "score_after": outcome.after,
        "queries": outcome.queries,
        "cached": outcome.cached,
    }
