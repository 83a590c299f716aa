"""The fault harness in small; in full: `python tests/engine/faults/harness.py`."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HARNESS = Path(__file__).resolve().with_name("harness.py")


@pytest.mark.parametrize(
    "kind, moments", [("worker", 1), ("driver", 2), ("actor", 1), ("raylet", 1), ("ray-driver", 1)]
)
def test_killed_and_identical(kind, moments):
    if kind not in ("worker", "driver") and find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install 'paws-components[ray]'")
    command = [sys.executable, str(HARNESS), "--sentences", "1100", "--moments", str(moments), "--kinds", kind]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    counts = json.loads(done.stdout.splitlines()[-1])[kind]
    assert counts["moments"] == counts["identical"] == moments
