import warnings
from itertools import chain
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Union

from spacy.language import Language
from spacy.training import Example
from spacy.training.augment import dont_augment
from spacy.util import logger

from ..errors import Errors, PawsError, Warnings
from ..pairs import family, make_cats, pair_text
from ..readers import Pairs, get_layout, open_pairs
from .batchers import BATCHER
from .labelled import Account, Pair, check_label_sources, read_labelled
from .mixing import (
    Choice,
    chance,
    check_class_weights,
    check_share,
    check_weights,
    one_each,
    repeated,
    shuffled,
    swap_pair,
)

READER = "paws.PairCorpus.v1"
PathLike = Union[str, Path]


def make_pair_corpus(
    path: Optional[Union[str, List[str]]],
    layout: Optional[Union[str, List[Optional[str]]]] = None,
    labels: Union[str, List[str]] = "all",
    skip: Union[int, List[int]] = 0,
    limit: Union[int, List[int]] = 0,
    weights: Optional[List[float]] = None,
    class_weights: Optional[Dict[str, float]] = None,
    swap_sides: float = 0.0,
    shuffle: bool = False,
    seed: int = 0,
    config: Optional[Union[str, List[Optional[str]]]] = None,
    split: Optional[Union[str, List[Optional[str]]]] = None,
    augmenter: Optional[Callable] = None,
) -> Callable[[Language], Iterable[Example]]:
    """Create a reader of sentence pairs: `paws.PairCorpus.v1`. The settings are those of `PairCorpus`."""
    if path is None:
        raise PawsError(Errors.P301)
    return PairCorpus(
        path,
        layout=layout,
        labels=labels,
        skip=skip,
        limit=limit,
        weights=weights,
        class_weights=class_weights,
        swap_sides=swap_sides,
        shuffle=shuffle,
        seed=seed,
        config=config,
        split=split,
        augmenter=augmenter,
    )


class PairCorpus:
    """Reads labelled sentence pairs as Examples of pair Docs.

    Each call is a pass over the data with choices of its own, all of them from one seed. A setting that may be a list
    has one entry for each path then.

    path (Union[str, Path, Sequence]): Files in any layout that `paws audit` knows, or whatever else `open_pairs` reads.
    layout (Union[str, Sequence, None]): The name of the layout; None to guess it.
    labels (Union[str, Sequence[str]]): Whose labels are taken: "human", "silver" (a model's), "rule", "unknown", some
        of these, or "all".
    skip (Union[int, Sequence[int]]), limit (Union[int, Sequence[int]]): Of each path, leave out the first so many
        pairs, and read no more than so many; 0 for all. With `shuffle` they count in an order that the seed alone
        decides.
    weights (Optional[Sequence[float]]): How often the pairs of each path come in a pass, on average.
    class_weights (Optional[Dict[str, float]]): How often those with a label come; both weights are multiplied.
    swap_sides (float): The share of pairs whose sides are swapped.
    shuffle (bool): Whether all pairs are held in memory, and come in another order in each pass.
    seed (int): The seed of every choice.
    config (Union[str, Sequence, None]), split (Union[str, Sequence, None]): The part of a data set.
    augmenter (Optional[Callable]): As spaCy's own corpus has it.
    """

    def __init__(
        self,
        path: Union[PathLike, Sequence[PathLike]],
        *,
        layout: Union[str, Sequence[Optional[str]], None] = None,
        labels: Union[str, Sequence[str]] = "all",
        skip: Union[int, Sequence[int]] = 0,
        limit: Union[int, Sequence[int]] = 0,
        weights: Optional[Sequence[float]] = None,
        class_weights: Optional[Dict[str, float]] = None,
        swap_sides: float = 0.0,
        shuffle: bool = False,
        seed: int = 0,
        config: Union[str, Sequence[Optional[str]], None] = None,
        split: Union[str, Sequence[Optional[str]], None] = None,
        augmenter: Optional[Callable] = None,
    ) -> None:
        paths = [path] if isinstance(path, (str, Path)) else list(path)
        if not paths:
            raise PawsError(Errors.P301)
        parts = [one_each(*entry, len(paths)) for entry in (("layout", layout), ("config", config), ("split", split))]
        self.sources = [(str(path), *part) for path, *part in zip(paths, *parts)]
        for name in parts[0]:
            if name:
                get_layout(name)
        # Opened when they are first read, and kept: standard input can't be opened twice.
        self._opened: Dict[int, Pairs] = {}
        self.labels = check_label_sources(labels)
        counts = {"skip": one_each("skip", skip, len(paths)), "limit": one_each("limit", limit, len(paths))}
        self.choices = [Choice(*count, shuffle, seed) for count in zip(counts["skip"], counts["limit"])]
        self.weights = one_each("weights", 1.0 if weights is None else weights, len(paths))
        check_weights("weights", self.weights)
        for name, count in counts.items():
            check_weights(name, count)
        self.class_weights = check_class_weights(class_weights)
        check_share("swap_sides", swap_sides)
        self.swap_sides = swap_sides
        self.shuffle = shuffle
        self.seed = seed
        self.augmenter = augmenter if augmenter is not None else dont_augment
        self.epoch = 0
        self._told: Set[int] = set()

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the pairs of one pass.

        nlp (Language): The current pipeline; its tokenizer is used.
        YIELDS (Example): The pairs.
        """
        self.epoch += 1
        if self.swap_sides:
            _warn_of_one_pass(nlp)
        for pair in self.read(self.epoch):
            yield from self.augmenter(nlp, make_example(nlp, pair))

    def read(self, epoch: int) -> Iterator[Pair]:
        """The pairs of one pass as they come: repeated, shuffled, swapped."""
        pairs: Iterable[Pair] = chain.from_iterable(self._read_one(i, epoch) for i in range(len(self.sources)))
        if self.shuffle:
            pairs = shuffled(pairs, chance(self.seed, epoch, "order"))
        sides = chance(self.seed, epoch, "sides")
        labels: Optional[tuple] = None
        for pair in pairs:
            if labels is None:
                labels = family(pair.label)
            elif pair.label not in labels:
                raise PawsError(Errors.P307.format(label=pair.label, known=", ".join(labels)))
            yield swap_pair(pair) if sides.random() < self.swap_sides else pair

    def _read_one(self, i: int, epoch: int) -> Iterator[Pair]:
        path, layout, config, split = self.sources[i]
        if i not in self._opened:
            self._opened[i] = open_pairs(path, layout, config=config, split=split)
        account = Account(path)
        chosen = self.choices[i](read_labelled(self._opened[i], account, self.labels), i)
        yield from repeated(chosen, self.weights[i], self.class_weights, chance(self.seed, epoch, f"repeats:{i}"))
        self._report(i, account)

    def _report(self, i: int, account: Account) -> None:
        """Say once what came of the rows; louder if rows gave no pair, or were changed, unasked."""
        if i in self._told:
            return
        self._told.add(i)
        remarks = account.remarks
        if not account.pairs:
            raise PawsError(Errors.P308.format(path=account.path, account=account, remarks=remarks or "it is empty"))
        sources = ", ".join(f"{name} {count:,}" for name, count in sorted(account.sources.items()))
        logger.info("%s: %s; labels: %s%s", account.path, account, sources, f"; {remarks}" if remarks else "")
        if not account.expected:
            warnings.warn(Warnings.W301.format(path=account.path, account=account, remarks=remarks), stacklevel=2)


def make_example(nlp: Language, pair: Pair) -> Example:
    """An Example of a pair Doc: the prediction knows the text alone, the reference the label as well."""
    predicted = nlp.make_doc(pair_text(pair.sentence1, pair.sentence2))
    reference = predicted.copy()
    reference.cats = make_cats(pair.label)
    return Example(predicted, reference)


def _warn_of_one_pass(nlp: Language) -> None:
    """spaCy reads the corpus once and keeps it, unless it streams: what was swapped would stay so in every epoch."""
    config = nlp.config
    if not any(corpus.get("@readers") == READER for corpus in (config.get("corpora") or {}).values() if corpus):
        return  # no training by config: whoever calls the reader decides about the passes
    training = config.get("training") or {}
    epochs, batcher = training.get("max_epochs"), training.get("batcher") or {}
    if isinstance(epochs, int) and epochs >= 0 and batcher.get("@batchers") != BATCHER:
        warnings.warn(Warnings.W302.format(batcher=BATCHER), stacklevel=3)
