"""The judges that come with the package, in numpy alone.

A small network over word vectors says how well a span fits between its neighbours. A swap is judged by how both spans
fit where they are now and where they were, by the gap of the language model that proposed it, and by what the two have
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
# How many words on each side of a span are looked at.
REACH = 4
# Words that are not known share rows by their last letters and the kinds of their characters.
BUCKETS = 4096
# A span is read by its first word, its last one, and the mean of so many at most.
SPAN = 6
DIGITS = 4

Array = Any  # numpy.ndarray; numpy's own types are generic


class Features:
    """What the networks read: rows of a table for words and tags.

    words (Dict[str, int]): The rows of the known words; the rows of unknown ones follow, then one for no word.
    tags (Dict[str, int]): The rows of the tags; the last one is for others, and for no word.
    """

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words = {word: row for row, word in enumerate(words)}
        self.tags = {tag: row for row, tag in enumerate(tags)}
        self.pad = len(words) + BUCKETS

    def word(self, word: str) -> int:
        row = self.words.get(word)
        if row is None:
            row = self.words.get(word.lower())
        return len(self.words) + bucket(word) if row is None else row

    def sentence(self, plain: Sequence[str], tags: Sequence[str]) -> Tuple[Array, Array]:
        """The rows of a sentence, with as many rows for no word on both sides as a window reaches."""
        edge, other = [self.pad] * REACH, len(self.tags)
        words = [*edge, *map(self.word, plain), *edge]
        found = [*([other] * REACH), *(self.tags.get(tag, other) for tag in tags), *([other] * REACH)]
        return numpy.array(words), numpy.array(found)


def bucket(word: str) -> int:
    """The row that an unknown word shares, from 0."""
    kinds = "".join(
        "A" if char.isupper() else "a" if char.islower() else "0" if char.isdigit() else char for char in word
    )
    shape = re.sub(r"(.)\1+", r"\1", kinds)[:4]
    return zlib.crc32(f"{shape}|{word[-3:].lower()}".encode("utf8", "replace")) % BUCKETS


def places(size: int, a: Tuple[int, int], b: Tuple[int, int]) -> Tuple[Array, List[List[int]]]:
    """An exchange as places in the sentence: the order of its tokens after it, and four spans with what surrounds them.

    size (int): How many tokens the sentence has.
    a (Tuple[int, int]), b (Tuple[int, int]): The bounds of the two spans, the left one first.
    RETURNS (Tuple[Array, List[List[int]]]): The order, and start and end of the spans: a and b in the source, b and a
        in the exchange. All places count the rows for no word.
    """
    (a0, a1), (b0, b1) = (a[0] + REACH, a[1] + REACH), (b[0] + REACH, b[1] + REACH)
    full = numpy.arange(size + 2 * REACH)
    order = numpy.concatenate((full[:a0], full[b0:b1], full[a1:b0], full[a0:a1], full[b1:]))
    shift = (b1 - b0) - (a1 - a0)
    return order, [[a0, a1], [b0, b1], [a0, a0 + b1 - b0], [b0 + shift, b0 + shift + a1 - a0]]


def window(rows: Array, start: int, end: int) -> List[int]:
    """The rows of what surrounds a span and of the span itself; -1 beyond its words."""
    span = rows[start:end][:SPAN].tolist()
    if end - start > SPAN:
        span[-1] = int(rows[end - 1])
    around = rows[start - REACH : start].tolist() + rows[end : end + REACH].tolist()
    return around + span + [-1] * (SPAN - len(span))


# What the trees read of an exchange, in this order.
FACTS = (
    "gap",
    "loss_a",
    "loss_b",
    "sum",
    "losses",
    "least_fit",
    "source_fit",
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
        words = self.arrays.pop("words").tobytes().decode("utf8").split("\n")
        tags = self.arrays.pop("tags").tobytes().decode("utf8").split("\n")
        self.features = Features(words, tags)
        for name in ("tag", "first", "first_bias", "second", "second_bias", "last", "last_bias"):
            self.arrays[name] = self.arrays[name].astype("float32")
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

    def fits(self, words: Array, tags: Array) -> Array:
        """How well each span fits: see `Fit` in projects/judge_en, of which this is the twin."""
        known = (words >= 0)[..., None]
        rows = numpy.maximum(words, 0)
        vectors = self.arrays["word"][rows].astype("float32") * self.arrays["word_scale"][rows][..., None]
        vectors = numpy.concatenate((vectors, self.arrays["tag"][numpy.maximum(tags, 0)]), -1) * known
        span = vectors[:, 2 * REACH :]
        count = known[:, 2 * REACH :, 0].sum(-1)
        around = vectors[:, : 2 * REACH].reshape(len(words), -1)
        parts = (around, span[:, 0], span[numpy.arange(len(words)), count - 1], span.sum(1) / count[:, None])
        read = numpy.concatenate(parts, 1).astype("float32")
        hidden = numpy.maximum(read @ self.arrays["first"].T + self.arrays["first_bias"], 0)
        hidden = numpy.maximum(hidden @ self.arrays["second"].T + self.arrays["second_bias"], 0)
        return hidden @ self.arrays["last"][0] + self.arrays["last_bias"][0]

    def facts(self, asked: Asked) -> Array:
        """What the trees read of each exchange of a sentence: see FACTS."""
        words, tags = self.features.sentence(asked.plain, asked.tags)
        word_rows, tag_rows = [], []
        for _, a, b in asked.exchanges:
            order, spans = places(len(asked.plain), a, b)
            after = words[order], tags[order]
            for k, span in enumerate(spans):
                word_rows.append(window(words if k < 2 else after[0], *span))
                tag_rows.append(window(tags if k < 2 else after[1], *span))
        fits = self.fits(numpy.array(word_rows), numpy.array(tag_rows)).reshape(-1, 4)
        table = numpy.zeros((len(asked.exchanges), len(FACTS)), dtype="float64")
        for i, ((gap, a, b), (src_a, src_b, b_in_a, a_in_b)) in enumerate(zip(asked.exchanges, fits.tolist())):
            last_a, last_b = int(words[a[1] - 1 + REACH]), int(words[b[1] - 1 + REACH])
            one, other = self._vector(last_a), self._vector(last_b)
            size = float(numpy.sqrt((one @ one) * (other @ other)))
            rank_a, rank_b = math.log(last_a + 20), math.log(last_b + 20)
            labels = asked.labels[a[1] - 1], asked.labels[b[1] - 1]
            loss_a, loss_b = src_a - b_in_a, src_b - a_in_b
            table[i] = (
                gap,
                loss_a,
                loss_b,
                loss_a + loss_b,
                max(loss_a, 0) + max(loss_b, 0),
                min(b_in_a, a_in_b),
                (src_a + src_b) / 2,
                b[0] - a[1],
                a[1] - a[0],
                b[1] - b[0],
                len(asked.plain),
                max(rank_a, rank_b),
                abs(rank_a - rank_b),
                KINDS.get(asked.tags[a[1] - 1][:1], 4),
                -1 if not all(labels) else labels[0] == labels[1],
                float(one @ other) / size if size else 0.0,
                words[a[0] - 1 + REACH] == words[b[0] - 1 + REACH],
                words[a[1] + REACH] == words[b[1] + REACH],
                sum(word in STOPS for word in asked.plain[a[1] : b[0]]),
                i,
                len(asked.exchanges),
                a[0] == 0,
            )
        return table

    def _vector(self, row: int) -> Array:
        return self.arrays["word"][row].astype("float32")

    def naturalness(self, facts: Array) -> Array:
        """What the trees make of it: the probability that a strict reader finds nothing odd."""
        features, thresholds = self.arrays["tree_feature"], self.arrays["tree_threshold"]
        left, right = self.arrays["tree_left"], self.arrays["tree_right"]
        trees = numpy.arange(len(features))[None, :]
        at = numpy.zeros((len(facts), len(features)), dtype="int64")
        rows = numpy.arange(len(facts))[:, None]
        for _ in range(int(self.arrays["tree_depth"])):
            goes_left = facts[rows, features[trees, at]] <= thresholds[trees, at]
            at = numpy.where(goes_left, left[trees, at], right[trees, at])
        score = self.arrays["tree_value"][trees, at].sum(1) + self.arrays["tree_base"]
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
    labels = [token.ent_type_ for token in tokens.doc]
    return Asked(question.plain, tokens.tags, labels, exchanges)


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
