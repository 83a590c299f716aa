import pytest
from click.testing import CliRunner
from tiny_t5 import SENTENCES

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from paws_apt.schedule import Round  # noqa: E402
from paws_apt.seq2seq import Paraphraser, encode, load  # noqa: E402
from paws_apt.training.small_t5 import make_t5, sentences_of, short_paraphrases, with_copies  # noqa: E402
from paws_components.cli import cli  # noqa: E402
from paws_components.errors import PawsError  # noqa: E402
from paws_components.readers import read_pairs  # noqa: E402
from paws_components.records import PairRecord  # noqa: E402
from paws_components.writers import RecordWriter  # noqa: E402

PAIRS = [
    PairRecord(SENTENCES[0], SENTENCES[1], label=1),
    PairRecord(SENTENCES[2], SENTENCES[3], label=0),
    PairRecord(SENTENCES[3], "the dog is seen by the cat", label=1),
    PairRecord(SENTENCES[3], "the dog is seen by the cat", label=1),
    PairRecord(SENTENCES[4], "a neighbour bought his car", label=1),
    PairRecord("no one knows", "it is unknown"),
]


def init(*args):
    return CliRunner().invoke(cli, ["apt", "init", *map(str, args)], catch_exceptions=False)


@pytest.fixture
def pairs(tmp_path):
    with RecordWriter(tmp_path / "pairs.jsonl") as writer:
        for pair in PAIRS:
            writer.write(pair)
    return tmp_path / "pairs.jsonl"


def sides(records):
    return [(each.sentence1, each.sentence2) for each in records]


def test_short_paraphrases_are_taken_once():
    assert short_paraphrases(PAIRS, 0) == [PAIRS[0], PAIRS[2], PAIRS[4]]
    # The first has nine words on its second side, the last on its first.
    assert short_paraphrases(PAIRS, 9) == [PAIRS[0], PAIRS[2], PAIRS[4]]
    assert short_paraphrases(PAIRS, 8) == [PAIRS[2]]


def test_every_sentence_is_copied_once():
    found = with_copies([PAIRS[2], PAIRS[3]])
    assert found[:2] == [PAIRS[2], PAIRS[3]]
    texts = [SENTENCES[3], "the dog is seen by the cat"]
    assert sides(found[2:]) == [(text, text) for text in texts] and {each.label for each in found} == {1}
    assert sentences_of(PAIRS[2:4]) == texts


def test_the_model_and_its_tokenizer_fit(tmp_path):
    size = {"vocabulary": 60, "width": 16, "layers": 1}
    state = torch.random.get_rng_state()
    parameters = make_t5(SENTENCES, tmp_path / "one", **size, seed=3)
    assert torch.equal(state, torch.random.get_rng_state())
    model, tokenizer = load(str(tmp_path / "one"))
    assert parameters == sum(weights.numel() for weights in model.parameters())
    assert (model.config.d_model, model.config.num_layers, model.config.num_decoder_layers) == (16, 1, 1)
    assert model.config.vocab_size == len(tokenizer) <= 60
    ids = encode(tokenizer, f"paraphrase: {SENTENCES[0]}")
    assert ids[-1] == tokenizer.eos_token_id and tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == f"paraphrase: {SENTENCES[0]}"
    (texts,) = Paraphraser(str(tmp_path / "one"), max_length=40)(SENTENCES[:1], Round(1, 2, 20, 0.95))
    assert len(texts) == 2
    # Its weights go by the seed.
    make_t5(SENTENCES, tmp_path / "same", **size, seed=3)
    make_t5(SENTENCES, tmp_path / "other", **size, seed=4)
    first, same, other = (load(str(tmp_path / name)).model.shared.weight for name in ("one", "same", "other"))
    assert torch.equal(first, same) and not torch.equal(first, other)


def test_the_command_and_a_training_that_begins_with_it(pairs, tmp_path):
    held = tmp_path / "held.tsv"
    held.write_text("sentence\tparaphrase\tmi\nThe old dog sleeps near the River.\tIt sleeps.\t1\n", encoding="utf8")
    out = tmp_path / "start"
    size = ["--vocabulary", 60, "--width", 16, "--layers", 1]
    done = init(pairs, "-o", out, "--apart-from", held, *size)
    assert done.exit_code == 0, done.output
    assert "2 pairs in" in done.output and "1 were left out for a sentence of" in done.output
    chosen = list(read_pairs(out / "pairs.jsonl"))
    assert sorted(sides(chosen)) == sorted(sides([PAIRS[2], PAIRS[4]]))
    assert len(list(read_pairs(out / "base.jsonl"))) == 2 + 4
    # A model is not replaced by one that has learnt nothing unless that is asked for.
    with pytest.raises(PawsError, match="A021.*--fresh"):
        init(pairs, "-o", out, *size)
    assert init(pairs, "-o", out, *size, "--fresh", "--pairs", 1).exit_code == 0
    assert len(list(read_pairs(out / "pairs.jsonl"))) == 1
    pytest.importorskip("accelerate")
    args = ["apt", "train", str(out / "base.jsonl"), "-o", str(tmp_path / "base"), "--model", str(out), "--quiet"]
    args += ["--loss=cross-entropy", "--max-steps=30", "--learning-rate=0.02", "--log-every=10", "--save-every=30"]
    result = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert "3 pairs to learn from; left out: 0 that are not labelled 1, 0 that are too long" in result.output
    assert (tmp_path / "base" / "model.safetensors").is_file()


def test_what_is_wrong_is_said(pairs, tmp_path):
    for args, error in (
        (["--width", 18], "A022.*width.*multiple of 4"),
        (["--layers", 0], "A022.*layers"),
        (["--vocabulary", 5], "A022.*vocabulary.* or more"),
        (["--words", 2], "A034.*None of 6 pairs.*0 are paraphrases.*up to 2 words"),
        (["--apart-from", pairs], "A034.*3 are paraphrases"),
    ):
        with pytest.raises(PawsError, match=error):
            init(pairs, "-o", tmp_path / "out", *args)
        assert not (tmp_path / "out").exists()
    with pytest.raises(PawsError, match="P021.*it is a file"):
        init(pairs, "-o", pairs)
    broken = tmp_path / "broken.tsv"
    broken.write_text("sentence\tparaphrase\tmi\na b c\tc b a\t1\na b c\t\t1\n", encoding="utf8")
    done = init(broken, "-o", tmp_path / "out", "--vocabulary", 60, "--width", 4)
    assert "1 rows can't be read or lack a sentence" in done.output
