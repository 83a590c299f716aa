"""Do answers survive? Fifty raters at once judge pairs over loopback, and the server is killed in the middle.

Every rater asks for an item, answers it, and asks for the next, as a browser does. Half way the server gets SIGKILL
and is started again; raters send what was not acknowledged once more. At the end the database is held against what each
rater saw acknowledged: no such answer is lost, none is counted twice, no item has more judges than it may.

`--postgres URL` takes an empty PostgreSQL database instead of an SQLite file; without a URL, `--postgres ''` starts a
server of its own where Debian's `postgresql` is installed.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple
from urllib.parse import urlencode

from sqlalchemy import func, select

from paws_components.annotate.loading import add_task
from paws_components.annotate.raters import add_rater
from paws_components.annotate.schema import assignments, items, raters
from paws_components.annotate.study import Study, open_study

RATERS, JUDGEMENTS, JUDGES = 50, 5000, 5
HIDDEN = re.compile(r'name="(form|ticket)" value="([^"]+)"')


class Rater(threading.Thread):
    """Somebody who judges as fast as the pages come.

    acknowledged (Dict[str, str]): By ticket, the answers that the server said it has.
    """

    def __init__(self, port: int, secret: str, number: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.secret, self.stop = port, secret, stop
        self.chance = random.Random(number)
        self.acknowledged: Dict[str, str] = {}
        self.posts: List[float] = []
        self.pages: List[float] = []
        self.again = 0
        self.error: Optional[BaseException] = None
        self._connection: Optional[http.client.HTTPConnection] = None
        self._cookie = ""

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.error = error

    def _work(self) -> None:
        _, headers, _ = self._ask("POST", "/in", {"key": self.secret})
        self._cookie = (headers["set-cookie"] or "").split(";")[0]
        while not self.stop.is_set():
            status, _, page = self._ask("GET", "/t/judge", times=self.pages)
            assert status == 200, page
            hidden = dict(HIDDEN.findall(page))
            if "ticket" not in hidden:
                if "All " in page:
                    return
                time.sleep(0.05)  # others have the last items before them
                continue
            answer = self.chance.choice("01")
            status, _, page = self._ask("POST", "/t/judge/answer", {**hidden, "label": answer}, self.posts)
            assert status == 303, (status, page)
            self.acknowledged[hidden["ticket"]] = answer

    def _ask(
        self, method: str, path: str, form: Optional[Dict[str, str]] = None, times: Optional[List[float]] = None
    ) -> Tuple[int, Any, str]:
        """Ask until there is an answer: a server that is gone comes back. Timed is the try that gets the answer."""
        end = time.monotonic() + 60
        while True:
            began = time.perf_counter()
            try:
                if self._connection is None:
                    self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                headers = {"cookie": self._cookie, "origin": f"http://127.0.0.1:{self.port}"}
                if form is not None:
                    headers["content-type"] = "application/x-www-form-urlencoded"
                self._connection.request(method, path, urlencode(form) if form is not None else None, headers)
                got = self._connection.getresponse()
                text = got.read().decode("utf8")
                if times is not None:
                    times.append(time.perf_counter() - began)
                return got.status, got.headers, text
            except (OSError, http.client.HTTPException):
                if self._connection is not None:
                    self._connection.close()
                self._connection = None
                self.again += 1
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)


def start_server(where: str, port: int) -> subprocess.Popen:
    """Serve a study in a process of its own."""
    command = [sys.executable, "-m", "paws_components", "annotate", "serve", where, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "Ctrl-C stops" in line:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process
    raise SystemExit(f"the server did not start: {process.wait()}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def write_pairs(path: Path, count: int) -> None:
    with path.open("w", encoding="utf8") as file:
        for i in range(count):
            pair = {"sentence1": f"Sentence {i} came first.", "sentence2": f"First came sentence {i}."}
            file.write(json.dumps({"id": f"pair-{i}", **pair}) + "\n")


def run(where: str, folder: Path, people: int, judgements: int, kills: int) -> Dict[str, Any]:
    """Have people judge, kill the server meanwhile, and hold the database against what they saw."""
    study = open_study(where, create=True)
    write_pairs(folder / "pairs.jsonl", judgements // JUDGES)
    add_task(study, "judge", [str(folder / "pairs.jsonl")], settings={"raters": JUDGES})
    secrets = [add_rater(study, f"rater {i}") for i in range(people)]
    port, stop = free_port(), threading.Event()
    process = start_server(where, port)
    crowd = [Rater(port, secret, i, stop) for i, secret in enumerate(secrets)]
    began = time.perf_counter()
    down = 0.0
    for one in crowd:
        one.start()
    try:
        for number in range(kills):
            wanted = judgements * (number + 1) // (kills + 1)
            while sum(len(one.acknowledged) for one in crowd) < wanted and any(one.is_alive() for one in crowd):
                time.sleep(0.005)
            gone = time.perf_counter()
            process.send_signal(signal.SIGKILL)
            process.wait()
            seen = sum(len(one.acknowledged) for one in crowd)
            process = start_server(where, port)
            down += time.perf_counter() - gone
            print(f"killed after {seen:,} acknowledged answers, serving again after {down:.2f} s", flush=True)
        for one in crowd:
            one.join(300)
        took = time.perf_counter() - began
    finally:
        stop.set()
        process.kill()
        process.wait()
    for one in crowd:
        if one.error is not None or one.is_alive():
            raise SystemExit(f"a rater stopped: {one.error!r}")
    figures = compare(study, crowd)
    posts = sorted(value for one in crowd for value in one.posts)
    pages = sorted(value for one in crowd for value in one.pages)
    figures.update(
        seconds=round(took, 2),
        down=round(down, 2),
        answers_per_second=round(figures["acknowledged"] / (took - down), 1),
        answer_median_ms=round(1000 * posts[len(posts) // 2], 1),
        answer_slowest_hundredth_ms=round(1000 * posts[int(len(posts) * 0.99)], 1),
        page_slowest_hundredth_ms=round(1000 * pages[int(len(pages) * 0.99)], 1),
        sent_again=sum(one.again for one in crowd),
    )
    study.close()
    return figures


def compare(study: Study, crowd: List[Rater]) -> Dict[str, Any]:
    """What the database has, against what raters saw."""
    seen = {ticket: answer for one in crowd for ticket, answer in one.acknowledged.items()}
    with study.reading() as connection:
        query = select(assignments, raters.c.name).join(raters, raters.c.id == assignments.c.rater_id)
        rows = list(connection.execute(query.where(assignments.c.state == "done")))
        flat = select(func.count()).select_from(items).where(items.c.taken != items.c.needed)
        unfinished = connection.execute(flat).scalar()
    kept = {row.ticket: str(row.answer["label"]) for row in rows}
    judges: Dict[int, List[str]] = {}
    for row in rows:
        judges.setdefault(row.item_id, []).append(row.name)
    return {
        "acknowledged": len(seen),
        "stored": len(rows),
        "lost": sum(kept.get(ticket) != answer for ticket, answer in seen.items()),
        "counted_twice": sum(len(names) - len(set(names)) for names in judges.values()),
        "items": len(judges),
        "most_judges": max(map(len, judges.values())),
        "fewest_judges": min(map(len, judges.values())),
        "items_unfinished": unfinished,
    }


@contextmanager
def own_postgres(folder: Path) -> Iterator[str]:
    """A PostgreSQL server on loopback, from Debian's package, gone at the end."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        raise SystemExit("there is no PostgreSQL: apt-get install postgresql, or give --postgres a URL")
    programs, data, port = found[-1].parent, folder / "postgres", free_port()
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    data.mkdir()
    if as_user:
        folder.chmod(0o755)
        shutil.chown(data, "postgres", "postgres")
    subprocess.run(
        [*as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "paws"], check=True, stdout=subprocess.DEVNULL
    )
    options = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={data}", "-c", "max_connections=200"]
    server = subprocess.Popen(
        [*as_user, programs / "postgres", "-D", data, "-p", str(port), *options], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            ready = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
            if subprocess.run(ready).returncode == 0:
                break
            time.sleep(0.1)
        yield f"postgresql://paws@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=JUDGEMENTS, help="how many judgements")
    parser.add_argument("--raters", type=int, default=RATERS)
    parser.add_argument("--kills", type=int, default=1, help="how often the server is killed")
    parser.add_argument("--postgres", metavar="URL", help="on PostgreSQL; '' for a server of its own")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = (folder, arguments.raters, arguments.limit, arguments.kills)
        if arguments.postgres is None:
            figures = run(str(folder / "study.db"), *given)
        elif arguments.postgres:
            figures = run(arguments.postgres, *given)
        else:
            with own_postgres(folder) as url:
                figures = run(url, *given)
    figures["database"] = "SQLite" if arguments.postgres is None else "PostgreSQL"
    for key, value in figures.items():
        print(f"{key.replace('_', ' '):30} {value}")
    print(json.dumps(figures))
    good = figures["lost"] == figures["counted_twice"] == 0 and figures["most_judges"] <= JUDGES
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
