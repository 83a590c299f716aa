"""Which spellings of a name, a date or a number say the same, and so are not an inconsistency between two sentences."""

import re
from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Union

from ..errors import Errors, PawsError
from ..lang.en import EQUIVALENTS

# Straight and typographic marks are as good as each other. A character for a character, so that offsets stay.
TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
# "third-quarter" is "third quarter", but "2-3" is not "2 3".
HYPHEN = re.compile(r"(?<=[^\W\d])-(?=\w)|(?<=\w)-(?=[^\W\d])")


class Equivalents:
    """Brings a text into the form in which it is compared: lower case, plain marks, one spelling of each group.

    groups (Iterable[Sequence[str]]): Forms that say the same. A form that is in two groups makes them one.
    """

    def __init__(self, groups: Iterable[Sequence[str]] = EQUIVALENTS) -> None:
        self.first: Dict[str, str] = {}
        for group in groups:
            forms = [_plain(form) for form in group]
            known = [self.first[form] for form in forms if form in self.first]
            chosen = known[0] if known else forms[0]
            for form, value in list(self.first.items()):
                if value in known:
                    self.first[form] = chosen
            self.first.update((form, chosen) for form in forms)
        # The longest form first: "10 years ago" before "10".
        forms = sorted(self.first, key=lambda form: (-len(form), form))
        self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)" if forms else r"(?!)")

    def key(self, text: str) -> str:
        """The form of a text in which it is compared."""
        return self.pattern.sub(self._choose, _plain(text))

    def _choose(self, match: "re.Match[str]") -> str:
        return self.first[match.group()]


def _plain(text: str) -> str:
    return " ".join(HYPHEN.sub(" ", text.translate(TYPOGRAPHY)).casefold().split())


def read_equivalents(path: Union[str, Path]) -> List[List[str]]:
    """Read groups of equivalents from a file: a group per line, its forms parted by "=". Lines with # are comments.

    path (Union[str, Path]): The file, such as one with the line `New York = N.Y. = NY`.
    RETURNS (List[List[str]]): The groups.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error
    groups: List[List[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        forms = [form.strip() for form in line.split("=")]
        if len(forms) < 2 or not all(forms):
            raise PawsError(Errors.P121.format(line=number, path=path, text=line.strip()))
        groups.append(forms)
    return groups
