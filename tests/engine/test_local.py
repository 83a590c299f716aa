import os
import signal
from dataclasses import dataclass

import pytest

from paws_components.engine.backends import find_backend, map_chunks
from paws_components.engine.local import Here
from paws_components.engine.options import RunOptions
from paws_components.engine.pool import CHUNK, Pool, in_chunks
from paws_components.errors import PawsError
from paws_components.generation.job import GenerateJob


@dataclass
class Reverse:
    """A job that turns words round, and dies at one."""

    die: str = "die"

    def start(self):
        return self.work

    def work(self, texts):
        if self.die in texts:
            os._exit(3)
        return [text[::-1] for text in texts]


@pytest.mark.parametrize("n_process", [1, 2])
def test_results_come_in_the_order_of_the_input(n_process):
    texts = [f"word {i}" for i in range(3 * CHUNK + 7)]
    results = list(map_chunks(Reverse(), texts, n_process))
    assert [len(result) for result in results] == [CHUNK, CHUNK, CHUNK, 7]
    assert [word for result in results for word in result] == [text[::-1] for text in texts]


def test_chunks_have_a_fixed_size():
    assert list(in_chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(in_chunks([], 2)) == []


def test_the_number_of_processes(monkeypatch):
    assert isinstance(find_backend(RunOptions()), Here)
    assert find_backend(RunOptions(n_process=3)).place.count == 3
    # Slurm, taskset and others give a process a few of the cores of a machine.
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {2, 3, 5}, raising=False)
    assert find_backend(RunOptions(n_process=0)).place.count == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert isinstance(find_backend(RunOptions(n_process=0)), Pool) or os.cpu_count() == 1
    with pytest.raises(PawsError, match="P015.*--engine.*local or ray.*'spark'"):
        find_backend(RunOptions(engine="spark"))


class Deaf:
    def start(self):
        return lambda chunk: signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="not on this system")
def test_ctrl_c_does_not_reach_processes_that_are_being_started():
    """Each would tell of it by a traceback, out of whatever it is importing."""
    assert list(map_chunks(Deaf(), ["a"], 2)) == [True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_worker_that_dies_is_one_clear_error():
    with pytest.raises(PawsError, match="P022.*run the same command again"):
        list(map_chunks(Reverse(), ["a"] * CHUNK + ["die"], 2))


@pytest.mark.parametrize("n_process", [1, 2])
def test_an_error_at_the_start_of_a_worker_reaches_the_user(n_process):
    with pytest.raises(PawsError, match="P013.*'no_such_pipeline'"):
        list(map_chunks(GenerateJob(model="no_such_pipeline"), ["a"], n_process))
