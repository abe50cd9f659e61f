"""Driver of a job of Tracebook on a Ray cluster.

Reads plan.json, runs the steps of the program (list, map, reduce) as Ray tasks, and prints one line of JSON for each event.
It knows Ray and child processes, and nothing of traces. Its own lines begin with "tracebook: "; all others in the log are Ray's.
"""

import base64
import ctypes
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

BEGUN = time.monotonic()
#: How long a task may wait for a node that can run it, in seconds.
TIMEOUT = 20
#: How long the end of interrupted tasks is waited for, and then that of killed ones, in seconds. Ray kills a stopped job after 3 seconds.
INTERRUPT_TIMEOUT, KILL_TIMEOUT = 1.5, 0.5
#: The option of Linux's `prctl` for the signal that a process gets when its parent ends.
PARENT_DEATH_SIGNAL = 1
#: Exit codes of the program: see docs/task.md.
WRONG_PLAN, LATER = 2, 75


def tell(event, **fields):
    """Prints an event."""
    print("tracebook: " + json.dumps({"event": event, "s": round(time.monotonic() - BEGUN, 2), **fields}), flush=True)


def give_up(reason):
    """Ends the job with a reason."""
    tell("fatal", reason=reason)
    sys.exit(1)


class TryAgain(Exception):
    """A task that another attempt may finish: it was killed, or the storage said "later"."""


#: The SHA-256 of files that were read, by path and what tells whether they changed.
DIGESTS = {}


def digest_of(path):
    """Returns the SHA-256 of a file, read once by this process."""
    found = os.stat(path)
    key = (path, found.st_ino, found.st_size, found.st_mtime_ns)
    if key not in DIGESTS:
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
        DIGESTS[key] = digest.hexdigest()
    return DIGESTS[key]


def find_program(name, sha256):
    """Returns the program that was shipped with the job, else the path that every node has. A file of the same name with another
    SHA-256 is not run."""
    if os.path.isabs(name):
        return name
    for folder in sys.path:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and digest_of(path) == sha256:
            if not os.access(path, os.X_OK):
                os.chmod(path, 0o755)
            return path
    raise FileNotFoundError(f"the program {name} was not shipped, or this node has another one of its name")


def end_with_parent():
    """Returns what a child process runs first so that it is killed when its parent, a worker of Ray, ends: Ray kills workers without their
    children. Nothing outside of Linux."""
    # Loaded before the fork.
    prctl, parent = getattr(ctypes.CDLL(None), "prctl", None), os.getpid()

    def bind():
        prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        # The parent may have ended since the fork: then no signal comes.
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return prctl and bind


def run_step(core, step, inputs, *states):
    """Runs one step of the program in a child process. Returns how it ended, and its output."""
    node = ray.get_runtime_context().get_node_id()
    threads = str(max(1, int(core["cpus"])))
    environment = dict(os.environ, RAYON_NUM_THREADS=threads, POLARS_MAX_THREADS=threads, TRACEBOOK_NODE=node)
    if core.get("memory"):
        environment["TRACEBOOK_MEMORY"] = str(core["memory"])
    head = json.dumps({"given": core["given"], "inputs": inputs}).encode()
    fed = b"".join(len(frame).to_bytes(8, "little") + frame for frame in (head, *states))
    child = subprocess.run(
        [find_program(core["program"], core["sha256"]), "task", step],
        input=fed,
        capture_output=True,
        env=environment,
        check=False,
        preexec_fn=end_with_parent(),
    )
    words = child.stderr[-8000:].decode(errors="replace").strip()
    if child.returncode < 0:
        killed = f"its process was killed by signal {-child.returncode}"
        raise TryAgain(f"{words}\n{killed}: {last_line(0, words)}" if words else killed)
    if child.returncode == LATER:
        raise TryAgain(words or "the storage is busy")
    return (child.returncode, words), child.stdout if child.returncode == 0 else b""


def last_line(code, words):
    """Returns why a step failed, in one line."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return lines[-1] if lines else f"its process ended with {code}"


def last_lines(words):
    """Returns the end of what a step wrote."""
    return "\n".join(words.splitlines()[-20:])[-6000:]


class Job:
    """The tasks of one question."""

    def __init__(self, plan):
        self.bundles = plan.pop("bundles")
        self.fan_in, self.retries = plan.pop("fan_in"), plan.pop("retries")
        self.needs = {"num_cpus": plan["cpus"], "resources": plan.pop("resources") or None}
        self.memory = plan.get("memory")
        self.core = plan
        self.running = {}
        self.pending = set()
        self.states = []
        self.good = []
        self.done = self.failed = self.ranks = self.all_ranks = 0
        self.told = 0.0

    def start(self, step, inputs, *states, node=None):
        """Starts a step. Returns what tells its end, and its output."""
        # SPREAD: in tests with a lost node, the default strategy stood still for longer.
        where = NodeAffinitySchedulingStrategy(node, soft=True) if node in self.alive else "SPREAD"
        step_of = ray.remote(run_step).options(
            num_returns=2,
            max_retries=self.retries,
            retry_exceptions=[TryAgain],
            scheduling_strategy=where,
            memory=self.memory,
            **self.needs,
        )
        ended, output = step_of.remote(self.shared, step, inputs, *states)
        self.pending.add(ended)
        return ended, output

    def outcome(self, ended):
        """Waits for a step. Returns its exit code and what it said; a step that Ray gave up has the code -1."""
        try:
            found = ray.get(ended)
        except ray.exceptions.RayError as error:
            found = -1, str(getattr(error, "cause", None) or error).strip()[-3000:]
        # A stop of the job ends the wait above: then the step is still pending, and must be cancelled.
        self.pending.discard(ended)
        return found

    def cancel(self):
        """Cancels all steps that have not ended. Requests for slots that a dead driver leaves behind can keep the slots.

        A step is interrupted first, which ends its child process at once.
        """
        pending = list(self.pending)
        for force, timeout in ((False, INTERRUPT_TIMEOUT), (True, KILL_TIMEOUT)):
            for ended in pending:
                ray.cancel(ended, force=force)
            if pending:
                _, pending = ray.wait(pending, num_returns=len(pending), timeout=timeout)

    def run(self):
        """Runs all steps, and prints the merged partial result."""
        self.share()
        self.alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
        cpus = ray.cluster_resources().get("CPU", 0)
        slots = max(1, int(cpus / self.core["cpus"]))
        tell("started", ray=ray.__version__, nodes=len(self.alive), slots=slots)
        if self.bundles is None:
            self.bundles = self.listed(slots)
        self.choose_memory()
        self.whole = sum(bundle["weight"] for bundle in self.bundles)
        self.all_ranks = sum(len(bundle["inputs"]) for bundle in self.bundles)
        for bundle in self.bundles:
            self.send(bundle)
        self.map()
        self.reduce()

    def share(self):
        """Puts what all tasks are given into the object store, once."""
        self.shared = ray.put(self.core)

    def listed(self, slots):
        """Lists the inputs on the cluster."""
        ended, output = self.start("list", slots)
        self.wait_for_nodes([ended])
        code, words = self.outcome(ended)
        if code != 0:
            give_up(last_line(code, words))
        return json.loads(ray.get(output))

    def choose_memory(self):
        """Sets the memory of a task from the largest file, unless the plan does."""
        if self.memory is None:
            largest = max((one["bytes"] for bundle in self.bundles for one in bundle["inputs"]), default=0)
            self.memory = 6 * largest + (256 << 20)
            self.core["memory"] = self.memory
            self.share()

    def send(self, bundle):
        """Starts to map a bundle."""
        ended, state = self.start("map", bundle["inputs"], node=bundle.get("node"))
        self.running[ended] = (bundle, len(self.states))
        self.states.append(state)

    def map(self):
        """Waits for all bundles; one that fails is sent again input by input, so that only the guilty one is lost."""
        self.wait_for_nodes(list(self.running))
        while self.running:
            waiting = list(self.running)
            ready, _ = ray.wait(waiting, num_returns=min(len(waiting), 200), timeout=0.5)
            for ended in ready:
                self.take(ended)
            self.progress(is_last=not self.running)

    def take(self, ended):
        """Takes a bundle that has ended."""
        (bundle, at), (code, words) = self.running.pop(ended), self.outcome(ended)
        inputs = bundle["inputs"]
        if code == WRONG_PLAN:
            give_up(last_line(code, words))
        if code != 0 and len(inputs) > 1:
            self.states[at] = None
            for one in inputs:
                self.send({"inputs": [one], "weight": bundle["weight"] / len(inputs)})
            return
        self.done += bundle["weight"]
        self.ranks += len(inputs)
        if code == 0:
            self.good.append(at)
            if words:
                self.failed += sum(line.startswith('{"') for line in words.splitlines())
                tell("said", text=words)
        else:
            self.states[at] = None
            self.failed += len(inputs)
            tell("failed", inputs=inputs, reason=last_line(code, words), log=last_lines(words))

    def progress(self, is_last):
        """Tells how far the job is, ever more rarely: the log stays small."""
        now = time.monotonic()
        if is_last or now - self.told > max(1, 0.02 * (now - BEGUN)):
            self.told = now
            tell(
                "progress",
                done=int(self.done),
                whole=int(self.whole),
                tasks=len(self.good),
                failed=self.failed,
                ranks=self.ranks,
                all_ranks=self.all_ranks,
            )

    def reduce(self):
        """Merges the partial results, once at least, until one is left."""
        level = [self.states[at] for at in sorted(self.good)]
        first = True
        while first or len(level) > 1:
            first = False
            groups = [level[at : at + self.fan_in] for at in range(0, len(level), self.fan_in)] or [[]]
            steps = [self.start("reduce", None, *group) for group in groups]
            for ended, _ in steps:
                code, words = self.outcome(ended)
                if code != 0:
                    give_up(last_line(code, words))
            level = [state for _, state in steps]
        state = ray.get(level[0])
        digest = hashlib.sha256(state).hexdigest()
        tell("state", bytes=len(state), sha256=digest, base64=base64.b64encode(state).decode())

    def wait_for_nodes(self, waiting):
        """Gives up if nothing has ended for a while and no node could run a task."""
        until = time.monotonic() + TIMEOUT
        while not ray.wait(waiting, num_returns=1, timeout=1)[0]:
            self.progress_of_waiting()
            if time.monotonic() > until:
                wanted = self.wanted()
                if any(fits(wanted, node["Resources"]) for node in ray.nodes() if node["Alive"]):
                    return
                give_up(
                    f"no node of the cluster can run a task: it needs {listed(wanted)}, "
                    f"and the cluster has {listed(ray.cluster_resources(), wanted)} in all; "
                    "choose other --task-cpus, --task-memory or --resource"
                )

    def progress_of_waiting(self):
        """Says that the job lives while nothing has ended."""
        if hasattr(self, "whole"):
            self.progress(is_last=False)

    def wanted(self):
        """Returns what a task needs, by resource."""
        wanted = {"CPU": self.needs["num_cpus"], "memory": self.memory, **(self.needs["resources"] or {})}
        return {name: amount for name, amount in wanted.items() if amount}


def fits(wanted, resources):
    """Tells whether a node has the resources that a task needs."""
    return all(resources.get(name, 0) >= amount for name, amount in wanted.items())


def listed(resources, only=None):
    """Writes resources as text: `CPU 1, memory 256 MiB`."""
    words = []
    for name in only or resources:
        amount = resources.get(name, 0)
        words.append(f"{name} {amount / (1 << 20):.0f} MiB" if name == "memory" else f"{name} {amount:g}")
    return ", ".join(words)


if __name__ == "__main__":
    with open("plan.json", encoding="utf-8") as file:
        PLAN = json.load(file)
    ray.init(log_to_driver=False, logging_level="error")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    JOB = Job(PLAN)
    try:
        JOB.run()
    finally:
        # A second signal does not end this.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        JOB.cancel()
