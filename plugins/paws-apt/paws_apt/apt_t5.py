"""The generator `apt_t5`: a paraphraser attempts the task by the paper's schedule (section 3.2)."""

from typing import Annotated, Any, Dict, List, Optional, Sequence

from pydantic import Field
from spacy.language import Language
from spacy.tokens import Doc

from paws_components.plugin import Candidate, normalise

from .judging import make_judge, settings_of
from .schedule import Sampled, Schedule, attempt_all
from .seq2seq import DEFAULT_MODEL, PROMPT, Paraphraser

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, le=1)]


class AptT5:
    """Samples paraphrases until one passes the Adversarial Paraphrasing Task, and keeps every attempt.

    nlp (Language): The pipeline; nothing of it is needed but the text.
    model (str): A sequence-to-sequence model of transformers: a name on the hub, or a folder.
    prompt (str): What the model is given; {sentence} stands for the sentence.
    rounds (int): How many rounds a sentence gets at most. A round is finished, then it ends if any sample passed.
    samples (int): How many samples a round has.
    top_k (int), top_k_step (int): Top-k of the first round, and how much is added in each further one.
    top_p (float), top_p_step (float): The same of top-p.
    similarity (str): The metric that a paraphrase must be low in: "bleurt" or any other by name.
    similarity_settings (Dict[str, Any]): Its settings. BLEURT takes both orders unless `symmetric` is false.
    threshold (Optional[float]): The highest similarity that passes. None is the paper's 0.5, for the paper's BLEURT;
        every other similarity needs its own.
    nli (Dict[str, Any]): The settings of mutual implication: `model` and others, as of the metric `mi_verdict`.
    only_passed (bool): Give back only the attempts that passed, each text once.
    batch_size (int): How many sentences go through the model at once, each with all samples of a round.
    max_length (int): The most tokens of a sentence with its prompt, and of a paraphrase.
    device (Optional[str]): Where the model runs; None follows spaCy.
    seed (int): Of the draws.
    """

    def __init__(
        self,
        nlp: Language,
        *,
        model: str = DEFAULT_MODEL,
        prompt: str = PROMPT,
        rounds: Count = 5,
        samples: Count = 10,
        top_k: Count = 120,
        top_k_step: int = 20,
        top_p: Share = 0.95,
        top_p_step: float = -0.05,
        similarity: str = "bleurt",
        similarity_settings: Dict[str, Any] = {},  # noqa: B006 - never changed
        threshold: Optional[float] = None,
        nli: Dict[str, Any] = {},  # noqa: B006
        only_passed: bool = False,
        batch_size: Count = 16,
        max_length: Count = 256,
        device: Optional[str] = None,
        seed: int = 0,
    ) -> None:
        self.schedule = Schedule(rounds, samples, top_k, top_k_step, top_p, top_p_step)
        self.paraphraser = Paraphraser(
            model, prompt=prompt, batch_size=batch_size, max_length=max_length, device=device, seed=seed
        )
        self.judge = make_judge(similarity, similarity_settings, threshold, nli)
        self.only_passed = only_passed
        self.evidence = {
            "paraphraser": model,
            "similarity_metric": {
                "name": similarity,
                **settings_of(similarity, similarity_settings),
                "threshold": self.judge.threshold,
            },
            "nli": dict(nli),
        }

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """All attempts at each Doc."""
        attempts = attempt_all([normalise(doc.text) for doc in docs], self.paraphraser, self.judge, self.schedule)
        found = [[_candidate(attempt) for attempt in each] for each in attempts]
        return [_passed(each) for each in found] if self.only_passed else found


def _candidate(attempt: Sampled) -> Candidate:
    text, number, sample, judgement = attempt
    return {"text": text, "round": number, "sample": sample, **judgement._asdict()}


def _passed(candidates: Sequence[Candidate]) -> List[Candidate]:
    different = {candidate["text"]: candidate for candidate in reversed(candidates) if candidate["passed"]}
    return list(different.values())[::-1]
