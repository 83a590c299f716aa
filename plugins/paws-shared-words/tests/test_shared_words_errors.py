import re
from pathlib import Path

import paws_shared_words
from paws_shared_words.errors import Errors


def test_every_code_that_is_used_exists_and_every_one_is_used():
    files = Path(paws_shared_words.__file__).parent.rglob("*.py")
    used = {code for path in files for code in re.findall(r"Errors\.(S\d+)", path.read_text(encoding="utf8"))}
    assert used == {code for code in vars(Errors) if not code.startswith("_")}
    assert all(getattr(Errors, code).startswith(f"[{code}] ") for code in used)
