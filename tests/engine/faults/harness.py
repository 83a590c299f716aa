"""Does a run of which something is killed at any moment end in the bytes of a run that nobody disturbed?

`driver`: the command itself, with two worker processes; `ray-driver`: the same on a Ray cluster, by turns one that was
there and one that it started. Given again, it goes on. `worker`: one of two worker processes; `actor`: one of two
actors of a Ray cluster; `raylet`: one of two nodes of a Ray cluster, by turns replaced after the run and at once. These
runs go on by themselves.

Each moment is drawn by the shards that are done, and some time after that; where it came too late it is drawn again.
The last line has for each kind: moments; kills that came too late (`missed`); shards that were there when something was
killed (`kept`); rows that were given out again (`again`); workers hired beyond those of an undisturbed run (`hired`);
how often output and errors were identical; what was left behind of processes and files; runs that hung.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

KINDS = ("driver", "ray-driver", "worker", "actor", "raylet")
TEXT, MODEL, OUTPUT = "text.txt", "model", "pairs.jsonl"
ERRORS, RUN, LOG, SAID = OUTPUT + ".errors.jsonl", OUTPUT + ".run", "log", "said"
WORKERS = 2
# How long a run may take beyond an undisturbed one, and processes to be gone.
PATIENCE, GONE = 120.0, 15.0
# The agents of Ray's nodes notice by themselves that their node was killed, within a minute.
AGENT, AGENT_GONE = "Agent", 90.0
# What a process of this name is, for whoever looks at the processes of a machine.
WORKER, ACTOR = "spawn_main", "ray::Actor"
MARK = "PAWS_FAULTS"

# thinc imports torch wherever it is installed. Nothing here needs it, and it is half of what starting a worker takes.
NO_TORCH = "import sys\n\nsys.modules['torch'] = None\n"

# A process, and when it began: numbers are given again.
Process = Tuple[int, str]


@dataclass
class Counts:
    """What was so of a kind, over all moments."""

    moments: int = 0
    missed: int = 0
    kept: int = 0
    again: int = 0
    hired: int = 0
    identical: int = 0
    left_processes: int = 0
    left_files: int = 0
    hung: int = 0

    @property
    def good(self) -> bool:
        """Whether all was as it should be."""
        return self.identical == self.moments and not (self.left_processes or self.left_files or self.hung)


@dataclass
class Pace:
    """How an undisturbed run went: seconds to the first shard, and from one to the next."""

    first: float
    step: float
    shards: int


# Processes


def stat(process: int) -> Optional[List[str]]:
    """State, parent, …, by what the system tells; None if it is gone."""
    with suppress(OSError):
        found = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return found if found[0] != "Z" else None
    return None


def processes() -> Dict[int, List[str]]:
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return {number: found for number in numbers if (found := stat(number))}


def below(parent: int) -> Set[Process]:
    """All processes that a process has started, and those that these have."""
    table = processes()
    found: Set[Process] = set()
    todo = [parent]
    while todo:
        above = todo.pop()
        children = [number for number, fields in table.items() if int(fields[1]) == above]
        found.update((number, table[number][19]) for number in children)
        todo += children
    return found


def name_of(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf8", "replace")
    return ""


def named(found: Set[Process], name: str) -> Set[Process]:
    return {process for process in found if name in name_of(process[0])}


def marked(mark: str) -> Set[Process]:
    """All processes that have a mark in their environment."""
    found = set()
    for number, fields in processes().items():
        with suppress(OSError):
            if mark.encode() in Path(f"/proc/{number}/environ").read_bytes() and number != os.getpid():
                found.add((number, fields[19]))
    return found


def left_of(found: Callable[[], Set[Process]], seconds: float = GONE) -> Set[Process]:
    """Which processes are still there after some seconds. They are ended then."""
    until = time.monotonic() + seconds
    while True:
        there = {(number, began) for number, began in found() if (now := stat(number)) and now[19] == began}
        if not there or time.monotonic() > until:
            break
        time.sleep(0.1)
    for number, _ in there:
        print(f"left behind: {number} {name_of(number)[:100]}", file=sys.stderr, flush=True)
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
    return there


# The command


def start(arguments: List[str]) -> int:
    """`paws` in a process of its own that has everything imported already. It notes in a log which workers it starts,
    and which rows it gives them.
    """
    process = os.fork()
    if process:
        return process
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    said = os.open(SAID, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    from paws_components.cli import main
    from paws_components.engine import work
    from paws_components.engine.local import Processes
    from paws_components.engine.ray import Actors

    # Every chunk is a shard: as many places to be killed at as there are.
    work.SHARD_SECONDS = work.SHARD_SHARE = 0.0
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for place in (Processes, Actors):
        watch(place, log)
    sys.argv = ["paws", *arguments]
    code = 70
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        import atexit

        atexit._run_exitfuncs()
        os._exit(code)


def watch(place: Any, log: int) -> None:
    hire, give = place.hire, place.give

    def noted_hire(self: Any, worker: int) -> None:
        os.write(log, b"hire\n")
        hire(self, worker)

    def noted_give(self: Any, worker: int, chunk: Any) -> None:
        os.write(log, f"give {len(chunk.rows)}\n".encode())
        give(self, worker, chunk)

    place.hire, place.give = noted_hire, noted_give


def ended(process: int) -> Optional[int]:
    """The exit code of a process that has ended."""
    if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        return None
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def shards() -> int:
    with suppress(OSError):
        return sum(name.endswith(".jsonl") and name[:12].isdigit() for name in os.listdir(RUN))
    return 0


def wait_until(true: Callable[[], Any], process: int) -> bool:
    """Wait for something, as long as a process runs; whether it came."""
    while not true():
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        time.sleep(0.005)
    return True


class Cluster:
    """A Ray cluster of several nodes on this machine, in a process of its own."""

    def __init__(self) -> None:
        script = Path(__file__).resolve().with_name("cluster.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(WORKERS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._answer()

    def ask(self, command: str) -> List[int]:
        """The raylets, after a command."""
        assert self.process.stdin
        print(command, file=self.process.stdin, flush=True)
        found: List[int] = self._answer()
        return found

    def actors(self) -> Set[Process]:
        """Our actors, whichever raylet they are of."""
        return named(below(self.process.pid), ACTOR)

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)

    def _answer(self) -> Any:
        assert self.process.stdout
        for line in self.process.stdout:
            with suppress(ValueError):
                return json.loads(line)
        raise RuntimeError("The cluster has ended.")


@dataclass
class Harness:
    """Kills runs in a folder of its own, which is where this process is by then.

    sentences (int), moments (int), chance (Random): How many, and when.
    """

    sentences: int
    moments: int
    chance: random.Random
    expected: Tuple[bytes, bytes] = (b"", b"")
    paces: Dict[bool, Pace] = field(default_factory=dict)
    agents: Set[Process] = field(default_factory=set)

    @cached_property
    def cluster(self) -> Cluster:
        return Cluster()

    def close(self) -> None:
        if "cluster" in self.__dict__:
            self.cluster.close()

    def prepare(self, seed: int) -> None:
        """The text, and what comes of it where nothing disturbs."""
        from sentences import make_pipeline, write_sentences

        write_sentences(Path(TEXT), self.sentences, seed)
        make_pipeline().to_disk(MODEL)
        process = start([*self.command()[:-2], "1", "--quiet"])
        if code := os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]):
            sys.exit(f"An undisturbed run ended with {code}: {Path(SAID).read_text()}")
        self.expected = self.found()
        pairs, errors = (found.count(b"\n") for found in self.expected)
        print(f"undisturbed: {self.sentences:,} sentences, {pairs:,} pairs, {errors:,} errors", flush=True)

    def command(self, address: Optional[str] = None, ray: bool = False) -> List[str]:
        told = ["generate", TEXT, "-o", OUTPUT, "--model", os.path.abspath(MODEL)]
        if ray:
            told += ["--engine", "ray", *(["--address", address] if address else [])]
        return [*told, "--n-process", str(WORKERS), "--quiet"]

    def found(self) -> Tuple[bytes, bytes]:
        return tuple(Path(name).read_bytes() if Path(name).exists() else b"" for name in (OUTPUT, ERRORS))  # type: ignore

    def clear(self) -> None:
        for name in (OUTPUT, ERRORS, LOG, SAID):
            Path(name).unlink(missing_ok=True)
        shutil.rmtree(RUN, ignore_errors=True)

    def pace(self, ray: bool) -> Pace:
        """How a run goes that nothing disturbs; it must give the same, too."""
        if ray not in self.paces:
            self.clear()
            process = start(self.command(self.cluster.address if ray else None, ray))
            began = time.monotonic()
            wait_until(lambda: Path(RUN, "manifest.json").exists(), process)
            began = time.monotonic()
            wait_until(shards, process)
            first = time.monotonic() - began
            most = 0
            while ended(process) is None:
                most = max(most, shards())
                time.sleep(0.02)
            taken = time.monotonic() - began
            if self.found() != self.expected:
                sys.exit(f"{'Ray' if ray else 'Two processes'} give something else: {Path(SAID).read_text()}")
            self.paces[ray] = Pace(first, (taken - first) / max(most, 1), most)
            print(f"undisturbed, {'ray' if ray else 'local'}: {self.paces[ray]}", flush=True)
        return self.paces[ray]

    def measure(self, kind: str) -> Counts:
        """Kill runs of a kind, moment after moment."""
        counts = Counts()
        pace = self.pace(kind not in ("driver", "worker"))
        while counts.moments < self.moments and counts.missed < 3 * self.moments:
            self.clear()
            before = asdict(counts)
            began = time.monotonic()
            if not self.one(kind, counts, pace):
                counts.missed += 1
                continue
            counts.moments += 1
            now = {name: value - before[name] for name, value in asdict(counts).items() if name not in ("moments",)}
            print(f"{kind} {counts.moments}, {time.monotonic() - began:.1f} s: {now}", flush=True)
        counts.left_processes += len(left_of(lambda: self.agents, AGENT_GONE))
        self.agents.clear()
        return counts

    def one(self, kind: str, counts: Counts, pace: Pace) -> bool:
        """Kill a run once, have it come to its end, and look at it; False if the kill came too late."""
        # By turns, so that both are seen.
        other = bool(counts.moments % 2)
        ray = kind not in ("driver", "worker")
        there = ray and not (kind == "ray-driver" and other)
        arguments = self.command(self.cluster.address if there else None, ray)
        driver = start(arguments)
        victims = self.moment(kind, driver, pace)
        if not victims:
            if self.finish(driver) or self.found() != self.expected:
                sys.exit(f"{kind}: a run that nobody disturbed went wrong: {Path(SAID).read_text()}")
            return False
        kept = shards()
        known = below(driver)
        victim = self.chance.choice(victims)
        os.kill(victim, signal.SIGKILL)
        if kind in ("driver", "ray-driver"):
            os.waitpid(driver, 0)
            counts.left_processes += self.left(known, there)
            driver = start(arguments)
        elif kind == "raylet" and other:
            self.cluster.ask(f"replace {victim}")
        code = self.finish(driver)
        known |= self.cluster.actors() if there else set()
        counts.left_processes += self.left(known, there)
        if kind == "raylet" and not other:
            self.cluster.ask(f"replace {victim}")
        if code is None:
            counts.hung += 1
        elif code or self.found() != self.expected:
            print(f"{kind}: exit code {code}; {Path(SAID).read_text()}", file=sys.stderr, flush=True)
        else:
            counts.identical += 1
        files = set(os.listdir(".")) - {TEXT, MODEL, OUTPUT, ERRORS, LOG, SAID}
        if files:
            counts.left_files += len(files)
            print(f"{kind}: left behind: {files}", file=sys.stderr, flush=True)
        log = Path(LOG).read_text().split("\n")
        given = sum(int(line.split()[1]) for line in log if line.startswith("give"))
        counts.kept += kept
        counts.again += given - self.sentences
        counts.hired += log.count("hire") - WORKERS
        return True

    def left(self, known: Set[Process], there: bool) -> int:
        """How many processes of a run that has ended are left, but for Ray's agents, for which `measure` waits once."""
        self.agents |= named(known, AGENT)
        return len(left_of(lambda: known - self.agents | (self.cluster.actors() if there else set())))

    def moment(self, kind: str, driver: int, pace: Pace) -> List[int]:
        """Wait for a moment; who may be killed then, if the run still goes on."""
        if not wait_until(lambda: Path(RUN, "manifest.json").exists(), driver):
            return []
        done = self.chance.randrange(pace.shards)
        if not wait_until(lambda: shards() >= done, driver):
            return []
        time.sleep(self.chance.uniform(0, pace.step if done else pace.first))
        found: List[int] = []

        def look() -> List[int]:
            found[:] = self.victims(kind, driver)
            return found

        return found if wait_until(look, driver) and stat(driver) else []

    def victims(self, kind: str, driver: int) -> List[int]:
        if kind in ("driver", "ray-driver"):
            return [driver]
        if kind == "worker":
            return [number for number, _ in named(below(driver), WORKER)]
        actors = self.cluster.actors()
        if kind == "actor":
            return [number for number, _ in actors]
        # A raylet that has an actor of ours; it is the parent.
        parents = {int(found[1]) for number, _ in actors if (found := stat(number))}
        return [raylet for raylet in self.cluster.ask("nodes") if raylet in parents]

    def finish(self, driver: int) -> Optional[int]:
        """Wait for a run to end; its exit code, None if it hangs."""
        until = time.monotonic() + PATIENCE
        while (code := ended(driver)) is None:
            if time.monotonic() > until:
                os.kill(driver, signal.SIGKILL)
                os.waitpid(driver, 0)
                return None
            time.sleep(0.02)
        return code


def stop(number: int, frame: Any) -> None:
    sys.exit(128 + number)


def main() -> None:
    # The cluster has to go, too.
    signal.signal(signal.SIGTERM, stop)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=5000)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.modules["torch"] = None  # type: ignore[assignment]
    # What every run imports is imported once.
    from paws_components.generation import job  # noqa: F401

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Ray's processes wait for everybody else's otherwise.
    os.environ["RAY_worker_niceness"] = "0"
    totals: Dict[str, Any] = {}
    good = True
    # Not one that goes with the process: forked ones would take it with them.
    folder = tempfile.mkdtemp(prefix="pf-")
    os.environ["RAY_TMPDIR"] = f"{folder}/ray"
    for name in ("ray", "run", "site"):
        os.mkdir(f"{folder}/{name}")
    Path(folder, "site", "sitecustomize.py").write_text(NO_TORCH)
    os.environ["PYTHONPATH"] = os.pathsep.join([f"{folder}/site", os.environ.get("PYTHONPATH", "")])
    os.environ[MARK] = f"{os.getpid()}"
    os.chdir(f"{folder}/run")
    harness = Harness(options.sentences, options.moments, random.Random(options.seed))
    try:
        harness.prepare(options.seed)
        for kind in options.kinds:
            counts = harness.measure(kind)
            good &= counts.good and counts.moments == options.moments
            totals[kind] = asdict(counts)
            print(f"{kind}: {totals[kind]}", flush=True)
    finally:
        harness.close()
        left = left_of(lambda: marked(f"{MARK}={os.getpid()}"), AGENT_GONE)
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    totals["left_at_the_end"] = len(left)
    print(json.dumps(totals))
    sys.exit(0 if good and not left else 1)


if __name__ == "__main__":
    main()
