"""In a real browser: a rater does ten items of each task with the keyboard alone."""

import json
import re
import threading
import time

import pytest
import uvicorn

from paws_components.annotate.demo import fill_demo
from paws_components.annotate.loading import add_task
from paws_components.annotate.raters import add_rater
from paws_components.annotate.serving import link, make_app
from paws_components.annotate.study import open_study

from ..viz.browser import find_browser
from .browser import Browser

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no browser on the PATH: apt-get install chromium")
SENTENCE, OTHER = "anna saw ben.", "ben was seen by anna."


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """An NLI pipeline that was taught a few pairs, and a BLEURT that was not: real ones, and small."""
    pytest.importorskip("transformers")
    from ..ml.encoders import make_tiny_classifier
    from ..nli.models import TEXTS, make_pipeline

    folder = tmp_path_factory.mktemp("models")
    bleurt = make_tiny_classifier(folder / "bleurt", TEXTS, ("score",))
    return make_pipeline(folder / "nli"), bleurt


@pytest.fixture(scope="module")
def served(tmp_path_factory, models):
    """The demo's study, its pages, and a browser that is logged in."""
    folder = tmp_path_factory.mktemp("study")
    nli, bleurt = models
    study = open_study(str(folder / "study.db"), create=True)
    fill_demo(study, {"nli": {"model": nli}, "similarity_settings": {"model": bleurt}})
    (folder / "one.jsonl").write_text(json.dumps({"text": SENTENCE}) + "\n", encoding="utf8")
    settings = {"nli": {"model": nli}, "similarity_settings": {"model": bleurt}}
    add_task(study, "write", [str(folder / "one.jsonl")], name="checked", settings=settings)
    secret = add_rater(study, "ann", admin=True)
    server = uvicorn.Server(uvicorn.Config(make_app(study), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    base = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    browser = Browser(folder / "profile")
    browser.show_at(1280, 800, dark=False)
    browser.go(link(base, secret))
    browser.wait("location.pathname === '/'")
    yield browser, base, secret
    browser.close()
    server.should_exit = True
    thread.join(20)
    study.close()


def begin(served, task):
    """From the list of tasks to an item, by Tab and Enter."""
    browser, base, _ = served
    browser.go(f"{base}/")
    for _ in range(40):
        browser.key("Tab")
        if browser.run("document.activeElement.getAttribute('href')") == f"/t/{task}":
            browser.next("Enter")
            return browser
    raise AssertionError(f"no Tab leads to {task}")


def own(browser):
    return int(re.search(r"yours (\d+)", browser.text())[1])


def test_the_key_does_not_stay_in_the_address(served):
    browser, base, secret = served
    begin(served, "judge")
    assert secret not in json.dumps(browser.call("Page.getNavigationHistory"))
    requests = [
        event["params"]["request"] for event in browser.events if event["method"] == "Network.requestWillBeSent"
    ]
    assert requests and all(secret not in request["url"] + str(request["headers"]) for request in requests)


def test_ten_pairs_are_judged_with_y_and_n(served):
    browser = begin(served, "judge")
    for number in range(10):
        browser.next("yn"[number % 2])
    assert own(browser) == 10
    browser.next("u")
    assert own(browser) == 9 and "You took your answer back. It was: they do not mean the same." in browser.text()
    browser.next("y")
    assert own(browser) == 10
    # Single keys can be switched off, for those who speak to their machine.
    browser.run("document.getElementById('keys-toggle').focus()")
    browser.key("Enter")
    browser.run("document.activeElement.blur()")
    browser.key("y")
    time.sleep(0.2)
    assert own(browser) == 10
    browser.run("document.getElementById('keys-toggle').focus()")
    browser.key("Enter")
    browser.run("document.activeElement.blur()")
    browser.next("y")
    assert own(browser) == 11


def test_ten_sentences_are_corrected(served):
    browser = begin(served, "correct")
    for number in range(10):
        if number % 3 < 2:
            browser.next("ar"[number % 3])
        else:
            browser.key("f")
            browser.write(" Indeed.")
            browser.next(("Enter", True))
    assert own(browser) == 10


def test_ten_pairs_are_graded(served):
    browser = begin(served, "grade")
    for number in range(10):
        for key in ("3", str(1 + number % 3), "yn"[number % 2]):
            browser.key(key)
        browser.next("Enter")
    assert own(browser) == 10


def test_ten_sentences_are_translated(served):
    browser = begin(served, "translate")
    for number in range(10):
        if number == 4:
            browser.next("Escape", "x")
        else:
            browser.write(f"Satz {number} auf Deutsch.")
            browser.next(("Enter", True))
    assert own(browser) == 10


def test_ten_paraphrases_are_written(served):
    browser = begin(served, "write")
    for number in range(10):
        browser.write(f"In words of my own, number {number}.")
        browser.next("Enter")
        assert "Similarity" in browser.text()
        browser.write(" Or so.")
        browser.next(("Enter", True))
    assert own(browser) == 10


def test_check_shows_mutual_implication_similarity_and_reward(served, models):
    from paws_components.plugins import make_registered

    settings = {"nli": {"model": models[0]}, "similarity_settings": {"model": models[1]}}
    wanted = make_registered("metrics", "apt_reward", settings).judge([(SENTENCE, OTHER), (SENTENCE, "ben slept.")])
    assert wanted[0].mi and not wanted[1].mi and wanted[0].reward > 0
    browser = begin(served, "checked")
    browser.write("ben slept.")
    browser.next("Enter")
    assert figures(browser) == shown(wanted[1])
    browser.wait("document.activeElement.selectionStart === document.activeElement.value.length")
    for _ in range(len("ben slept.")):
        browser.key("Backspace")
    assert browser.run("document.activeElement.value") == ""
    browser.write(OTHER)
    browser.next("Enter")
    assert figures(browser) == shown(wanted[0]) and "Earlier checks" in browser.text()
    browser.next(("Enter", True))
    assert f"You have earned ${wanted[0].reward:.2f}" in browser.text()


def figures(browser):
    return browser.run("Array.from(document.querySelectorAll('#result dd')).map(e => e.textContent)")


def shown(judgement):
    similarity = f"{judgement.similarity:.2f}".replace("-", "−")
    return ["yes" if judgement.mi else "no", similarity, f"${judgement.reward:.2f}"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_page_fits_a_phone_and_is_labelled(served, dark):
    browser, base, _ = served
    pages = ["/", "/in", "/t/judge", "/t/correct", "/t/grade", "/t/translate", "/t/write", "/admin", "/admin/t/judge"]
    try:
        for width in (400, 1280):
            browser.show_at(width, 800, dark)
            for path in pages:
                browser.go(base + path)
                assert browser.run("document.documentElement.scrollWidth") <= width, path
                light = browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
                assert light < 64 if dark else light > 190
                # Everything that takes an answer has a name that a screen reader says.
                names = browser.call("Accessibility.getFullAXTree")["nodes"]
                takes = [
                    one for one in names if one.get("role", {}).get("value") in ("button", "textbox", "radio", "link")
                ]
                assert takes and all(one["name"]["value"].strip() for one in takes), path
    finally:
        browser.show_at(1280, 800, dark=False)


def test_nothing_was_blocked_and_no_script_failed(served):
    browser, _, _ = served
    assert browser.problems() == []
