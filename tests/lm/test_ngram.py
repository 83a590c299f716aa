import gzip
import math
import pickle
import shutil
import struct
import subprocess
import sys
from pathlib import Path

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
    (tmp_path / "bad.arpa").write_text("this is not a model\n", encoding="utf8")
    with pytest.raises(PawsError, match="P003.*bad.arpa"):
        KenLM(tmp_path / "bad.arpa")


# Small models of every kind that KenLM's build_binary makes: with and without the words, with and without <unk>.
BINARIES = sorted((Path(__file__).parent / "binaries").glob("*.klm"))
ORDER, MULTIPLIER, KIND, HAS_WORDS, COUNTS = 88, 92, 96, 100, 108


@pytest.fixture(params=BINARIES, ids=lambda path: path.stem)
def binary(request):
    return request.param


def test_binaries_of_every_kind_load(binary):
    lm = KenLM(binary)
    assert lm.order == {"array_trie": 4, "bigrams": 2, "quant_array_trie": 5}.get(binary.stem, 3)
    assert all(score < 0 for score in score_sentences(lm, [["a", " b"], ["w1", " zz"]]))


def test_a_binary_that_was_cut_off_is_refused(binary, tmp_path):
    data = binary.read_bytes()
    for length in (52, 60, 88, 95, 110, 140, len(data) // 2, len(data) - 9, len(data) - 1):
        (tmp_path / "cut.klm").write_bytes(data[:length])
        with pytest.raises(PawsError, match="P003.*cut.klm.*(cut off|damaged)"):
            KenLM(tmp_path / "cut.klm")


@pytest.mark.parametrize(
    "place, value, reason",
    [
        (ORDER, b"\0", "the order is 0"),
        (ORDER, b"\1", "the order is 1"),
        (ORDER, b"\xff", "(cut off|counts)"),
        (MULTIPLIER, struct.pack("=f", math.nan), "multiplier is nan"),
        (MULTIPLIER, struct.pack("=f", math.inf), "multiplier is inf"),
        (MULTIPLIER, struct.pack("=f", 0.5), "multiplier is 0.5"),
        (KIND, struct.pack("=I", 6), "6 is not a kind of model"),
        (HAS_WORDS, b"\2", "header is damaged"),
        (COUNTS, struct.pack("=Q", 0), "counts 0,"),
        (COUNTS, struct.pack("=Q", 2**63), "header is damaged: it counts 9,223"),
        (COUNTS + 8, struct.pack("=Q", 2**64 - 1), "header is damaged: it counts"),
        (COUNTS + 8, struct.pack("=Q", 1), "damaged"),
    ],
)
def test_a_damaged_header_is_refused(binary, tmp_path, place, value, reason):
    data = bytearray(binary.read_bytes())
    data[place : place + len(value)] = value
    (tmp_path / "bad.klm").write_bytes(data)
    with pytest.raises(PawsError, match=f"P003.*{reason}"):
        KenLM(tmp_path / "bad.klm")


# Each model with its header damaged at random and with its end cut off at random: it is refused or it scores.
DAMAGE = """
import random, sys
from pathlib import Path
from paws_components.errors import PawsError
from paws_components.lm.ngram import KenLM
from paws_components.lm.protocol import score_sentences

seed, folder, *paths = sys.argv[1:]
rng = random.Random(int(seed))
target = Path(folder) / "damaged.klm"
for path in paths:
    whole = Path(path).read_bytes()
    header = 108 + 8 * whole[88] + 16
    for turn in range(60):
        data = bytearray(whole)
        if turn % 3 == 0:
            del data[rng.randrange(len(data)) :]
        elif turn % 3 == 1:
            data[rng.randrange(56, header)] ^= 1 << rng.randrange(8)
        else:
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(header)] = rng.randrange(256)
        target.write_bytes(data)
        print(path, turn, flush=True)
        try:
            score_sentences(KenLM(target), [["a", " b", " c"], ["w1", " w2", " zz", " w3"]])
        except PawsError as error:
            assert "[P003]" in str(error), error
"""


@pytest.mark.parametrize("seed", range(5))
def test_no_damage_to_the_header_ends_the_process(seed, tmp_path):
    """By a signal, that is: a process of its own tells."""
    command = [sys.executable, "-c", DAMAGE, str(seed), str(tmp_path), *map(str, BINARIES)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout.splitlines()[-1:], done.stderr)


def test_what_is_no_model_at_all(tmp_path):
    (tmp_path / "noise.klm").write_bytes(bytes(range(128, 256)) * 4)
    with pytest.raises(PawsError, match="P003.*noise.klm.*neither text nor a binary"):
        KenLM(tmp_path / "noise.klm")


def test_damage_within_the_embedded_model_shows(tmp_path, monkeypatch):
    """No check of a header finds it, so its card keeps a checksum."""
    data = bytearray((MODELS / "en.klm").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "en.klm").write_bytes(data)
    shutil.copy(MODELS / "en.md", tmp_path)
    monkeypatch.setattr("paws_components.lm.embedded.MODELS", tmp_path)
    with pytest.raises(PawsError, match="P003.*en.klm.*checksum.*pip install --force-reinstall paws-components"):
        embedded_lm("en")


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
