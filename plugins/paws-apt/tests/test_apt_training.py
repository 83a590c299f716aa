import json
import shutil

import pytest
from click.testing import CliRunner
from containment import Contained
from tiny_t5 import SENTENCES

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")

from paws_apt.judging import Judge  # noqa: E402
from paws_apt.reward import reward  # noqa: E402
from paws_apt.seq2seq import load  # noqa: E402
from paws_apt.training.examples import Collate, make_examples  # noqa: E402
from paws_apt.training.loss import reward_divided  # noqa: E402
from paws_apt.training.run import Plan, _trainer, train  # noqa: E402
from paws_components.cli import cli  # noqa: E402
from paws_components.errors import PawsError  # noqa: E402
from paws_components.records import PairRecord  # noqa: E402
from paws_components.writers import RecordWriter  # noqa: E402

PAIRS = [PairRecord(one, two, label=1) for one, two in zip(SENTENCES, SENTENCES[1:])]
PROMPT = "paraphrase: {sentence}"


def judge_with(similarity):
    """Everything is MI, and equally similar."""
    return Judge(lambda pairs: [Contained(1.0, 1.0, True) for _ in pairs], lambda pairs: [similarity for _ in pairs])


def by_letters(pairs):
    """A similarity that depends on what was written, so that rewards differ from batch to batch."""
    return [(len(text) % 7 - 5) / 4 for _, text in pairs]


def plan_for(tiny, **settings):
    small = {"batch_size": 2, "max_length": 12, "log_every": 1, "save_every": 3, "max_steps": 6, "learning_rate": 1e-2}
    return Plan(model=tiny, **{**small, **settings})


def test_the_loss_is_divided_by_a_reward_of_one_or_more():
    assert reward_divided(6.0, 0.0) == reward_divided(6.0, 0.999) == 6.0
    assert reward_divided(6.0, 1.0) == 6.0 and reward_divided(6.0, 3.0) == 2.0


@pytest.mark.parametrize("similarity, total", [(-0.5, 2 * reward(True, -0.5)), (0.0, None), (0.9, None)])
def test_the_loss_of_a_fixed_batch_by_hand(tiny, tmp_path, similarity, total):
    """Two rewards of 0.854 each are divided by 1.708; two of 0.25, or nothing, are not."""
    model, tokenizer = load(tiny)
    examples = make_examples(PAIRS[:2], tokenizer, PROMPT, 12)
    trainer = _trainer(model, tokenizer, examples, tmp_path, plan_for(tiny), judge_with(similarity), True, True)
    batch = Collate(0)(examples.features)
    with torch.no_grad():
        logits = model(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=batch["labels"]
        ).logits
    logs, count = 0.0, 0
    for row, labels in zip(logits.log_softmax(-1), batch["labels"]):
        for step, label in zip(row, labels.tolist()):
            if label != -100:
                logs, count = logs - step[label].item(), count + 1
    model.train()
    loss = trainer.compute_loss(model, dict(batch))
    assert loss.item() == pytest.approx(logs / count / (total or 1.0), rel=1e-5)
    assert loss.requires_grad and model.training and count == sum(len(f["labels"]) for f in examples.features)
    assert total is None or total == pytest.approx(1.7077, abs=1e-3)
    model.eval()
    assert trainer.compute_loss(model, dict(batch)).item() == pytest.approx(logs / count, rel=1e-5)


def test_the_judge_sees_the_models_own_paraphrases(tiny, tmp_path):
    seen = []

    def similarity(pairs):
        seen.append(list(pairs))
        return by_letters(pairs)

    model, tokenizer = load(tiny)
    examples = make_examples(PAIRS, tokenizer, PROMPT, 12)
    judge = Judge(judge_with(0.0).implication, similarity)
    trainer = _trainer(model, tokenizer, examples, tmp_path, plan_for(tiny), judge, True, True)
    model.train()
    trainer.compute_loss(model, Collate(0)(examples.features[1:3]))
    (pairs,) = seen
    assert [source for source, _ in pairs] == SENTENCES[1:3] and all(text not in SENTENCES for _, text in pairs)


class Killed(Exception):
    pass


def dies_after(step):
    from transformers import TrainerCallback

    class Dies(TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            if state.global_step == step:
                raise Killed

    return Dies()


def test_killed_and_resumed_is_the_same_curve(tiny, tmp_path):
    judge = Judge(judge_with(0.0).implication, by_letters)
    whole = train(PAIRS, str(tmp_path / "whole"), plan_for(tiny), judge, quiet=True)
    assert [entry["step"] for entry in whole] == [1, 2, 3, 4, 5, 6]
    assert all(entry["mi_rate"] == 1.0 and 0 <= entry["apt_rate"] <= 1 for entry in whole)
    assert len({entry["reward"] for entry in whole}) > 1 and any(entry["reward_of_batch"] >= 1 for entry in whole)
    # In the middle of the second epoch.
    folder = tmp_path / "killed"
    with pytest.raises(Killed):
        train(PAIRS, str(folder), plan_for(tiny), judge, quiet=True, callbacks=[dies_after(5)])
    assert (folder / "checkpoint-3").is_dir() and not (folder / "model.safetensors").exists()
    resumed = train(PAIRS, str(folder), plan_for(tiny), judge, quiet=True)
    assert resumed == whole == json.loads((folder / "curve.json").read_text(encoding="utf8"))
    one, two = (load(str(tmp_path / name)).model.state_dict() for name in ("whole", "killed"))
    assert all(torch.equal(one[name], two[name]) for name in one)
    with pytest.raises(PawsError, match="A020.*other settings:\n    seed: 0 then, 1 now\n"):
        train(PAIRS, str(folder), plan_for(tiny, seed=1), judge, quiet=True)
    # Other pairs, or another model in the same folder, are another run: its checkpoints know nothing of them.
    with pytest.raises(PawsError, match="A020.*other settings:\n    pairs: .*now\n"):
        train(PAIRS[1:], str(folder), plan_for(tiny), judge, quiet=True)
    model, tokenizer = load(tiny)
    with torch.no_grad():
        next(model.parameters()).add_(1.0)
    tokenizer.save_pretrained(tmp_path / "model")
    model.save_pretrained(tmp_path / "model")
    state = folder / "apt_train.json"
    begun = json.loads(state.read_text(encoding="utf8"))
    state.write_text(json.dumps({**begun, "model": str(tmp_path / "model")}), encoding="utf8")
    with pytest.raises(PawsError, match="A020.*other settings:\n    weights: .*now\n"):
        train(PAIRS, str(folder), plan_for(str(tmp_path / "model")), judge, quiet=True)
    # A run of before the two were written down goes on.
    del begun["pairs"], begun["weights"]
    state.write_text(json.dumps(begun), encoding="utf8")
    assert train(PAIRS, str(folder), plan_for(tiny), judge, quiet=True) == whole


def test_plain_cross_entropy_by_the_command(tiny, tmp_path):
    with RecordWriter(tmp_path / "pairs.jsonl") as writer:
        for pair in [*PAIRS, PairRecord("a b", "c d", label=0)]:
            writer.write(pair)
    args = ["apt", "train", str(tmp_path / "pairs.jsonl"), "-o", str(tmp_path / "out"), "--model", tiny, "--quiet"]
    args += ["--loss", "cross-entropy", "--batch-size=4", "--max-steps=30", "--learning-rate=0.02", "--max-length=12"]
    result = CliRunner().invoke(cli, [*args, "--log-every=10", "--save-every=30"], catch_exceptions=False)
    assert result.exit_code == 0 and "Step 30: loss" in result.output, result.output
    assert "4 pairs to learn from; left out: 1 that are not labelled 1, 0 that are too long" in result.output
    curve = json.loads((tmp_path / "out" / "curve.json").read_text(encoding="utf8"))
    assert curve[-1]["loss"] < curve[0]["loss"] * 0.8 and "reward" not in curve[0]
    assert load(str(tmp_path / "out")).tokenizer.pad_token == "<pad>"
    shutil.rmtree(tmp_path / "out")


def test_what_is_learnt_from(tiny):
    tokenizer = load(tiny).tokenizer
    pairs = [*PAIRS, PairRecord("a", "a", label=0), PairRecord("a", "a"), PairRecord("a " * 20, "a", label=1)]
    examples = make_examples(pairs, tokenizer, PROMPT, 12)
    assert examples.sentences == SENTENCES[:4] and (examples.not_positive, examples.too_long) == (2, 1)
    batch = Collate(0)(examples.features)
    assert batch["attention_mask"].sum(-1).tolist() == [len(each["input_ids"]) for each in examples.features]
    assert batch["labels"].ne(-100).sum(-1).tolist() == [len(each["labels"]) for each in examples.features]


def test_errors(tiny, tmp_path):
    for plan, error in (
        (plan_for(tiny, save_every=3, log_every=2), "A022.*save_every"),
        (plan_for(tiny, loss="hinge"), "A022.*loss"),
        (plan_for(tiny, log_every=0), "A022.*log_every.*over 0"),
        (plan_for(tiny, batch_size=0), "A022.*batch_size.*over 0"),
        (plan_for(tiny, prompt="x"), "A012"),
    ):
        with pytest.raises(PawsError, match=error):
            train(PAIRS, str(tmp_path / "x"), plan, None)
    with pytest.raises(PawsError, match="A030.*1 that are not labelled 1, 0 that are too long"):
        train([PairRecord("a", "b", label=0)], str(tmp_path / "y"), plan_for(tiny), None)
    (tmp_path / "y" / "apt_train.json").write_text("{", encoding="utf8")
    with pytest.raises(PawsError, match="P020.*apt_train.json"):
        train(PAIRS, str(tmp_path / "y"), plan_for(tiny), None)


def test_pairs_are_not_trained_over(tiny, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("id\tsentence1\tsentence2\tlabel\n1\ta\t\t1\n", encoding="utf8")
    args = ["apt", "train", str(pairs), "--model", tiny, "--loss", "cross-entropy", "-o"]
    with pytest.raises(PawsError, match="P150"):
        CliRunner().invoke(cli, [*args, str(pairs)], catch_exceptions=False)
    assert pairs.read_text().endswith("1\ta\t\t1\n")
    result = CliRunner().invoke(cli, [*args, str(tmp_path / "out")])
    assert "1 rows lack a sentence and are left out" in result.output and "A030" in str(result.exception)
