"""What raters answered, and what follows from it (PAWS, section 4): majority labels, agreement, and which pairs stay.

Models may sit beside people as raters. They are never counted as human, and shown apart.
"""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from ..errors import Errors, PawsError
from ..readers.objects import bad_row, read_objects
from ..records import PairRecord, PathLike
from ..writers import TableWriter, file_format, write_text
from .agreement import alpha, kappa

COLUMNS = ("item_id", "rater", "answer", "is_model")
# Five people judge a pair, and four of them must agree for it to stay (section 4).
RATERS, AGREEING = 5, 4
# Why a pair is not kept.
TOO_FEW, TIED, LOW = "too_few_votes", "tied", "low_agreement"
TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no", "")


class Vote(NamedTuple):
    """What one rater answered about one item.

    item_id (str): The `id` of the record that was judged.
    rater (str): Who answered: a name or a pseudonym that stays the same.
    answer (int): Of a pair 1 (paraphrase) or 0; of grammaticality 1 to 3.
    is_model (bool): Whether the rater is a model.
    """

    item_id: str
    rater: str
    answer: int
    is_model: bool = False


class RaterAgreement(NamedTuple):
    """How often a rater is with the people's majority, of so many answers about items that have one."""

    answers: int
    agreeing: int
    is_model: bool = False

    @property
    def share(self) -> Optional[float]:
        return self.agreeing / self.answers if self.answers else None


@dataclass
class Agreement:
    """How far people agree, and how far models agree with them.

    items (int), votes (int): The items that people judged, and their votes.
    tied (int): Items without a majority, which count for no share.
    share (Optional[float]): Human agreement as PAWS has it: the share of single labels equal to the majority.
    kappa (Optional[float]), alpha (Optional[float]): Fleiss' and Krippendorff's.
    raters (Dict[str, RaterAgreement]), models (Dict[str, RaterAgreement]): The people and the models, each by itself.
    """

    items: int = 0
    votes: int = 0
    tied: int = 0
    share: Optional[float] = None
    kappa: Optional[float] = None
    alpha: Optional[float] = None
    raters: Dict[str, RaterAgreement] = field(default_factory=dict)
    models: Dict[str, RaterAgreement] = field(default_factory=dict)

    def to_dict(self) -> Dict[str, Any]:
        """The figures as plain data."""
        plain = {name: getattr(self, name) for name in ("items", "votes", "tied", "share", "kappa", "alpha")}
        for name in ("raters", "models"):
            found = getattr(self, name)
            plain[name] = {who: {"answers": one.answers, "agreeing": one.agreeing} for who, one in found.items()}
        return plain


@dataclass
class Decided:
    """Pairs by what their votes came to.

    kept (List[PairRecord]): Those on which enough people agree, with their label.
    rest (List[PairRecord]): The others; `evidence["votes"]["why"]` says why.
    unknown (int): Votes for items that are not among the pairs.
    before (Agreement), after (Agreement): Of all pairs with enough votes, and of those that were kept.
    """

    kept: List[PairRecord] = field(default_factory=list)
    rest: List[PairRecord] = field(default_factory=list)
    unknown: int = 0
    before: Agreement = field(default_factory=Agreement)
    after: Agreement = field(default_factory=Agreement)

    @property
    def waiting(self) -> List[PairRecord]:
        """The pairs that have too few votes yet."""
        return [record for record in self.rest if record.evidence["votes"]["why"] == TOO_FEW]

    @property
    def judged(self) -> List[PairRecord]:
        """The pairs with enough votes, whatever these say."""
        return [*self.kept, *(one for one in self.rest if one.evidence["votes"]["why"] != TOO_FEW)]


def read_votes(path: PathLike) -> List[Vote]:
    """Read votes from JSONL, TSV or CSV. Other columns than those of a vote are passed over.

    path (Union[str, Path]): The file.
    RETURNS (List[Vote]): The votes. Our error for a line that is none, and for two answers of one rater to one item.
    """
    votes: List[Vote] = []
    lines: Dict[Any, int] = {}
    for number, data in read_objects(path, "a vote"):
        vote = _vote(data, path, number)
        key = (vote.item_id, vote.rater)
        if key in lines:
            raise PawsError(
                Errors.P702.format(path=str(path), rater=vote.rater, item=vote.item_id, one=lines[key], other=number)
            )
        lines[key] = number
        votes.append(vote)
    return votes


def write_votes(votes: Iterable[Vote], path: PathLike) -> int:
    """Write votes to JSONL, TSV or CSV. RETURNS (int): How many."""
    rows = [vote._asdict() for vote in votes]
    if file_format(path, known=(".jsonl", ".tsv", ".csv")) == ".jsonl":
        write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    else:
        with TableWriter(path, COLUMNS) as writer:
            for row in rows:
                writer.write({**row, "is_model": str(row["is_model"]).lower()})
    return len(rows)


def _vote(data: Dict[str, Any], path: PathLike, number: int) -> Vote:
    for name in ("item_id", "rater"):
        if not str(data.get(name) or "").strip():
            raise bad_row(path, number, "a vote", f"it has no {name}")
    answer = data.get("answer")
    try:
        whole = int(str(answer))
    except ValueError:
        raise bad_row(path, number, "a vote", f"the answer {answer!r} is not a whole number") from None
    said = str(data.get("is_model", "")).strip().lower()
    if said not in TRUE + FALSE + ("none",):
        raise bad_row(path, number, "a vote", f"is_model is {said!r}, and should be true or false")
    return Vote(str(data["item_id"]).strip(), str(data["rater"]).strip(), whole, said in TRUE)


def by_item(votes: Iterable[Vote], models: bool = False) -> Dict[str, List[Vote]]:
    """The votes of people, or those of models, by item."""
    found: Dict[str, List[Vote]] = defaultdict(list)
    for vote in votes:
        if vote.is_model == models:
            found[vote.item_id].append(vote)
    return dict(found)


def majority(answers: Iterable[int]) -> Optional[int]:
    """The most frequent answer; None if two are as frequent, or if there is none."""
    ranked = Counter(answers).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def human_agreement(votes: Iterable[Vote]) -> Optional[float]:
    """The share of single labels of people that equal the majority of their item (Tables 3 and 4)."""
    return measure_agreement(votes).share


def rater_agreement(votes: Iterable[Vote]) -> Dict[str, RaterAgreement]:
    """How often each rater, people and models, is with the people's majority."""
    found = measure_agreement(votes)
    return {**found.raters, **found.models}


def fleiss_kappa(votes: Iterable[Vote]) -> Optional[float]:
    """Fleiss' kappa of people's votes: see `agreement.kappa`."""
    return kappa([[vote.answer for vote in one] for one in by_item(votes).values()])


def krippendorff_alpha(votes: Iterable[Vote], level: str = "nominal") -> Optional[float]:
    """Krippendorff's alpha of people's votes: see `agreement.alpha`."""
    return alpha([[vote.answer for vote in one] for one in by_item(votes).values()], level)


def measure_agreement(votes: Iterable[Vote], level: str = "nominal") -> Agreement:
    """How far people agree, and how far models agree with them.

    votes (Iterable[Vote]): The votes of both.
    level (str): What the answers are, for alpha: "nominal", "ordinal" or "interval".
    RETURNS (Agreement): The figures.
    """
    votes = list(votes)
    people = by_item(votes)
    answers = {item: [vote.answer for vote in one] for item, one in people.items()}
    decided = {item: majority(one) for item, one in answers.items()}
    totals: Counter = Counter()
    right: Counter = Counter()
    for vote in votes:
        verdict = decided.get(vote.item_id)
        who = (vote.is_model, vote.rater)
        # Every rater is listed, also one whose items have no majority.
        totals[who] += verdict is not None
        right[who] += verdict is not None and vote.answer == verdict
    raters = {who: RaterAgreement(totals[who], right[who], who[0]) for who in sorted(totals)}
    human = [one for who, one in raters.items() if not who[0]]
    counted = sum(one.answers for one in human)
    return Agreement(
        items=len(people),
        votes=sum(map(len, people.values())),
        tied=sum(verdict is None for verdict in decided.values()),
        share=sum(one.agreeing for one in human) / counted if counted else None,
        kappa=kappa(list(answers.values())),
        alpha=alpha(list(answers.values()), level),
        raters={who[1]: one for who, one in raters.items() if not who[0]},
        models={who[1]: one for who, one in raters.items() if who[0]},
    )


def check_bar(raters: int, agreeing: int) -> None:
    """Our error for a bar that no pair could pass, or that lets a tie pass."""
    if raters < 1 or not raters / 2 < agreeing <= raters:
        raise PawsError(Errors.P703.format(raters=raters, agreeing=agreeing))


def decide(
    records: Iterable[PairRecord], votes: Sequence[Vote], raters: int = RATERS, agreeing: int = AGREEING
) -> Decided:
    """Label pairs with the majority of people's votes, and set apart those on which too few agree.

    records (Iterable[PairRecord]): The pairs.
    votes (Sequence[Vote]): Their votes, those of models too.
    raters (int): How many people judge a pair, at least.
    agreeing (int): How many of so many must agree; of more votes the same share.
    RETURNS (Decided): The pairs, and how far people agreed on them.
    """
    check_bar(raters, agreeing)
    for vote in votes:
        if vote.answer not in (0, 1):
            raise PawsError(Errors.P704.format(rater=vote.rater, item=vote.item_id, answer=vote.answer))
    people, models = by_item(votes), by_item(votes, models=True)
    done = Decided()
    judged, kept, known = set(), set(), set()
    for record in records:
        known.add(record.id)
        answers = [vote.answer for vote in people.get(record.id, [])]
        label = majority(answers)
        told: Dict[str, Any] = {"yes": sum(answers), "no": len(answers) - sum(answers)}
        if record.id in models:
            told["models"] = {vote.rater: vote.answer for vote in models[record.id]}
        why = None
        if len(answers) < raters:
            why, label = TOO_FEW, None
        else:
            judged.add(record.id)
            if label is None:
                why = TIED
            elif answers.count(label) * raters < agreeing * len(answers):
                why = LOW
        if why is None:
            kept.add(record.id)
        else:
            told["why"] = why
        source = None if label is None else "human"
        labelled = replace(record, label=label, label_source=source, evidence={**record.evidence, "votes": told})
        (done.kept if why is None else done.rest).append(labelled)
    done.unknown = sum(vote.item_id not in known for vote in votes)
    done.before = measure_agreement(vote for vote in votes if vote.item_id in judged)
    done.after = measure_agreement(vote for vote in votes if vote.item_id in kept)
    return done
