"""How likely a causal transformer finds the words of sentences that share most of them: one pass over a trie.

torch and transformers are imported only when a model is loaded.
"""

import inspect
import os
from bisect import bisect_right
from functools import partial
from itertools import accumulate
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors, Fatal
from ..lm.causal import torch_dtype
from ..lm.protocol import Word
from ..ml.hub import ForkGuard, Messages, load_pretrained, longest_input, spacy_device
from ..ml.kept import TorchAnswers
from ..models import JUDGE, find_judge_model

MESSAGES = Messages(needs=Errors.P043, failed=Errors.P007, unfit=Errors.P007)
# Nobody reads a sentence of more tokens, and what one pass needs grows with the square of them.
LONGEST = 512
# How far the trie may be from the plain way, in nats, when a model is tried in single precision.
TOLERANCE = 1e-3


class WordModel:
    """A causal language model that is asked about the words of sentences. The arguments are as in `make_neural_judge`.

    name (Optional[str]), gguf_file (Optional[str]): The model.
    context (str): What is put before each sentence.
    device (Optional[str]), dtype (Optional[str]): Where it runs, and its numbers.
    """

    def __init__(
        self, name: Optional[str], gguf_file: Optional[str], context: str, device: Optional[str], dtype: Optional[str]
    ) -> None:
        self.context = context
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

    def __call__(self, groups: Sequence[Sequence[Sequence[Word]]]) -> List[List[Optional[List[float]]]]:
        """The log-probability of each word of each sentence of each group.

        A group is a source and its proposals, and has a pass of its own: in a shared one, the others would change its
        last digits.
        """
        return [self._measure(sentences) for sentences in groups]

    def _measure(self, sentences: Sequence[Sequence[Word]]) -> List[Optional[List[float]]]:
        """The same for one group, shared beginnings aside; None where a sentence is too long."""
        read = [self._read(words) for words in sentences]
        if max(len(ids) for ids, _ in read) > self._limit:
            return [None] * len(sentences)
        trie = make_trie([ids for ids, _ in read])
        # What all begin with is as likely in each of them, and the logits there are not needed.
        same = _shared_words(sentences)
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
            words = [0.0] * len(sentence)
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
