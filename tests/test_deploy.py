"""What is in deploy/ and on the page about clusters: parsed, linted, and held against what they speak of."""

import configparser
import copy
import io
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import click
import pytest

from paws_components.cli import cli

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
DOCKERFILES = ("Dockerfile", "Dockerfile.cuda")
if not DEPLOY.is_dir():
    pytest.skip("deploy/ is in a checkout only", allow_module_level=True)

dockerfile_parse = pytest.importorskip("dockerfile_parse")
jsonschema = pytest.importorskip("jsonschema")
kubernetes_validate = pytest.importorskip("kubernetes_validate")
yaml = pytest.importorskip("yaml")


# Commands: each `paws …` and `ray …` anywhere in the files is one that the program takes.


def shell_commands(text):
    """The commands of paws in a piece of shell, as lists of words."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.splitlines():
        for part in re.split(r"&&|\|\|?|;;?|(?<!2)>|&$", line.split("#")[0]):
            found = re.match(r"\s*(?:\$ |RUN |case .*\) )?(paws .*)", part)
            if found:
                yield shlex.split(found[1])


def documented():
    found = []
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf8")
    blocks = re.findall(r"```(?:bash|console)\n(.*?)```", page, re.DOTALL)
    blocks += re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)
    sources = {"clusters.md": "\n".join(blocks)}
    for name in (*DOCKERFILES, "slurm.sbatch"):
        sources[name] = (DEPLOY / name).read_text(encoding="utf8")
    sources["kuberay-job.yaml"] = manifest()["spec"]["entrypoint"]
    for name, text in sources.items():
        found += [(name, words) for words in shell_commands(text)]
    return found


def manifest():
    return yaml.safe_load((DEPLOY / "kuberay-job.yaml").read_text(encoding="utf8"))


def parse(words):
    """Have click parse a command line, as the program would, without doing it."""
    command, context = cli, click.Context(cli, info_name="paws")
    words = list(words[1:])
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name!r}"
        command, context = found, click.Context(found, parent=context, info_name=name)
    return command.make_context(command.name, words, parent=context.parent)


@pytest.mark.parametrize(
    "words", [w for _, w in documented()], ids=[f"{n}-{i}" for i, (n, _) in enumerate(documented())]
)
def test_the_commands_are_ones_that_paws_takes(words):
    parse(words)


def test_commands_are_found_and_wrong_ones_are_told():
    assert {name for name, _ in documented()} >= {"clusters.md", "slurm.sbatch", "kuberay-job.yaml"}
    lines = (
        "paws generate a.txt \\\n   -o b.jsonl &\n$ paws lm -h && paws plugins | head  # so\n# paws is not\nother paws"
    )
    assert [" ".join(words) for words in shell_commands(lines)] == [
        "paws generate a.txt -o b.jsonl",
        "paws lm -h",
        "paws plugins",
    ]
    with pytest.raises(click.UsageError):
        parse(["paws", "generate", "a.txt", "-o", "b.jsonl", "--engine", "dask"])
    with pytest.raises(click.UsageError):
        parse(["paws", "generate", "a.txt", "-o", "b.jsonl", "--adress", "auto"])
    with pytest.raises(AssertionError):
        parse(["paws", "generates"])


# Dockerfiles.


@pytest.fixture(params=DOCKERFILES)
def dockerfile(request):
    parser = dockerfile_parse.DockerfileParser(fileobj=io.BytesIO((DEPLOY / request.param).read_bytes()))
    return [(step["instruction"], step["value"]) for step in parser.structure if step["instruction"] != "COMMENT"]


def steps(dockerfile, name):
    return [value for instruction, value in dockerfile if instruction == name]


def lint(tool, *arguments):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: pip install '.[test]'")
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True)


def test_hadolint_finds_nothing(tmp_path):
    done = lint("hadolint", "--failure-threshold", "info", *(DEPLOY / name for name in DOCKERFILES))
    assert done.returncode == 0, done.stdout
    (tmp_path / "Dockerfile").write_text("FROM python:latest\nRUN cd /tmp; pip install spacy\n", encoding="utf8")
    assert {"DL3007", "DL3042"} <= set(lint("hadolint", tmp_path / "Dockerfile").stdout.split())


def test_every_image_is_the_same_and_pinned(dockerfile):
    """Ray wants the same Python on each node, to the last digit."""
    bases = {value.split()[0] for value in steps(dockerfile, "FROM")}
    assert bases == {re.match(r"FROM (\S+)", line)[1] for line in image_lines()} and len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", bases.pop())


def image_lines():
    texts = [(DEPLOY / name).read_text(encoding="utf8") for name in DOCKERFILES]
    return [line for text in texts for line in text.splitlines() if line.startswith("FROM ")]


def test_nobody_is_root_at_the_end(dockerfile):
    last = [i for i, (name, _) in enumerate(dockerfile) if name == "FROM"][-1]
    users = steps(dockerfile[last:], "USER")
    assert users and users[-1].isdigit() and int(users[-1]) > 0  # a number: Kubernetes can tell that it is not root
    assert f"--uid {users[-1]}" in " ".join(steps(dockerfile, "RUN"))
    after = dockerfile[last:][[name for name, _ in dockerfile[last:]].index("USER") :]
    assert "RUN" not in [name for name, _ in after]


def test_what_is_installed_exists(dockerfile):
    """The extras are in setup.cfg, nothing is cached, and torch is that of constraints.txt, from its own index."""
    given = dict(value.split("=", 1) for value in steps(dockerfile, "ARG"))
    runs = [re.sub(r"\$\{(\w+)\}", lambda found: given[found[1]], run) for run in steps(dockerfile, "RUN")]
    installs = [part for run in runs for part in run.split("&&") if "pip install" in part]
    assert installs and all("--no-cache-dir" in part for part in installs)
    asked = [
        found for part in installs for found in re.findall(r"(\./?[\w./-]*)\[([\w,-]+)\]|\s(\./plugins/[\w-]+)", part)
    ]
    assert any(place == "." for place, _, _ in asked)
    for place, extras, alone in asked:
        config = configparser.ConfigParser()
        assert config.read(ROOT / (place or alone) / "setup.cfg"), place or alone
        known = config["options.extras_require"]
        assert set(filter(None, extras.split(","))) <= set(known), place
    torch = re.search(r"^torch==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf8"), re.MULTILINE)[1]
    assert given.get("TORCH", torch) == torch
    indices = re.findall(r"https://download\.pytorch\.org/whl/(\w+)", " ".join(installs))
    assert indices in (["cpu"], ["cu126"])
    for run in runs:
        if "apt-get install" in run:
            assert "--no-install-recommends" in run and "rm -rf /var/lib/apt/lists/*" in run


def test_what_is_copied_is_there_and_reaches_the_build(dockerfile):
    stages = {value.split()[-1] for value in steps(dockerfile, "FROM") if " AS " in value}
    copied = []
    for value in steps(dockerfile, "COPY"):
        words = value.split()
        stage = next((word.split("=")[1] for word in words if word.startswith("--from=")), None)
        if stage is not None:
            assert stage in stages
            continue
        copied += [word for word in words[:-1] if not word.startswith("--")]
    assert copied and all((ROOT / name).exists() and reaches(name) for name in copied)
    # What setup.cfg takes into the package, and what must not get into an image.
    needed = (
        "paws_components/lm/models/en.klm",
        "paws_components/py.typed",
        "corpora/sample_en.txt",
        "plugins/paws-apt/setup.cfg",
    )
    assert all(reaches(name) for name in needed)
    assert not any(
        reaches(name) for name in (".git/config", "projects/a", "tests/conftest.py", "plugins/paws-apt/tests/a.py")
    )


def reaches(name):
    """Whether .dockerignore lets a file through: the last pattern that fits it, or a folder of its, decides."""
    kept = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf8").splitlines():
        pattern = line.strip().lstrip("!")
        parts = name.split("/")
        folders = ["/".join(parts[: i + 1]) for i in range(len(parts))]
        fits = any(
            fnmatch(folder, pattern)
            and folder.count("/") == pattern.count("/")
            or pattern.startswith("**/")
            and fnmatch(folder.split("/")[-1], pattern[3:])
            for folder in folders
        )
        if pattern and not pattern.startswith("#") and fits:
            kept = line.startswith("!")
    return kept


WITHOUT_TORCH = """
import sys

for name in ("torch", "transformers", "gguf", "accelerate"):
    sys.modules[name] = None
from paws_components.engine.serving import serve
from paws_components.generation.job import GenerateJob

asked = []
serve("judges", lambda make, settings, questions: asked.extend(questions) or [[None for _ in one] for one in questions])
job = GenerateJob(settings={"judge": "neural"})
job.check()
job.start()(["Flights from New York to Florida are cheap."])
assert asked, "the judge was not asked"
"""


def test_the_image_for_cpus_needs_no_torch():
    """With --judges, tagging and searching work where torch is not installed."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Kubernetes. The fields of KubeRay's RayJob that somebody may set (ray.io/v1), where they stand in its reference of the
# API; pods are checked against the schema of Kubernetes itself.

COUNT, TEXT, FLAG = {"type": "integer", "minimum": 0}, {"type": "string"}, {"type": "boolean"}
TEXTS = {"type": "object", "additionalProperties": TEXT}
POD = {"type": "object", "required": ["spec"]}
HEAD = {
    "type": "object",
    "required": ["template"],
    "additionalProperties": False,
    "properties": {
        "template": POD,
        "headService": {"type": "object"},
        "enableIngress": FLAG,
        "resources": TEXTS,
        "labels": TEXTS,
        "rayStartParams": TEXTS,
        "serviceType": TEXT,
    },
}
GROUP = {
    "type": "object",
    "required": ["groupName", "maxReplicas", "minReplicas", "template"],
    "additionalProperties": False,
    "properties": {
        "suspend": FLAG,
        "groupName": TEXT,
        "replicas": COUNT,
        "minReplicas": COUNT,
        "maxReplicas": COUNT,
        "idleTimeoutSeconds": COUNT,
        "resources": TEXTS,
        "labels": TEXTS,
        "rayStartParams": TEXTS,
        "template": POD,
        "scaleStrategy": {"type": "object"},
        "numOfHosts": COUNT,
    },
}
CLUSTER = {
    "type": "object",
    "required": ["headGroupSpec"],
    "additionalProperties": False,
    "properties": {
        "authOptions": {"type": "object"},
        "suspend": FLAG,
        "managedBy": TEXT,
        "autoscalerOptions": {"type": "object"},
        "headServiceAnnotations": TEXTS,
        "enableInTreeAutoscaling": FLAG,
        "gcsFaultToleranceOptions": {"type": "object"},
        "headGroupSpec": HEAD,
        "rayVersion": TEXT,
        "workerGroupSpecs": {"type": "array", "items": GROUP},
    },
}
JOB = {
    "type": "object",
    "required": ["entrypoint"],
    "additionalProperties": False,
    "properties": {
        "activeDeadlineSeconds": {"type": "integer", "minimum": 1},
        "waitingTtlSeconds": COUNT,
        "backoffLimit": COUNT,
        "rayClusterSpec": CLUSTER,
        "submitterPodTemplate": POD,
        "metadata": TEXTS,
        "clusterSelector": TEXTS,
        "submitterConfig": {"type": "object", "additionalProperties": False, "properties": {"backoffLimit": COUNT}},
        "managedBy": TEXT,
        "deletionStrategy": {"type": "object"},
        "entrypoint": {"type": "string", "minLength": 1},
        "runtimeEnvYAML": TEXT,
        "jobId": TEXT,
        "submissionMode": {"enum": ["K8sJobMode", "HTTPMode", "InteractiveMode", "SidecarMode"]},
        "entrypointResources": TEXT,
        "entrypointNumCpus": {"type": "number"},
        "entrypointNumGpus": {"type": "number"},
        "ttlSecondsAfterFinished": COUNT,
        "shutdownAfterJobFinishes": FLAG,
        "suspend": FLAG,
    },
}
RAYJOB = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayJob"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": JOB,
    },
}


def check_job(job):
    jsonschema.validate(job, RAYJOB)
    cluster = job["spec"]["rayClusterSpec"]
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a"}, "template": group["template"]}
        kubernetes_validate.validate(pod, kubernetes_validate.latest_version(), strict=True)


def test_the_job_is_one_that_kuberay_takes():
    check_job(manifest())


def spec(job):
    return job["spec"]


def worker(job):
    return job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]


def container(job):
    return worker(job)["template"]["spec"]["containers"][0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda job: spec(job).update(shutdownAfterJobFinish=True),
        lambda job: spec(job).pop("entrypoint"),
        lambda job: spec(job).update(backoffLimit="3"),
        lambda job: spec(job)["rayClusterSpec"].pop("headGroupSpec"),
        lambda job: worker(job).pop("groupName"),
        lambda job: worker(job)["rayStartParams"].update({"num-cpus": 0}),
        lambda job: container(job).pop("name"),
        lambda job: container(job).update(envfrom=[]),
        lambda job: container(job)["securityContext"].update(runAsUser="paws"),
        lambda job: worker(job)["template"]["spec"].update(tolerations={"key": "a"}),
    ],
)
def test_a_wrong_job_is_told(damage):
    job = copy.deepcopy(manifest())
    damage(job)
    with pytest.raises((jsonschema.ValidationError, kubernetes_validate.ValidationError)):
        check_job(job)


def test_the_job_fits_the_images_and_its_command():
    job = manifest()
    cluster = spec(job)["rayClusterSpec"]
    rays = {re.search(r"^ARG RAY=(\S+)", (DEPLOY / name).read_text(), re.MULTILINE)[1] for name in DOCKERFILES}
    assert rays == {cluster["rayVersion"]}
    options = parse(shlex.split(spec(job)["entrypoint"])).params
    gpus = 0
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        (only,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 1000
        assert only["resources"]["requests"] == only["resources"]["limits"]
        wanted = int(only["resources"]["limits"].get("nvidia.com/gpu", 0)) * group.get("replicas", 1)
        assert only["image"].endswith(":cuda" if wanted else ":cpu")
        gpus += wanted
    assert 0 < options["judges"] <= gpus
    assert options["output"].startswith("s3://") and options["engine"] == "ray" and options["gpu_id"] == 0


# Slurm.


def test_shellcheck_finds_nothing(tmp_path):
    script = DEPLOY / "slurm.sbatch"
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    done = lint("shellcheck", script)
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong").write_text("#!/bin/bash\nrm $1/*\n", encoding="utf8")
    assert "SC2086" in lint("shellcheck", tmp_path / "wrong").stdout


# Of sbatch's manual, those that the script may have.
DIRECTIVES = (
    "job-name nodes ntasks-per-node cpus-per-task gpus-per-node exclusive mem time output open-mode requeue".split()
)
DIRECTIVES += "no-kill signal partition account".split()


def test_slurm_reads_every_directive():
    """It reads none after the first command."""
    lines = (DEPLOY / "slurm.sbatch").read_text(encoding="utf8").splitlines()
    first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
    places = [i for i, line in enumerate(lines) if line.startswith("#SBATCH")]
    assert places and max(places) < first and lines[0].startswith("#!")
    found = {re.match(r"#SBATCH --([a-z-]+)(?:=\S+)?$", lines[i])[1] for i in places}
    assert found <= set(DIRECTIVES) and {"nodes", "no-kill", "requeue", "signal"} <= found
