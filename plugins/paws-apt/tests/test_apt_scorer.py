import json

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")

from paws_apt.attempts import Attempt  # noqa: E402
from paws_apt.judging import make_judge  # noqa: E402
from paws_apt.training.scorer import Scored, choose_scored, measure_agreement, teach_scorer  # noqa: E402
from paws_components.cli import cli  # noqa: E402
from paws_components.errors import PawsError  # noqa: E402

NOUNS = ["dog", "cat", "cow", "hen", "pig", "fox", "owl", "bee", "ant", "elk", "ape", "bat", "cod", "eel", "emu", "gnu"]
# Whether the second sentence is the first: the recorded similarity says nothing else.
ATTEMPTS = [
    attempt
    for noun in NOUNS
    for attempt in (
        Attempt(f"the {noun} sleeps here", f"the {noun} sleeps here", True, 1.0),
        Attempt(f"the {noun} sleeps here", "nobody is awake", True, -1.0),
    )
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A tiny BERT with a vocabulary of whole words."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("encoder")
    words = sorted({word for each in ATTEMPTS for word in f"{each.source} {each.text}".split()})
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]) + "\n")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    size = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=5 + len(words), max_position_embeddings=64, initializer_range=0.2, **size)
    BertModel(config).save_pretrained(folder)
    return str(folder)


def scorer(*args):
    return CliRunner().invoke(cli, ["apt", "scorer", *map(str, args)], catch_exceptions=False)


def write(path, attempts):
    lines = [f"{each.source}\t{each.text}\t{each.similarity}\t{each.mi:d}\n" for each in attempts]
    path.write_text("".join(lines), encoding="utf8")
    return path


def test_what_is_learnt_from_and_what_is_tested_on():
    # "nobody is awake" would tie all together.
    apart = [each._replace(text=f"{each.text} {i // 2}") for i, each in enumerate(ATTEMPTS)]
    unknown = Attempt("the yak sleeps here", "a yak", True)
    long = Attempt("the very old yak always sleeps here", "a yak", True, 0.3)
    train, test = choose_scored([*apart, unknown, long], rows=10, test=6, words=5, seed=1)
    assert len(train) == 10 and len(test) == 6
    assert not {pair.sentence1 for pair in train} & {pair.sentence1 for pair in test}
    assert "yak" not in " ".join(pair.sentence1 for pair in [*train, *test])
    assert choose_scored([*apart, unknown, long], rows=10, test=6, words=5, seed=1) == (train, test)
    assert choose_scored([*apart, unknown, long], rows=10, test=6, words=5, seed=2) != (train, test)
    assert len(choose_scored([*apart, unknown, long], test=6)[0]) == len(apart) + 1 - 6
    for test_size in (0, 1000):
        with pytest.raises(PawsError, match="A031.*32 attempts with a similarity"):
            choose_scored(apart, test=test_size)


def test_it_learns_what_was_recorded(encoder, tmp_path):
    scored = [Scored(each.source, each.text, each.similarity) for each in ATTEMPTS]
    learn = {"encoder": encoder, "batch_size": 4, "learning_rate": 5e-3}
    teach_scorer(scored * 8, str(tmp_path / "one"), **learn)
    agreement = measure_agreement(str(tmp_path / "one"), scored)
    assert agreement.tested_on == len(scored)
    assert agreement.error < 0.3 and agreement.correlation > 0.9 and agreement.same_side > 0.95
    assert "correlation" in str(agreement)
    # It is what the metric `bleurt` takes, with the paper's threshold.
    judge = make_judge(similarity_settings={"model": str(tmp_path / "one")}, nli={"model": "none"})
    alike, unlike = judge.similarity([("the dog sleeps here", "the dog sleeps here"), ("the dog", "nobody is awake")])
    assert alike > 0.5 > unlike and judge.threshold == 0.5
    # The same seed gives the same model.
    for name in ("first", "again"):
        teach_scorer(scored[:8], str(tmp_path / name), **learn, seed=5)
    first, again = (measure_agreement(str(tmp_path / name), scored) for name in ("first", "again"))
    assert first == again and first.error > agreement.error


def test_where_nothing_varies_there_is_no_correlation(encoder, tmp_path):
    same = [Scored("the dog", "the dog", 0.2)] * 3
    teach_scorer(same, str(tmp_path / "x"), encoder=encoder)
    assert measure_agreement(str(tmp_path / "x"), same).correlation == 0.0


def test_the_command(encoder, tmp_path):
    apart = [each._replace(text=f"{each.text} {i // 2}") for i, each in enumerate(ATTEMPTS)]
    one, two = write(tmp_path / "one.tsv", apart[:16]), write(tmp_path / "two.tsv", apart[16:])
    out = tmp_path / "out"
    args = ["-o", out, "--encoder", encoder, "--rows", 20, "--test", 4, "--batch-size", 4]
    done = scorer(one, two, *args)
    assert done.exit_code == 0 and "20 attempts to learn from" in done.output, done.output
    figures = json.loads((out / "agreement.json").read_text(encoding="utf8"))
    assert figures["learnt_from"] == 20 and figures["tested_on"] == 4 and figures["error"] > 0
    assert f"mean error {figures['error']:.3f}" in done.output
    with pytest.raises(PawsError, match="A021"):
        scorer(one, two, *args)
    assert scorer(one, two, *args, "--fresh").exit_code == 0
    assert json.loads((out / "agreement.json").read_text(encoding="utf8")) == figures
    with pytest.raises(PawsError, match="A031"):
        scorer(one, "-o", tmp_path / "x", "--encoder", encoder, "--test", 1000)
    with pytest.raises(PawsError, match="encoder.*nowhere"):
        scorer(one, two, "-o", tmp_path / "x", "--encoder", "nowhere", "--test", 4)
    assert not (tmp_path / "x").exists()
