"""Names that the two sentences of a pair render in two ways."""

import pytest

from paws_components.curation.audit import audit
from paws_components.curation.checks_names import left_in_latin, spelled_by_capitals, spelled_in_nouns

GERMAN = "Der Hund lief mit der Katze in das Haus und war dort auch am Abend noch bei dem Mann, der ihn sah."
CHINESE = "这个城市位于河的东面，也是该地区最大的城市之一，人口超过一百万。"
ENGLISH = "The dog ran with the cat into the house and was there in the evening with the man who saw it."


def kinds(rule, first, second):
    return [tuple(name) for name in rule(first, second)]


@pytest.mark.parametrize(
    "first, second, found",
    [
        ("Four Rivers 委员会成立。", "四河委员会成立。", [("left", "Four Rivers", "")]),
        ("四河委员会成立。", "Four Rivers 委员会成立。", [("left", "", "Four Rivers")]),
        # A gloss beside the translation, another spelling, another ending: all of these are there.
        ("四河（Four Rivers）委员会", "Four Rivers 委员会", []),
        ("Boulevard 거리의 Muhammed는", "Bulevard 거리에서 Muhammad가", []),
        ("NASA 发射了 iPhone。", "美国宇航局发射了手机。", []),
        ("Cook Pond는 Taunton River에", "쿡 호수는 톤턴 강에", [("left", "Cook Pond Taunton River", "")]),
    ],
)
def test_left_in_latin(first, second, found):
    assert kinds(left_in_latin, first, second) == found
    turned = [(kind, other, one) for kind, one, other in found]
    assert kinds(left_in_latin, second, first) == turned


@pytest.mark.parametrize(
    "first, second, found",
    [
        ("Um Slovak zu besiegen", "Um jedoch Slowake zu werden", [("spelling", "Slovak", "Slowake")]),
        (
            "Der Ort Glocestershire liegt",
            "Der Ort Gloucestershire liegt",
            [("spelling", "Glocestershire", "Gloucestershire")],
        ),
        ("Er wohnt am Bear River", "Er wohnt am Fluss Bear", [("translated", "River", "Fluss")]),
        # Forms of one word, compounds and their parts, two right spellings, words that begin a sentence.
        ("mit den Hunden der Stadt", "mit dem Hund der Städte", []),
        ("der Fußballverein von Ulm", "der Fußball von Ulm", []),
        ("das Quellmaterial von Ulm", "das Quellenmaterial von Ulm", []),
        ("die Biografie von Ulm", "die Biographie von Ulm", []),
        ("Slovak kam. Slovak ging", "Slowake kam. Slowake ging", []),
        ("am River Bear und am Fluss", "am Fluss und am River Bear", []),
    ],
)
def test_german(first, second, found):
    assert kinds(spelled_in_nouns, first, second) == found


@pytest.mark.parametrize(
    "first, second, found",
    [
        ("vive en Pensilvania con Ana", "vive en Pennsylvania con Ana", [("spelling", "Pensilvania", "Pennsylvania")]),
        ("situé au lac Laurel", "connu comme Laurel Lake", [("translated", "lac", "Lake")]),
        ("vit à Paris avec Anne", "vit à Rome avec Anne", []),
        ("los americanos de Roma", "la americana de Roma", []),
    ],
)
def test_french_and_spanish(first, second, found):
    assert kinds(spelled_by_capitals, first, second) == found


def rows(*pairs):
    return [{"id": str(i), "sentence1": one, "sentence2": two, "label": 1} for i, (one, two) in enumerate(pairs)]


def test_in_an_audit():
    german = rows(*[(GERMAN, GERMAN)] * 3, (f"{GERMAN} Dort war Hertfordshire.", f"{GERMAN} Dort war Herfordshire."))
    (finding,) = audit({"de": german}, checks=["inconsistent_names"])
    assert (finding.level, finding.count) == ("warning", 1) and "Hertfordshire | Herfordshire" in finding.message
    assert finding.details == {
        "kinds": {"spelling": 1},
        "lines": {"4": [["spelling", "Hertfordshire", "Herfordshire"]]},
    }
    chinese = rows((CHINESE, CHINESE), (f"Audubon {CHINESE}", CHINESE), (CHINESE, f"{CHINESE} Shawnee"))
    (finding,) = audit({"zh": chinese}, checks=["inconsistent_names"])
    assert finding.count == 2 and finding.details["kinds"] == {"left": 2}


def test_where_nobody_translated_nothing_is_said():
    english = rows(*[(f"{ENGLISH} It saw Muhammed.", f"{ENGLISH} It saw Muhammad.")] * 3)
    assert audit({"en": english}, checks=["inconsistent_names"]) == []
    # Too little to tell the language by.
    assert audit({"x": rows(("Slovak kam", "Dort war Slowake"))}, checks=["inconsistent_names"]) == []
    assert audit({"x": rows(("", ""))}, checks=["inconsistent_names"]) == []


def test_the_papers_examples(data_dir):
    paths = {lang: data_dir / "pawsx" / lang / "dev_2k.tsv" for lang in ("de", "en", "fr", "zh")}
    if not all(path.exists() for path in paths.values()):
        pytest.skip("PAWS-X is not in the data folder")
    found = {finding.split: finding for finding in audit(paths, checks=["inconsistent_names"])}
    assert sorted(found) == ["de", "fr", "zh"]
    said = [name for names in found["de"].details["lines"].values() for name in names]
    assert ["spelling", "Slovak", "Slowake"] in said
    said = [name[1] + name[2] for names in found["zh"].details["lines"].values() for name in names]
    assert "Four Rivers Audubon Shawnee Trails" in said
