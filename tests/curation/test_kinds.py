import pytest
import spacy
from spacy.tokens import Doc

from paws_components.curation.kinds import find_kinds, kind_of_tag, kinds_of_docs, recorded_kinds
from paws_components.curation.sheet import kind_counts, part_counts, show_sheet
from paws_components.records import PairRecord

VOCAB = spacy.blank("en").vocab


def doc(text):
    """A Doc from word/TAG or word/TAG/ENTITY."""
    cells = [(cell.split("/") + ["", ""])[:3] for cell in text.split()]
    ents = [f"B-{ent}" if ent else "O" for _, _, ent in cells]
    return Doc(VOCAB, words=[cell[0] for cell in cells], tags=[cell[1] for cell in cells], ents=ents)


# The four rows of Table 2, in sentences of our own.
TABLE2 = [
    ("A/DT sad/JJ man/NN saw/VBD happy/JJ dogs/NNS", "A/DT happy/JJ man/NN saw/VBD sad/JJ dogs/NNS", ["adjective"]),
    ("Ann/NNP/PERSON saw/VBD Bob/NNP/PERSON", "Bob/NNP/PERSON saw/VBD Ann/NNP/PERSON", ["named entity"]),
    ("They/PRP met/VBD in/IN 1953/CD/DATE", "In/IN 1953/CD/DATE they/PRP met/VBD", ["temporal phrase"]),
    ("They/PRP formed/VBD a/DT band/NN", "They/PRP founded/VBD a/DT band/NN", ["word replacement"]),
]


@pytest.mark.parametrize("first, second, kinds", TABLE2)
def test_the_kinds_of_table_2(first, second, kinds):
    assert kinds_of_docs(doc(first), doc(second)) == kinds


def test_several_kinds_and_none():
    both = kinds_of_docs(doc("Old/JJ men/NNS met/VBD new/JJ ones/NNS"), doc("New/JJ men/NNS saw/VBD old/JJ ones/NNS"))
    assert both == ["adjective", "word replacement"]
    assert kinds_of_docs(doc("It/PRP rained/VBD"), doc("it/PRP rained/VBD")) == ["punctuation or case"]
    assert [kind_of_tag(tag) for tag in ("JJ", "JJR", "NAME", "GPE", "DATE", "NN", "VBZ", "IN", "")] == [
        "adjective",
        "adjective",
        "named entity",
        "named entity",
        "temporal phrase",
        "noun",
        "verb",
        "other words",
        "other words",
    ]


def test_swaps_tell_their_kind_themselves(en_nlp):
    moved = [{"tag": "JJ"}, {"tag": "JJ"}]
    swap = PairRecord("a", "b", evidence={"moved": moved})
    fixed = PairRecord("a", "c", evidence={"correction": {"action": "fix", "moved": [{"tag": "NAME"}]}})
    bare = PairRecord("The team toured in Australia in 1953.", "In 1953 the team toured in Australia.")
    assert recorded_kinds(swap) == ["adjective"] and recorded_kinds(fixed) == ["named entity"]
    assert recorded_kinds(bare) is None
    assert [kinds for _, kinds in find_kinds([swap, bare, fixed], None)] == [["adjective"], ["named entity"]]
    found = list(find_kinds([swap, bare, fixed], en_nlp))
    assert [record for record, _ in found] == [swap, bare, fixed] and found[1][1] == ["temporal phrase"]
    counts = kind_counts(found)
    assert counts["adjective"] == {"pairs": 1, "example": ["a", "b"]} and len(counts) == 3


def test_the_layout_of_the_papers_tables():
    """The paper's own figures (Tables 3 and 5), so that it can be seen that the layout is theirs."""
    wiki = {"raw": 50000, "accepted": 39903, "fixed": 7387, "rejected": 2710}
    wiki.update(
        labelled=47290, paraphrase=5725, non_paraphrase=41565, agreement=0.947, kept=43647, kept_agreement=0.975
    )
    sizes = {"train": (49401, 21829), "dev": (8000, 3539), "test": (8000, 3536)}
    parts = {name: {"pairs": n, "paraphrases": yes, "tokens": 10} for name, (n, yes) in sizes.items()}
    aside = {"pairs": 30397, "paraphrases": 2918, "tokens": 5}
    shown = show_sheet({"name": "Wikipedia", "swaps": wiki, "splits": parts, "auxiliary": aside})
    for line in (
        "| # Raw pairs | 50,000 |",
        "| # Accepted pairs | 39,903 |",
        "| non-paraphrase | 41,565 |",
        "| Human agreement | 94.7 % |",
        "| Human agreement | 97.5 % |",
        "|  | Train | Dev | Test | Yes % | Tokens |",
        "| Wikipedia | 49,401 | 8,000 | 8,000 | 44.2 % | 30 |",
        "| Wikipedia-Swap | 30,397 | – | – | 9.6 % | 5 |",
    ):
        assert line in shown.splitlines(), line
    assert shown.index("94.7 %") < shown.index("post-filtering") < shown.index("97.5 %")
    assert "# Raw pairs" in show_sheet({"name": "x", "swaps": wiki, "splits": parts}, markdown=False)


def test_tokens_of_both_sides_are_counted():
    pairs = [PairRecord("It isn't so.", "So it is.", label=1), PairRecord("x", "x", label=0)]
    assert part_counts(pairs) == {"pairs": 2, "paraphrases": 1, "tokens": 5 + 4 + 2, "identical": 1}
