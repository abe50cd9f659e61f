"""Attacks on everything that talks to other machines, against the built program.

To repeat the attempts: `make kernel`, then `.venv/bin/python -m pytest tests/security -v`; TRACEBOOK_BIN names another build.
All servers are on loopback (`hostile_servers.py`); Slurm is an imitation of its commands. SECURITY.md says what is promised.
"""

import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

from hostile_servers import LISTED, Answer, Dashboard, Server, endless, endless_pages, listing, log_of, repeating, storage_with
from places import DATA, ROOT
from ports import free_port
from slurm_imitation import ImitatedSlurm
from waiting import AT_MOST, wait_until

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = os.environ.get("TRACEBOOK_BIN", TARGET / "release" / "tracebook")
SECRET = "TOPSECRETofTheUser0123456789"
KEY = "AKIATESTTESTTESTTEST"
# No setting of the user, and no role of the machine.
OTHERS = ("AWS_", "GOOGLE_", "AZURE_", "RAY_", "TRACEBOOK_", "HTTP", "http", "SLURM_", "SBATCH_")
CLEAN = {
    **{name: value for name, value in os.environ.items() if not name.startswith(OTHERS)},
    "TRACEBOOK_CACHE": "off",
    "TRACEBOOK_STORAGE_TIMEOUT": "2",
}
# More than any answer may take; what was read without a bound took gigabytes.
MOST_MEMORY = 1 << 30


# Starts a program from a small process: the kernel counts the memory of the process that forks as the child's, too.
LAUNCHER = """
import os, sys
os.set_inheritable(int(sys.argv[1]), False)
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
os.write(int(sys.argv[1]), f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss << 10}".encode())
"""


class Ended:
    """How a command ended: exit code, what it said on one line, and the most memory that it held."""

    def __init__(self, *words, env):
        read, write = os.pipe()
        command = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, str(write), str(PROGRAM), *map(str, words)],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[write],
            start_new_session=True,
        )
        os.close(write)
        timer = threading.Timer(4 * AT_MOST, os.killpg, (command.pid, signal.SIGKILL))
        timer.start()
        said = command.communicate()
        timer.cancel()
        with os.fdopen(read) as ended:
            code, memory = ended.read().split() or (command.returncode, 0)
        self.code, self.memory = int(code), int(memory)
        self.said = " ".join(" ".join(said).split())


def refused(*words, env):
    """How a command ended that has to fail with a sentence, and without a secret."""
    ended = Ended(*words, env=env)
    assert ended.code in (1, 2) and ended.said, (ended.code, ended.said)
    for secret in (SECRET, SECRET[:12], KEY):
        assert secret not in ended.said, ended.said
    assert len(ended.said) < 2000, ended.said
    assert ended.memory < MOST_MEMORY, ended.memory
    return ended.said


@pytest.fixture
def running():
    """Keeps servers until the test has ended."""
    servers = []

    def keep(server):
        servers.append(server)
        return server

    yield keep
    for server in servers:
        server.close()


def with_storage(server, **environment):
    """The environment of a program that asks a server for objects, with credentials."""
    url = server if isinstance(server, str) else server.url
    credentials = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": f"session/{SECRET}"}
    return {**CLEAN, **credentials, "AWS_ENDPOINT": url, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1", **environment}


# Redirects


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_object_storage_leads_nowhere(running, status):
    other = running(storage_with(Answer(200, listing([LISTED.format(1)]))))
    storage = running(Server(lambda request: Answer(status, Location=other.url + request.path)))
    said = refused("describe", "s3://bucket/run", env=with_storage(storage))
    assert f"{storage.place} redirects to {other.url}" in said and "AWS_ENDPOINT" in said, said
    assert other.heard == []


def test_web_server_leads_on_and_a_refusal_names_the_host(running):
    (file,) = (DATA / "control").iterdir()
    content = file.read_bytes()
    last = running(Server(lambda request: Answer(200, content) if "rank" in request.path else Answer(404)))
    first = running(Server(lambda request: Answer(302, Location=last.url + request.path)))
    moved = Ended("describe", f"{first.url}/rank0.json.gz", env=CLEAN)
    assert moved.code == 0, moved.said
    said = refused("describe", f"{first.url}/none.json", env=CLEAN)
    assert f"the address leads to {last.place}, which answered: nothing of this name exists" in said, said


def test_redirect_loop_is_called_so(running):
    server = running(Server(lambda request: Answer(302, Location=request.path)))
    said = refused("describe", f"{server.url}/a.json", env=CLEAN)
    assert "as many redirects as are followed" in said and "busy" not in said, said


def test_dashboard_leads_nowhere(running):
    other = running(Dashboard())
    server = running(Server(lambda request: Answer(307, Location=other.url + request.path)))
    said = refused("describe", "file:///none", "--engine", "ray", "--address", server.url, env=CLEAN)
    assert "is not followed" in said and other.heard == [], said


# Answers without a bound


def test_listing_without_end_is_refused_by_name(running):
    server = running(endless_pages())
    said = refused("describe", "s3://bucket/run", env=with_storage(server))
    assert "the listing of the folder is longer than 64 MiB or 1,000 pages" in said, said


def test_page_without_end_is_refused_by_name(running):
    name = LISTED.format(1).encode() * 1000
    server = running(storage_with(lambda: Answer(200, endless(b"<ListBucketResult>", name))))
    said = refused("describe", "s3://bucket/run", env=with_storage(server))
    assert "a page of the listing is longer than 16 MiB" in said, said


def test_refusal_without_end_is_cut(running):
    server = running(storage_with(lambda: Answer(403, endless(b"<Error><Code>AccessDenied</Code>", b"x" * 100_000))))
    said = refused("describe", "s3://bucket/run", env=with_storage(server))
    assert "access is denied (AccessDenied)" in said, said


def asked(dashboard, **environment):
    """What a question to a cluster says that has to fail."""
    words = ("describe", f"file://{DATA / 'control'}", "--engine", "ray", "--address", dashboard.url)
    environment = {"TRACEBOOK_TASK_PROGRAM": "/program", "TRACEBOOK_MEMORY": "2G", **environment}
    return refused(*words, env={**CLEAN, **environment})


@pytest.mark.parametrize(
    ("part", "start", "said"),
    [
        ("version", b'{"ray_version": "', "the version has more than 1 MiB"),
        ("package", b"", "a package has more than 1 MiB"),
        ("submit", b"", "a new job has more than 1 MiB"),
        ("state", b'{"status": "', "the state of the job has more than 16 MiB"),
        ("log", b'{"logs": "', "the log of the job has more than"),
    ],
)
def test_answer_of_a_dashboard_without_end_is_refused_by_name(running, part, start, said):
    dashboard = running(Dashboard(**{part: lambda _: Answer(200, endless(start, b"x" * 1_000_000))}))
    message = asked(dashboard)
    assert said in message and "the dashboard's answer is too long" in message, message


def test_length_that_is_claimed_is_not_waited_for(running):
    dashboard = running(Dashboard(version=Answer(200, b"{}", Content_Length=str(1 << 40))))
    assert "the version has more than 1 MiB" in asked(dashboard)


def test_refusal_of_a_dashboard_is_cut(running):
    dashboard = running(Dashboard(submit=lambda _: Answer(400, endless(b"no", b" because" * 10_000))))
    message = asked(dashboard)
    assert "400" in message and len(message) < 900, message


# Secrets in messages


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
def test_secrets_that_storage_repeats_are_not_shown(running, status):
    def form(words):
        code = "".join(f"<Code>{word}</Code><Message>{word}</Message>" for word in words)
        folders = [f"<CommonPrefixes><Prefix>run/{word}/</Prefix></CommonPrefixes>" for word in words]
        return listing(folders) if status == 200 else f"<Error>{code}</Error>".encode()

    server = running(repeating(status, form))
    for address in ("s3://bucket/run", "s3://bucket/run/rank0.json", "s3://bucket/run/*"):
        refused("describe", address, env=with_storage(server))


# A status that says that the call may succeed later is asked again for a minute, once the job runs.
REPEATED = [
    *[("version", status) for status in (200, 400, 401, 500, 503)],
    *[(part, status) for part in ("package", "submit") for status in (400, 401, 500, 503)],
    *[(part, status) for part in ("state", "log") for status in (400, 401, 500)],
    ("failed", 200),
    ("fatal", 200),
]


@pytest.mark.parametrize(("part", "status"), REPEATED)
def test_secrets_that_a_dashboard_repeats_are_not_shown(running, part, status):
    text = lambda request: f"no: {request.headers['Authorization']} and http://me:{SECRET}@host?key={SECRET}"  # noqa: E731
    submitted = []

    def repeat(request):
        if part == "version" and status == 200:
            return Answer(status, json.dumps({"ray_version": text(request)}).encode())
        return Answer(status, text(request).encode())

    def failed(request):
        state = {"status": "FAILED", "message": text(request)}
        return Answer(200, json.dumps(state).encode()) if submitted else Answer(404)

    def submit(_):
        submitted.append(1)
        return Answer(200, b"{}")

    answers = {
        "failed": {"state": failed, "submit": submit},
        "fatal": {"log": lambda request: log_of({"event": "fatal", "reason": text(request)}, other=text(request))},
    }
    dashboard = running(Dashboard(**answers.get(part, {part: repeat})))
    asked(dashboard, RAY_AUTH_TOKEN=SECRET)
    assert any(SECRET in headers for _, headers in dashboard.heard)


ADDRESSES = [
    f"https://me:{SECRET}@host/a.json",
    f" https://me:{SECRET}@host/a.json",
    f"s3://{KEY}:{SECRET}@bucket/run",
    f"\ts3://{KEY}:{SECRET[:20]}/{SECRET[20:]}@bucket/run",
    f"s3:/{KEY}:{SECRET}@bucket/run",
    f"'s3://{KEY}:{SECRET}@bucket/run'",
    f"x3://{KEY}:{SECRET}@bucket/run",
    f"file://me:{SECRET}@host/run",
    f"https://host/a.json?X-Amz-Signature={SECRET}",
    f"path=https://host/a.json?token={SECRET}",
]


@pytest.mark.parametrize(
    "words", [["describe"], ["diff", DATA / "control"], ["explain", DATA / "control"], ["describe", "--engine=ray"]]
)
@pytest.mark.parametrize("address", ADDRESSES)
def test_secrets_of_addresses_are_not_shown(words, address):
    refused(*words, address, env={**CLEAN, "TRACEBOOK_RAY_ADDRESS": "http://127.0.0.1:1"})


@pytest.mark.parametrize(
    "address",
    [
        f"http://me:{SECRET}@head:8265",
        f" http://me:{SECRET}@head:8265",
        f"http://{SECRET}@head",
        f"ray://{SECRET}:x@head:10001",
        f"me:{SECRET}@head:8265",
        f"{SECRET}@head",
        f"http://head/?token={SECRET}",
        f"head#{SECRET}",
    ],
)
def test_secret_of_a_dashboards_address_is_not_shown(address):
    words = ["describe", "file:///none", "--engine", "ray"]
    for said in (
        refused(*words, "--address", address, env=CLEAN),
        refused(*words, env={**CLEAN, "TRACEBOOK_RAY_ADDRESS": address}),
    ):
        assert "--address" in said and "http://" in said, said


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT", "AWS_PROXY_URL"])
@pytest.mark.parametrize("form", ["http://me:{0}@127.0.0.1:{1}", "http://127.0.0.1:{1}?key={0}", "http://me:{0}@ no url"])
@pytest.mark.parametrize("allowed", ["true", "false"])
def test_secret_of_an_endpoint_is_not_shown(variable, form, allowed):
    env = with_storage("http://127.0.0.1:1", AWS_ALLOW_HTTP=allowed)
    refused("describe", "s3://bucket/run", env={**env, variable: form.format(SECRET, free_port())})


# What messages say, and how often a server is asked


def test_invalid_answer_is_called_so():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                client.recv(4096)
                client.sendall(b"SSH-2.0-OpenSSH_9.2\r\n" * 10)
                client.close()

        threading.Thread(target=answer, daemon=True).start()
        for address, env in (
            (f"http://127.0.0.1:{listener.getsockname()[1]}/a.json", CLEAN),
            ("s3://bucket/run", with_storage(f"http://127.0.0.1:{listener.getsockname()[1]}")),
        ):
            said = refused("describe", address, env=env)
            assert "the answer of the server is invalid" in said and "busy" not in said, said
        listener.shutdown(socket.SHUT_RDWR)


def test_denial_without_credentials_says_how_to_give_some(running):
    server = running(storage_with(Answer(403, b"<Error><Code>AccessDenied</Code></Error>")))
    said = refused("describe", "s3://bucket/run", env=with_storage(server, AWS_SKIP_SIGNATURE="true"))
    assert "no credentials were sent; unset AWS_SKIP_SIGNATURE, and set AWS_ACCESS_KEY_ID" in said, said
    said = refused("describe", "s3://bucket/run", env=with_storage(server))
    assert "these credentials may not read it" in said, said
    said = refused("describe", f"{server.url}/a.json", env=CLEAN)
    assert "no credentials were sent; web servers are sent none" in said, said


def test_dashboard_that_always_fails_is_left_alone_soon(running):
    dashboard = running(Dashboard(submit=Answer(500, b"job already exists"), state=Answer(404)))
    assert "exists, and does not know it" in asked(dashboard)
    assert len(dashboard.heard) < 20, len(dashboard.heard)


@pytest.mark.parametrize("part", ["state", "log", "submit"])
def test_interrupt_while_a_dashboard_hangs_stops_the_job(running, part):
    submitted = []

    def hang(request):
        if part == "state" and not submitted:
            return Answer(404)
        return None

    answers = {part: hang}
    if part != "submit":
        answers["submit"] = lambda _: submitted.append(1) or Answer(200, b"{}")
    dashboard = running(Dashboard(**answers))
    starts = {"state": "GET /api/jobs/", "log": "GET /api/jobs/", "submit": "POST /api/jobs/"}
    hangs = lambda: dashboard.asked(starts[part]) >= {"state": 2, "log": 3, "submit": 1}[part]  # noqa: E731
    words = ["describe", f"file://{DATA / 'control'}", "--engine", "ray", "--address", dashboard.url]
    env = {**CLEAN, "TRACEBOOK_TASK_PROGRAM": "/program"}
    command = subprocess.Popen([PROGRAM, *words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_until(hangs, AT_MOST, lambda: dashboard.heard)
    command.send_signal(signal.SIGINT)
    said = command.communicate(timeout=AT_MOST)[1]
    assert command.returncode == 130 and "interrupted" in said, said
    assert any(line.endswith("/stop") for line, _ in dashboard.heard), dashboard.heard


# Slurm's shared folder, and the program that nodes run


@pytest.fixture
def slurm(tmp_path):
    slurm = ImitatedSlurm(tmp_path / "slurm")
    yield slurm
    slurm.close()


def described(slurm, shared, data=DATA / "control"):
    env = {**CLEAN, **slurm.environment}
    return Ended("describe", f"file://{data}", "--engine", "slurm", "--shared-folder", shared, env=env)


def plant(path, marker):
    """Puts a script in the place of the program, as long as that."""
    script = f"#!/bin/sh\ntouch '{marker}'\nexec '{Path(PROGRAM).resolve()}' \"$@\"\n".encode()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(script)
    os.truncate(path, Path(PROGRAM).stat().st_size)
    path.chmod(0o777)


def test_planted_program_is_not_run(slurm, tmp_path):
    shared, marker = tmp_path / "shared", tmp_path / "planted program ran"
    shared.mkdir()
    own = shared / f"user-{os.getuid()}"
    own.mkdir(mode=0o700)
    digest = hashlib.sha256(Path(PROGRAM).read_bytes()).hexdigest()
    plant(own / "programs" / f"tracebook-{digest}", marker)
    # Where the program was before each user had a folder.
    found = Path(PROGRAM).stat()
    key = f"{found.st_ino}-{found.st_size}-{found.st_mtime_ns // 10**9}-{found.st_mtime_ns % 10**9}"
    plant(shared / "programs" / f"tracebook-{hashlib.sha256(key.encode()).hexdigest()[:32]}", marker)
    ended = described(slurm, shared)
    assert ended.code == 0, ended.said
    assert not marker.exists()
    (program,) = (own / "programs").iterdir()
    assert hashlib.sha256(program.read_bytes()).hexdigest() == digest
    assert program.stat().st_mode & 0o777 == 0o700
    assert described(slurm, shared).code == 0 and program.stat().st_ino, "the copy is used again"


def test_folder_of_another_user_is_refused(slurm, tmp_path):
    own = tmp_path / "shared" / f"user-{os.getuid()}"
    own.mkdir(parents=True)
    own.chmod(0o777)
    forms = [lambda: None]
    if os.getuid() == 0:
        forms.append(lambda: (own.chmod(0o700), os.chown(own, 65534, 65534)))
    for form in forms:
        form()
        ended = described(slurm, tmp_path / "shared")
        assert ended.code == 1 and "expected a folder of this user with mode 0700" in ended.said, ended.said


def test_shared_folder_that_every_user_may_rename_in_is_refused(slurm, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    ended = described(slurm, shared)
    assert ended.code == 1 and "every user may rename its files" in ended.said and "chmod +t" in ended.said, ended.said
    shared.chmod(0o1777)
    assert described(slurm, shared).code == 0


def test_line_break_in_the_shared_folder_is_called_so(slurm, tmp_path):
    ended = described(slurm, tmp_path / "a\nb")
    assert ended.code == 1 and "a path without a line break" in ended.said and "UTF-8" not in ended.said, ended.said


def test_secrets_that_slurm_repeats_are_not_shown(slurm, tmp_path):
    said = f"token={SECRET} of http://me:{SECRET}@host " + "x" * 100_000
    command = Path(slurm.environment["PATH"].split(":")[0]) / "sbatch"
    command.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo slurm 22.05 && exit\necho "{said}" >&2\nexit 1\n')
    ended = described(slurm, tmp_path / "shared")
    assert ended.code == 1 and SECRET[:12] not in ended.said and len(ended.said) < 1500, ended.said


def test_driver_runs_no_other_program_of_the_name(tmp_path, monkeypatch):
    ray, strategies = types.ModuleType("ray"), types.ModuleType("ray.util.scheduling_strategies")
    strategies.NodeAffinitySchedulingStrategy = object
    modules = {"ray": ray, "ray.util": types.ModuleType("ray.util"), "ray.util.scheduling_strategies": strategies}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    driver = {"__name__": "driver"}
    exec((ROOT / "crates/kernel-base/src/cluster/ray/driver.py").read_text(), driver)
    planted, shipped = tmp_path / "planted", tmp_path / "shipped"
    for folder, text in ((planted, "an attacker"), (shipped, "the program")):
        folder.mkdir()
        (folder / "tracebook").write_text(text)
    monkeypatch.setattr(sys, "path", [str(planted), str(shipped)])
    digest = hashlib.sha256(b"the program").hexdigest()
    assert driver["find_program"]("tracebook", digest) == str(shipped / "tracebook")
    (shipped / "tracebook").write_text("an attacker, too")
    with pytest.raises(FileNotFoundError, match="another one of its name"):
        driver["find_program"]("tracebook", digest)
    assert driver["find_program"]("/on/every/node", None) == "/on/every/node"


def test_servers_of_these_tests_answer(running):
    """A test whose server is broken would pass for the wrong reason."""
    dashboard = running(Dashboard())
    connection = http.client.HTTPConnection(dashboard.place)
    connection.request("GET", "/api/version")
    assert json.loads(connection.getresponse().read())["ray_version"] == "2.60.0"
