"""Workers on a Ray cluster: an actor each, on whichever node has room.

The cluster holds nothing that matters. Rows go to the actors, shards go to the folder of the run, and what an actor, a
node or the driver had in hand when it died is done again. Ray Data is not used: it neither keeps the chunks that some
models' last digits depend on, nor tells which row a worker died of.
"""

import os
import pickle
import signal
import socket
import sys
import threading
from collections import deque
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Any, Deque, Dict, List, Optional, Set

from srsly import cloudpickle

from ..errors import Errors, Fatal, PawsError
from ..needed import import_needed
from .cache import use_cache
from .local import cores
from .options import RunOptions
from .pool import Event, Job, portable
from .serving import serve

# How long a node may take to answer, once its turn has come, and the head of a cluster to take a connection.
SECONDS, CONNECT_SECONDS = 60.0, 5.0
# How often a model is asked again that died meanwhile: nodes may go, but one that always dies is not waited for.
ASKED_AGAIN = 5
PLUGINS = "paws_components"
PYTHON = "Python"


class Actor:
    """What an actor is: a worker, made where it works."""

    def __init__(self, packed: bytes, server: Any, directory: str) -> None:
        _go_to(directory)
        self.packed = packed
        self.worker: Any = None
        if server is not None:
            serve(Server.JUDGES, Asked(server))

    def here(self) -> Any:
        """Say that there is a place for it."""
        return "placed", None

    def start(self, *placed: Any) -> Any:
        """Make the worker. Ray calls this once what it is given is there: that the servers have a place."""
        try:
            self.worker = cloudpickle.loads(self.packed).start()
        except Exception as error:
            return "error", _at_home(error)
        return "ready", None

    def work(self, packed: bytes) -> Any:
        """Work on a chunk. It is packed by hand: Ray would look at each row for what plain pickle can't do."""
        try:
            return "result", self.worker(pickle.loads(packed))
        except Exception as error:
            return "error", portable(error)


class Server:
    """An actor that holds a model for others: so a few GPUs serve many CPUs. It loads what it is first asked for."""

    JUDGES = "judges"

    def __init__(self, gpu: bool, cache: Optional[str], directory: str) -> None:
        _go_to(directory)
        self.gpu = gpu
        use_cache(cache)
        self.made: Dict[bytes, Any] = {}

    def here(self) -> None:
        """Say that there is a place for it."""

    def ask(self, packed: bytes, questions: Any) -> Any:
        from ..models import use_gpu

        try:
            if packed not in self.made:
                use_gpu(0 if self.gpu else -1)
                make, settings = cloudpickle.loads(packed)
                self.made[packed] = make(*settings)
            return "result", self.made[packed](questions)
        except Exception as error:
            return "error", portable(error)


class Asked:
    """What asks a server, from within a worker, which waits for the answer: that is what holds it back where the
    servers are too few. A server that died comes back, and is asked again.
    """

    def __init__(self, server: Any) -> None:
        self.server = server

    def __call__(self, make: Any, settings: Any, questions: Any) -> Any:
        import ray

        try:
            kind, value = ray.get(self.server.ask.remote(cloudpickle.dumps((make, settings)), questions))
        except ray.exceptions.RayError as error:
            # No row is to blame: servers are let go when a run ends, and one dies of what another worker asked.
            raise Fatal(Errors.P054.format(count=ASKED_AGAIN + 1, reason=_short(error))) from error
        if kind == "error":
            raise value
        return value


class Actors:
    """Several actors, a worker in each.

    options (RunOptions): How many, where, and with how many GPUs.
    """

    def __init__(self, options: RunOptions) -> None:
        self.options = options
        self.ray = import_needed("ray", "--engine ray", "'paws-components[ray]'")
        self.count = max(options.n_process, 1)
        self.job: Any = None
        self.actors: Dict[int, Any] = {}
        self.servers: List[Any] = []
        # Of each server an answer that is there once it has a place.
        self.placed: List[Any] = []
        # What each actor is to answer, the first first.
        self.asked: Dict[int, Deque[Any]] = {}
        self.unplaced: Set[int] = set()
        self.ours = False
        self.printed: Any = None

    @property
    def gpus(self) -> int:
        """How many GPUs an actor has: where models have actors of their own, those have them."""
        return int(self.options.gpu_id >= 0 and not self.options.judges)

    def open(self, job: Job) -> None:
        self._connect()
        self._check_nodes()
        gpus = int(self.options.gpu_id >= 0)
        made = self.ray.remote(num_cpus=1, num_gpus=gpus, max_restarts=-1, max_task_retries=ASKED_AGAIN)(Server)
        given = bool(gpus), self.options.cache, os.getcwd()
        self.servers = [made.remote(*given) for _ in range(self.options.judges)]
        self.placed = [server.here.remote() for server in self.servers]
        self.job = self.ray.put(cloudpickle.dumps(job))

    def hire(self, worker: int) -> None:
        made = self.ray.remote(num_cpus=1, num_gpus=self.gpus, max_restarts=0)(Actor)
        # They take turns, so that no server has more to do than others.
        server = self.servers[worker % len(self.servers)] if self.servers else None
        actor = made.remote(self.job, server, os.getcwd())
        self.actors[worker] = actor
        self.asked[worker] = deque([actor.here.remote(), actor.start.remote(*self.placed)])
        self.unplaced.add(worker)

    def give(self, worker: int, chunk: Any) -> None:
        self.asked[worker].append(self.actors[worker].work.remote(pickle.dumps(chunk)))

    def events(self, seconds: float) -> List[Event]:
        first = {asked[0]: worker for worker, asked in self.asked.items() if asked}
        ready, _ = self.ray.wait(list(first), timeout=seconds)
        if ready:
            ready, _ = self.ray.wait(list(first), num_returns=len(first), timeout=0)
        found = []
        for answer in ready:
            worker = first[answer]
            try:
                event = Event(worker, *self.ray.get(answer))
                self.asked[worker].popleft()
                self.unplaced.discard(worker)
                if event.kind != "placed":
                    found.append(event)
            # The actor, its node, or the object in hand is gone: one is as good as the other.
            except self.ray.exceptions.RayError as error:
                self.ray.kill(self.actors.pop(worker))
                self.asked.pop(worker)
                self.unplaced.discard(worker)
                found.append(Event(worker, "dead", _short(error)))
        return found

    def waits_for(self) -> Optional[str]:
        judges = len(self.servers)
        if self.placed:
            judges -= len(self.ray.wait(self.placed, num_returns=len(self.placed), timeout=0)[0])
        wanted = [(judges, "judges", self.options.gpu_id >= 0), (len(self.unplaced), "workers", self.gpus)]
        told = [f"{count} {what} want a CPU{' and a GPU' if gpu else ''} each" for count, what, gpu in wanted if count]
        if not told:
            return None
        free = self.ray.available_resources()
        free = f"{free.get('CPU', 0):g} CPUs and {free.get('GPU', 0):g} GPUs are free"
        return f"waiting for the cluster: {', '.join([*told, free])}"

    def close(self, finished: bool) -> None:
        if self.ray.is_initialized():
            for actor in [*self.actors.values(), *self.servers]:
                self.ray.kill(actor)
        self.actors.clear()
        self.asked.clear()
        self.servers.clear()
        self.placed.clear()
        if self.ours:
            self.ray.shutdown()
            self.ray._private.worker.print_to_stdstream = self.printed

    def _connect(self) -> None:
        ray, options = self.ray, self.options
        if not ray.is_initialized():
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            address = options.address or os.environ.get("RAY_ADDRESS")
            own: Dict[str, Any] = {}
            if address:
                _check_address(address)
            else:
                # One of our own has room for what is asked for, as `--n-process` has it on this machine.
                own = {"num_cpus": max(cores(), self.count + options.judges), "include_dashboard": False}
            handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
            try:
                # Left out, the address would be that of whatever cluster runs on this machine.
                ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **own)
            except Exception as error:  # of all kinds: no such address, another version of Ray or Python
                raise PawsError(Errors.P050.format(address=address or "local", reason=_short(error))) from error
            self.ours = True
            # What a dying node logged, a page of it, would go to standard output, and with it into a command's output.
            self.printed = getattr(ray._private.worker, "print_to_stdstream", None)
            ray._private.worker.print_to_stdstream = _print_nothing
            if threading.current_thread() is threading.main_thread():
                # Ray puts handlers of its own in place of ours; SIGTERM would end the run with an abort.
                for number, handler in handlers.items():
                    signal.signal(number, handler)
            if not address:
                self._check_gpus()
        if options.n_process <= 0:
            self.count = max(1, int(ray.cluster_resources().get("CPU", 1)) - options.judges)

    def _check_gpus(self) -> None:
        """Our error for GPUs that this machine does not have: on a Ray of our own nobody will add any."""
        wanted = (self.options.judges or 1) if self.options.gpu_id >= 0 else 0
        found = int(self.ray.cluster_resources().get("GPU", 0))
        if wanted > found:
            reason = f"Ray finds {found} GPUs on this machine, and {wanted} are needed"
            raise PawsError(Errors.P355.format(gpu=self.options.gpu_id, reason=reason))

    def _check_nodes(self) -> None:
        """Our error for a node that lacks what the workers need. No model is loaded by then."""
        ray = self.ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        mine = packages()
        # Defined here, so that it travels as it is: a node may lack this very package.
        names = [name for name in mine if name != PYTHON]

        def look() -> Dict[str, Optional[str]]:
            import sys
            from importlib.metadata import PackageNotFoundError, version

            found: Dict[str, Optional[str]] = {"Python": "%d.%d" % sys.version_info[:2]}
            for name in names:
                try:
                    found[name] = version(name)
                except PackageNotFoundError:
                    found[name] = None
            return found

        made = ray.remote(num_cpus=0, max_retries=0)(look)
        addresses = self._nodes()
        asked = {
            node: made.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote()
            for node in addresses
        }
        for node, answer in asked.items():
            try:
                found = ray.get(answer, timeout=SECONDS)
            except ray.exceptions.RayError as error:
                if node not in self._nodes():
                    continue  # it was dead already, which a cluster notices after some seconds
                raise PawsError(Errors.P051.format(node=addresses[node], reason=_short(error))) from error
            for name, wanted in mine.items():
                if found.get(name) != wanted:
                    has = found.get(name) or "none"
                    raise PawsError(Errors.P052.format(node=addresses[node], package=name, wanted=wanted, has=has))

    def _nodes(self) -> Dict[str, str]:
        """The addresses of the nodes that workers could be on, by the cluster's names for them."""
        return {
            node["NodeID"]: f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}"
            for node in self.ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU")
        }


def _go_to(directory: str) -> None:
    """Have the paths of models and caches mean on a node what they mean here, where it sees the folder."""
    with suppress(OSError):
        os.chdir(directory)


def _print_nothing(*_: Any, **__: Any) -> None:
    """In place of what prints Ray's own messages. Nothing that is public turns them off."""


def _check_address(address: str) -> None:
    """Our error where nobody listens: Ray would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return  # a name that Ray knows, as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise PawsError(Errors.P050.format(address=address, reason=error)) from error


def packages() -> Dict[str, Optional[str]]:
    """What a node must have, and in which version: Python, spaCy, this package and its plugins."""
    found: Dict[str, Optional[str]] = {PYTHON: "%d.%d" % sys.version_info[:2]}
    plugins = sorted({entry.dist.name for entry in entry_points(group=PLUGINS) if entry.dist})
    for name in dict.fromkeys(["spacy", "paws-components", *plugins]):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a checkout that is not installed
            found[name] = None
    return found


def _at_home(error: Exception) -> Exception:
    """An error of a worker that could not start, with the node that it is on."""
    import ray

    node = ray.util.get_node_ip_address()
    if isinstance(error, PawsError):
        return type(error)(f"{error} (on node {node})")
    return RuntimeError(f"{type(error).__name__}: {error} (on node {node})")


def _short(error: BaseException) -> str:
    """The line that tells why: of an actor that died it comes after its name."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line for line in lines if line.startswith("The actor is dead because")), lines[0]).rstrip(".")
