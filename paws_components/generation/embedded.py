"""The judges that come with the package, in numpy alone.

A small network over word vectors says how likely a word is between its neighbours. A swap is judged by what the words
that moved and those around them lose, by the gap of the language model that proposed it, and by what the two spans have
in common; boosted trees put these together. `projects/judge_en` trains them.
"""

import hashlib
import math
import re
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy

from ..errors import Errors, PawsError
from .judging import Judge, Judgement, Question

MODELS = Path(__file__).parent / "models"
CHECKSUM = re.compile(r"sha256 \| ([0-9a-f]{64})")
# How many words on each side of a word are looked at.
REACH = 4
# Words that are not known share rows by their last letters and the kinds of their characters.
BUCKETS = 4096
DIGITS = 4

Array = Any  # numpy.ndarray; numpy's own types are generic


class Features:
    """The rows of words in a table: those of the known words, those that unknown ones share, one for no word.

    words (Sequence[str]): The known words.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = {word: row for row, word in enumerate(words)}
        self.pad = len(words) + BUCKETS

    def word(self, word: str) -> int:
        row = self.words.get(word)
        if row is None:
            row = self.words.get(word.lower())
        return len(self.words) + bucket(word) if row is None else row

    def sentence(self, plain: Sequence[str]) -> Array:
        """The rows of a sentence, with as many for no word on both sides as a window reaches."""
        edge = [self.pad] * REACH
        return numpy.array([*edge, *map(self.word, plain), *edge])


def bucket(word: str) -> int:
    """The row that an unknown word shares, from 0."""
    kinds = "".join(
        "A" if char.isupper() else "a" if char.islower() else "0" if char.isdigit() else char for char in word
    )
    shape = re.sub(r"(.)\1+", r"\1", kinds)[:4]
    return zlib.crc32(f"{shape}|{word[-3:].lower()}".encode("utf8", "replace")) % BUCKETS


def reorder(size: int, a: Tuple[int, int], b: Tuple[int, int]) -> Tuple[Array, Array]:
    """An exchange as places in the padded sentence.

    size (int): How many tokens the sentence has.
    a (Tuple[int, int]), b (Tuple[int, int]): The bounds of the two spans, the left one first.
    RETURNS (Tuple[Array, Array]): For each place the token that stands there now, and the places where a word or one
        that it is judged by is new.
    """
    (a0, a1), (b0, b1) = (a[0] + REACH, a[1] + REACH), (b[0] + REACH, b[1] + REACH)
    full = numpy.arange(size + 2 * REACH)
    order = numpy.concatenate((full[:a0], full[b0:b1], full[a1:b0], full[a0:a1], full[b1:]))
    left, right = a0 + b1 - b0, b1 - (a1 - a0)  # where b ends now, and where a begins
    changed = numpy.zeros(len(full), dtype=bool)
    changed[a0 - REACH : left + REACH] = True
    changed[right - REACH : b1 + REACH] = True
    changed[:REACH] = changed[size + REACH :] = False
    return order, numpy.flatnonzero(changed)


# What the trees read of an exchange, in this order.
FACTS = (
    "gap",
    "sum",
    "losses",
    "worst",
    "moved_a",
    "moved_b",
    "around",
    "moved_now",
    "moved_before",
    "distance",
    "length_a",
    "length_b",
    "size",
    "rarity",
    "rarity_gap",
    "kind",
    "same_label",
    "likeness",
    "same_before",
    "same_after",
    "between",
    "rank",
    "rivals",
    "at_start",
)
KINDS = {"N": 0, "J": 1, "V": 2, "R": 3}
STOPS = frozenset(",;:()—–-\"'")


class Asked(NamedTuple):
    """A sentence and its exchanges, as the network and the trees take them.

    plain (Sequence[str]): The words, each as it would stand inside a sentence.
    tags (Sequence[str]): Their tags.
    labels (Sequence[str]): Their entity labels.
    exchanges (Sequence[Tuple[float, Tuple[int, int], Tuple[int, int]]]): Gap and bounds of the two spans of each.
    """

    plain: Sequence[str]
    tags: Sequence[str]
    labels: Sequence[str]
    exchanges: Sequence[Tuple[float, Tuple[int, int], Tuple[int, int]]]


class EmbeddedJudge:
    """Judges exchanges of two spans without any framework. What moves more spans it finds unnatural.

    path (Path): The model, as `projects/judge_en` writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        with numpy.load(path) as arrays:
            self.arrays = {name: arrays[name] for name in arrays.files}
        self.features = Features(self.arrays.pop("words").tobytes().decode("utf8").split("\n"))
        for name in ("first", "first_bias", "second", "second_bias"):
            self.arrays[name] = self.arrays[name].astype("float32")
        hidden = len(self.arrays["first"])
        # From a word to what it adds to the hidden layer at each of its distances, in one product.
        self.spread = (
            self.arrays["first"].reshape(hidden, 2 * REACH, -1).transpose(2, 1, 0).reshape(-1, 2 * REACH * hidden)
        )
        # The nodes of all trees in one row, so that a step down is one look-up for all trees of all exchanges.
        trees, nodes = self.arrays["tree_feature"].shape
        self.roots = numpy.arange(trees) * nodes
        self.feature, self.threshold = self.arrays["tree_feature"].ravel(), self.arrays["tree_threshold"].ravel()
        self.left, self.right = (
            (self.arrays[name] + self.roots[:, None]).ravel() for name in ("tree_left", "tree_right")
        )
        self.value = self.arrays["tree_value"].ravel()
        self.offsets = numpy.array([k for k in range(-REACH, REACH + 1) if k])
        self.keeps, self.max_gap, self.most = (float(value) for value in self.arrays.pop("limits"))
        self.most = int(self.most)

    def __reduce__(self) -> tuple:
        return EmbeddedJudge, (Path(self.path),)

    def __call__(self, questions: Sequence[Question]) -> List[List[Judgement]]:
        # One by one: what is said of a sentence must not depend on its company, to the last digit.
        return [self._judge(question) for question in questions]

    def _judge(self, question: Question) -> List[Judgement]:
        judgements = [Judgement(0.0)] * len(question.proposals)
        chosen = [i for i, proposal in enumerate(question.proposals) if proposal.traded is not None]
        if chosen:
            facts = self.facts(asked(question, chosen))
            for i, row, value in zip(chosen, facts, self.naturalness(facts)):
                said = [round(float(row[FACTS.index(name)]), DIGITS) for name in ("sum", "losses")]
                judgements[i] = Judgement(round(float(value), DIGITS), *said)
        return judgements

    def facts(self, asked: Asked) -> Array:
        """What the trees read of each exchange of a sentence: see FACTS."""
        rows = self.features.sentence(asked.plain)
        size = len(asked.plain)
        vectors = self.arrays["word"][rows].astype("float32") * self.arrays["word_scale"][rows][:, None]
        biases = self.arrays["bias"][rows].astype("float32")
        hidden = len(self.arrays["first"])
        spread = (vectors @ self.spread).reshape(len(rows), 2 * REACH, hidden)
        full = numpy.arange(len(rows))
        tokens, neighbours = [full[REACH : size + REACH]], [full[REACH : size + REACH, None] + self.offsets]
        for _, a, b in asked.exchanges:
            order, changed = reorder(size, a, b)
            tokens.append(order[changed])
            neighbours.append(order[changed[:, None] + self.offsets])
        around = numpy.concatenate(neighbours)
        read = spread[around, numpy.arange(2 * REACH)].sum(1) + self.arrays["first_bias"]
        guess = numpy.maximum(read, 0) @ self.arrays["second"].T + self.arrays["second_bias"]
        stands = numpy.concatenate(tokens)
        logs = (guess * vectors[stands]).sum(1) + biases[stands]
        source = numpy.zeros(len(rows), dtype="float32")
        source[REACH : size + REACH] = logs[:size]
        table = numpy.zeros((len(asked.exchanges), len(FACTS)))
        done = size
        for i, ((gap, a, b), places) in enumerate(zip(asked.exchanges, tokens[1:])):
            now = logs[done : done + len(places)]
            done += len(places)
            table[i] = self._facts_of(asked, rows, vectors, gap, a, b, places - REACH, source[places], now, i)
        return table

    def _facts_of(
        self,
        asked: Asked,
        rows: Array,
        vectors: Array,
        gap: float,
        a: Tuple[int, int],
        b: Tuple[int, int],
        tokens: Array,
        before: Array,
        now: Array,
        rank: int,
    ) -> Tuple[float, ...]:
        """The facts of one exchange, of which these tokens had and have these log-probabilities."""
        losses = (before - now).astype("float64")
        in_a, in_b = ((tokens >= span[0]) & (tokens < span[1]) for span in (a, b))
        moved = in_a | in_b
        last_a, last_b = a[1] - 1 + REACH, b[1] - 1 + REACH
        one, other = vectors[last_a], vectors[last_b]
        length = float(numpy.sqrt((one @ one) * (other @ other)))
        rare_a, rare_b = math.log(rows[last_a] + 20), math.log(rows[last_b] + 20)
        labels = asked.labels[a[1] - 1], asked.labels[b[1] - 1]
        return (
            gap,
            losses.sum(),
            numpy.maximum(losses, 0).sum(),
            losses.max(),
            losses[in_a].sum(),
            losses[in_b].sum(),
            losses[~moved].sum(),
            float(now[moved].mean()),
            float(before[moved].mean()),
            b[0] - a[1],
            a[1] - a[0],
            b[1] - b[0],
            len(asked.plain),
            max(rare_a, rare_b),
            abs(rare_a - rare_b),
            KINDS.get(asked.tags[a[1] - 1][:1], 4),
            -1 if not all(labels) else labels[0] == labels[1],
            float(one @ other) / length if length else 0.0,
            rows[a[0] - 1 + REACH] == rows[b[0] - 1 + REACH],
            rows[a[1] + REACH] == rows[b[1] + REACH],
            sum(word in STOPS for word in asked.plain[a[1] : b[0]]),
            rank,
            len(asked.exchanges),
            a[0] == 0,
        )

    def naturalness(self, facts: Array) -> Array:
        """What the trees make of it: the probability that a strict reader finds nothing odd."""
        at = numpy.tile(self.roots, (len(facts), 1))
        start = numpy.arange(len(facts))[:, None] * facts.shape[1]
        flat = facts.ravel()
        for _ in range(int(self.arrays["tree_depth"])):
            goes_left = flat.take(start + self.feature.take(at)) <= self.threshold.take(at)
            at = numpy.where(goes_left, self.left.take(at), self.right.take(at))
        score = self.value.take(at).sum(1) + self.arrays["tree_base"]
        slope, shift = self.arrays["scale"]
        return 1 / (1 + numpy.exp(-(slope * score + shift)))


def asked(question: Question, chosen: Sequence[int]) -> Asked:
    """A question as the judge takes it, with the chosen ones of its proposals."""
    tokens = question.tokens
    exchanges = []
    for i in chosen:
        proposal = question.proposals[i]
        a, b = sorted(proposal.traded or ())
        exchanges.append((proposal.gap, (a.start, a.end), (b.start, b.end)))
    return Asked(question.plain, tokens.tags, tokens.labels, exchanges)


def embedded_judge(lang: str) -> Optional[Judge]:
    """The embedded judge of a language, loaded once per process; None if there is none."""
    path = MODELS / f"{lang}.npz"
    return _load(path) if path.is_file() else None


def make_embedded_judge(lang: str = "en") -> Judge:
    """`paws.EmbeddedJudge.v1`: the judge that comes with the package.

    lang (str): The language.
    """
    judge = embedded_judge(lang)
    if judge is None:
        known = ", ".join(sorted(model.stem for model in MODELS.glob("*.npz")))
        raise PawsError(Errors.P028.format(lang=lang, known=known))
    return judge


@lru_cache(maxsize=None)
def _load(path: Path) -> Judge:
    card = path.with_suffix(".md").read_text(encoding="utf8")
    if hashlib.sha256(path.read_bytes()).hexdigest() not in CHECKSUM.findall(card):
        raise PawsError(Errors.P029.format(path=str(path)))
    return EmbeddedJudge(path)
