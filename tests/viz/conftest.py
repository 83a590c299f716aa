"""Pairs that have broken pages before: hostile, from right to left, of emoji, very long, empty."""

import re
import xml.etree.ElementTree as ElementTree
from typing import List

import pytest

from paws_components.records import PairRecord

LONG = [f"word{i}" for i in range(200)]
HOSTILE = "<script>alert('x')</script> & \"quoted\" \x00\x1b ]]> </svg></style> \ud800"
PAIRS = {
    "plain": ("Can a bad person become good?", "Can a good person become bad?"),
    "hostile": (HOSTILE, '\u202e& "quoted" <img src=x onerror=alert(1)> http://evil.example/' + "a" * 90),
    "rtl": ("كتب الولد الرسالة الطويلة إلى صديقه", "الرسالة الطويلة كتب صديقه إلى الولد"),
    "emoji": ("I 😀 love 🐈 and hate 👩‍👩‍👧", "I 😀 love 👩‍👩‍👧 and hate 🐈"),
    "cjk": ("彼は東京で猫を見た", "猫は東京で彼を見た"),
    "long": (" ".join(LONG), " ".join(LONG[50:60] + LONG[10:50] + LONG[:10] + LONG[60:])),
    "scrambled": (" ".join(LONG), " ".join(LONG[(7 * i) % 200] for i in range(200))),
    "empty": ("", ""),
    "half": ("", "Only here."),
    "one": ("No", "I say no"),
    "nothing": ("One two", "three four"),
}


@pytest.fixture(params=PAIRS, scope="session")
def record(request) -> PairRecord:
    return PairRecord(*PAIRS[request.param], label=1)


@pytest.fixture(scope="session")
def records() -> List[PairRecord]:
    return [PairRecord(*pair, label=i % 2) for i, pair in enumerate(PAIRS.values())]


def check_markup(html: str) -> ElementTree.Element:
    """Parse markup as XML, and see that it asks for nothing from outside and runs nothing of the texts."""
    html.encode("utf8")
    root = ElementTree.fromstring(html.replace("<!DOCTYPE html>", ""))
    for element in root.iter():
        name = element.tag.lower()
        assert name not in ("link", "img", "iframe", "object", "embed", "image", "use", "foreignobject", "base"), name
        for key, value in element.attrib.items():
            assert not key.lower().startswith("on"), key
            assert key.lower() not in ("src", "srcset", "action", "data"), key
            if key.lower().endswith("href"):
                assert value.startswith("#"), value
        if name in ("style", "script"):
            assert not re.search(r"https?:|//|url\(|@import|fetch|XMLHttpRequest|eval", element.text or "")
    return root
