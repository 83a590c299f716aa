"""Run a command once for each of several languages: {lang} in it is the language. Stops at the first that fails.

python scripts/each.py "fr es de" paws translate en.jsonl -o {lang}.jsonl --from en --to {lang}
"""

import subprocess
import sys
from typing import List


def main(arguments: List[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    langs, *command = arguments
    for lang in langs.split():
        filled = [part.replace("{lang}", lang) for part in command]
        print("+", *filled, flush=True)
        code = subprocess.run(filled).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
