"""What each language's file does for word swapping, on Docs that are annotated by hand and a real n-gram model."""

import json

import pytest
import spacy
from click.testing import CliRunner
from spacy import about
from spacy.tokens import Doc
from spacy.util import get_lang_class
from spacy.vocab import create_vocab

from paws_components import models
from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.generation.constraints import CONSTRAINTS, stopped_by
from paws_components.generation.lists import is_list_permutation
from paws_components.generation.surface import sentence_bounds
from paws_components.generation.swap import SentenceSwapper, SwapSettings
from paws_components.generation.template import FIXED_TAGS, PROPER_TAGS, Slot, Template, name_template, phrase_template
from paws_components.generation.template import template_settings as make_template_settings
from paws_components.generation.tokens import Tokens
from paws_components.generation.word_swap import DEFAULTS, TEMPLATE_DEFAULTS, WordSwap, who_decides
from paws_components.lang import rules_of
from paws_components.lang.es import fits_word as fits_spanish
from paws_components.lang.fr import fits_word as fits_french
from paws_components.lm.ngram import KenLM

# Knows no word, so that whatever the rules let pass comes out with a gap of 0.
ARPA = """\\data\\
ngram 1=3
ngram 2=1

\\1-grams:
-1\t<unk>\t0
-1\t<s>\t0
-1\t</s>\t0

\\2-grams:
-1\t<s> </s>

\\end\\
"""
VOCABS = {lang: create_vocab(lang, get_lang_class(lang).Defaults) for lang in ("de", "es", "fr", "ja", "ko", "zh")}


@pytest.fixture(scope="module")
def arpa(tmp_path_factory):
    path = tmp_path_factory.mktemp("lm") / "flat.arpa"
    path.write_text(ARPA, encoding="utf8")
    return path


@pytest.fixture
def swaps(arpa):
    """A function that gives all swaps of a Doc that no rule stops, as text."""

    def find(doc, moving=()):
        fixed = [tag for tag in FIXED_TAGS if tag not in moving]
        given = {**TEMPLATE_DEFAULTS, "attr": rules_of(doc.lang_).attr, "fixed_tags": fixed}
        names = "attr entity_labels entity_threshold fixed_tags proper_tags link_tags strict_entities".split()
        cut = make_template_settings(**{name: given[name] for name in names})
        tokens = Tokens(doc, cut.attr)
        templates = [
            Template(make.__name__, make(tokens, cut), tokens.words) for make in (phrase_template, name_template)
        ]
        settings = SwapSettings(100, 100, None, False, False, ("two_spans", *CONSTRAINTS))
        found = SentenceSwapper(tokens, PROPER_TAGS).propose(templates, KenLM(arpa), settings, None)
        return {swap["text"] for swap in found.best(settings)}

    return find


def make(lang, text, **columns):
    """A Doc of words; one that ends in _ has no space after it. Words and tags: `Bob|PROPN liebt|VERB Anna_|PROPN`."""
    entries = [entry.rpartition("|") for entry in text.split()]
    words, pos = [word for word, _, _ in entries], [tag for _, _, tag in entries]
    spaces = [not word.endswith("_") for word in words[:-1]] + [False]
    return Doc(VOCABS[lang], words=[word.rstrip("_") for word in words], spaces=spaces, pos=pos, **columns)


@pytest.mark.parametrize(
    "before, word, fits",
    [
        ("le", "eau", False),
        ("l'", "eau", True),
        ("l’", "pain", False),
        ("de", "Orléans", False),
        ("d'", "Orléans", True),
        ("de", "Paris", True),
        ("qu'", "elle", True),
        ("de", "Le", False),  # "du Havre"
        ("à", "Les", False),
        ("le", "héros", True),
        ("l'", "héros", False),
        ("le", "homme", False),
        ("l'", "huile", True),
        ("d'", "Harvard", True),
        ("de", "Harvard", True),
        ("le", "onze", True),
        ("d'", "Yves", True),
        ("nouveau", "ami", False),
        ("nouvel", "ami", True),
        ("dans", "Orléans", True),
    ],
)
def test_french_elision(before, word, fits):
    assert fits_french(before, word) is fits


def test_french_names_trade_behind_articles_alike(swaps):
    doc = make("fr", "L'_|DET Italie|PROPN bat|VERB l'_|DET Espagne_|PROPN .|PUNCT")
    assert swaps(doc) == {"L'Espagne bat l'Italie."}
    assert not swaps(make("fr", "Le|DET Japon|PROPN bat|VERB la|DET France_|PROPN .|PUNCT"))
    assert swaps(make("fr", "Le|DET Japon|PROPN gagne|VERB au|ADP Canada_|PROPN .|PUNCT")) == {
        "Le Canada gagne au Japon."
    }
    assert not swaps(make("fr", "Marie|PROPN va|VERB en|ADP France_|PROPN .|PUNCT"))
    assert not swaps(make("fr", "Amis|NOUN de|ADP Lyon|PROPN contre|ADP Agen_|PROPN .|PUNCT"))  # "de Agen"
    assert swaps(make("fr", "Amis|NOUN de|ADP Lyon|PROPN contre|ADP Metz_|PROPN .|PUNCT")) == {
        "Amis de Metz contre Lyon."
    }


def test_french_adjectives_agree_and_stay_on_their_side(swaps):
    words = "La|DET ville|NOUN {}|ADJ et|CCONJ la|DET cour|NOUN {}_|ADJ .|PUNCT"
    forms = ["", "Gender=Fem|Number=Sing", "Gender=Fem|Number=Sing", "", "", "Gender=Fem|Number=Sing"] * 2
    alike = make("fr", words.format("verte", "blanche"), morphs=forms[:6] + ["Gender=Fem|Number=Sing", ""])
    assert swaps(alike) == {"La ville blanche et la cour verte."}
    # A tagger that knows no gender of either: the endings tell.
    untold = make("fr", "des|DET avis|NOUN favorables|ADJ et|CCONJ des|DET notes|NOUN négatives_|ADJ .|PUNCT")
    assert not swaps(untold)
    sides = make("fr", "une|DET jeune|ADJ fille|NOUN et|CCONJ une|DET robe|NOUN rouge_|ADJ .|PUNCT")
    assert not swaps(sides)


def test_german_nouns_keep_their_capital_at_the_start(swaps):
    doc = make("de", "Hunde|NOUN jagen|VERB Katzen_|NOUN .|PUNCT")
    assert swaps(doc, moving=("NOUN",)) == {"Katzen jagen Hunde."}
    doc = make(
        "de", "Alte|ADJ Hunde|NOUN jagen|VERB junge|ADJ Katzen_|NOUN .|PUNCT", tags="ADJA NN VVFIN ADJA NN $.".split()
    )
    assert swaps(doc) == {"Junge Hunde jagen alte Katzen."}


@pytest.mark.parametrize("one, other, fits", [("alte", "kleine", True), ("alter", "kleine", False)])
def test_german_adjectives_trade_by_their_endings(swaps, one, other, fits):
    tags = "ART ADJA NN KON ART ADJA NN $.".split()
    doc = make("de", f"Ein|DET {one}|ADJ Hut|NOUN und|CCONJ ein|DET {other}|ADJ Tuch_|NOUN .|PUNCT", tags=tags)
    assert bool(swaps(doc)) is fits


def test_german_names_by_case_and_contraction(swaps):
    gen = ["Case=Gen", "", "", "Case=Nom", ""]
    assert not swaps(make("de", "Annas|PROPN Hund|NOUN mag|VERB Otto_|PROPN .|PUNCT", morphs=gen))
    assert not swaps(make("de", "Man|PRON reist|VERB im|ADP Iran|PROPN und|CCONJ durch|ADP Polen_|PROPN .|PUNCT"))
    doc = make("de", "Man|PRON reist|VERB im|ADP Iran|PROPN oder|CCONJ zum|ADP Irak_|PROPN .|PUNCT")
    assert swaps(doc) == {"Man reist im Irak oder zum Iran."}


def test_german_verbs_whose_prefix_stands_apart_do_not_trade():
    agrees, words = rules_of("de").agrees, "Er rief sie an und sah sie".split()
    tags = "PPER VVFIN PPER PTKVZ KON VVFIN PPER".split()
    pos = "PRON VERB PRON ADP CCONJ VERB PRON".split()
    forms = ["", "VerbForm=Fin", "", "", "", "VerbForm=Fin", ""]
    doc = Doc(VOCABS["de"], words=words, tags=tags, pos=pos, morphs=forms)
    assert not agrees(doc[1], doc[5])
    heads, deps = [1, 1, 1, 1, 1, 1, 5], ["sb", "ROOT", "oa", "svp", "cd", "cj", "oa"]
    assert not agrees(
        *[Doc(VOCABS["de"], words=words, tags=tags, pos=pos, morphs=forms, heads=heads, deps=deps)[i] for i in (1, 5)]
    )
    deps[3] = "mo"  # no prefix, says the parse
    assert agrees(
        *[Doc(VOCABS["de"], words=words, tags=tags, pos=pos, morphs=forms, heads=heads, deps=deps)[i] for i in (1, 5)]
    )


def test_spanish_opening_marks(swaps):
    doc = make("es", "¡_|PUNCT Grandes|ADJ perros|NOUN y|CCONJ pequeños|ADJ gatos_|NOUN !|PUNCT")
    assert swaps(doc) == {"¡Pequeños perros y grandes gatos!"}
    words, spaces = "Hola ! ¿ Qué tal ?".split(), ["", "", "", " ", "", ""]
    assert sentence_bounds(words, spaces) == [(0, 2), (2, 6)]  # "¡Hola!¿Qué tal?": the mark opens the next one


@pytest.mark.parametrize(
    "before, word, fits",
    [("y", "Italia", False), ("e", "Italia", True), ("y", "hielo", True), ("o", "otro", False), ("de", "El", True)],
)
def test_spanish_conjunctions_before_vowels(before, word, fits):
    assert fits_spanish(before, word) is fits


def test_chinese_is_not_glued_with_spaces(swaps):
    doc = make("zh", "Bob|PROPN 喜欢_|VERB 约翰_|PROPN 。_|PUNCT")
    assert doc.text == "Bob 喜欢约翰。" and swaps(doc) == {"约翰喜欢Bob。"}
    doc = make("zh", "他_|PRON 在_|ADP 北京_|PROPN 大学_|NOUN 认识_|VERB 约翰_|PROPN 。_|PUNCT")
    assert not swaps(doc)  # "约翰大学"
    doc = make("zh", "阿尔弗雷德_|PROPN ·_|PUNCT 史密斯_|PROPN 见_|VERB 王芳_|PROPN 。_|PUNCT")
    assert swaps(doc) == {"王芳见阿尔弗雷德·史密斯。"}


def test_latin_words_keep_a_space_between_them(swaps):
    doc = make("zh", "约翰_|PROPN 唱_|VERB Hello_|X 给_|ADP Mary|PROPN Jane_|PROPN 。_|PUNCT")
    assert swaps(doc) == {"Mary Jane唱Hello给约翰。"}
    doc = make("zh", "约翰_|PROPN 用|VERB iPad|X 画_|VERB Mary_|PROPN 。_|PUNCT")
    assert swaps(doc) == {"Mary用 iPad 画约翰。"}


@pytest.mark.parametrize(
    "lang, text",
    [("zh", "约翰_|PROPN 和_|CCONJ 玛丽_|PROPN 、_|PUNCT 王芳_|PROPN"), ("ja", "東京_|PROPN と_|ADP 大阪_|PROPN")],
)
def test_lists_of_scripts_without_spaces(lang, text):
    doc = make(lang, text)
    words = [token.text for token in doc]
    words[0], words[2] = words[2], words[0]
    assert is_list_permutation(Tokens(doc, "pos_"), words)


def test_japanese_words_trade_with_those_inflected_alike(swaps):
    text = "{}_|ADJ 町_|NOUN は_|ADP 雨_|NOUN が_|ADP {}_|ADJ 。_|PUNCT"
    kinds = "形容詞-一般 名詞 助詞 名詞 助詞 形容詞-一般 補助記号".split()
    attributive, final = "Inflection=形容詞;連体形-一般", "Inflection=形容詞;終止形-一般"
    alike = [attributive, "", "", "", "", attributive, ""]
    assert swaps(make("ja", text.format("古い", "寒い"), tags=kinds, morphs=alike)) == {"寒い町は雨が古い。"}
    unlike = [attributive, "", "", "", "", final, ""]
    assert not swaps(make("ja", text.format("古い", "寒い"), tags=kinds, morphs=unlike))


def test_korean_words_trade_with_the_same_particles_alone(swaps):
    text = "서울의|PROPN 집은|NOUN {}|PROPN 집보다|NOUN 크다_|ADJ .|PUNCT"
    tags = "nnp+jkg nng+jx {} nng+jkb va+ef sf"
    assert swaps(make("ko", text.format("부산의"), tags=tags.format("nnp+jkg").split())) == {
        "부산의 집은 서울의 집보다 크다."
    }
    assert not swaps(make("ko", text.format("부산에서"), tags=tags.format("nnp+jkb").split()))


def test_without_a_judge_the_rules_are_stricter():
    doc = make("de", "Er|PRON hat|AUX gebaut|VERB und|CCONJ zerstört_|VERB .|PUNCT")
    slots = Slot(2, 3, "VERB", False), Slot(4, 5, "VERB", False)
    assert stopped_by(["agreement"], Tokens(doc, "pos_"), [slots]) == "agreement"
    doc = make("de", "Am|ADP 1.|ADJ Mai|NOUN und|CCONJ am|ADP 9.|ADJ Juni|NOUN")
    assert stopped_by(["dates"], Tokens(doc, "pos_"), [(Slot(1, 2, "ADJ", False), Slot(5, 6, "ADJ", False))]) == "dates"
    doc = make(
        "de", "Rom|PROPN ist|AUX größer|ADJ als|ADP Neu|PROPN Rom|PROPN", ents=["B-LOC", "", "", "", "B-LOC", "I-LOC"]
    )
    pieces = [(Slot(0, 1, "NAME", False), Slot(5, 6, "NAME", False))]
    assert stopped_by(["whole_names"], Tokens(doc, "pos_"), pieces) == "whole_names"
    doc = make(
        "de",
        "Otto|PROPN wohnt|VERB in|ADP Rom_|PROPN ,|PUNCT Ohio_|PROPN .|PUNCT",
        ents=["B-PER", "", "", "B-LOC", "", "B-LOC", ""],
    )
    one, two = Slot(3, 4, "NAME", False), Slot(5, 6, "NAME", False)
    assert stopped_by(["articles"], Tokens(doc, "pos_"), [(one, two)]) == "articles"
    assert stopped_by(["entity_types"], Tokens(doc, "pos_"), [(Slot(0, 1, "NAME", False), one)]) == "entity_types"


def test_who_decides_is_told():
    assert who_decides("en", {}) is None
    assert who_decides("fr", {"precise": False}) is None
    told = who_decides("fr", {"lm": "kenlm", "lm_settings": {"path": "fr.klm"}})
    assert "fr.klm" in told and "lose 3 nats" in told
    assert DEFAULTS["threshold"] == 3.0


def test_naturalness_needs_a_judge(arpa):
    with pytest.raises(PawsError, match="P047.*'it'"):
        WordSwap(spacy.blank("it"), lm="kenlm", lm_settings={"path": str(arpa)}, naturalness=0.6)


def test_nothing_is_promised_of_a_model_that_is_not_there(tmp_path):
    source = tmp_path / "fr.txt"
    source.write_text("Elle vit à Lyon et travaille à Paris.\n", encoding="utf8")
    done = CliRunner().invoke(cli, ["generate", str(source), "-o", str(tmp_path / "fr.jsonl"), "--lang", "fr"])
    assert done.exit_code and "No judge is embedded" not in done.output
    assert "P002" in done.output + str(done.exception)


def test_french_from_the_command_line(arpa, tmp_path):
    if models.installed_pipeline("fr") is None:
        pytest.skip("the French pipeline is not installed: `paws download fr`")
    source, output = tmp_path / "fr.txt", tmp_path / "fr.jsonl"
    source.write_text("Elle vit à Lyon et travaille à Paris.\nIl pleut.\n", encoding="utf8")
    done = CliRunner().invoke(
        cli, ["generate", str(source), "-o", str(output), "--lang", "fr", "--lm", str(arpa), "--quiet"]
    )
    assert done.exit_code == 0 and "No judge is embedded for 'fr'" in done.output
    (record,) = map(json.loads, output.read_text(encoding="utf8").splitlines())
    assert record["sentence2"] == "Elle vit à Paris et travaille à Lyon."
    assert record["evidence"]["lm"] == str(arpa)
    done = CliRunner().invoke(
        cli, ["generate", str(source), "-o", str(tmp_path / "x.jsonl"), "--lang", "fr", "--quiet"]
    )
    assert done.exit_code == 1 and "P002" in str(done.exception) + done.output


def test_a_tokenizer_that_lacks_its_package_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sudachipy", None)
    with pytest.raises(PawsError, match="P045.*'ja'.*pip install sudachipy"):
        models.blank("ja")
    with pytest.raises(PawsError, match="P046.*'tlh'"):
        models.blank("tlh")


def test_a_server_out_of_reach_is_told_at_once(monkeypatch):
    monkeypatch.setattr(about, "__compatibility__", "http://127.0.0.1:9/compatibility.json")
    monkeypatch.setattr(models, "is_package", lambda name: False)
    with pytest.raises(
        PawsError, match="P018.*ja_core_news_sm(.|\n)*127.0.0.1(.|\n)*releases/download/ja_core(.|\n)*ja-ginza"
    ):
        models.download("ja")


def test_language_models_of_a_language_without_spaces(tmp_path):
    from paws_components.lm.training import TokeniseJob

    assert TokeniseJob(lang="zh").start()(["他来。她走了。"]) == ["他 来 。", "她 走 了 。"]
    folder = tmp_path / "ko"
    spacy.blank("ko", config={"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}).to_disk(folder)
    # Its own tokenizer is taken, not the usual one of the language, which needs MeCab.
    assert TokeniseJob(model=str(folder)).start()(["비가 온다."]) == ["비가 온다 ."]
