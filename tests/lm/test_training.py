import shutil

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.lm.ngram import KenLM
from paws_components.lm.protocol import score_sentences
from paws_components.lm.training import NgramSettings, TokeniseJob, find_tool, train_ngram

needs_kenlm = pytest.mark.skipif(shutil.which("lmplz") is None, reason="KenLM's lmplz is not on the PATH")

TEXT = ["The old man saw a young dog. It barked!", "A young man didn't see the old dog.", "Dogs bark “loudly”."] * 5


def test_tokenises_as_spacy_does_and_splits_sentences():
    lines = TokeniseJob().start()(["It's late. She didn't “go”.", "", "  "])
    assert lines == ["It 's late .", 'She did n\'t " go " .']
    assert TokeniseJob(sentences=False).start()(["A b. C d."]) == ["A b. C d."]


@needs_kenlm
@pytest.mark.parametrize("ending", [".klm", ".arpa", ".arpa.gz"])
def test_a_trained_model_knows_its_text(tmp_path, ending):
    path = str(tmp_path / f"m{ending}")
    said = []
    train_ngram(TEXT, path, TokeniseJob(), NgramSettings(prune=(0, 0, 0)), say=said.append)
    lm = KenLM(path)
    seen, unseen = score_sentences(lm, [["The", " old", " man"], ["man", " old", " The"]])
    assert lm.order == 3 and seen > unseen
    assert "different" in said[0] and path in said[-1]


@needs_kenlm
def test_vocabulary_and_processes(tmp_path):
    settings = NgramSettings(prune=(0, 0, 0), vocab_size=5)
    one, two = str(tmp_path / "1.arpa"), str(tmp_path / "2.arpa")
    train_ngram(TEXT * 60, one, TokeniseJob(), settings, say=lambda text: None)
    train_ngram(TEXT * 60, two, TokeniseJob(), settings, n_process=2, say=lambda text: None)
    assert open(one).read() == open(two).read()
    assert "." in KenLM(one) and "loudly" not in KenLM(one)


@needs_kenlm
def test_the_command_and_its_errors(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(TEXT), encoding="utf8")
    model = tmp_path / "m.klm"
    result = CliRunner().invoke(cli, ["lm", "train", str(text), "-o", str(model), "--prune", "0 0 0", "--quiet"])
    assert result.exit_code == 0, result.output
    assert model.is_file()
    empty = tmp_path / "empty.txt"
    empty.write_text("\n \n", encoding="utf8")
    with pytest.raises(PawsError, match="P019"):
        train_ngram([], str(tmp_path / "x.arpa"), TokeniseJob(), NgramSettings())
    with pytest.raises(PawsError, match="P005.*lmplz.*"):
        train_ngram(TEXT, str(tmp_path / "x.arpa"), TokeniseJob(), NgramSettings(prune=(5, 3, 1)))


def test_missing_tools_are_told_how_to_get(tmp_path):
    with pytest.raises(PawsError, match=r"P004.*lmplz(.|\n)*cmake --build"):
        find_tool("lmplz", str(tmp_path))
    with pytest.raises(PawsError, match="P011.*klm"):
        train_ngram(TEXT, str(tmp_path / "m.txt"), TokeniseJob(), NgramSettings())
