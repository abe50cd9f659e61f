"""A Ray cluster on this machine: a head that runs drivers only, and nodes with one slot each, every one at an address of its own."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
VENV = Path(os.environ.get("TRACEBOOK_RAY_VENV", Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "ray-venv"))
# The time that a node may take to start on a busy machine, in seconds.
START = 90


def installed():
    """Whether there is a Ray to test with."""
    return (VENV / "bin" / "ray").is_file()


class Cluster:
    """A running cluster. `close` ends it, and nothing else."""

    def __init__(self, nodes=2, first=2, ports=26379, environment=None):
        # Names of sockets are limited, so the folder is short.
        self.folder = Path(tempfile.mkdtemp(prefix="tbr", dir="/tmp"))
        self.address = f"http://127.0.0.1:{ports + 1886}"
        self.first, self.port = first, ports
        self.token = (environment or {}).get("RAY_AUTH_TOKEN")
        quick = {f"RAY_health_check_{name}": value for name, value in HEALTH.items()}
        self.environment = {
            **os.environ,
            **quick,
            "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_memory_monitor_refresh_ms": "0",
            **(environment or {}),
        }
        self.started = {}
        self.start_head()
        for number in range(1, nodes + 1):
            self.start_node(number)
        up = lambda: len(re.findall('"state": "ALIVE"', self._get("/api/v0/nodes") or "")) > nodes  # noqa: E731
        logs = lambda: [self._log(name) for name in self.started]  # noqa: E731
        wait_until(up, START, lambda: f"the nodes do not come up: {logs()}")

    def start_head(self):
        agent = self.port + 122
        self._start(
            "head",
            f"--head --node-ip-address=127.0.0.{self.first} --port={self.port} --ray-client-server-port={self.port + 21} "
            f"--dashboard-host=127.0.0.1 --dashboard-port={self.port + 1886} --dashboard-agent-listen-port={agent} --num-cpus=0",
        )
        wait_until(lambda: self._get("/api/version"), START, f"the head does not answer: {self._log('head')}")

    def start_node(self, number):
        agent = self.port + 122 + number
        self._start(
            f"node{number}",
            f"--address=127.0.0.{self.first}:{self.port} --node-ip-address=127.0.0.{self.first + number} "
            f"--dashboard-agent-listen-port={agent} --num-cpus=1 --resources={json.dumps({f'node{number}': 1})}".replace(
                ": ", ":"
            ),
        )

    def _start(self, name, flags):
        common = "--block --disable-usage-stats --min-worker-port=30000 --max-worker-port=30999 --object-store-memory=209715200"
        line = ["ray", "start", *flags.split(), *common.split(), f"--temp-dir={self.folder / name}"]
        log = (self.folder / f"{name}.log").open("w")
        self.started[name] = subprocess.Popen(
            line, env=self.environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True
        )

    def _get(self, path):
        request = urllib.request.Request(self.address + path)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            return None

    def _log(self, name):
        return (self.folder / f"{name}.log").read_text()[-2000:]

    def jobs(self):
        """The jobs of the cluster, by name."""
        return {job["submission_id"]: job for job in json.loads(self._get("/api/jobs/") or "[]") if job["submission_id"]}

    def kill(self, number):
        """Ends a node at once, with all of its processes: they have the session of its first one."""
        session = self.started.pop(f"node{number}").pid
        end(session)

    def close(self):
        for process in self.started.values():
            process.terminate()
        for process in self.started.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                end(process.pid)
        sessions = {process.pid for process in self.started.values()}
        wait_until(lambda: not any(session in sessions for _, session in processes()), START, "processes of the cluster are left")
        shutil.rmtree(self.folder, ignore_errors=True)


# A killed node refuses the connection at once and is lost after three periods. One that is only slow, on a busy machine, is not.
HEALTH = {"period_ms": "1000", "timeout_ms": "30000", "failure_threshold": "3"}


def end(session):
    """Kills the processes of a session."""
    for pid, of_session in processes():
        if of_session == session:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def processes():
    """All processes that are no zombies, with their sessions."""
    listed = subprocess.run(["ps", "-eo", "pid=,sid=,stat="], capture_output=True, text=True, check=True).stdout
    return [(int(pid), int(session)) for pid, session, state in map(str.split, listed.splitlines()) if not state.startswith("Z")]
