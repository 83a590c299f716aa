"""The translator `libretranslate` against a service on this machine."""

import pickle
import socket
import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from service import glossed

from paws_components.errors import Fatal, PawsError
from paws_components.plugins import make_registered
from paws_components.translation.libretranslate import LibreTranslate

KEY = "s3cret-0815"


def translator(service, **settings):
    return LibreTranslate(**{"url": service.url, "backoff": 0.01, "retries": 3, **settings})


def translate(service, *texts, **settings):
    return translator(service, **settings).translate(texts, "en", "de", 1)


def test_texts_go_in_batches_and_come_back_in_order(service):
    texts = ["the dog", "", "good rain", "the dog", "the cat saw the dog", "silence"]
    found = translate(service, *texts, batch_size=2)
    assert [[one.text for one in each] for each in found[:5]] == [[glossed(t)] if t else [] for t in texts[:5]]
    assert found[5] == [] and found[0][0].score is None
    assert [body["q"] for _, _, body in service.requests] == [
        ["the dog", "good rain"],
        ["the cat saw the dog", "silence"],
    ]
    path, body = service.requests[0][1:]
    assert path == "/translate" and (body["source"], body["target"], body["format"]) == ("en", "de", "text")
    assert "api_key" not in body and "alternatives" not in body


def test_a_request_has_so_many_characters_at_most(service):
    translate(service, "a" * 40, "b" * 40, "c" * 40, "d" * 200, max_chars=100)
    assert [len(body["q"]) for _, _, body in service.requests] == [2, 1, 1]


def test_alternatives(service):
    found = translator(service).translate(["the dog"], "en", "de", 3)
    assert [one.text for one in found[0]] == ["der Hund", "der Hund 0", "der Hund 1"]


def test_codes_and_address(service):
    made = translator(service, url=service.url + "/translate/", codes={"deu": "de"})
    assert made.translate(["dog"], "en", "deu", 1)[0][0].text == "Hund"
    again = pickle.loads(pickle.dumps(made))
    assert again.translate(["dog"], "en", "deu", 1)[0][0].text == "Hund"


@pytest.mark.parametrize("code", [429, 502, 503, 504])
def test_a_busy_service_is_asked_again(service, code):
    service.script = [(code, {"error": "Slow down"}), (code, b"<html>")]
    assert translate(service, "dog")[0][0].text == "Hund"
    assert len(service.requests) == 3


def test_waits_grow_and_follow_what_the_service_asks(service):
    service.script = [(503, {}), (503, {}), (429, {}, {"Retry-After": "1"})]
    assert translate(service, "dog", backoff=0.1)[0][0].text == "Hund"
    times = [when for when, _, _ in service.requests]
    waits = [later - sooner for sooner, later in zip(times, times[1:])]
    assert waits[0] >= 0.1 and waits[1] >= 0.2 and waits[2] >= 1.0


def test_a_time_of_day_is_waited_for(service):
    until = format_datetime(datetime.now(timezone.utc) + timedelta(hours=2), usegmt=True)
    service.script = [(429, {"error": "Slow down"}, {"Retry-After": until})]
    with pytest.raises(Fatal, match="P610.*asks to wait 7,[12]"):
        translate(service, "dog")
    assert len(service.requests) == 1
    service.script = [(429, {}, {"Retry-After": "not a time"}), (429, {}, {"Retry-After": "-3"})]
    assert translate(service, "dog")[0][0].text == "Hund"


def test_a_service_that_stays_busy_is_given_up(service):
    service.script = [(503, {"error": "overloaded"})] * 9
    with pytest.raises(Fatal, match="P607.*after 4 tries: 503 overloaded"):
        translate(service, "dog")
    assert len(service.requests) == 4


def test_a_slow_service_is_a_break(service):
    def slow(handler):
        time.sleep(0.6)
        handler.close_connection = True

    service.script = [slow]
    assert translate(service, "dog", timeout=0.2)[0][0].text == "Hund"
    service.script = [slow] * 2
    with pytest.raises(Fatal, match="P607.*timed out"):
        translate(service, "dog", timeout=0.2, retries=1)


def test_an_answer_that_breaks_off(service):
    def broken(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"translatedText": [')
        handler.close_connection = True

    service.script = [broken, lambda handler: handler.connection.shutdown(socket.SHUT_RDWR)]
    assert translate(service, "dog")[0][0].text == "Hund"
    assert len(service.requests) == 3


def test_an_answer_that_is_not_json(service):
    service.script = [(200, b"<html>please log in</html>")]
    assert translate(service, "dog")[0][0].text == "Hund"
    service.script = [(200, b'{"translatedText": ["Hund"')] * 4
    with pytest.raises(Fatal, match="P612.*is not a JSON object"):
        translate(service, "dog")


@pytest.mark.parametrize(
    "answer", [{}, {"translatedText": "Hund"}, {"translatedText": []}, {"translatedText": [1]}, {"error": "?"}]
)
def test_an_answer_of_another_shape(service, answer):
    service.script = [(200, answer)]
    with pytest.raises(Fatal, match="P612.*1 texts under 'translatedText'"):
        translate(service, "dog")


def test_alternatives_of_another_shape(service):
    service.script = [(200, {"translatedText": ["Hund"], "alternatives": [[], []]})]
    with pytest.raises(Fatal, match="P612.*alternatives"):
        translator(service).translate(["dog"], "en", "de", 2)


def test_the_key_comes_from_the_environment_and_is_never_told(service, monkeypatch):
    service.key = KEY
    with pytest.raises(Fatal, match="P611.*needs a key.*LIBRETRANSLATE_API_KEY"):
        translate(service, "dog")
    monkeypatch.setenv("MY_KEY", KEY)
    made = translator(service, key_env="MY_KEY")
    assert made.translate(["dog"], "en", "de", 1)[0][0].text == "Hund"
    assert service.requests[-1][2]["api_key"] == KEY and KEY.encode() not in pickle.dumps(made)
    monkeypatch.setenv("MY_KEY", "wr0ng-4711")
    service.script = [(403, {"error": "no such key: wr0ng-4711"})]
    with pytest.raises(Fatal, match=r"P606.*\$MY_KEY.*\(the key\)") as refused:
        translate(service, "dog", key_env="MY_KEY")
    assert "wr0ng-4711" not in str(refused.value) and len(service.requests) == 3


def test_no_service_and_no_such_address(service):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Fatal, match="P605.*refused"):
        LibreTranslate(url=f"http://127.0.0.1:{port}").translate(["dog"], "en", "de", 1)
    service.script = [(404, b"not found")]
    with pytest.raises(Fatal, match="P605.*404 not found"):
        translate(service, "dog")
    service.script = [(307, b"", {"Location": "http://127.0.0.1:1/elsewhere"})]
    with pytest.raises(Fatal, match="P605.*sends us to 'http://127.0.0.1:1/elsewhere'"):
        translate(service, "dog")


def test_a_service_that_goes_away_is_waited_for(service):
    made = translator(service)
    made.translate(["dog"], "en", "de", 1)
    service.close()
    with pytest.raises(Fatal, match="P607.*after 4 tries.*refused"):
        made.translate(["cat"], "en", "de", 1)


def test_a_language_that_it_does_not_know(service):
    with pytest.raises(Fatal, match="P608.*'en' to 'xx': 400 xx is not supported"):
        translator(service).translate(["dog"], "en", "xx", 1)


def test_a_sentence_that_it_refuses_is_no_reason_to_stop(service):
    made = translator(service, batch_size=2)
    with pytest.raises(PawsError, match="P609.*500 Cannot translate") as refused:
        made.translate(["dog", "cat", "rain", "untranslatable"], "en", "de", 1)
    assert not isinstance(refused.value, Fatal) and len(service.requests) == 2
    # What was answered before is not asked for again.
    assert made.translate(["dog", "cat"], "en", "de", 1)[1][0].text == "Katze" and len(service.requests) == 2


def test_pace(service):
    began = time.monotonic()
    translate(service, "dog", "cat", "rain", batch_size=1, per_minute=300)
    assert time.monotonic() - began >= 0.4


@pytest.mark.parametrize(
    "url", ["localhost:5000", "ftp://x", "http://", f"http://me:{KEY}@x", f"http://x?api_key={KEY}", "http://x:port"]
)
def test_addresses_that_are_none_or_hold_a_secret(url):
    with pytest.raises(PawsError, match="P604") as refused:
        make_registered("translators", "libretranslate", {"url": url})
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("name, value", [("batch_size", 0), ("retries", -1), ("timeout", 0.0), ("per_minute", 0.0)])
def test_settings(name, value):
    with pytest.raises(PawsError, match=f"P015.*`{name}`"):
        LibreTranslate(**{name: value})
