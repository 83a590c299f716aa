import os
import shutil
import stat
import subprocess
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paws_back_translation.translators.apertium import Apertium, StandIns
from paws_components.errors import Fatal, PawsError
from paws_components.generation.protocol import Translation, Translator

KNOWN = "My sister has a green book."


def _has_mode() -> bool:
    if not shutil.which("apertium"):
        return False
    return "eng-spa" in subprocess.run(["apertium", "-l"], stdout=subprocess.PIPE, text=True).stdout.split()


needs_apertium = pytest.mark.skipif(not _has_mode(), reason="needs `apt-get install apertium-eng-spa`")


def script(tmp_path, text: str) -> str:
    path = tmp_path / "apertium"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def known_translation() -> str:
    return Apertium().translate([KNOWN], "en", "es", 1)[0][0].text


@needs_apertium
def test_it_translates_there_and_back():
    translator = Apertium()
    assert isinstance(translator, Translator)
    there = translator.translate([KNOWN, "", "The houses are white.", KNOWN], "en", "es", 5)
    assert there[1] == [] and there[0] == there[3]
    assert there[0] == [Translation("Mi hermana tiene un libro verde.", None)]
    back = translator.translate([there[0][0].text], "es", "en", 5)
    assert back == [[Translation(KNOWN, None)]]


@needs_apertium
def test_unknown_words_are_marked_only_if_wanted():
    assert "*" not in Apertium().translate(["A zxqvy house."], "en", "es", 1)[0][0].text
    assert "*zxqvy" in Apertium(mark_unknown=True).translate(["A zxqvy house."], "en", "es", 1)[0][0].text


@needs_apertium
def test_special_characters_come_back():
    texts = [
        "[x]",
        "{y}",
        "^z$",
        "q/w",
        "\\",
        "@w",
        "<q>",
        "~q",
        "q~w",
        "^",
        "q ^",
        "~",
        "*w",
        "#w",
        "😀",
        "שלום",
        "[][",
        "\\[",
    ]
    texts += ["\ue000^\ue001~", "\\\\[", "[~]", "q\uffffw"]
    found = Apertium().translate(texts, "en", "es", 1)
    assert [entry[0].text for entry in found] == texts


# Anything at all, and often what means something to Apertium.
sentences = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("[]{}^$/\\@<>~*#+._ \t\n\0ab.'\""), max_size=40
)


@given(sentences)
def test_escaping_loses_nothing_but_white_space(text):
    plain = StandIns([text])
    escaped = plain.escape(text)
    assert not set(escaped) & set("\0\n\t\r^~")
    if text.isprintable():
        assert plain.unescape(escaped) == " ".join(text.split())


@needs_apertium
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(sentences, min_size=1, max_size=12))
def test_every_translation_is_that_of_its_own_sentence(texts):
    """A sentence between any others is translated as it is alone: nothing wanders across."""
    mixed = [text for other in texts for text in (other, KNOWN)]
    found = Apertium().translate(mixed, "en", "es", 1)
    assert len(found) == len(mixed)
    assert all(entry == [Translation("Mi hermana tiene un libro verde.", None)] for entry in found[1::2])
    assert found[0] == Apertium().translate(mixed[:1], "en", "es", 1)[0]


@needs_apertium
def test_rules_do_not_reach_across_sentences():
    """In Apertium's own line format these two lines become one phrase."""
    alone = [Apertium().translate([text], "en", "es", 1)[0] for text in ("the dog", "house")]
    assert Apertium().translate(["the dog", "house"], "en", "es", 1) == alone


@needs_apertium
def test_a_very_long_sentence():
    found = Apertium().translate(["The house is white. " * 400, KNOWN], "en", "es", 1)
    assert len(found[0][0].text.split()) >= 1600
    assert found[1][0].text == known_translation()


@needs_apertium
def test_one_process_a_batch(tmp_path):
    log = tmp_path / "log"
    command = script(tmp_path, f'echo "$@" >> {log}\nexec {shutil.which("apertium")} "$@"')
    texts = [f"The {number} houses." for number in range(50)]
    many = Apertium(command=command).translate(texts, "en", "es", 1)
    assert len(log.read_text().splitlines()) == 2  # the modes, the batch
    assert Apertium(command=command, batch_size=20).translate(texts, "en", "es", 1) == many
    assert len(log.read_text().splitlines()) == 2 + 1 + 3


@needs_apertium
def test_death_midway_is_one_error_that_names_the_sentence(tmp_path):
    real = shutil.which("apertium")
    # The pipe breaks in the middle of the third sentence, and the command says that all went well.
    command = script(tmp_path, f'case "$*" in *-l*) exec {real} -l;; esac\n{real} "$@" | head -c 90')
    texts = [
        "My sister has a green book.",
        "The houses are white.",
        "The dogs are very big and very old today.",
        "One.",
    ]
    with pytest.raises(PawsError, match=r"\[B033\].*sentence 3 of 4.*dogs") as caught:
        Apertium(command=command).translate(texts, "en", "es", 1)
    assert not isinstance(caught.value, Fatal)
    killed = script(tmp_path, f'case "$*" in *-l*) exec {real} -l;; esac\nkill -9 $$')
    with pytest.raises(PawsError, match=r"\[B033\].*sentence 1 of 4 \(killed by signal 9"):
        Apertium(command=killed).translate(texts, "en", "es", 1)


@needs_apertium
def test_a_program_of_the_pipe_that_gives_up_is_noticed(tmp_path):
    real = shutil.which("apertium")
    # What is not escaped breaks lt-proc, and the command still ends with exit code 0.
    command = script(tmp_path, f'case "$*" in *-l*) exec {real} -l;; esac\nsed "s/green/@^green/" | {real} "$@"')
    with pytest.raises(PawsError, match=r"\[B033\].*sentence 2 of 2"):
        Apertium(command=command).translate(["The houses.", KNOWN], "en", "es", 1)


def test_a_command_that_hangs_is_ended(tmp_path):
    pid = tmp_path / "pid"
    command = script(tmp_path, f'case "$*" in *-l*) echo eng-spa; exit;; esac\necho $$ > {pid}\nsleep 60 | cat')
    began = time.monotonic()
    with pytest.raises(PawsError, match=r"\[B034\]"):
        Apertium(command=command, timeout=1.0).translate(["x"], "en", "es", 1)
    assert time.monotonic() - began < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_missing_command_says_what_to_install():
    with pytest.raises(Fatal, match=r"\[B031\].*apt-get install apertium-eng-spa"):
        Apertium(command="no-such-command").translate(["x"], "en", "es", 1)


def test_a_missing_mode_lists_what_is_there(tmp_path):
    command = script(tmp_path, "echo eng-spa spa-eng")
    with pytest.raises(Fatal, match=r"\[B032\].*eng-spa, spa-eng.*apt-get install apertium-en-gl"):
        Apertium(command=command).translate(["x"], "en", "gl", 1)
    with pytest.raises(Fatal, match=r"\[B032\].*Debian has no such pair; with en it has: .*eng-spa"):
        Apertium(command=command).translate(["x"], "en", "de", 1)


@needs_apertium
def test_a_folder_without_modes(tmp_path):
    with pytest.raises(Fatal, match=r"\[B032\].*Installed modes: none"):
        Apertium(directory=str(tmp_path)).translate(["x"], "en", "es", 1)


def test_codes_of_the_user(tmp_path):
    translator = Apertium(command=script(tmp_path, "echo eng-spa spa-eng_US"), codes={"en": "eng_US"})
    assert translator._mode("es", "en") == "spa-eng_US"
    assert Apertium(command=translator.command)._mode("en", "es") == "eng-spa"


def test_lone_surrogates_and_bad_settings(tmp_path):
    with pytest.raises(PawsError, match=r"\[B035\]"):
        Apertium(command=script(tmp_path, "echo eng-spa")).translate(["x\ud800y"], "en", "es", 1)
    with pytest.raises(PawsError, match=r"\[B007\].*timeout"):
        Apertium(timeout=0)
    with pytest.raises(PawsError, match=r"\[B007\].*batch_size"):
        Apertium(batch_size=0)
