"""A Slurm on this machine, where Debian's slurmctld, slurmd and munge are installed: a controller, and nodes of one core each."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from waiting import wait_until

DAEMONS = ("munged", "slurmctld", "slurmd")
# The time that the daemons may take to start on a busy machine, in seconds.
START = 60
CONFIGURATION = """
ClusterName=tracebook
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SchedulerParameters=sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def installed():
    """Whether there is a Slurm to test with."""
    return all(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") for name in DAEMONS)


class SlurmCluster:
    """A running cluster. `close` ends it, and nothing else."""

    size = "2 nodes, 2 slots"
    # What Slurm calls a task whose script was killed.
    killed = "FAILED"
    # Whether it takes tasks that need more cores than a node has.
    waits_for_ever = True

    def __init__(self, _folder=None, port=26817):
        self.folder = Path(tempfile.mkdtemp(prefix="tbs", dir="/tmp"))
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        host = socket.gethostname().split(".")[0]
        node = "NodeName=node{0} NodeHostname={1} NodeAddr=127.0.0.1 Port={2} CPUs=1 RealMemory=4000 State=UNKNOWN"
        nodes = "\n".join(node.format(number, host, port + number) for number in (1, 2))
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        values = {"folder": self.folder, "port": port, "host": host, "user": user, "nodes": nodes}
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(**values))
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        self.started = []
        own = {name: self.folder / f"munge.{name}" for name in ("socket", "pid", "log", "seed")}
        self._start(
            "munged",
            *["--foreground", "--force", f"--key-file={key}", f"--socket={own['socket']}", f"--pid-file={own['pid']}"],
            *[f"--log-file={own['log']}", f"--seed-file={own['seed']}", "--num-threads=2"],
        )
        wait_until(own["socket"].exists, START, "munged does not start")
        self._start("slurmctld", "-D", "-c")
        for number in (1, 2):
            self._start("slurmd", "-D", "-N", f"node{number}")
        idle = lambda: self._asked("sinfo", "--noheader", "--format=%D %t").split() == ["2", "idle"]  # noqa: E731
        wait_until(idle, START, lambda: f"the nodes do not come up: {self._asked('sinfo')} {self._logs()}")

    def _start(self, name, *words):
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        log = (self.folder / f"{name}.out").open("a")
        environment = {**os.environ, **self.environment}
        self.started.append(
            subprocess.Popen(
                [path, *words], env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        )

    def _asked(self, *words):
        environment = {**os.environ, **self.environment}
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout

    def _logs(self):
        return "\n".join(path.read_text(errors="replace")[-1000:] for path in sorted(self.folder.glob("*.log")))

    def states(self):
        """The states of all tasks, by job."""
        states = {}
        for line in self._asked("squeue", "--noheader", "--array", "--states=all", "--format=%i|%T").splitlines():
            task, state = line.split("|")
            job, _, index = task.partition("_")
            states.setdefault(job, {})[int(index or 0)] = state
        return states

    def close(self):
        self._asked("scancel", "--user", str(os.getuid()))
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not self._asked("squeue", "--noheader").strip(), 10, "jobs are left")
        for process in reversed(self.started):
            process.terminate()
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
