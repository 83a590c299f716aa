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
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

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


def reorder(size: int, a: Tuple[int, int], b: Tuple[int, int]) -> Tuple[List[int], List[int]]:
    """An exchange as places in the padded sentence.

    size (int): How many tokens the sentence has.
    a (Tuple[int, int]), b (Tuple[int, int]): The bounds of the two spans, the left one first.
    RETURNS (Tuple[List[int], List[int]]): For each place the token that stands there now, and the places where a word
        or one that it is judged by is new.
    """
    (a0, a1), (b0, b1) = (a[0] + REACH, a[1] + REACH), (b[0] + REACH, b[1] + REACH)
    full = list(range(size + 2 * REACH))
    order = full[:a0] + full[b0:b1] + full[a1:b0] + full[a0:a1] + full[b1:]
    left, right = a0 + b1 - b0 + REACH, b1 - (a1 - a0) - REACH  # as far as b is seen, and from where on a is
    first, last = max(a0 - REACH, REACH), min(b1 + REACH, size + REACH)
    changed = full[first:last] if right <= left else full[first:left] + full[right:last]
    return order, changed


# What the trees read of an exchange, in this order: what the words lose, then what the two spans and their places are.
FACTS = (
    *("gap", "sum", "losses", "worst", "moved_a", "moved_b", "around", "moved_now", "moved_before", "worst_around"),
    *("distance", "length_a", "length_b", "size", "rarity", "rarity_gap", "kind", "label", "same_label", "likeness"),
    *(
        "same_before",
        "same_after",
        "alike_before",
        "alike_after",
        "same_ending",
        "stops",
        "commas",
        "question",
        "quoted",
    ),
    *("rank", "rivals", "at_start", "at_a", "at_b", "repeated", "letters", "pronouns"),
    *("verbs_before", "verbs_between", "verbs_after", "noun_after_a", "noun_after_b"),
)
KINDS = {"N": 0, "J": 1, "V": 2, "R": 3}
LABELS = {"PERSON": 0, "GPE": 1, "LOC": 1, "FAC": 1, "ORG": 2, "NORP": 3}
STOPS = frozenset(",;:()—–-\"'")
OPENING, CLOSING = frozenset(("(", "[", "``", "“")), frozenset((")", "]", "''", "”"))
# Words that begin with the same letters are taken for the same, "Alaska" and "Alaskan": what is named again elsewhere
# in its sentence seldom trades well.
STEM = 5
# Products of this size are done by one thread: more of them would wait for each other longer than they work, and the
# last digits would depend on how many there are.
BLOCK = 40


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


class Forest:
    """Boosted trees that make a probability of facts. `projects/judge_en` fits them.

    arrays (Dict[str, Array]): The trees as tables: a row for each tree, a column for each of its nodes. A leaf leads to
        itself.
    prefix (str): What the names of the tables begin with.
    """

    def __init__(self, arrays: Dict[str, Array], prefix: str) -> None:
        feature, threshold, left, right, value = (
            arrays[prefix + name] for name in ("feature", "threshold", "left", "right", "value")
        )
        # The nodes of all trees in one row, so that a step down is one look-up for all trees of all exchanges.
        trees, nodes = feature.shape
        self.roots = numpy.arange(trees) * nodes
        self.feature, self.threshold, self.value = feature.ravel(), threshold.ravel(), value.ravel()
        self.left, self.right = (left + self.roots[:, None]).ravel(), (right + self.roots[:, None]).ravel()
        self.depth, self.base = int(arrays[prefix + "depth"]), float(arrays[prefix + "base"])
        self.slope, self.shift = (float(number) for number in arrays[prefix + "scale"])

    def __call__(self, facts: Array) -> Array:
        """The probability for each row of facts."""
        at = numpy.tile(self.roots, (len(facts), 1))
        start = numpy.arange(len(facts))[:, None] * facts.shape[1]
        flat = facts.ravel()
        for _ in range(self.depth):
            goes_left = flat.take(start + self.feature.take(at)) <= self.threshold.take(at)
            at = numpy.where(goes_left, self.left.take(at), self.right.take(at))
        score = self.value.take(at).sum(1) + self.base
        return 1 / (1 + numpy.exp(-(self.slope * score + self.shift)))


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
        # From a word to what it adds to the hidden layer at each distance, and from there to a guess, in blocks.
        hidden = len(self.arrays["first"])
        spread = self.arrays["first"].reshape(hidden, 2 * REACH, -1).transpose(2, 1, 0).reshape(-1, 2 * REACH * hidden)
        self.spread = _blocks(spread)
        self.second = _blocks(self.arrays["second"].T)
        self.distances = numpy.arange(2 * REACH)
        self.trees = Forest(self.arrays, "tree_")
        # Those that read what a causal language model says of an exchange besides: see `neural.py`.
        self.neural = Forest(self.arrays, "neural_") if "neural_feature" in self.arrays else None
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
        facts = self.read(question)
        if facts:
            table = numpy.array(list(facts.values()))
            for i, row, value in zip(facts, table, self.trees(table).tolist()):
                said = [round(float(row[FACTS.index(name)]), DIGITS) for name in ("sum", "losses")]
                judgements[i] = Judgement(round(value, DIGITS), *said)
        return judgements

    def read(self, question: Question) -> Dict[int, Array]:
        """The facts of each proposal that is an exchange of two spans, by its place."""
        chosen = [i for i, proposal in enumerate(question.proposals) if proposal.traded is not None]
        return dict(zip(chosen, self.facts(asked(question, chosen)))) if chosen else {}

    def facts(self, asked: Asked) -> Array:
        """What the trees read of each exchange of a sentence: see FACTS."""
        size, exchanges = len(asked.plain), asked.exchanges
        rows = self.features.sentence(asked.plain)
        vectors = self.arrays["word"][rows].astype("float32") * self.arrays["word_scale"][rows][:, None]
        biases = self.arrays["bias"][rows].astype("float32")
        # The source first, all of it, then what is new in each exchange.
        orders, places = [list(range(len(rows)))], [list(range(REACH, size + REACH))]
        for _, a, b in exchanges:
            order, changed = reorder(size, a, b)
            orders.append(order)
            places.append(changed)
        counts = [len(changed) for changed in places]
        sentence = numpy.repeat(numpy.arange(len(orders)), counts)
        place = numpy.concatenate(places)
        stands = numpy.array(orders)
        tokens = stands[sentence, place]
        around = stands[sentence[:, None], place[:, None] + self.offsets]
        spread = numpy.matmul(vectors, self.spread).transpose(1, 0, 2).reshape(len(rows), 2 * REACH, -1)
        read = numpy.maximum(spread[around, self.distances].sum(1) + self.arrays["first_bias"], 0)
        guess = numpy.matmul(read, self.second).transpose(1, 0, 2).reshape(len(tokens), -1) + self.arrays["second_bias"]
        logs = ((guess * vectors[tokens]).sum(1) + biases[tokens]).astype("float64")
        source = numpy.zeros(len(rows))
        source[REACH : size + REACH] = logs[:size]

        now, tokens, exchange = logs[size:], tokens[size:], sentence[size:] - 1
        before = source[tokens]
        bounds = numpy.array([(*a, *b) for _, a, b in exchanges]).T + REACH
        first_a, end_a, first_b, end_b = bounds[:, exchange]
        in_a = (tokens >= first_a) & (tokens < end_a)
        in_b = (tokens >= first_b) & (tokens < end_b)
        moved = in_a | in_b
        losses = before - now
        parts = (losses, numpy.maximum(losses, 0), losses * in_a, losses * in_b, losses * ~moved, now * moved)
        starts = numpy.concatenate(([0], numpy.cumsum(counts[1:-1]))).astype(int)
        sums = numpy.add.reduceat((*parts, before * moved), starts, axis=1)
        sums[5:] /= bounds[1] - bounds[0] + bounds[3] - bounds[2]
        worst = numpy.maximum.reduceat((losses, numpy.where(moved, -numpy.inf, losses)), starts, axis=1)
        worst[1] = numpy.maximum(worst[1], 0)
        lost = numpy.concatenate((sums[:2], worst[:1], sums[2:], worst[1:])).T
        known = self._known(asked, rows, vectors)
        return numpy.array([(gap, *lost[i], *known[i]) for i, (gap, _, _) in enumerate(exchanges)])

    def _known(self, asked: Asked, rows: Array, vectors: Array) -> List[Tuple[float, ...]]:
        """The facts of each exchange that ask no network."""
        plain, tags, labels = asked.plain, asked.tags, asked.labels
        size, lengths = len(plain), numpy.sqrt((vectors * vectors).sum(1)).tolist()
        ids = rows.tolist()
        commas, question = plain.count(","), plain[-1] == "?"
        depth, inside = 0, []
        for word in plain:
            depth += word in OPENING
            inside.append(depth > 0 or (word == '"' and not depth))
            depth = max(depth - (word in CLOSING), 0)
        letters = sum(map(len, plain))
        lower = [word.lower() for word in plain]
        verbs = _from_here_on(tag[:1] == "V" or tag == "MD" for tag in tags)
        pronouns = _from_here_on(tag[:3] == "PRP" for tag in tags)
        found: List[Tuple[float, ...]] = []
        for rank, (_, a, b) in enumerate(asked.exchanges):
            spans = lower[a[0] : a[1]] + lower[b[0] : b[1]]
            stems = {word[:STEM] for word in lower[: a[0]] + lower[a[1] : b[0]] + lower[b[1] :]}
            last_a, last_b = a[1] - 1, b[1] - 1
            one, other = last_a + REACH, last_b + REACH
            length = lengths[one] * lengths[other]
            rare_a, rare_b = math.log(ids[one] + 20), math.log(ids[other] + 20)
            label_a, label_b = labels[last_a], labels[last_b]
            found.append(
                (
                    b[0] - a[1],
                    a[1] - a[0],
                    b[1] - b[0],
                    size,
                    max(rare_a, rare_b),
                    abs(rare_a - rare_b),
                    KINDS.get(tags[last_a][:1], 4),
                    LABELS.get(label_a or label_b, 4 if label_a or label_b else 5),
                    label_a == label_b if label_a and label_b else -1,
                    float(vectors[one] @ vectors[other]) / length if length else 0.0,
                    ids[a[0] - 1 + REACH] == ids[b[0] - 1 + REACH],
                    ids[a[1] + REACH] == ids[b[1] + REACH],
                    a[0] > 0 and tags[a[0] - 1] == tags[b[0] - 1],
                    b[1] < size and tags[a[1]] == tags[b[1]],
                    plain[last_a][-2:] == plain[last_b][-2:],
                    sum(word in STOPS for word in plain[a[1] : b[0]]),
                    commas,
                    question,
                    inside[a[0]] + inside[b[0]],
                    rank,
                    len(asked.exchanges),
                    a[0] == 0,
                    a[0] / size,
                    b[1] / size,
                    len({word[:STEM] for word in spans if len(word) >= STEM} & stems),
                    letters,
                    pronouns[a[1]],
                    verbs[0] - verbs[a[0]],
                    verbs[a[1]] - verbs[b[0]],
                    verbs[b[1]],
                    tags[a[1]][:1] == "N",
                    b[1] < size and tags[b[1]][:1] == "N",
                )
            )
        return found


def _from_here_on(marks: Iterable[bool]) -> List[int]:
    """For each place how many marks there are from it on; one more for the end."""
    counts = [0]
    for mark in reversed(list(marks)):
        counts.append(counts[-1] + mark)
    return counts[::-1]


def _blocks(matrix: Array) -> Array:
    """The columns of a matrix cut into blocks, so that a product with it is many small ones."""
    rows, columns = matrix.shape
    width = math.gcd(columns, BLOCK)
    return numpy.ascontiguousarray(matrix.reshape(rows, columns // width, width).transpose(1, 0, 2))


def asked(question: Question, chosen: Sequence[int]) -> Asked:
    """A question as the judge takes it, with the chosen ones of its proposals."""
    tokens = question.tokens
    exchanges = []
    for i in chosen:
        proposal = question.proposals[i]
        a, b = sorted(proposal.traded or ())
        exchanges.append((proposal.gap, (a.start, a.end), (b.start, b.end)))
    return Asked(question.plain, tokens.tags, tokens.labels, exchanges)


def embedded_judge(lang: str) -> Optional[EmbeddedJudge]:
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
def _load(path: Path) -> EmbeddedJudge:
    card = path.with_suffix(".md").read_text(encoding="utf8")
    if hashlib.sha256(path.read_bytes()).hexdigest() not in CHECKSUM.findall(card):
        raise PawsError(Errors.P029.format(path=str(path)))
    return EmbeddedJudge(path)
