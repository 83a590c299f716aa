"""Runs on a Ray cluster of two nodes on this machine, each with one CPU, and a head without."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.engine import ray as engine_ray
from paws_components.engine import work
from paws_components.engine.frame import Run, Stopped
from paws_components.engine.options import RunOptions
from paws_components.errors import Fatal
from paws_components.plugins import Registration, host
from paws_components.readers import Text

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'paws-components[ray]'")
sys.path.insert(0, str(Path(__file__).resolve().parent / "faults"))

PLUGIN = '''
"""A translator that turns words round, and waits at a word as long as a file is there."""

import os
import time

from paws_components import hookimpl


class Turned:
    def translate(self, texts, source, target, k):
        while any("wait" in text for text in texts) and os.path.exists(HOLD):
            time.sleep(0.1)
        return [[(" ".join(word[::-1] for word in text.split()), 1.0)] for text in texts]


@hookimpl
def paws_register_translators(register):
    register("turned", Turned, chunk=16)
'''
JOB = '''
"""A job whose worker has a model asked elsewhere, which dies at a word, and waits as long as a file is there."""

import os
import time
from dataclasses import dataclass

from paws_components.engine.serving import find_model


def model(questions):
    while "wait" in questions and os.path.exists(HOLD):
        time.sleep(0.1)
    if "die" in questions:
        os._exit(3)
    return [question.upper() for question in questions]


def make_model():
    return model


@dataclass
class Asking:
    chunk: int = 2

    def start(self):
        return find_model("judges", make_model)
'''
# thinc imports torch wherever it is installed; nothing here needs it.
NO_TORCH = "import sys\n\nsys.modules['torch'] = None\n"
STORE = 80 * 1024 * 1024
# Nodes that died are to be noticed within seconds rather than half a minute.
HEALTH = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_failure_threshold": 5}


def install(site, name, code):
    """A package with a plugin, as pip would leave it."""
    about = site / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (site / f"{name}.py").write_text(code)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[paws_components]\n{name} = {name}\n")


class Nodes:
    """The cluster, with a plugin on all of its nodes."""

    def __init__(self, folder):
        from ray.cluster_utils import Cluster

        self.site, self.bare = folder / "site", folder / "bare"
        # Ray's processes wait for everybody else's otherwise.
        os.environ["RAY_worker_niceness"] = "0"
        for site in (self.site, self.bare):
            site.mkdir()
            (site / "sitecustomize.py").write_text(NO_TORCH)
        self.hold = folder / "hold"
        install(self.site, "paws_turned", PLUGIN.replace("HOLD", repr(str(self.hold))))
        (self.site / "asking.py").write_text(JOB.replace("HOLD", repr(str(self.hold))))
        self.cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 0,
                "include_dashboard": False,
                "object_store_memory": STORE,
                "_system_config": HEALTH,
            },
        )
        self.address = self.cluster.address
        for _ in range(2):
            self.add(self.site)

    def environment(self, site):
        return {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]), "OMP_NUM_THREADS": "1"}

    def add(self, site):
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars=self.environment(site))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    found = Nodes(tmp_path_factory.mktemp("nodes"))
    sys.path.insert(0, str(found.site))
    things = host().registered["translators"]
    import paws_turned

    things["turned"] = Registration("turned", paws_turned.Turned, "tests", chunk=16)
    yield found
    del things["turned"]
    sys.path.remove(str(found.site))
    found.cluster.shutdown()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A pipeline of rules that starts at once."""
    from sentences import make_pipeline

    path = tmp_path_factory.mktemp("model") / "model"
    make_pipeline().to_disk(path)
    return str(path)


@pytest.fixture
def text(tmp_path, monkeypatch):
    """A text in the folder that we are in. Every chunk is a shard."""
    from sentences import write_sentences

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(work, "SHARD_SECONDS", 0.0)
    monkeypatch.setattr(work, "SHARD_SHARE", 0.0)
    write_sentences(Path("text.txt"), 1000, seed=1)
    return Path("text.txt")


def paws(*arguments):
    """What is wrong, if anything is."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=False).exception


def on(nodes):
    return ["--engine", "ray", "--address", nodes.address]


def contents(name):
    return [Path(path).read_bytes() if Path(path).exists() else b"" for path in (name, f"{name}.errors.jsonl")]


def generate(model, output, *options):
    processes = ["--n-process", 2] if options else []
    return paws("generate", "text.txt", "-o", output, "--model", model, "--quiet", *processes, *options)


def test_where_nobody_is_it_is_said_within_seconds(text):
    began = time.monotonic()
    error = paws("generate", "text.txt", "-o", "o.jsonl", "--engine", "ray", "--address", "127.0.0.1:1")
    assert "P050" in str(error) and "127.0.0.1:1" in str(error) and time.monotonic() - began < 10
    assert os.listdir() == ["text.txt"]


@pytest.mark.parametrize("names, code", [(("gone.txt", "o.jsonl"), "P020"), (("text.txt", "o.what"), "P011")])
def test_what_is_wrong_here_is_said_before_any_cluster_is_asked(text, names, code):
    error = paws("generate", names[0], "-o", names[1], "--engine", "ray", "--address", "127.0.0.1:1")
    assert code in str(error)


def test_the_bytes_are_those_of_a_local_run(nodes, text, model):
    assert generate(model, "here.jsonl") is None
    assert generate(model, "there.jsonl", *on(nodes)) is None
    here, errors = contents("here.jsonl")
    assert [here, errors] == contents("there.jsonl")
    assert here.count(b"\n") > 200 and errors.count(b"\n") == 11
    for options in ([], on(nodes)):
        name = f"measured{len(options)}.tsv"
        assert paws("metrics", "here.jsonl", "-o", name, "--metrics", "bow_cosine", "--quiet", *options) is None
    assert contents("measured0.tsv") == contents("measured4.tsv") and Path("measured0.tsv").stat().st_size > 10_000


def test_values_that_need_their_order_are_found_by_the_driver(nodes, text):
    command = ["translate", "text.txt", "--translator", "turned", "--from", "en", "--to", "de", "--texts"]
    command += ["--limit", 300, "--quiet"]
    for name, options in {"here.jsonl": [], "there.jsonl": [*on(nodes), "--n-process", 2]}.items():
        error = paws(*command, "-o", name, *options)
        assert error is None, error
    assert contents("here.jsonl") == contents("there.jsonl") and contents("here.jsonl")[0].count(b"\n") > 250


@pytest.mark.parametrize("first, then", [("here", "there"), ("there", "here")])
def test_a_run_goes_on_elsewhere(nodes, text, model, first, then):
    where = {"here": [], "there": on(nodes)}
    # The errors of the first chunk are too many.
    error = generate(model, "o.jsonl", "--max-errors", 1, *where[first])
    assert "P036" in str(error)
    done = sum(json.loads(path.read_bytes().splitlines()[-1])[1] for path in Path("o.jsonl.run").glob("0*.jsonl"))
    assert 256 <= done <= 1000
    assert generate(model, "o.jsonl", *where[then]) is None
    assert generate(model, "whole.jsonl") is None
    assert contents("o.jsonl") == contents("whole.jsonl")
    assert not Path("o.jsonl.run").exists()


def test_a_node_without_a_plugin_is_named_before_anything_is_loaded(nodes, text):
    node = nodes.add(nodes.bare)
    try:
        began = time.monotonic()
        error = paws("generate", "text.txt", "-o", "o.jsonl", *on(nodes))
        assert (
            "P052" in str(error) and "paws-turned none" in str(error) and "pip install paws-turned==1.0" in str(error)
        )
        assert str(node.node_manager_port) in str(error) and time.monotonic() - began < 30
        assert os.listdir() == ["text.txt"]
    finally:
        nodes.cluster.remove_node(node)


def test_a_node_that_died_a_moment_ago_does_not_keep_the_others(nodes, text, model):
    node = nodes.add(nodes.site)
    node.kill_raylet(check_alive=False)
    try:
        command = ["generate", "text.txt", "-o", "o.jsonl", "--model", model, "--quiet", "--n-process", "2", *on(nodes)]
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, done.output
    finally:
        nodes.cluster.remove_node(node, allow_graceful=False)
    assert contents("o.jsonl")[0].count(b"\n") > 200
    # Nor is what Ray tells of it in the output.
    assert "raylet" not in done.output and "1,000 lines in" in done.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_keep_what_is_done(nodes, text, number, request):
    # Where the tests run in the background, Ctrl-C may be off.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    text.write_text("\n".join([*(f"Line {count} ." for count in range(64)), *["wait"] * 64]) + "\n")
    command = ["translate", "text.txt", "--translator", "turned", "--from", "en", "--to", "de", "--texts", "--quiet"]
    nodes.hold.touch()
    stop = threading.Thread(target=stop_at, args=(2, number))
    stop.start()
    stopped = paws(*command, "-o", "o.jsonl", "--n-process", 2, *on(nodes)).__cause__
    stop.join()
    nodes.hold.unlink()
    assert stopped.code == 128 + number and "lines are done and kept" in str(stopped) and not ray.is_initialized()
    for name in ("o.jsonl", "whole.jsonl"):
        assert paws(*command, "-o", name) is None
    assert contents("o.jsonl") == contents("whole.jsonl")


def stop_at(shards, number, folder="o.jsonl.run"):
    """A signal once so many shards are there."""
    until = time.monotonic() + 60
    while len(list(Path(folder).glob("0*.jsonl"))) < shards and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(os.getpid(), number)


def test_why_an_actor_died_is_told():
    told = "The actor died unexpectedly.\n\tclass_name: Actor\nThe actor is dead because its node has died.\n"
    assert engine_ray._short(RuntimeError(told)) == "The actor is dead because its node has died"
    assert (
        engine_ray._short(RuntimeError("One line.\nAnother.")) == "One line"
        and engine_ray._short(OSError()) == "OSError"
    )


def test_a_path_means_there_what_it_means_here(nodes, text, model):
    """The nodes were started in another folder."""
    shutil.copytree(model, "model")
    error = generate("model", "o.jsonl", *on(nodes))
    assert error is None, error


# Models that have workers of their own


def ask(nodes, words, output="o.txt"):
    """What comes of words whose worker asks that of a judge."""
    from asking import Asking

    def finish(values, place):
        found = [*values]
        Path(place).write_text(" ".join(found))
        return len(found)

    run = Run("ask", Asking(), (), output, {}, lambda item, outcome: outcome, finish)
    rows = [Text("f", number, word) for number, word in enumerate(words, 1)]
    run(rows, engine="ray", address=nodes.address, judges=1, quiet=True)
    return Path(output).read_text().split()


def test_a_model_that_dies_is_no_error_of_any_row(nodes, text, monkeypatch):
    monkeypatch.setattr(engine_ray, "ASKED_AGAIN", 1)
    with pytest.raises(Fatal, match="P054"):
        ask(nodes, ["a", "b", "die", "c"])
    # What was done stays, and no row was blamed.
    (shard,) = Path("o.txt.run").glob("0*.jsonl")
    assert json.loads(shard.read_bytes().splitlines()[-1])[:4] == [0, 2, 2, 0]


def test_rows_that_are_being_judged_when_a_run_is_stopped_are_no_errors(nodes, text, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    nodes.hold.touch()
    stop = threading.Thread(target=stop_at, args=(1, signal.SIGINT, "o.txt.run"))
    stop.start()
    with pytest.raises(Stopped, match="2 rows are done"):
        ask(nodes, ["a", "b", "wait", "c", "wait"])
    stop.join()
    nodes.hold.unlink()
    assert ask(nodes, ["a", "b", "wait", "c", "wait"]) == ["A", "B", "WAIT", "C", "WAIT"]
    assert not Path("o.txt.errors.jsonl").exists()


def test_judges_that_find_no_gpu_are_told_of(nodes):
    from asking import Asking

    place = engine_ray.Actors(RunOptions(engine="ray", address=nodes.address, judges=1, gpu_id=0))
    try:
        place.open(Asking())
        place.hire(1)
        until = time.monotonic() + 20
        while place.unplaced and time.monotonic() < until:
            assert place.events(0.5) == []
        assert place.events(1.0) == []
        assert (place.waits_for() or "").startswith("waiting for the cluster: 1 judges want a CPU and a GPU each, ")
    finally:
        place.close(False)


def test_a_machine_without_a_gpu_is_told_of_at_once(text, model):
    # A Ray of its own leaves a secret in the process, which other clusters do not share.
    command = [sys.executable, "-m", "paws_components", "generate", text, "-o", "o.jsonl", "--model", model]
    env = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    done = subprocess.run(
        [*command, "--engine", "ray", "--gpu-id", "0"], env=env, capture_output=True, text=True, timeout=120
    )
    if "P355" not in done.stderr and shutil.which("nvidia-smi"):
        pytest.skip("there is a GPU here")
    assert done.returncode == 1 and "Ray finds 0 GPUs" in done.stderr, done.stderr
    assert os.listdir() == ["text.txt"]


def test_workers_that_do_not_see_the_folder_hand_their_entries_back(nodes, text, model, tmp_path):
    """A node that has a folder of its own in the place of ours, as another machine would."""
    hidden = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*hidden, "mount -t tmpfs none /mnt"]).returncode:
        pytest.skip("this system does not let us hide a folder from a process")
    Path("run").mkdir()
    for node in nodes.cluster.list_all_nodes()[1:]:
        nodes.cluster.remove_node(node)
    start = f"{sys.executable} -m ray.scripts.scripts start --address {nodes.address} --num-cpus 2 --block"
    blind = subprocess.Popen(
        [*hidden, f"mount -t tmpfs none {tmp_path}/run; exec {start} --object-store-memory {STORE}"],
        env={**os.environ, **nodes.environment(nodes.site)},
        stdout=subprocess.DEVNULL,
    )
    try:
        ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
        until = time.monotonic() + 60
        while not ray.cluster_resources().get("CPU") == 2 and time.monotonic() < until:
            time.sleep(0.2)
        error = generate(model, "run/o.jsonl", *on(nodes))
        assert error is None, error
    finally:
        ray.shutdown()
        blind.terminate()
        blind.wait(30)
    assert generate(model, "here.jsonl") is None
    assert contents("run/o.jsonl") == contents("here.jsonl")
