from pathlib import Path

import pytest

from paws_components.errors import Fatal, PawsError
from paws_components.generation.protocol import Translator

pytest.importorskip("ctranslate2")
pytest.importorskip("transformers")
pytest.importorskip("torch")

from tiny import ENGLISH, GERMAN

from paws_back_translation.translators.ctranslate2 import CTranslate2
from paws_back_translation.translators.marian import Marian

STRANGE = [
    "The cat sleeps near the river.",
    "He laughs!",
    "Two men.",
    "A dog reads the old car to his hat and the street.",
]


def test_the_beams_are_those_of_the_model_it_was_converted_from(opus, converted):
    asked = [*STRANGE, *ENGLISH]
    # So that both searches end by the same rule.
    expected = Marian(model=opus, early_stopping=True).translate(asked, "en", "de", 4)
    translator = CTranslate2(model=converted, max_tokens=64, patience=1.0)
    assert isinstance(translator, Translator)
    found = translator.translate(asked, "en", "de", 4)
    assert [[t.text for t in entry] for entry in found] == [[t.text for t in entry] for entry in expected]
    for left, right in zip(found, expected):
        assert [t.score for t in left] == pytest.approx([t.score for t in right], abs=1e-5)


def test_a_patient_search_finds_no_worse(converted):
    asked = [*STRANGE, *ENGLISH]
    hasty = CTranslate2(model=converted, max_tokens=64, patience=1.0).translate(asked, "en", "de", 2)
    patient = CTranslate2(model=converted, max_tokens=64).translate(asked, "en", "de", 2)
    assert all(after[0].score >= before[0].score - 1e-5 for before, after in zip(hasty, patient))


def test_both_directions_order_duplicates_and_empty_texts(converted):
    translator = CTranslate2(model=converted, max_tokens=64, inter_threads=2, intra_threads=1)
    asked = [*ENGLISH, "", ENGLISH[0]]
    found = translator.translate(asked, "en", "de", 1)
    assert [entry[0].text for entry in found if entry] == [*GERMAN, GERMAN[0]]
    assert found[-2] == []
    assert [entry[0].text for entry in translator.translate(GERMAN, "de", "en", 3)] == ENGLISH
    assert translator.translate(["", " "], "en", "de", 3) == [[], []]


def test_batches_change_nothing(converted):
    asked = [*STRANGE, *ENGLISH]
    one = CTranslate2(model=converted, max_tokens=64, batch_size=1).translate(asked, "en", "de", 3)
    many = CTranslate2(model=converted, max_tokens=64, batch_size=8).translate(asked, "en", "de", 3)
    assert [[t.text for t in entry] for entry in one] == [[t.text for t in entry] for entry in many]


def test_one_model_for_all_directions(nllb, tmp_path):
    from ctranslate2.converters import TransformersConverter

    TransformersConverter(str(nllb)).convert(str(tmp_path / "model"))
    translator = CTranslate2(model=str(tmp_path / "model"), tokenizer=str(nllb), max_tokens=64)
    assert [entry[0].text for entry in translator.translate(ENGLISH, "en", "de", 2)] == GERMAN
    assert [entry[0].text for entry in translator.translate(GERMAN, "de", "en", 2)] == ENGLISH
    assert len(translator._loaded) == 1
    with pytest.raises(Fatal, match=r"\[B003\].*'tlh'"):
        translator.translate(ENGLISH, "en", "tlh", 2)


def test_a_missing_model_says_how_to_convert_one(opus, tmp_path):
    with pytest.raises(Fatal, match=r"(?s)\[B021\].*no such folder.*ct2-transformers-converter --model .*en-de"):
        CTranslate2(model=str(tmp_path / "{source}-{target}")).translate(["The cat!"], "en", "de", 2)
    # One that was never converted.
    with pytest.raises(Fatal, match=r"(?s)\[B021\].*no model.bin"):
        CTranslate2(model=opus).translate(["The cat!"], "en", "de", 2)


def test_a_missing_tokenizer_says_what_to_copy(opus, tmp_path):
    from ctranslate2.converters import TransformersConverter

    folder = tmp_path / "en-de"
    TransformersConverter(str(Path(opus).parent / "en-de")).convert(str(folder))
    with pytest.raises(Fatal, match=r"\[B022\].*--copy_files"):
        CTranslate2(model=str(tmp_path / "{source}-{target}")).translate(["The cat!"], "en", "de", 2)
    found = CTranslate2(model=str(tmp_path / "{source}-{target}"), tokenizer=opus).translate(ENGLISH[:1], "en", "de", 1)
    assert found[0][0].text == GERMAN[0]


def test_a_broken_model_and_settings_that_make_no_sense(converted, tmp_path):
    (tmp_path / "model.bin").write_bytes(b"nothing")
    with pytest.raises(Fatal, match=r"\[B023\]"):
        CTranslate2(model=str(tmp_path)).translate(["The cat!"], "en", "de", 2)
    with pytest.raises(Fatal, match=r"\[B023\].*nonsense"):
        CTranslate2(model=converted, compute_type="nonsense").translate(["The cat!"], "en", "de", 2)
    with pytest.raises(Fatal, match=r"\[B005\]"):
        one = converted.format(source="en", target="de")
        CTranslate2(model=one).translate(["The cat!"], "en", "de", 2)
    with pytest.raises(PawsError, match=r"\[B007\].*inter_threads"):
        CTranslate2(model=converted, inter_threads=0)


def test_a_sentence_that_is_too_long_is_named(converted):
    with pytest.raises(PawsError, match=r"\[B006\].*The dog sleeps The dog") as caught:
        CTranslate2(model=converted, max_tokens=64).translate(["The dog sleeps " * 40], "en", "de", 2)
    assert not isinstance(caught.value, Fatal)


def test_a_failure_in_the_middle_says_what_to_change(converted):
    """The model has 64 positions, and nobody told."""
    translator = CTranslate2(model=converted)
    with pytest.raises(PawsError, match=r"\[B024\].*positions.*`max_tokens`") as caught:
        translator.translate(["The dog sleeps " * 40], "en", "de", 2)
    assert not isinstance(caught.value, Fatal)
    assert translator.translate(ENGLISH[:1], "en", "de", 1)[0][0].text == GERMAN[0]
