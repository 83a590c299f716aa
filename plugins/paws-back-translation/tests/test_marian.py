import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paws_components.errors import Fatal, PawsError
from paws_components.generation.protocol import Translator

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")

from tiny import ENGLISH, GERMAN

from paws_back_translation.translators.marian import Marian

# None of these was learnt: the beams are close to each other.
STRANGE = [
    "The cat sleeps near the river.",
    "He laughs!",
    "Two men.",
    "A dog reads the old car to his hat and the street.",
]


def texts_of(found):
    return [[translation.text for translation in entry] for entry in found]


def test_each_direction_has_its_model(opus):
    translator = Marian(model=opus)
    assert isinstance(translator, Translator)
    assert [entry[0] for entry in texts_of(translator.translate(ENGLISH, "en", "de", 1))] == GERMAN
    assert [entry[0] for entry in texts_of(translator.translate(GERMAN, "de", "en", 3))] == ENGLISH
    assert len(translator._loaded) == 2


def test_k_translations_best_first_in_the_order_of_the_texts(opus):
    asked = [*STRANGE, "", " \n", ENGLISH[0], STRANGE[0]]
    found = Marian(model=opus, batch_size=3).translate(asked, "en", "de", 5)
    assert found[4] == found[5] == []
    assert found[0] == found[-1]
    assert found[6][0].text == GERMAN[0]
    for entry in found[:4]:
        assert 2 <= len(entry) <= 5
        assert len(set(texts_of([entry])[0])) == len(entry)
        scores = [translation.score for translation in entry]
        assert scores == sorted(scores, reverse=True) and scores[0] < 0


def test_batches_change_nothing(opus):
    asked = [*STRANGE, *ENGLISH]
    one = Marian(model=opus, batch_size=1).translate(asked, "en", "de", 4)
    for size in (2, 8):
        many = Marian(model=opus, batch_size=size).translate(asked, "en", "de", 4)
        assert texts_of(many) == texts_of(one)
        for left, right in zip(one, many):
            assert [t.score for t in left] == pytest.approx([t.score for t in right], abs=1e-5)
    again = Marian(model=opus, batch_size=8).translate(asked, "en", "de", 4)
    assert again == many


@pytest.mark.parametrize("model", ["opus", "m2m100"])
@pytest.mark.parametrize("beams", [1, 4])
def test_scores_are_those_of_transformers(request, model, beams):
    """With `output_scores` it keeps whole vocabularies and reports them: the very same numbers."""
    import torch

    from paws_back_translation.translators.beams import Beams

    translator = Marian(model=str(request.getfixturevalue(model)))
    vocabulary, network, _ = translator._load("en", "de")
    batch = vocabulary.tokenizer(STRANGE, padding=True, return_tensors="pt")
    watch = Beams([60] * len(STRANGE), beams, [network.generation_config.eos_token_id], "cpu")
    options = {"early_stopping": True} if beams > 1 else {}
    if model == "m2m100":
        options["forced_bos_token_id"] = vocabulary.tokenizer.get_lang_id("de")
    with torch.inference_mode():
        output = network.generate(
            **batch,
            num_beams=beams,
            num_return_sequences=beams,
            max_new_tokens=60,
            logits_processor=[watch],
            return_dict_in_generate=True,
            output_scores=True,
            **options,
        )
    found = watch.scores(output.sequences, 1.0)
    if beams > 1:
        assert found == pytest.approx(output.sequences_scores.tolist(), abs=1e-6)
    else:
        steps = network.compute_transition_scores(output.sequences, output.scores, normalize_logits=True)
        ended = torch.isin(output.sequences[:, 1:], watch.ends).int().argmax(-1)
        expected = [row[: end + 1].sum().item() / (end.item() + 1) for row, end in zip(steps, ended)]
        assert found == pytest.approx(expected, abs=1e-6)


def test_translations_are_cut_at_their_own_limit(opus):
    """The limit of a short sentence does not depend on the long one beside it."""
    alone = Marian(model=opus, max_length=4).translate(["The cat!"], "en", "de", 2)
    beside = Marian(model=opus, max_length=4).translate(["The cat!", ENGLISH[1]], "en", "de", 2)
    assert texts_of(alone)[0] == texts_of(beside)[0]
    tokenizer = Marian(model=opus)._load("en", "de").vocabulary.tokenizer
    assert all(len(tokenizer(text_target=text)["input_ids"]) <= 4 + 1 for text in texts_of(beside)[1])
    short = Marian(model=opus, length_ratio=0.1).translate([ENGLISH[1]], "en", "de", 1)
    assert len(short[0][0].text) < len(GERMAN[1])


@pytest.mark.parametrize("model", ["m2m100", "nllb"])
def test_one_model_for_all_directions(request, model):
    translator = Marian(model=str(request.getfixturevalue(model)), batch_size=2)
    assert [entry[0] for entry in texts_of(translator.translate(ENGLISH, "en", "de", 2))] == GERMAN
    assert [entry[0] for entry in texts_of(translator.translate(GERMAN, "de", "en", 2))] == ENGLISH
    assert len(translator._loaded) == 1


def test_one_model_for_several_targets(several):
    translator = Marian(model=str(several))
    assert [entry[0] for entry in texts_of(translator.translate(ENGLISH, "en", "de", 2))] == GERMAN
    assert [entry[0] for entry in texts_of(translator.translate(ENGLISH, "en", "nl", 2))] == ENGLISH
    german = Marian(model=str(several), codes={"xx": "deu"}).translate(ENGLISH[:1], "en", "xx", 1)
    assert german[0][0].text == GERMAN[0]


@pytest.mark.parametrize("model, code", [("m2m100", "tlh"), ("nllb", "tlh"), ("several", "fr")])
def test_an_unknown_language_is_named_with_those_there_are(request, model, code):
    translator = Marian(model=str(request.getfixturevalue(model)))
    with pytest.raises(Fatal, match=rf"\[B003\].*{code!r}.*It knows a|\[B003\].*{code!r}.*deu, nld"):
        translator.translate(["The cat!"], "en", code, 2)


def test_a_missing_model_is_one_clear_error(tmp_path):
    with pytest.raises(Fatal, match=r"\[B002\].*Helsinki-NLP/opus-mt-en-de.*HF_HUB_OFFLINE is set.*hf download"):
        Marian().translate(["The cat!"], "en", "de", 2)
    with pytest.raises(Fatal, match=r"\[B002\].*en-de"):
        Marian(model=str(tmp_path / "{source}-{target}")).translate(["The cat!"], "en", "de", 2)


def test_weights_that_are_no_safetensors_are_refused(opus, tmp_path):
    import torch

    folder = tmp_path / "en-de"
    shutil.copytree(Path(opus).parent / "en-de", folder)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(Fatal, match=r"\[B009\]"):
        Marian(model=str(tmp_path / "{source}-{target}")).translate(["The cat!"], "en", "de", 2)


def test_a_model_that_does_not_translate(tmp_path):
    from transformers import GPT2Config

    GPT2Config().save_pretrained(tmp_path)
    with pytest.raises(Fatal, match=r"\[B004\].*gpt2"):
        Marian(model=str(tmp_path)).translate(["The cat!"], "en", "de", 2)


def test_one_direction_is_not_all(opus):
    with pytest.raises(Fatal, match=r"\[B005\]"):
        Marian(model=opus.format(source="en", target="de")).translate(["The cat!"], "en", "de", 2)


def test_a_sentence_that_is_too_long_is_named(opus):
    translator = Marian(model=opus)
    with pytest.raises(PawsError, match=r"\[B006\].*takes 64.*The dog sleeps The dog") as caught:
        translator.translate(["The cat!", "The dog sleeps " * 40], "en", "de", 2)
    assert not isinstance(caught.value, Fatal)
    # As long as can be, and the translation has no more room than that.
    found = translator.translate(["t" * 50], "en", "de", 2)
    assert found[0]


def test_settings_that_make_no_sense(opus):
    with pytest.raises(PawsError, match=r"\[B007\].*batch_size"):
        Marian(batch_size=0)
    with pytest.raises(PawsError, match=r"\[B007\].*length_ratio"):
        Marian(length_ratio=0)
    with pytest.raises(PawsError, match=r"\[B007\].*\{from\}"):
        Marian(model="models/{from}-{to}")
    with pytest.raises(PawsError, match=r"\[B008\].*'cpu'"):
        Marian(device="cpu", half=True)
    with pytest.raises(Fatal, match=r"\[B010\].*'nonsense'"):
        Marian(model=opus, device="nonsense").translate(["The cat!"], "en", "de", 2)


def test_it_pickles_without_its_models(opus):
    translator = Marian(model=opus)
    found = translator.translate(ENGLISH[:2], "en", "de", 2)
    copy = pickle.loads(pickle.dumps(translator))
    assert not copy._loaded
    assert copy.translate(ENGLISH[:2], "en", "de", 2) == found


def test_importing_the_package_imports_no_torch():
    # thinc imports torch by itself wherever it is installed, so what we load is told by forbidding it.
    code = (
        "import sys; sys.modules.update(dict.fromkeys('torch transformers ctranslate2 sentencepiece'.split()))\n"
        "import paws_back_translation as package\n"
        "package.paws_register_translators(lambda name, maker, **options: maker.__init__)\n"
        "package.paws_register_generators(lambda name, maker, **options: maker.__init__)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
