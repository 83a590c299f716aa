import string

import pytest

from paws_components.errors import Errors, Warnings


def messages(kind):
    return {name: getattr(kind, name) for name in vars(kind) if not name.startswith("_")}


@pytest.mark.parametrize("kind, letter", [(Errors, "P"), (Warnings, "W")])
def test_messages_carry_their_code_and_can_be_filled_in(kind, letter):
    for code, message in messages(kind).items():
        assert code[0] == letter and code[1:].isdigit() and len(code) == 4
        assert message.startswith(f"[{code}] ")
        names = {name for _, name, _, _ in string.Formatter().parse(message) if name}
        assert "{" not in message.format(**dict.fromkeys(names, "x")).replace('{"', "")


def test_codes_are_named_in_the_code():
    import pathlib

    import paws_components

    folder = pathlib.Path(paws_components.__file__).parent
    source = "\n".join(path.read_text(encoding="utf8") for path in folder.rglob("*.py"))
    for kind in (Errors, Warnings):
        for code in messages(kind):
            assert f"{kind.__name__}.{code}" in source, f"{code} is raised nowhere"


def test_codes_are_in_order():
    for kind in (Errors, Warnings):
        assert list(messages(kind)) == sorted(messages(kind))
