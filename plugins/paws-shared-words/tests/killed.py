"""An attack that has its own process killed. Run as: python killed.py CALLS OUTPUT

The target answers CALLS times; then SIGKILL comes, as a crashing machine would have it: nothing is cleaned up.
"""

import os
import signal
import sys

from referee import NumberSubstitutes, NumberTarget
from tiny_models import PAIRS

from paws_components.models import load_with
from paws_components.records import PairRecord
from paws_shared_words.checkpoint import Checkpointed
from paws_shared_words.examples import sample_examples
from paws_shared_words.job import Attacker, run_attack
from paws_shared_words.positions import DEFAULT_STOP_WORDS
from paws_shared_words.search import Settings


class KillingTarget(NumberTarget):
    left = float(sys.argv[1])

    def __call__(self, pairs):
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        return super().__call__(pairs)


settings = Settings(steps=2, top_k=3, beam=2)
attacker = Attacker(
    KillingTarget(), NumberSubstitutes(), load_with(["tagger", "attribute_ruler"]), DEFAULT_STOP_WORDS, settings
)
records = sample_examples([PairRecord(*pair) for pair in PAIRS], 4, 7, seed=0)
with Checkpointed(sys.argv[2], settings.to_dict()) as file:
    for progress in run_attack(attacker, records, file, 3):
        pass
