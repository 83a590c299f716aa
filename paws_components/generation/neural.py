"""A causal transformer as a judge: how much worse it finds a proposal than the source, word by word.

torch and transformers are imported only when a judge is made.
"""

import inspect
import math
import os
from bisect import bisect_right
from functools import partial
from itertools import accumulate, chain, zip_longest
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from ..errors import Errors, Fatal, PawsError
from ..lm.causal import torch_dtype
from ..lm.protocol import Word
from ..ml.hub import ForkGuard, Messages, load_pretrained, longest_input, spacy_device
from ..ml.kept import TorchAnswers
from ..models import JUDGE, find_judge_model
from .embedded import EmbeddedJudge, embedded_judge
from .judging import Judge, Judgement, Proposal, Question, make_judge

MESSAGES = Messages(needs=Errors.P043, failed=Errors.P007, unfit=Errors.P007)
# From what is measured to naturalness where no trees were fitted, by a logistic function: the constant, then what a nat
# of the sum, of the losses and of the largest loss of a word is worth, a word of the sentence, and the log-odds of the
# judge before.
SCALE = (0.448, -0.1118, -0.099, 0.0, 0.0073, 0.0)
# A word that loses more than this stands where it does not fit.
HEAVY = 2.0
# A larger gain than this counts no more: what a model finds that much likelier is often only more usual.
MOST_GAIN = 2.0
# What another judge finds less natural than this is not asked about.
FLOOR = 0.25
# How many proposals another judge chooses from.
OFFERED = 8
# Nobody reads a sentence of more tokens, and what one pass needs grows with the square of them.
LONGEST = 512
DIGITS = 4
# How far the trie may be from the plain way, in nats, when a model is tried in single precision.
TOLERANCE = 1e-3


def make_neural_judge(
    name: Optional[str] = None,
    gguf_file: Optional[str] = None,
    context: str = ".",
    device: Optional[str] = None,
    dtype: Optional[str] = None,
    most: int = 3,
    max_gap: Optional[float] = 10.0,
    keeps: float = 0.64,
    scale: Optional[List[float]] = None,
    first: Union[None, str, Judge] = "embedded",
) -> "NeuralJudge":
    """`paws.NeuralJudge.v1`: any causal language model of transformers as a judge.

    name (Optional[str]): A name on the hub, a folder written by `save_pretrained`, or the path of a GGUF file; None
        takes the model that `paws download judge` brings.
    gguf_file (Optional[str]): The GGUF file in that folder or repository, for models that come as one.
    context (str): What is put before source and proposals alike, since a model expects other words at the very start of
        a text than at the start of a sentence.
    device (Optional[str]): Where it runs; None follows spaCy (`--gpu-id`, `spacy.prefer_gpu()`).
    dtype (Optional[str]): The number format of the weights; None takes bfloat16 where the device computes with it, else
        float32.
    most (int): The model is asked about so many proposals of a sentence: those that the judge before likes best, or
        else those with the smallest gaps.
    max_gap (Optional[float]): It is not asked about proposals with a larger gap; None asks about any.
    keeps (float): The naturalness from which swaps are kept unless the user says otherwise.
    scale (Optional[List[float]]): Six numbers: what naturalness is made of, as a logistic function: the constant, the
        weights of the sum, of the losses, of the largest loss, of the number of words, and of the log-odds of what
        the judge before said. None takes the trees that were fitted for the recommended model together with the
        embedded judge, and without that judge six numbers that were.
    first (Union[None, str, Judge]): A cheaper judge that chooses which proposals this one is asked about; "embedded"
        is that of the sentence's language, if there is one.
    """
    return NeuralJudge(name, gguf_file, context, device, dtype, most, max_gap, keeps, scale, first)


class NeuralJudge:
    """A causal transformer as a `Judge`. The arguments are those of `make_neural_judge`."""

    def __init__(
        self,
        name: Optional[str],
        gguf_file: Optional[str],
        context: str,
        device: Optional[str],
        dtype: Optional[str],
        most: int,
        max_gap: Optional[float],
        keeps: float,
        scale: Optional[List[float]],
        first: Union[None, str, Judge],
    ) -> None:
        self.settings = (name, gguf_file, context, device, dtype, most, max_gap, keeps, scale)
        self.context = context
        # What the judge before chooses from is as much as it has learnt from, not what is left after it has chosen.
        self.most = most if first is None else max(most, OFFERED)
        self.asks = most
        self.max_gap = math.inf if max_gap is None else max_gap
        self.keeps = keeps
        self.scale = tuple(SCALE if scale is None else scale)
        self.own_scale = scale is not None
        self.first = first
        if most < 1:
            raise PawsError(Errors.P015.format(name="most", what="at least 1", value=most))
        if len(self.scale) != len(SCALE):
            raise PawsError(Errors.P015.format(name="scale", what=f"{len(SCALE)} numbers", value=scale))
        name, gguf_file = _find_model(name, gguf_file)
        loaded = load_pretrained(
            "AutoModelForCausalLM", name, "causal language model", MESSAGES, tokens=(), gguf_file=gguf_file
        )
        self.model, self.tokenizer = loaded
        if not self.tokenizer.is_fast:
            reason = "its tokenizer does not tell where in the text its tokens stand"
            raise Fatal(Errors.P007.format(name=name, reason=reason))
        self.device = device or spacy_device()
        first_id = self.tokenizer.bos_token_id
        if first_id is None:
            first_id = self.tokenizer.eos_token_id
        self._start: List[int] = [] if first_id is None else [first_id]
        windows = (longest_input(loaded), getattr(self.model.config, "sliding_window", None), LONGEST)
        self._limit = min(window for window in windows if window)
        # Most models compute logits only where they are asked to, which saves a third of the time.
        self._keeps_logits = "logits_to_keep" in inspect.signature(self.model.forward).parameters
        self._settle = ForkGuard()
        self.model.to(self.device).eval()
        self.as_trie = self._takes_tries()
        self.model.to(torch_dtype(dtype or _fast_dtype(self.device)))
        self.answers = TorchAnswers(gguf_file or name, self.model)

    def __reduce__(self) -> tuple:
        return make_neural_judge, (*self.settings, self.first)

    def __call__(self, questions: Sequence[Question]) -> List[List[Judgement]]:
        return [self._judge(question, self._before(question)) for question in questions]

    def _before(self, question: Question) -> Optional[List[Judgement]]:
        """What the judge before says, if there is one for the language."""
        first = self.first
        if first == "embedded":
            first = embedded_judge(question.tokens.doc.lang_) if question.tokens is not None else None
        if isinstance(first, str):
            first = self.first = make_judge(first)
        return first([question])[0] if first is not None else None

    def _choose(self, question: Question, said: Optional[List[Judgement]]) -> List[int]:
        """Which proposals the model is asked about."""
        chosen = [i for i, proposal in enumerate(question.proposals) if proposal.gap <= self.max_gap]
        if said is not None:
            chosen = [i for i in chosen if said[i].naturalness >= FLOOR]
            chosen.sort(key=lambda i: -said[i].naturalness)
        return chosen[: self.asks]

    def _judge(self, question: Question, before: Optional[List[Judgement]]) -> List[Judgement]:
        """A question has a pass of its own: in a shared one, the others would change its last digits."""
        chosen = self._choose(question, before)
        judgements = [Judgement(0.0)] * len(question.proposals)
        if not chosen:
            return judgements
        measured = self.measure(question, [question.proposals[i] for i in chosen])
        embedded = self._embedded(question)
        known = embedded.read(question) if embedded is not None and embedded.neural is not None else {}
        for i, said in zip(chosen, measured):
            if said is not None:
                if i in known and embedded is not None and embedded.neural is not None:
                    (naturalness,) = embedded.neural(numpy.array([[*said, *known[i]]])).tolist()
                else:
                    naturalness = self._weigh(said, 0.5 if before is None else before[i].naturalness)
                judgements[i] = Judgement(
                    round(naturalness, DIGITS), round(said.sum, DIGITS), round(said.losses, DIGITS)
                )
        return judgements

    def _embedded(self, question: Question) -> Optional[EmbeddedJudge]:
        """The embedded judge whose trees read what is measured here; None with a scale or a first judge of your own."""
        if self.first != "embedded" or self.own_scale or question.tokens is None:
            return None
        return embedded_judge(question.tokens.doc.lang_)

    def measure(self, question: Question, proposals: Sequence[Proposal]) -> List[Optional["Measured"]]:
        """What the language model says of some proposals for a sentence; None where one is too long."""
        source, *others = self._measure([question, *proposals])
        return [
            None if source is None or other is None else measured(question.words, source, proposal.words, other)
            for proposal, other in zip(proposals, others)
        ]

    def _weigh(self, said: "Measured", before: float) -> float:
        before = min(max(before, 0.001), 0.999)
        odds = math.log(before / (1 - before))
        weighed = (1.0, said.capped, said.losses, said.worst, said.words, odds)
        total = sum(weight * value for weight, value in zip(self.scale, weighed))
        return 1 / (1 + math.exp(min(-total, 700.0)))

    def _measure(self, sentences: Sequence[Union[Question, Proposal]]) -> List[Optional[List[float]]]:
        """The log-probability of each word of each sentence, shared beginnings aside; None where one is too long."""
        read = [self._read(sentence.words) for sentence in sentences]
        if max(len(ids) for ids, _ in read) > self._limit:
            return [None] * len(sentences)
        trie = make_trie([ids for ids, _ in read])
        # What all begin with is as likely in each of them, and the logits there are not needed.
        same = _shared_words([sentence.words for sentence in sentences])
        common = set(trie.paths[0]).intersection(*trie.paths[1:])
        scored = [
            [(node, word) for node, word in zip(path, places) if word >= 0 and not (node in common and word < same)]
            for path, (_, places) in zip(trie.paths, read)
        ]
        nodes = sorted({node for pairs in scored for node, _ in pairs if trie.parents[node] >= 0})
        # Where sentences don't differ in a word there is nothing to ask.
        score = self._score_trie if self.as_trie else self._score_batch
        asked = [self.as_trie, trie.ids, trie.parents, nodes]
        logs = dict(zip(nodes, self.answers(asked, partial(score, trie, nodes)))) if nodes else {}
        measured: List[Optional[List[float]]] = []
        for sentence, pairs in zip(sentences, scored):
            words = [0.0] * len(sentence.words)
            for node, word in pairs:
                words[word] += logs.get(node, 0.0)
            measured.append(words)
        return measured

    def _read(self, words: Sequence[Word]) -> Tuple[List[int], List[int]]:
        """The token ids of a sentence after its context, and for each token the word it begins in; -1 for none."""
        before = self.context and self.context + " "
        encoded = self.tokenizer(
            before + "".join(words), add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        # Some tokenizers count the space to the token after it: the one after the context is the first word's.
        ends = [len(before) + end for end in accumulate(len(word) for word in words)]
        places = [
            min(bisect_right(ends, start), len(words) - 1) if start >= len(self.context) else -1
            for start, _ in encoded["offset_mapping"]
        ]
        return self._start + encoded["input_ids"], [-1] * len(self._start) + places

    def _score_trie(self, trie: "Trie", nodes: Sequence[int]) -> List[float]:
        """The log-probability of each of the nodes after those above it: one pass over all nodes as one sequence."""
        import torch

        self._settle()
        size = len(trie.ids)
        seen = torch.zeros((size, size), dtype=torch.bool)
        for node, parent in enumerate(trie.parents):
            if parent >= 0:
                seen[node] = seen[parent]
            seen[node, node] = True
        mask = torch.zeros((1, 1, size, size), dtype=self.model.dtype)
        mask.masked_fill_(~seen, torch.finfo(mask.dtype).min)
        asked = sorted({trie.parents[node] for node in nodes})
        rows = {node: row for row, node in enumerate(asked)}
        keep = torch.tensor(asked, device=self.device)
        options: Dict[str, Any] = {"logits_to_keep": keep} if self._keeps_logits else {}
        with torch.inference_mode():
            logits = self.model(
                input_ids=torch.tensor([trie.ids], device=self.device),
                attention_mask=mask.to(self.device),
                position_ids=torch.tensor([trie.depths], device=self.device),
                use_cache=False,
                **options,
            ).logits[0]
            logits = (logits if self._keeps_logits else logits[keep]).float()
            row = torch.tensor([rows[trie.parents[node]] for node in nodes], device=self.device)
            token = torch.tensor([trie.ids[node] for node in nodes], device=self.device)
            logs: List[float] = (logits[row, token] - logits.logsumexp(-1)[row]).cpu().tolist()
        return logs

    def _score_batch(self, trie: "Trie", nodes: Sequence[int]) -> List[float]:
        """The same the plain way, for models that know no masks but their own: a row for each sentence."""
        import torch

        self._settle()
        longest = max(map(len, trie.paths))
        ids = torch.zeros((len(trie.paths), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, path in enumerate(trie.paths):
            ids[row, : len(path)] = torch.tensor([trie.ids[node] for node in path])
            mask[row, : len(path)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.inference_mode():
            logits = self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1].float()
            chosen = (logits.gather(2, ids[:, 1:, None])[:, :, 0] - logits.logsumexp(-1)).cpu().tolist()
        logs = {node: chosen[row][i] for row, path in enumerate(trie.paths) for i, node in enumerate(path[1:])}
        return [logs[node] for node in nodes]

    def _takes_tries(self) -> bool:
        """Whether the model gives the same for a trie as for its sentences one by one."""
        size = int(self.model.config.vocab_size)
        sequences = [[step * step % size for step in steps] for steps in ((3, 5, 7, 11, 13), (3, 5, 17, 19), (3, 23))]
        trie = make_trie(sequences)
        nodes = range(1, len(trie.ids))
        plain = self._score_batch(trie, nodes)
        try:
            tried = self._score_trie(trie, nodes)
        except Exception:  # a model that takes no such mask or no positions may raise anything
            return False
        return all(abs(one - other) < TOLERANCE for one, other in zip(plain, tried))


class Trie(NamedTuple):
    """Sequences that share what they begin with. A node comes after its parent.

    ids (List[int]): The token of each node.
    parents (List[int]): The node before each node; -1 at the start.
    depths (List[int]): How many nodes are before it.
    paths (List[List[int]]): The nodes of each sequence.
    """

    ids: List[int]
    parents: List[int]
    depths: List[int]
    paths: List[List[int]]


def make_trie(sequences: Sequence[Sequence[int]]) -> Trie:
    """The trie of some sequences of token ids."""
    trie = Trie([], [], [], [])
    known: Dict[Tuple[int, int], int] = {}
    for sequence in sequences:
        path: List[int] = []
        node = -1
        for depth, token in enumerate(sequence):
            parent, node = node, known.setdefault((node, token), len(trie.ids))
            if node == len(trie.ids):
                trie.ids.append(token)
                trie.parents.append(parent)
                trie.depths.append(depth)
            path.append(node)
        trie.paths.append(path)
    return trie


class Measured(NamedTuple):
    """What a language model says of a proposal, in nats. The trees of `embedded.py` read it in this order.

    sum (float): How much less likely it is than the source.
    capped (float): The same, where a gain of more than MOST_GAIN counts no more.
    losses (float): The losses of words alone.
    worst (float), second (float): The two largest losses of a word.
    heavy (float): How many words lose more than HEAVY.
    gains (float): The gains of words alone.
    words (float): How many words there are.
    source (float): How unlikely a word of the source is on average, shared beginnings aside.
    """

    sum: float
    capped: float
    losses: float
    worst: float
    second: float
    heavy: float
    gains: float
    words: float
    source: float


def measured(
    source: Sequence[Word], source_logs: Sequence[float], words: Sequence[Word], logs: Sequence[float]
) -> Measured:
    """What the log-probabilities of the words of a source and of a proposal come to."""
    changes = word_losses(source, source_logs, words, logs)
    losses = sorted((change for change in changes if change > 0), reverse=True)
    total, lost = math.fsum(changes), math.fsum(losses)
    worst, second = [*losses, 0.0, 0.0][:2]
    heavy = sum(loss > HEAVY for loss in losses)
    unlikely = -math.fsum(source_logs) / len(source_logs)
    return Measured(total, max(total, -MOST_GAIN), lost, worst, second, heavy, lost - total, len(changes), unlikely)


def word_losses(
    source: Sequence[Word], source_logs: Sequence[float], words: Sequence[Word], logs: Sequence[float]
) -> List[float]:
    """How many nats each word loses by its move; a word that gains has less than 0.

    A word is compared with itself in the source, wherever it stood: compared place by place, a rare name would lose
    wherever a frequent one had been. Of a word that occurs several times the first goes with the first. What has no
    twin ("a" that became "an") goes with what is left, in order.
    """
    places: Dict[str, List[int]] = {}
    for place in reversed(range(len(source))):
        places.setdefault(_key(source[place]), []).append(place)
    losses: List[float] = []
    alone: List[float] = []
    for word, log in zip(words, logs):
        twins = places.get(_key(word))
        if twins:
            losses.append(source_logs[twins.pop()] - log)
        else:
            alone.append(log)
    left = [source_logs[place] for place in sorted(chain.from_iterable(places.values()))]
    return losses + [before - after for before, after in zip_longest(left, alone, fillvalue=0.0)]


def _key(word: Word) -> str:
    """A word, whatever space and capital its place gives it."""
    return word.strip().lower()


def _shared_words(sentences: Sequence[Sequence[Word]]) -> int:
    """With how many words all the sentences begin."""
    return next((i for i, words in enumerate(zip(*sentences)) if len(set(words)) > 1), min(map(len, sentences)))


def _find_model(name: Optional[str], gguf_file: Optional[str]) -> Tuple[str, Optional[str]]:
    """A model as `load_pretrained` takes it: its name or folder, and the GGUF file there."""
    if name is None:
        found = find_judge_model()
        if found is None:
            raise Fatal(Errors.P041.format(name=JUDGE))
        name = str(found)
    if gguf_file is None and name.endswith(".gguf"):
        folder, gguf_file = os.path.split(os.path.expanduser(name))
        name = folder or "."
    return name, gguf_file


def _fast_dtype(device: str) -> str:
    """Half the bytes are twice as fast where the hardware multiplies them, and several times as slow elsewhere."""
    import torch

    if device.startswith("cuda"):
        fast = torch.cuda.is_bf16_supported()
    else:
        able = getattr(torch.cpu, "_is_avx512_bf16_supported", None)  # AVX-512 alone does not multiply them
        fast = device == "cpu" and able is not None and bool(able())
    return "bfloat16" if fast else "float32"
