import gzip
import math
import pickle
import shutil
import subprocess

import pytest

from paws_components.errors import PawsError
from paws_components.lm.embedded import MODELS, embedded_lm
from paws_components.lm.ngram import KenLM, normal_form
from paws_components.lm.protocol import LanguageModel, score_sentences

# Written by hand, so that every score is known.
ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.5\t<unk>\t0
0\t<s>\t-0.3
-1.0\t</s>\t0
-0.5\ta\t-0.2
-0.7\tb\t0

\\2-grams:
-0.1\t<s> a
-0.4\ta b
-0.6\tb </s>

\\end\\
"""
LN_10 = math.log(10)


@pytest.fixture(params=["arpa", "arpa.gz", "klm"])
def model_path(request, tmp_path):
    path = tmp_path / f"model.{request.param}"
    if request.param == "arpa":
        path.write_text(ARPA, encoding="utf8")
    elif request.param == "arpa.gz":
        path.write_bytes(gzip.compress(ARPA.encode("utf8")))
    else:
        if shutil.which("build_binary") is None:
            pytest.skip("KenLM's build_binary is not on the PATH")
        (tmp_path / "model.arpa").write_text(ARPA, encoding="utf8")
        subprocess.run(["build_binary", str(tmp_path / "model.arpa"), str(path)], check=True, capture_output=True)
    return path


def test_scores_are_natural_logarithms(model_path):
    lm = KenLM(model_path)
    assert isinstance(lm, LanguageModel) and lm.order == 2
    scores = score_sentences(lm, [["a", " b"], ["b", " a"], ["x"], []])
    # a|<s> b|a </s>|b;  <s> backs off, b, then a (b has no back-off), then a's back-off and </s>; …
    expected = [-0.1 - 0.4 - 0.6, -0.3 - 0.7 - 0.5 - 0.2 - 1.0, -0.3 - 1.5 - 1.0, -0.3 - 1.0]
    assert scores == [pytest.approx(value * LN_10, abs=1e-5) for value in expected]


def test_extending_word_by_word_equals_extending_at_once(model_path):
    lm = KenLM(model_path)
    (total,), (end,) = lm.extend([lm.begin()], [["a", " b", " a"]])
    state, score = lm.begin(), 0.0
    for word in ("a", " b", " a"):
        (step,), (state,) = lm.extend([state], [[word]])
        score += step
    assert score == pytest.approx(total) and state == end


def test_a_further_sentence_starts_anew(model_path):
    lm = KenLM(model_path)
    one, other, both = score_sentences(lm, [["a", " b"], ["b", " a"], ["a", " b", "\nb", " a"]])
    assert both == pytest.approx(one + other)


def test_pickles_as_its_path_and_stays_quiet(model_path, capfd):
    lm = pickle.loads(pickle.dumps(KenLM(model_path)))
    assert score_sentences(lm, [["a"]]) == score_sentences(KenLM(model_path), [["a"]])
    assert capfd.readouterr() == ("", "")


def test_forgetting_changes_nothing(model_path, monkeypatch):
    monkeypatch.setattr("paws_components.lm.ngram.MEMORY", 2)
    lm, fresh = KenLM(model_path), KenLM(model_path)
    for _ in range(3):
        assert score_sentences(lm, [["a", " b", " c", " a"]]) == score_sentences(fresh, [["a", " b", " c", " a"]])


def test_odd_words_are_unknown_ones(model_path):
    lm = KenLM(model_path)
    unknown, *odd = score_sentences(lm, [["q"], ["\ud800"], ["😀"], [" "], ["\x00"]])
    assert odd == [pytest.approx(unknown)] * 4


def test_broken_and_missing_files(tmp_path):
    with pytest.raises(PawsError, match="P003.*no such file"):
        KenLM(tmp_path / "none.arpa")
    (tmp_path / "bad.arpa").write_text("this is no model\n", encoding="utf8")
    with pytest.raises(PawsError, match="P003.*bad.arpa"):
        KenLM(tmp_path / "bad.arpa")


def test_quotes_are_one_to_the_model():
    assert {normal_form(quote) for quote in ("``", "''", "“", "”", '"')} == {'"'}
    assert normal_form("it’s") == "it's"


def test_the_embedded_model_prefers_english():
    lm = embedded_lm("en")
    assert lm is embedded_lm("en")
    good, bad = score_sentences(lm, [["The", " city", " of", " London", "."], ["of", " The", " London", " city", "."]])
    assert good > bad + 5
    assert (MODELS / "en.klm").stat().st_size < 10_000_000
    with pytest.raises(PawsError, match="P002.*'xx'.*: en"):
        embedded_lm("xx")


def test_the_card_names_the_model_that_is_there():
    import hashlib

    digest = hashlib.sha256((MODELS / "en.klm").read_bytes()).hexdigest()
    assert digest in (MODELS / "en.md").read_text(encoding="utf8")
