"""Every kind of model says the same with a cache, cold and warm, as without; and what tells one model from another."""

import os
import shutil
from types import SimpleNamespace

import pytest
import spacy

from paws_components.engine.cache import current_cache, use_cache
from paws_components.ml import kept

from ..nli.models import PAIRS, TEXTS, make_pipeline, make_transformer
from .encoders import make_tiny_causal, make_tiny_classifier

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.fixture(autouse=True)
def no_cache():
    yield
    use_cache(None)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {
        "nli": make_transformer(folder / "nli"),
        "pipeline": make_pipeline(folder / "pipeline"),
        "bleurt": make_tiny_classifier(folder / "bleurt", TEXTS, ["LABEL_0"]),
        "target": make_tiny_classifier(folder / "target", TEXTS, ["not_paraphrase", "paraphrase"]),
        "causal": str(make_tiny_causal(folder / "causal", TEXTS)),
    }


def nli(folders):
    from paws_components.nli.making import make_entailment

    return make_entailment(folders["nli"], batch_size=3)(PAIRS)


def pipeline(folders):
    from paws_components.nli.making import make_entailment

    return make_entailment(folders["pipeline"])(PAIRS)


def bleurt(folders):
    from paws_components.metrics.bleurt import Bleurt

    return Bleurt(folders["bleurt"], symmetric=True)(PAIRS)


def target(folders):
    from paws_components.evaluation.targets import load_target

    found = load_target(folders["target"])
    return [list(cats.items()) for cats in found.cats(PAIRS)]


def pipeline_target(folders):
    from paws_components.evaluation.targets import load_target

    from ..evaluation.test_targets import cut

    found = load_target(folders["pipeline"], positive_label="entailment")
    return found([(cut(one), cut(two)) for one, two in PAIRS if one and two])


def causal(folders):
    from paws_components.lm.causal import make_causal_lm
    from paws_components.lm.protocol import score_sentences

    lm = make_causal_lm(folders["causal"], batch_size=2)
    return score_sentences(lm, [[" " + word for word in text.split()] for text in TEXTS if text])


def neural(folders):
    from paws_components.generation.neural import make_neural_judge

    from ..generation.test_neural import QUESTIONS

    judge = make_neural_judge(folders["causal"], dtype="float32", first=None)
    return judge(QUESTIONS)


KINDS = [nli, pipeline, bleurt, target, pipeline_target, causal, neural]


@pytest.mark.parametrize("ask", KINDS, ids=lambda ask: ask.__name__)
def test_all_kinds_say_the_same_with_a_cache(folders, tmp_path, ask):
    plain = ask(folders)
    assert len(plain) > 3
    use_cache(str(tmp_path / "answers"))
    cold = ask(folders)
    served, asked = current_cache().counts
    assert served == 0 and asked > 0
    use_cache(None)
    use_cache(str(tmp_path / "answers"))
    assert repr(ask(folders)) == repr(cold) == repr(plain)
    assert current_cache().counts == (asked, 0)


def test_threads_and_sizes_of_passes_are_told_apart(folders, tmp_path):
    """The last digits depend on both."""
    from paws_components.nli.making import make_entailment

    threads = torch.get_num_threads()
    use_cache(str(tmp_path / "answers"))
    make_entailment(folders["nli"], batch_size=3)(PAIRS)
    asked = current_cache().counts.asked
    try:
        torch.set_num_threads(threads + 1)
        make_entailment(folders["nli"], batch_size=3)(PAIRS)
        assert current_cache().counts == (0, 2 * asked)
    finally:
        torch.set_num_threads(threads)
    make_entailment(folders["nli"], batch_size=4)(PAIRS)
    assert current_cache().counts == (0, 3 * asked)


def test_a_pipeline_that_may_change_is_always_asked(folders, tmp_path):
    from paws_components.evaluation.targets import PipelineTarget

    from ..evaluation.test_targets import cut

    use_cache(str(tmp_path / "answers"))
    found = PipelineTarget(spacy.load(folders["pipeline"]), positive_label="entailment")
    for _ in range(2):
        found([(cut("anna saw ben."), cut("ben met anna."))])
    assert current_cache().counts == (0, 0)


def test_a_pipeline_with_code_of_no_package_is_always_asked(folders):
    @spacy.Language.component("somebodys_own")
    def somebodys_own(doc):
        return doc

    nlp = spacy.load(folders["pipeline"])
    assert kept.about_pipeline(nlp)["versions"]["spacy"] == spacy.__version__
    somebodys_own.__module__ = "a_file_given_with_code"
    nlp.add_pipe("somebodys_own")
    assert kept.about_pipeline(nlp) is None


def test_what_a_pipeline_runs_on_counts(folders, monkeypatch):
    nlp = spacy.load(folders["pipeline"])
    monkeypatch.setattr("thinc.api.get_current_ops", lambda: SimpleNamespace(name="cupy"))
    monkeypatch.setattr(kept, "device_name", lambda device: f"the {device} of this machine")
    assert kept.about_pipeline(nlp)["device"] == "cupy, the cuda of this machine"
    monkeypatch.setattr(kept, "find_spec", lambda name: None)
    assert kept.about_pipeline(nlp) is None


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system does not share out its cores")
def test_the_cores_that_a_job_may_use_count(folders, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(77)))
    assert kept.FileAnswers("m", folders["pipeline"], "numpy")._about()["device"].endswith(", 77 cores")


def test_files_are_told_apart_by_what_they_hold(folders, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(folders["pipeline"], folder)
    use_cache(str(tmp_path / "answers"))
    first, same = kept.FileAnswers("m", str(folder), "numpy"), kept.FileAnswers("m", str(folder), "numpy", more=1)
    same.settings.clear()
    model = folder / "textcat" / "model"
    before, data = model.stat(), bytearray(model.read_bytes())
    assert first.key(["q"]) == same.key(["q"]) is not None
    # Made before the change, and asked after it: nobody knows which weights it has.
    late = kept.FileAnswers("m", str(folder), "numpy")
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    os.utime(model, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert late.key(["q"]) is None
    assert kept.FileAnswers("m", str(folder), "numpy").key(["q"]) not in (None, first.key(["q"]))


def test_every_weight_and_every_name_counts():
    layer = torch.nn.Linear(3, 2)
    found = {kept.hash_weights(layer)}
    with torch.no_grad():
        layer.bias[1] += 1e-6
    found.add(kept.hash_weights(layer))
    found.add(kept.hash_weights(layer.half()))
    layer.register_buffer("more", torch.tensor(1.0))
    found.add(kept.hash_weights(layer))
    layer.register_buffer("more", torch.tensor([1.0]))
    found.add(kept.hash_weights(layer))
    assert len(found) == 5 and kept.hash_weights(layer) in found
    for dtype in (torch.bfloat16, torch.bool, torch.int64):
        layer.register_buffer("more", torch.ones(3, dtype=dtype))
        found.add(kept.hash_weights(layer))
    assert len(found) == 8
