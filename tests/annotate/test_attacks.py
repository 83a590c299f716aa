"""What somebody may try who means no good, and what comes of it."""

import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlencode

import pytest
import uvicorn
from sqlalchemy import func, select, update

from paws_components.annotate import queue
from paws_components.annotate.raters import digest, renew_rater, revoke_rater
from paws_components.annotate.schema import assignments, raters, sessions
from paws_components.annotate.serving import make_app, server_config
from paws_components.annotate.web.guard import GUESSES, LARGEST, make_address
from paws_components.errors import PawsError

from .asking import Client, ask
from .conftest import hidden

FORM = "application/x-www-form-urlencoded"
SCRIPT = "<script>alert('1')</script><img src=x onerror=alert(1)>\"'"


def answers(study):
    with study.reading() as connection:
        return connection.execute(
            select(func.count()).select_from(assignments).where(assignments.c.state == queue.DONE)
        ).scalar()


def test_no_secret_is_kept_as_it_is(people, study, tmp_path):
    ann = people.come("ann")
    secret, session = people.secrets["ann"], ann.cookie.partition("=")[2]
    with study.reading() as connection:
        assert connection.execute(select(raters.c.secret)).scalar_one() == digest(secret)
        assert connection.execute(select(sessions.c.secret)).scalar_one() == digest(session)
    study.close()
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes() and session.encode() not in file.read_bytes()


def test_keys_are_not_guessed(people):
    stranger = Client(people.app)
    for key in ("", "x", "a" * 43, people.secrets.get("ann", "")[:-1], "' OR 1=1 --", "\x00", "é" * 43):
        assert stranger.post("/in", key=key).status == 403 and not stranger.cookie
    for _ in range(GUESSES):
        stranger.post("/in", key="guess")
    assert stranger.post("/in", key="guess").status == 429
    # The limit is by address: others come in meanwhile.
    headers = [("host", "127.0.0.1"), ("origin", "http://127.0.0.1"), ("content-type", FORM)]
    assert ask(people.app, "POST", "/in", headers, b"key=guess", client="10.0.0.9").status == 403


@pytest.mark.parametrize("cookie", ["paws=", "paws=x", "paws=" + "a" * 43, "paws=%00", "paws=' OR 1=1 --", "other=1"])
def test_sessions_are_not_guessed(people, cookie):
    people.task("judge")
    stranger = Client(people.app)
    stranger.cookie = cookie
    assert stranger.get("/t/judge").status == 401 and stranger.get("/admin").status == 401
    assert "personal link" in stranger.get("/").text
    assert stranger.post("/t/judge/answer", label="1").status == 401


def test_what_was_taken_back_is_worth_nothing(people, study):
    people.task("judge")
    ann = people.come("ann")
    old = ann.cookie
    assert ann.answer("judge", label="1").status == 303
    page = ann.item("judge")
    revoke_rater(study, "ann")
    # Neither her session nor a replay of her link lets her in.
    assert ann.answer("judge", page=page, label="1").status == 401 and ann.get("/t/judge").status == 401
    assert Client(people.app).post("/in", key=people.secrets["ann"]).status == 403
    fresh = renew_rater(study, "ann")
    assert Client(people.app).post("/in", key=people.secrets["ann"]).status == 403
    again = Client(people.app)
    assert again.post("/in", key=fresh).status == 303 and again.get("/t/judge").status == 200
    again.cookie = old
    assert again.get("/t/judge").status == 401
    assert answers(study) == 1


def test_a_session_that_was_left_or_ran_out_is_over(people, study):
    ann, ben = people.come("ann"), people.come("ben")
    old = ann.cookie
    assert ann.post("/out").status == 403  # not without the key of a form
    people.task("judge")
    form = hidden(ann.item("judge"))["form"]
    assert ann.post("/out", form=form).status == 303
    ann.cookie = old
    assert ann.get("/t/judge").status == 401
    study.write(lambda connection: connection.execute(update(sessions).values(expires=1.0)))
    assert ben.get("/t/judge").status == 401


def test_another_raters_item_can_not_be_answered(people, study):
    people.task("judge", 3)
    people.task("correct", 3)
    ann, ben = people.come("ann"), people.come("ben")
    theirs = hidden(ann.item("judge"))["ticket"]
    own = hidden(ben.item("judge"))
    for where in ("answer", "skip"):
        refused = ben.post(f"/t/judge/{where}", form=own["form"], ticket=theirs, label="1")
        assert refused.status == 404 and "not yours" in refused.text
    # Nor with Ann's form key, nor through another task, nor with no ticket at all.
    assert ben.post("/t/judge/answer", **hidden(ann.item("judge")), label="1").status == 403
    assert ben.post("/t/correct/answer", **own, action="accept").status == 404
    for ticket in ("", "1", "x" * 24, "' OR 1=1 --", "\x00"):
        assert ben.post("/t/judge/answer", form=own["form"], ticket=ticket, label="1").status in (400, 404)
    assert answers(study) == 0


def test_raters_do_not_see_the_admin_pages(people):
    people.task("judge")
    ann, boss = people.come("ann"), people.come("boss", admin=True)
    for path in ("/admin", "/admin/t/judge", "/admin/payments.csv"):
        assert ann.get(path).status == 404 and boss.get(path).status == 200
        assert Client(people.app).get(path).status == 401


def test_script_in_sentences_names_and_answers_is_text(people, study, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps({"sentence1": SCRIPT + " one", "sentence2": SCRIPT + " two"}) + "\n", encoding="utf8")
    for kind, settings in (("judge", {"raters": 1}), ("correct", {}), ("translate", {"checked": 1.0})):
        people.task(kind, source=str(path), **settings)
    texts = tmp_path / "bad.txt"
    texts.write_text(SCRIPT + " three\n", encoding="utf8")
    people.task("write", source=str(texts), similarity="by_words")
    mallory, boss = people.come(SCRIPT), people.come("boss", admin=True)
    pages = [mallory.item("judge"), mallory.item("correct"), mallory.item("translate"), mallory.item("write")]
    assert mallory.answer("judge", label="1").status == 303
    assert mallory.answer("correct", action="fix", text=SCRIPT).status == 303
    assert mallory.answer("translate", action="translated", text=SCRIPT).status == 303
    assert mallory.answer("write", "check", action="check", text=SCRIPT + " indeed").status == 303
    mallory.answer("correct", "undo")
    pages += [mallory.item("correct"), mallory.item("write"), mallory.get("/").text, boss.item("translate")]
    pages += [boss.get(f"/admin/t/{task}").text for task in ("judge", "correct", "translate", "write")]
    pages += [boss.get("/admin").text, mallory.answer("judge", label=SCRIPT).text]
    refused = mallory.answer("correct", action="fix", text=" ")
    pages += [refused.text, mallory.get(f"/t/{SCRIPT.replace('/', '')}").text]
    for page in pages:
        assert "<script>alert" not in page and "<img" not in page
    assert all("&lt;script&gt;" in page for page in pages[:4])


def test_forms_of_other_sites_are_refused(people, study):
    people.task("judge")
    ann = people.come("ann")
    fields = hidden(ann.item("judge"))
    body = urlencode({**fields, "label": "1"}).encode()
    own = [("host", "127.0.0.1"), ("cookie", ann.cookie), ("content-type", FORM)]
    for more in (
        [],
        [("origin", "null")],
        [("origin", "https://127.0.0.1")],
        [("origin", "http://127.0.0.1:81")],
        [("origin", "http://evil.example")],
        [("origin", "http://127.0.0.1.evil.example")],
        [("origin", "http://127.0.0.1"), ("sec-fetch-site", "cross-site")],
        [("origin", "http://127.0.0.1"), ("sec-fetch-site", "same-site")],
        [("referer", "http://127.0.0.1/")],
    ):
        assert ask(people.app, "POST", "/t/judge/answer", [*own, *more], body).status == 403, more
    for key in ("", "0" * 64, fields["form"][:-1], "é"):
        assert ann.post("/t/judge/answer", ticket=fields["ticket"], form=key, label="1").status == 403
    assert answers(study) == 0
    assert ann.get("/t/judge/answer?label=1&" + urlencode(fields)).status == 405
    assert answers(study) == 0 and ann.post("/t/judge/answer", **fields, label="1").status == 303
    cookie = Client(people.app)
    people.secrets["ben"] = "?"
    got = cookie.post("/in", key=people.secrets["ann"]).headers["set-cookie"]
    assert "HttpOnly" in got and "SameSite=lax" in got and "Path=/" in got


def test_bodies_that_are_too_large_or_malformed_are_refused(people, study):
    people.task("correct")
    ann = people.come("ann")
    fields = hidden(ann.item("correct"))
    own = [("host", "127.0.0.1"), ("origin", "http://127.0.0.1"), ("cookie", ann.cookie)]
    good = urlencode({**fields, "action": "accept"}).encode()

    def send(body, kind=FORM, *more):
        return ask(people.app, "POST", "/t/correct/answer", [*own, ("content-type", kind), *more], body).status

    assert send(b"a=" + b"x" * LARGEST) == 413
    assert send(good, FORM, ("content-length", str(LARGEST + 1))) == 413
    assert send(good, FORM, ("content-length", "9" * 5000)) == 413
    assert send(good, FORM, ("content-length", "-1")) == 400
    assert send(good, "application/json") == send(good, "multipart/form-data; boundary=x") == 415
    assert send(b"\xff\xfe=1&" + good) == 400
    assert send(b"a=%ff&" + good) == 400 and send(b"no equals sign") == 400
    assert send(good + b"&action=reject") == 400  # a field twice
    assert send("&".join(f"f{i}=1" for i in range(50)).encode()) == 400
    assert send(b"") == 403
    with_nul = urlencode({**fields, "action": "fix", "text": "A\x00B"}).encode()
    too_long = urlencode({**fields, "action": "fix", "text": "long " * 500}).encode()
    assert send(with_nul) == send(too_long) == 422
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert ask(people.app, method, "/t/correct", own).status == 405
    assert answers(study) == 0 and send(good) == 303


@pytest.mark.parametrize(
    "path",
    [
        "/static/../serving.py",
        "/static/..%2f..%2fserving.py",
        "/static//etc/passwd",
        "/static/annotate.css/../../study.db",
        "/static/",
        "/static",
        "/t/../admin",
        "/t/judge/../../admin",
        "//evil.example/",
        "/\\evil.example",
        "/admin/t/..%2f..",
        "/t/judge%00",
        "/t/" + "x" * 5000,
        "/.git/config",
    ],
)
def test_tricks_with_paths_lead_nowhere(people, path):
    people.task("judge")
    ann = people.come("ann")
    found = ann.get(path)
    assert found.status in (404, 405) and "location" not in found.headers
    assert "root:" not in found.text and "def serve" not in found.text


def test_who_asks_under_another_name_is_refused(people):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil.example"):
        assert ask(people.app, "GET", "/", [("host", host)]).status == 421
    assert ask(people.app, "GET", "/", [("host", "localhost:8020")]).status == 200


def test_headers_of_a_proxy_change_nothing(people):
    """Neither where we are, nor whether it is https, nor who asks is taken from headers."""
    own = [("host", "127.0.0.1"), ("origin", "https://evil.example"), ("content-type", FORM)]
    spoofed = [("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "https"), ("forwarded", "host=evil.example")]
    assert ask(people.app, "POST", "/in", [*own, *spoofed], b"key=x").status == 403
    assert ask(people.app, "GET", "/", [("host", "evil.example"), ("x-forwarded-host", "127.0.0.1")]).status == 421
    for i in range(GUESSES):
        headers = [("host", "127.0.0.1"), ("origin", "http://127.0.0.1"), ("content-type", FORM)]
        ask(people.app, "POST", "/in", [*headers, ("x-forwarded-for", f"10.0.0.{i}")], b"key=x")
    assert Client(people.app).post("/in", key="x").status == 429


@pytest.mark.parametrize("trusted", [None, "127.0.0.1", "10.9.9.9"])
def test_who_asked_is_believed_of_a_proxy_that_was_named(people, trusted):
    server = uvicorn.Server(server_config(people.app, trusted))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]

    def guess(who):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        headers = {"origin": f"http://127.0.0.1:{port}", "content-type": FORM, "x-forwarded-for": who}
        connection.request("POST", "/in", "key=x", headers)
        status = connection.getresponse().status
        connection.close()
        return status

    assert [guess("10.0.0.1") for _ in range(GUESSES)] == [403] * GUESSES
    assert guess("10.0.0.1") == 429
    assert guess("10.0.0.2") == (403 if trusted == "127.0.0.1" else 429)
    server.should_exit = True
    thread.join(20)


def test_behind_a_proxy_the_address_is_the_public_one(study, people):
    app = make_app(study, "0.0.0.0", "https://Annotate.Example.org")
    people.come("ann")
    client = Client(app, "annotate.example.org", "https")
    answer = client.post("/in", key=people.secrets["ann"])
    assert answer.status == 303 and "Secure" in answer.headers["set-cookie"]
    assert answer.headers["set-cookie"].startswith("__Host-paws=")
    assert "max-age" in answer.headers["strict-transport-security"]
    assert Client(app, "127.0.0.1").get("/").status == 421
    with pytest.raises(PawsError, match="P814"):
        make_app(study, "0.0.0.0")
    for bad in ("annotate.example.org", "ftp://x", "https://x/path", "https://u:p@x", "https://x?y", "https://x:port"):
        with pytest.raises(PawsError, match="P815"):
            make_address("127.0.0.1", bad)


def test_every_answer_has_the_headers_that_browsers_heed(people):
    people.task("judge")
    ann = people.come("ann")
    paths = ["/", "/in", "/t/judge", "/t/none", "/nothing", "/admin", "/health", "/static/keys.js"]
    for found in [*map(ann.get, paths), ann.post("/t/judge/answer"), Client(people.app, "evil.example").get("/")]:
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy and "base-uri 'none'" in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["referrer-policy"] == "same-origin" and found.headers["x-frame-options"] == "DENY"
        assert "server" not in found.headers
    assert ann.get("/t/judge").headers["cache-control"] == "no-store"
    for path in ("/", "/t/judge", "/in"):
        page = ann.get(path).text
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?://", page)


def test_no_key_of_a_link_is_sent_or_logged(people, study, tmp_path):
    """The key stands behind the #: the request for the page does not have it. The server itself logs no requests."""
    people.come("ann")
    port_of = socket.socket()
    port_of.bind(("127.0.0.1", 0))
    port = port_of.getsockname()[1]
    port_of.close()
    command = [sys.executable, "-m", "paws_components", "annotate", "serve", study.where, "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert "Ctrl-C" in server.stderr.readline()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        secret = people.secrets["ann"]
        headers = {"origin": f"http://127.0.0.1:{port}", "content-type": FORM}
        connection.request("POST", "/in", f"key={secret}", headers)
        got = connection.getresponse()
        got.read()
        assert got.status == 303
        session = got.headers["set-cookie"].split("=")[1].split(";")[0]
        connection.request("GET", f"/in/{secret}")  # somebody who mistypes a link
        connection.getresponse().read()
        connection.request("POST", "/t/none/answer", "form=" + "x" * 10, {**headers, "cookie": f"paws={session}"})
        assert connection.getresponse().read()
    finally:
        server.terminate()
        told = "".join(server.communicate(timeout=20))
    assert secret not in told and session not in told


def test_a_failure_inside_tells_nobody_what_it_was(people, monkeypatch):
    people.task("judge")
    ann = people.come("ann")

    def broken(*args):
        raise RuntimeError("secret inner detail")

    monkeypatch.setattr(queue, "lend", broken)
    with pytest.raises(RuntimeError):
        ann.get("/t/judge")
