"""Does a run that is killed at any moment, and given again, end in the bytes of a run that nobody disturbed?

Each round starts `paws generate` or `paws metrics` anew with an older output in place, kills it with SIGKILL at a
random moment, looks whether the older output is as it was and whether a worker process is left, and gives the same
command again. `--rounds` is how many rounds each kind of run gets, with one process and with two.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import Dict, List, Optional

PLUGIN = '''
"""Word swapping that keeps every second pair of a run, by the gap."""

from paws_components import hookimpl
from paws_components.generation.word_swap import WordSwap


def choose(records, settings):
    ranked = sorted((record.evidence["gap"], record.id) for record in records)
    kept = {ident for _, ident in ranked[::2]}
    return lambda record: record.id in kept


@hookimpl
def paws_register_generators(register):
    register("choosy", WordSwap, needs=["tagger", "attribute_ruler", "ner"], choose=choose)
'''
# What runs, and the options that it has.
KINDS: Dict[str, List[str]] = {
    "plain.jsonl": ["generate", "text.txt"],
    "choose.jsonl": ["generate", "text.txt", "--generator", "choosy"],
    "plain.tsv": ["generate", "text.txt"],
    "plain.parquet": ["generate", "text.txt"],
    "folder/": ["generate", "text.txt"],
    "metrics.tsv": ["metrics", "pairs.jsonl"],
}
OLD = "an older output\n"


def install_plugin(folder: Path, name: str = "choosy", module: str = "kills_choosy", code: str = PLUGIN) -> None:
    """A package with a plugin, as pip would leave it; worker processes find it too."""
    (folder / f"{module}.py").write_text(code)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[paws_components]\n{name} = {module}\n")
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])


def start(arguments: List[str]) -> int:
    """The command in a process, and a session, of its own, which has everything imported already."""
    process = os.fork()
    if process:
        return process
    os.setsid()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    # Every chunk is a shard: as many places to be killed at as there are.
    from paws_components.engine import work

    work.SHARD_SECONDS = work.SHARD_SHARE = 0.0
    sys.argv = ["paws", *arguments]
    from paws_components.cli import main

    try:
        main()
    except SystemExit as ended:
        os._exit(int(ended.code or 0))
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def finish(arguments: List[str]) -> None:
    """Run the command to its end."""
    _, status = os.waitpid(start(arguments), 0)
    if status:
        sys.exit(f"{' '.join(arguments)} ended with {status}: {Path('said').read_text()}")


def members(session: int) -> List[int]:
    """The processes of a session that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def left_behind(session: int, patience: float = 10.0) -> int:
    """How many processes of a session are left some seconds after its leader was killed."""
    deadline = time.monotonic() + patience
    while members(session) and time.monotonic() < deadline:
        time.sleep(0.05)
    found = members(session)
    for process in found:
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
    return len(found)


def contents(path: Path) -> Optional[bytes]:
    """The bytes of a file, or of all files of a folder."""
    if path.is_dir():
        return b"".join(file.name.encode() + file.read_bytes() for file in sorted(path.iterdir()))
    return path.read_bytes() if path.exists() else None


def put_old(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if path.name == "folder":
        path.mkdir()
        path = path / "shard-00000.jsonl"
    path.write_text(OLD)


def measure(name: str, command: List[str], processes: int, rounds: int, chance: random.Random) -> Dict[str, int]:
    """Kill a kind of run, round after round.

    name (str): Its output.
    command (List[str]): What runs, without the output and the processes.
    processes (int), rounds (int), chance (random.Random): How many, how often, and when it is killed.
    RETURNS (Dict[str, int]): What was so, in how many rounds.
    """
    output = Path(name)
    arguments = [*command, "-o", name, "--n-process", str(processes), "--quiet"]
    put_old(output)
    began = time.monotonic()
    finish(arguments)
    taken = time.monotonic() - began
    expected = contents(output)
    counts = {"rounds": rounds, "same": 0, "untouched": 0, "left_behind": 0, "resumed": 0, "too_late": 0}
    for _ in range(rounds):
        put_old(output)
        before = contents(output)
        process = start(arguments)
        time.sleep(chance.uniform(0, taken))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        counts["left_behind"] += left_behind(process)
        late = contents(output) == expected
        counts["too_late"] += late
        counts["untouched"] += late or contents(output) == before
        counts["resumed"] += any(Path(f"{name.rstrip('/')}.run").glob("0*.jsonl"))
        finish(arguments)
        counts["same"] += contents(output) == expected
        if Path(f"{name.rstrip('/')}.run").exists():
            sys.exit(f"{name}.run is still there.")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--limit", type=int, default=1500, help="How many sentences.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--processes", nargs="*", type=int, default=[1, 2])
    options = parser.parse_args()
    from paws_components.corpora import sample_text

    lines = sample_text("en").read_text(encoding="utf8").splitlines()
    chance = random.Random(options.seed)
    totals: Dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        install_plugin(Path(folder))
        # What every run imports is imported once.
        from paws_components.generation import job  # noqa: F401
        from paws_components.metrics import job as measuring  # noqa: F401

        Path("text.txt").write_text("\n".join(islice(cycle(lines), options.limit)) + "\n", encoding="utf8")
        finish(["generate", "text.txt", "-o", "pairs.jsonl", "--quiet"])
        for name in options.only:
            for processes in options.processes:
                counts = measure(name, KINDS[name], processes, options.rounds, chance)
                print(f"{name}, {processes} process(es): {counts}", flush=True)
                for key, count in counts.items():
                    totals[key] = totals.get(key, 0) + count
        os.chdir("/")
    print(json.dumps(totals))


if __name__ == "__main__":
    main()
