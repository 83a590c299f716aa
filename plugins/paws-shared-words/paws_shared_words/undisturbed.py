"""Work in the midst of a training that the training does not notice."""

import random
import sys
from contextlib import contextmanager
from typing import Iterator

import numpy


@contextmanager
def undisturbed() -> Iterator[None]:
    """Leave the random states of Python, numpy and torch as they were.

    A model that answers uses no dropout and keeps no gradients: thinc and our own layers see to that, and to torch's
    training mode."""
    python, array = random.getstate(), numpy.random.get_state()
    torch = sys.modules.get("torch")
    state = torch.random.get_rng_state() if torch is not None else None
    try:
        yield
    finally:
        random.setstate(python)
        numpy.random.set_state(array)
        if torch is not None and state is not None:
            torch.random.set_rng_state(state)
