import gc
import shutil

import pytest
import spacy
from spacy.tokens import DocBin

from paws_components import make_pair
from paws_components.errors import PawsError
from paws_components.metrics.measure import filter_records, measure_records
from paws_components.pairs import pair_text
from paws_components.records import PairRecord

from ..nli.models import PAIRS, make_pipeline, make_transformer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TEXTS = [pair_text(one, two) for one, two in PAIRS]
MAKERS = {"transformer": make_transformer, "pipeline": make_pipeline}


@pytest.fixture(scope="module", params=sorted(MAKERS))
def model(request, tmp_path_factory):
    """The path of a model, of either kind."""
    return MAKERS[request.param](tmp_path_factory.mktemp("mi") / "model")


def make_nlp(model, **settings):
    nlp = spacy.blank("en")
    # Answers that are kept would be compared with themselves.
    nlp.add_pipe("paws_mi", config={"model": model, "cache_size": 0, **settings})
    return nlp


@pytest.fixture(scope="module")
def nlp(model):
    return make_nlp(model)


def numbers(docs):
    return [[doc._.paws_mi["forward"], doc._.paws_mi["backward"]] for doc in docs]


def verdicts(docs):
    return [doc._.paws_mi["verdict"] for doc in docs]


def assert_same(docs, others):
    docs, others = list(docs), list(others)
    assert verdicts(docs) == verdicts(others)
    assert [number for row in numbers(docs) for number in row] == pytest.approx(
        [number for row in numbers(others) for number in row], abs=1e-5
    )


def test_from_a_blank_pipeline(nlp):
    doc = make_pair(nlp, *PAIRS[1])
    assert set(doc._.paws_mi) == {"forward", "backward", "verdict"}
    assert [type(doc._.paws_mi[key]) for key in ("forward", "backward", "verdict")] == [float, float, bool]
    assert doc._.paws_mi["forward"] != doc._.paws_mi["backward"]
    # The other way round it is the other way round.
    other = make_pair(nlp, *reversed(PAIRS[1]))
    assert other._.paws_mi["forward"] == pytest.approx(doc._.paws_mi["backward"], abs=1e-5)
    assert spacy.blank("en")("a\tb")._.paws_mi is None


def test_it_is_what_the_bare_model_says(tmp_path):
    folder = make_transformer(tmp_path / "bert")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    docs = list(make_nlp(folder).pipe(TEXTS))
    for (one, two), doc in zip(PAIRS, docs):
        inputs = tokenizer([one, two], [two, one], padding=True, return_tensors="pt")
        with torch.inference_mode():
            there, back = model(**inputs).logits.softmax(-1)
        assert numbers([doc])[0] == pytest.approx([float(there[0]), float(back[0])], abs=1e-5)
        assert doc._.paws_mi["verdict"] == (there.argmax() == 0 and back.argmax() == 0)
    assert len({round(row[0], 3) for row in numbers(docs)}) > 4


def test_empty_and_short(nlp):
    with pytest.raises(PawsError, match="P103"):
        nlp.get_pipe("paws_mi")(nlp.make_doc(""))
    for text in ("yes\tno", "\t", "yes\t", "\tno"):
        assert 0 < nlp(text)._.paws_mi["forward"] < 1


def test_a_long_doc(tmp_path):
    nlp = make_nlp(make_transformer(tmp_path / "bert"))
    long = " ".join(["anna saw ben"] * 400)
    with pytest.warns(UserWarning, match="W341.*longer than 64 tokens"):
        doc = make_pair(nlp, long, "anna saw ben")
    assert 0 < doc._.paws_mi["forward"] < 1


def test_pipe_equals_call(nlp):
    alone = [nlp(text) for text in TEXTS]
    assert_same(nlp.pipe(TEXTS, batch_size=2), alone)
    assert_same(nlp.pipe(TEXTS), alone)
    assert numbers(nlp.pipe(TEXTS)) == numbers(nlp.pipe(TEXTS))


def test_two_processes_equal_one(nlp, capfd):
    """Also after the parent has run torch, which it has for the first answers."""
    alone = list(nlp.pipe(TEXTS))
    assert_same(nlp.pipe(TEXTS, batch_size=2, n_process=2), alone)
    assert "parallelism" not in capfd.readouterr().err


def test_a_bad_doc_does_not_take_its_batch_along(model):
    nlp = make_nlp(model)
    bad = []
    nlp.get_pipe("paws_mi").set_error_handler(lambda name, proc, docs, error: bad.extend(doc.text for doc in docs))
    found = list(nlp.pipe([TEXTS[0], "No tab.", TEXTS[1]]))
    assert [doc.text for doc in found] == TEXTS[:2] and bad == ["No tab."]


def test_the_model_is_not_saved_and_not_needed_until_it_is_used(tmp_path):
    folder = make_transformer(tmp_path / "bert")
    nlp = make_nlp(folder, entailment_label=1)
    expected = list(nlp.pipe(TEXTS))
    nlp.to_disk(tmp_path / "saved")
    assert not any("paws_mi" in path.name for path in (tmp_path / "saved").rglob("*"))
    assert_same(spacy.load(tmp_path / "saved").pipe(TEXTS), expected)
    assert_same(spacy.load(tmp_path / "saved").from_bytes(nlp.to_bytes()).pipe(TEXTS), expected)
    shutil.move(folder, tmp_path / "elsewhere")
    again = spacy.load(tmp_path / "saved")
    del nlp  # which has the model
    gc.collect()
    with pytest.raises(PawsError, match="P401"):
        again(TEXTS[0])
    # That it can't be loaded is said once, and not for each Doc of a batch.
    said = []
    again.get_pipe("paws_mi").set_error_handler(lambda name, proc, docs, error: said.append(len(docs)))
    assert list(again.pipe(TEXTS)) == [] and said == [len(TEXTS)]
    moved = {"components": {"paws_mi": {"model": str(tmp_path / "elsewhere")}}}
    assert_same(spacy.load(tmp_path / "saved", config=moved).pipe(TEXTS), expected)


def test_config_round_trip():
    config = {"model": "some/name", "entailment_label": "yes", "max_length": 7, "batch_size": 3, "cache_size": 5}
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_mi", config=config)
    again = spacy.util.load_model_from_config(spacy.util.Config().from_str(nlp.config.to_str()), auto_fill=True)
    assert again.config["components"] == nlp.config["components"]
    assert again.get_pipe("paws_mi").judge.settings == ("some/name", "yes", 7, 3, 5)
    numbered = spacy.blank("en").add_pipe("paws_mi", config={"entailment_label": 0})
    assert numbered.judge.settings[:2] == ("ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli", 0)
    with pytest.raises(PawsError, match="P015.*cache_size"):
        spacy.blank("en").add_pipe("paws_mi", config={"cache_size": -1})


def test_doc_bin(nlp):
    docs = list(nlp.pipe(TEXTS))
    packed = DocBin(docs=docs, store_user_data=True).to_bytes()
    again = list(DocBin().from_bytes(packed).get_docs(nlp.vocab))
    assert [doc._.paws_mi for doc in again] == [doc._.paws_mi for doc in docs]


def test_as_metrics(model, nlp):
    """In `paws metrics`, in conditions, and in `paws_pair_metrics`."""
    names = ["mi_verdict", "mi_forward", "mi_backward"]
    settings = {name: {"model": model} for name in names}
    records = [PairRecord(one, two) for one, two in PAIRS]
    docs = list(nlp.pipe(TEXTS))
    found = list(measure_records(records, names, settings=settings, nlp=spacy.blank("en")))
    assert [row["mi_verdict"] for row in found] == [float(verdict) for verdict in verdicts(docs)]
    for row, (forward, backward) in zip(found, numbers(docs)):
        assert [row["mi_forward"], row["mi_backward"]] == pytest.approx([forward, backward], abs=1e-5)
    other = spacy.blank("en")
    config = {"metrics": ["mi_forward"], "where": "mi_verdict == 1", "settings": {k: settings[k] for k in names[:2]}}
    other.add_pipe("paws_pair_metrics", config=config)
    assert [doc._.paws_selected for doc in other.pipe(TEXTS)] == verdicts(docs)
    kept = filter_records([PairRecord("a", "b", evidence={"mi_verdict": 1})], "mi_verdict == 1", nlp=nlp)
    with pytest.raises(PawsError, match="P401"):  # the default model, which is not here
        list(kept)
