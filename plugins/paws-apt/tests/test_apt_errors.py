import re
from pathlib import Path

import paws_apt
from paws_apt.errors import Errors


def test_every_code_that_is_used_exists_and_every_one_is_used():
    files = Path(paws_apt.__file__).parent.rglob("*.py")
    used = {code for path in files for code in re.findall(r"Errors\.(A\d+)", path.read_text(encoding="utf8"))}
    assert used == {code for code in vars(Errors) if not code.startswith("_")}
    assert all(getattr(Errors, code).startswith(f"[{code}] ") for code in used)
