"""Traces whose ranks children of the kernel, a Ray cluster and Slurm read: the digits are those of this process."""

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from driver import LONG, Kernel
from places import DATA
from processes import children
from ray_cluster import VENV, Cluster, installed
from slurm_cluster import DAEMONS, SlurmCluster
from slurm_cluster import installed as has_slurm
from slurm_imitation import ImitatedSlurm
from terminals import read_to_the_end
from waiting import AT_MOST, wait_until

RANKS = 64
COMPARED = f"%compare_traces control test --control-rank 0-{RANKS - 1} --test-rank 0,5-{RANKS - 1} --csv OUT/compare.csv"
LINES = [
    COMPARED,
    "%ops_diff control test",
    "%explain control test --rank 0-3",
    "%temporal_breakdown test --csv OUT/temporal.csv",
    "%comm_comp_overlap control --where 'dur > 5us'",
    "%gpu_kernel_breakdown test --rank 0-7 --iteration all",
    "%compare_ranks test",
    "%describe test",
]
# A program of tasks that is slow, or killed for a rank; it stands before the real one.
PROGRAM = """#!{python}
import os, subprocess, sys, time
data = sys.stdin.buffer.read()
if sys.argv[2] == "map":
    time.sleep(float(os.environ.get("SLOW", {slow!r})))
    if {broken!r} and {broken!r}.encode() in data:
        print("reading\\nlast words", file=sys.stderr, flush=True)
        os.abort()
real = subprocess.Popen([{real!r}, *sys.argv[1:]], stdin=subprocess.PIPE)
real.communicate(data)
sys.exit(real.returncode)
"""


@pytest.fixture(scope="module")
def folder(large_trace, tmp_path_factory):
    """Two jobs of 64 ranks; of the second, one file is cut and one is no trace."""
    folder = tmp_path_factory.mktemp("job")
    for seed, name in ((1, "control"), (2, "test")):
        job = [large_trace, "--ranks", str(RANKS), "--bytes", "8M", "--seed", str(seed), "--out", str(folder / name)]
        subprocess.run(job, check=True, capture_output=True)
    files = sorted((folder / "test").iterdir())
    whole = files[3].read_bytes()
    files[3].write_bytes(whole[: len(whole) * 2 // 3])
    (folder / "test" / "settings.json").write_text("{}")
    return folder


def program(tmp_path_factory, argv, slow="0", broken=""):
    path = tmp_path_factory.mktemp("program") / "tracebook"
    path.write_text(PROGRAM.format(python=sys.executable, real=argv[0], slow=slow, broken=broken))
    path.chmod(0o755)
    return str(path)


def tasks(kernel):
    """The processes below the kernel that run `tracebook task`; those of Rust cells stay."""
    found = []
    for pid in children(kernel.pid):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [pid] if b"task" in line else []
    return found


def text(ran):
    """What a cell shows, without bars and times."""
    shown = [m["content"]["data"]["text/plain"] for m in ran.outputs if m["msg_type"] == "display_data" and not is_bar(m)]
    return "\n".join([*shown, ran.text()])


def is_bar(message):
    return bool(message["content"].get("transient", {}).get("display_id"))


def load(kernel, folder, how, names=("control", "test")):
    prefix = "file://" if how else ""
    lines = [f"%trace_load {prefix}{folder / name} --as {name} {how}" for name in names]
    return text(kernel.ok("\n".join(lines), timeout=LONG))


def answers(kernel, out, lines=LINES):
    """What each line shows and writes."""
    out.mkdir()
    shown = [text(kernel.ok(line.replace("OUT", str(out)), timeout=LONG)) for line in lines]
    # The critical path of a rank needs its events, so that an engine does not tell what bounds a step.
    shown = [re.sub(r"(?m)^.*[Ww]hat bounds a step.*(\n.*)*", "", block) for block in shown]
    files = {path.name: path.read_text() for path in sorted(out.iterdir())}
    return [block.replace(str(out), "OUT") for block in shown], files


@pytest.fixture(scope="module")
def expected(tracebook_argv, folder, tmp_path_factory):
    kernel = Kernel(tracebook_argv, tmp_path_factory.mktemp("local"))
    try:
        load(kernel, folder, "")
        return answers(kernel, tmp_path_factory.mktemp("out") / "local")
    finally:
        kernel.close()


@pytest.fixture
def kernel_with(tracebook_argv, tmp_path):
    started = []

    def start(**environment):
        kernel = Kernel(tracebook_argv, tmp_path / str(len(started)), env=environment)
        started.append(kernel)
        return kernel

    yield start
    for kernel in started:
        kernel.close()


def assert_same(found, expected, lines=LINES):
    shown = dict(zip(LINES, expected[0], strict=True))
    for line, one in zip(lines, found[0], strict=True):
        assert one == shown[line], line
    assert found[1] == expected[1]


def test_processes_give_the_digits_of_the_kernel(kernel_with, folder, expected, tmp_path):
    kernel = kernel_with()
    assert f"{RANKS} ranks" in load(kernel, folder, "--engine processes")
    assert_same(answers(kernel, tmp_path / "out"), expected)
    assert "processes of this machine" in text(kernel.ok("%trace_info control"))


def test_what_needs_events_names_the_rank_to_load(kernel_with, folder):
    kernel = kernel_with()
    load(kernel, folder, "--engine processes", names=("control",))
    ran = kernel.run("%events control --name aten::addmm", timeout=LONG)
    assert ran.status == "error"
    assert f"%trace_load file://{folder / 'control'} --rank 0 --as rank_0" in ran.content["evalue"]


def test_interrupt_ends_all_children(kernel_with, tracebook_argv, folder, tmp_path_factory):
    kernel = kernel_with(TRACEBOOK_TASK_PROGRAM=program(tmp_path_factory, tracebook_argv, slow="30"))
    cell = kernel.client.execute(f"%trace_load {folder / 'control'} --engine processes")
    wait_until(lambda: len(tasks(kernel)) >= 2, LONG, "no child runs")
    kernel.interrupt()
    assert kernel.finish(cell).content["ename"] == "KeyboardInterrupt"
    wait_until(lambda: not tasks(kernel), AT_MOST, "a child runs on")


def test_interrupt_of_a_command_ends_all_children(tracebook_argv, folder, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="60")
    line = [tracebook_argv[0], "describe", f"file://{folder / 'control'}", "--engine", "processes"]
    command = command_with(line, TRACEBOOK_TASK_PROGRAM=slow)
    wait_until(lambda: tasks_of(slow), LONG, "no child runs")
    assert interrupted(command) == (130, "tracebook describe: interrupted")
    wait_until(lambda: not tasks_of(slow), AT_MOST, "a child runs on")


@pytest.mark.parametrize(
    "words",
    [
        ["diff", "control", "test", "--csv", "-"],
        ["describe", "job", "--json", "-"],
        ["explain", "control", "test", "--json", "-"],
        ["gate", "--control", "control", "--test", "test", "--limit", "3%", "--json", "-"],
    ],
    ids=lambda words: words[0],
)
def test_commands_print_the_same_by_an_engine(tracebook_argv, words):
    line = [tracebook_argv[0], *(str(DATA / word) if (DATA / word).is_dir() else word for word in words)]

    def ran(*engine):
        done = subprocess.run([*line, *engine], capture_output=True, text=True, timeout=LONG, check=False)
        return done.returncode, done.stdout

    code, said = ran("--engine", "processes")
    assert (code, said) == ran() and len(said) > 500, said


def test_command_shows_its_progress_in_a_terminal(tracebook_argv, folder, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="0.3")
    line = [tracebook_argv[0], "describe", str(folder / "control"), "--engine", "processes"]
    shown, terminal = pty.openpty()
    environment = {**os.environ, "TRACEBOOK_TASK_PROGRAM": slow}
    command = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    said = read_to_the_end(shown)
    assert command.wait(LONG) == 0
    lines = said.split("\r\x1b[2K")
    assert any(re.search(rf"load of \S+ · \d+ of {RANKS} files · \d+ %", line) for line in lines), lines
    assert lines[-1] == "", "the line is removed"


def command_with(line, **environment):
    return subprocess.Popen(line, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def interrupted(command):
    """Sends Ctrl-C. Returns exit code and the last line of standard error."""
    command.send_signal(signal.SIGINT)
    said = command.communicate(timeout=AT_MOST)[1]
    return command.returncode, said.strip().splitlines()[-1]


def test_broken_rank_is_a_row_and_every_answer_says_so(kernel_with, tracebook_argv, folder, tmp_path_factory):
    broken = sorted((folder / "control").iterdir())[5].name
    kernel = kernel_with(TRACEBOOK_TASK_PROGRAM=program(tmp_path_factory, tracebook_argv, broken=broken))
    shown = load(kernel, folder, "--engine processes", names=("control",))
    assert f"{RANKS - 1} of {RANKS} ranks" in shown and "signal 6" in shown and broken in shown
    assert f"{broken}:\nreading\nlast words" in shown, shown
    assert f"{RANKS - 1} of {RANKS} ranks" in text(kernel.ok("%temporal_breakdown control", timeout=LONG))


# Slurm: a real one where it is installed, and an imitation of its commands, which loses nodes


@pytest.fixture(params=[ImitatedSlurm, SlurmCluster])
def slurm(request, tmp_path):
    if request.param is SlurmCluster and not has_slurm():
        pytest.skip(f"no {', '.join(DAEMONS)}: `apt-get install slurmctld slurmd munge` brings them")
    slurm = request.param(tmp_path / "slurm")
    yield slurm
    slurm.close()


def of_slurm(slurm, tmp_path, **environment):
    return {**slurm.environment, "TRACEBOOK_SLURM_FOLDER": str(tmp_path / "shared 'folder'"), **environment}


def left(tmp_path):
    """What jobs left in the shared folder."""
    return sorted((tmp_path / "shared 'folder'" / f"user-{os.getuid()}" / "jobs").iterdir())


def test_slurm_gives_the_digits_of_the_kernel(kernel_with, slurm, folder, expected, tmp_path):
    kernel = kernel_with(**of_slurm(slurm, tmp_path))
    shown = load(kernel, folder, "--engine slurm")
    assert re.search(rf"{RANKS} ranks .* Slurm [0-9.]+, {slurm.size}", shown), shown
    few = [COMPARED, *LINES[2:6]]
    assert_same(answers(kernel, tmp_path / "out", few), expected, few)
    assert re.search(r"Slurm [0-9.]+.*jobs: 1, 2", text(kernel.ok("%trace_info control")), re.DOTALL)
    states = slurm.states()
    assert {state for states in states.values() for state in states.values()} == {"COMPLETED"}
    assert max(len(states) for states in states.values()) >= 6, "tasks are an array"
    assert left(tmp_path) == []


def test_interrupt_cancels_the_jobs_of_slurm(kernel_with, slurm, tracebook_argv, folder, tmp_path, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="60")
    kernel = kernel_with(**of_slurm(slurm, tmp_path, TRACEBOOK_TASK_PROGRAM=slow))
    cell = kernel.client.execute(f"%trace_load file://{folder / 'control'} --engine slurm")
    wait_until(lambda: tasks_of(slow), LONG, "no task runs")
    kernel.interrupt()
    assert kernel.finish(cell).content["ename"] == "KeyboardInterrupt"
    wait_until(lambda: not tasks_of(slow), AT_MOST, "a task runs on")
    wait_until(lambda: not left(tmp_path), AT_MOST, "the folder of the job is left")
    cancelled = lambda: {state for states in slurm.states().values() for state in states.values()} == {"CANCELLED"}  # noqa: E731
    wait_until(cancelled, AT_MOST, lambda: slurm.states())


def test_interrupt_of_a_command_cancels_the_jobs_of_slurm(slurm, tracebook_argv, folder, tmp_path, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="60")
    line = [tracebook_argv[0], "describe", f"file://{folder / 'control'}", "--engine", "slurm"]
    command = command_with(line, **of_slurm(slurm, tmp_path, TRACEBOOK_TASK_PROGRAM=slow))
    wait_until(lambda: tasks_of(slow), LONG, "no task runs")
    assert interrupted(command) == (130, "tracebook describe: interrupted")
    assert not tasks_of(slow) and not left(tmp_path)


def test_restarted_kernel_finds_its_jobs_of_slurm(kernel_with, slurm, tracebook_argv, folder, tmp_path, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="1")
    line = f"%trace_load file://{folder / 'control'} --as control --engine slurm"
    first = kernel_with(**of_slurm(slurm, tmp_path, TRACEBOOK_TASK_PROGRAM=slow))
    first.client.execute(line)
    wait_until(lambda: tasks_of(slow), LONG, "no task runs")
    wait_until(lambda: list(left(tmp_path)[0].glob("jobs.json")), AT_MOST, "no note of the jobs")
    os.kill(first.pid, signal.SIGKILL)
    before = set(slurm.states())
    again = kernel_with(**of_slurm(slurm, tmp_path, TRACEBOOK_TASK_PROGRAM=slow))
    assert f"{RANKS} ranks" in text(again.ok(line, timeout=LONG))
    assert set(slurm.states()) == before and len(before) == 2, "tasks and merge of the first kernel"
    assert re.search(r"jobs: \d+, \d+", text(again.ok("%trace_info control")))
    assert left(tmp_path) == []


def test_failed_and_lost_tasks_of_slurm(kernel_with, slurm, tracebook_argv, folder, tmp_path, tmp_path_factory):
    broken = sorted((folder / "control").iterdir())[5].name
    path = program(tmp_path_factory, tracebook_argv, broken=broken, slow="0.3")
    kernel = kernel_with(**of_slurm(slurm, tmp_path, TRACEBOOK_TASK_PROGRAM=path))
    cell = kernel.client.execute(f"%trace_load file://{folder / 'control'} --as control --engine slurm")
    # The node of the first task that runs is lost.
    pid = wait_until(lambda: tasks_of(path), LONG, "no task runs")[0]
    os.killpg(os.getpgid(int(pid)), signal.SIGKILL)
    shown = text(kernel.finish(cell, LONG))
    assert f"{RANKS - 1} of {RANKS} ranks" in shown and "signal 6" in shown, shown
    assert f"{broken}:\nreading\nlast words" in shown, shown
    states = [state for states in slurm.states().values() for state in states.values()]
    assert slurm.killed in states and f"{RANKS - 1} of {RANKS} ranks" in text(
        kernel.ok("%temporal_breakdown control", timeout=LONG)
    )


def test_what_slurm_refuses_is_one_sentence(kernel_with, slurm, folder, tmp_path):
    line = f"%trace_load file://{folder / 'control'} --engine slurm"

    def refused(line, **environment):
        ran = kernel_with(**environment).run(line, timeout=LONG)
        assert ran.status == "error" and "\n" not in ran.content["evalue"], ran.content
        return ran.content["evalue"]

    with_slurm = of_slurm(slurm, tmp_path)
    nowhere = {**with_slurm, "PATH": str(tmp_path)}
    assert "no command `sbatch` here; start on a login node" in refused(line, **nowhere)
    assert "--shared-folder DIR" in refused(line, **slurm.environment)
    assert "cannot use the shared folder /proc/none" in refused(f"{line} --shared-folder /proc/none", **with_slurm)
    assert "node configuration is not available" in refused(f"{line} --task-memory 9000G", **with_slurm)
    if slurm.waits_for_ever:
        assert "can run a task (PartitionConfig)" in refused(f"{line} --task-cpus 9", **with_slurm)
    assert f"file://{folder}" in refused(line.replace("file://", ""), **with_slurm)
    assert "SBATCH_GRES" in refused(f"{line} --resource gpu=1", **with_slurm)


# Ray


@pytest.fixture(scope="module")
def cluster():
    if not installed():
        pytest.skip(f"no Ray in {VENV}: `make ray-venv` installs it")
    cluster = Cluster()
    yield cluster
    cluster.close()


def test_ray_gives_the_digits_of_the_kernel(kernel_with, cluster, folder, expected, tmp_path):
    kernel = kernel_with(TRACEBOOK_RAY_ADDRESS=cluster.address)
    shown = load(kernel, folder, "--engine ray")
    assert re.search(rf"{RANKS} ranks .* Ray 2\.60\.0 at 127\.0\.0\.1:\d+, 3 nodes, 2 slots", shown), shown
    # Load, compare, explain and three questions; the others are asked of processes.
    few = [COMPARED, *LINES[2:6]]
    assert_same(answers(kernel, tmp_path / "out", few), expected, few)
    assert "jobs: tracebook-" in text(kernel.ok("%trace_info control"))
    # A kernel that was started again finds the answer of the same question.
    before = set(cluster.jobs())
    again = kernel_with(TRACEBOOK_RAY_ADDRESS=cluster.address)
    load(again, folder, "--engine ray", names=("test",))
    assert text(again.ok(LINES[3].replace("OUT", str(tmp_path)), timeout=LONG)).replace(str(tmp_path), "OUT") == expected[0][3]
    new = set(cluster.jobs()) - before
    assert [cluster.jobs()[job]["metadata"]["question"] for job in new] == ["load"]


def test_wrong_addresses_and_requests_are_one_sentence(kernel_with, cluster, folder):
    kernel = kernel_with()

    def refused(flags, path=f"file://{folder / 'control'}"):
        ran = kernel.run(f"%trace_load {path} --engine ray {flags}", timeout=LONG)
        assert ran.status == "error"
        return ran.content["evalue"]

    assert "TRACEBOOK_RAY_ADDRESS" in refused("")
    assert "http://head:8265" in refused("--address ray://head:10001")
    assert "`ray[default]`" in refused("--address http://127.0.0.1:9")
    assert f"file://{folder}" in refused(f"--address {cluster.address}", path=folder / "control")
    assert "it needs CPU 1, node9 1" in refused(f"--address {cluster.address} --resource node9=1")
    # The same question without it does not wait for that job.
    kernel.ok(f"%trace_load file://{folder / 'control'} --engine ray --address {cluster.address}", timeout=LONG)


def test_interrupt_stops_the_job(kernel_with, cluster, tracebook_argv, folder, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="60")
    kernel = kernel_with(TRACEBOOK_RAY_ADDRESS=cluster.address, TRACEBOOK_TASK_PROGRAM=slow)
    cell = kernel.client.execute(f"%trace_load file://{folder / 'control'} --engine ray")
    wait_until(lambda: active_jobs(cluster), LONG, "no job runs")
    wait_until(lambda: tasks_of(slow), LONG, "no task runs")
    kernel.interrupt()
    assert kernel.finish(cell).content["ename"] == "KeyboardInterrupt"
    # Asked again at once, it is a job of its own.
    before = set(cluster.jobs())
    cell = kernel.client.execute(f"%trace_load file://{folder / 'control'} --engine ray")
    wait_until(lambda: set(cluster.jobs()) - before, LONG, "no new job")
    kernel.interrupt()
    assert kernel.finish(cell).content["ename"] == "KeyboardInterrupt"
    wait_until(lambda: not active_jobs(cluster), AT_MOST, "the job runs on")
    wait_until(lambda: not tasks_of(slow), AT_MOST, "a task runs on")


def test_interrupt_of_a_command_stops_the_job(cluster, tracebook_argv, folder, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="60")
    line = [tracebook_argv[0], "diff", *(f"file://{folder / name}" for name in ("control", "test")), "--engine", "ray"]
    start = lambda: command_with(line, TRACEBOOK_RAY_ADDRESS=cluster.address, TRACEBOOK_TASK_PROGRAM=slow)  # noqa: E731
    before = set(cluster.jobs())
    command = start()
    wait_until(lambda: set(cluster.jobs()) - before, LONG, "no new job")
    assert interrupted(command) == (130, "tracebook diff: interrupted")
    # The cluster may still call that job pending or running: a command of the same question does not end with it.
    command = start()
    wait_until(lambda: tasks_of(slow), LONG, "no task runs")
    assert interrupted(command) == (130, "tracebook diff: interrupted")
    wait_until(lambda: not active_jobs(cluster), AT_MOST, "the job runs on")
    wait_until(lambda: not tasks_of(slow), AT_MOST, "a task runs on")


def active_jobs(cluster):
    """The jobs that run or will: one that was stopped while it waited must not start later."""
    return [name for name, job in cluster.jobs().items() if job["status"] in ("PENDING", "RUNNING")]


def tasks_of(program):
    return subprocess.run(["pgrep", "-f", f"{program} task map"], capture_output=True, check=False).stdout.split()


@pytest.fixture
def own_cluster():
    """A cluster whose slots no earlier test took."""
    if not installed():
        pytest.skip(f"no Ray in {VENV}: `make ray-venv` installs it")
    cluster = Cluster(first=22, ports=24379)
    yield cluster
    cluster.close()


def test_lost_node_costs_its_tasks_alone(kernel_with, own_cluster, tracebook_argv, folder, expected, tmp_path, tmp_path_factory):
    slow = program(tmp_path_factory, tracebook_argv, slow="0.5")
    kernel = kernel_with(TRACEBOOK_RAY_ADDRESS=own_cluster.address, TRACEBOOK_TASK_PROGRAM=slow)
    load = f"%trace_load file://{folder / 'test'} --as test --engine ray"
    cells = [kernel.client.execute(load)]

    # A task on each node. The slot of a node may be taken for a while by what an earlier test left: its job is asked for again.
    def has_task_on_each_node():
        if kernel.has_replied(cells[-1]):
            assert kernel.finish(cells[-1], LONG).status == "ok"
            cells.append(kernel.client.execute(load))
        return len(tasks_of(slow)) >= 2

    wait_until(has_task_on_each_node, LONG, "only one task runs")
    own_cluster.kill(2)
    cell = cells[-1]
    assert kernel.finish(cell, LONG).status == "ok"
    shown = text(kernel.ok(LINES[3].replace("OUT", str(tmp_path)), timeout=LONG)).replace(str(tmp_path), "OUT")
    assert shown == expected[0][3]


def test_token_is_needed_and_not_shown(kernel_with, folder, tmp_path):
    if not installed():
        pytest.skip(f"no Ray in {VENV}: `make ray-venv` installs it")
    token = "a" * 32
    cluster = Cluster(nodes=0, first=12, ports=25379, environment={"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token})
    try:
        line = f"%trace_load file://{folder / 'control'} --as control --engine ray --resource none=1 --address {cluster.address}"

        def said(given):
            home = {"RAY_AUTH_TOKEN_PATH": str(tmp_path / "none"), "RAY_AUTH_TOKEN": given}
            kernel = kernel_with(**home)
            return kernel.run(line, timeout=LONG).content["evalue"]

        assert "wants a token (401" in said(None)
        assert "was refused (403" in said("b" * 32)
        right = said(token)
        assert "no node of the cluster can run a task" in right and token not in right
    finally:
        cluster.close()
