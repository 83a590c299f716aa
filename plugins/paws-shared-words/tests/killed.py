"""`paws` killed at random moments, until it comes to its end. Run as: python killed.py WHOLE OUTPUT ARGUMENTS...

WHOLE is the output of an undisturbed run. A shard is written after every chunk. Prints the exit codes.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

# Loaded once, for all the processes.
from transformers import BertForMaskedLM, BertForSequenceClassification, BertTokenizerFast  # noqa: F401

from paws_components.cli import main
from paws_components.engine import work
from paws_shared_words import job


class Slow(job.MaskedSubstitutes):
    def __call__(self, questions, top_k):
        time.sleep(0.05)
        return super().__call__(questions, top_k)


def shards(output):
    return len(list(Path(f"{output}.run").glob("[0-9]*.jsonl")))


def run(output, kill=True):
    """The command in a process of its own, killed a moment after some more shards are there; its exit code."""
    wanted = shards(output) + random.choice((0, 1, 1, 2))
    pid = os.fork()
    if not pid:
        sys.argv = ["paws", *arguments, "-o", output, "--report", f"{output}.md"]
        main()
        os._exit(0)
    while kill and shards(output) < wanted and not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        time.sleep(0.001)
    if kill:
        time.sleep(random.uniform(0, 0.1))
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


job.MaskedSubstitutes = Slow
work.SHARD_SECONDS = 0
whole, out, *arguments = sys.argv[1:]
assert run(whole, kill=False) == 0
codes = []
while 0 not in codes and len(codes) < 20:
    codes.append(run(out, kill=len(codes) < 15))
    # What was there stays until the new file takes its place.
    assert codes[-1] == 0 or Path(out).read_bytes() in (b"old", Path(whole).read_bytes())
print(*codes)
