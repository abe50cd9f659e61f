"""Traces in object storage and on web servers give the answers of their files; what goes wrong has a reason and a fix."""

import contextlib
import functools
import http.server
import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from places import DATA, ROOT
from ports import free_port
from proxy import Proxy
from waiting import AT_MOST, wait_until

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PYTHON = TARGET / "s3-server-5.2.5" / "bin" / "python"
PROGRAM = os.environ.get("TRACEBOOK_BIN", TARGET / "release" / "tracebook")
BUCKET = "tracebook-tests"
# No setting of the user, and no role of the machine.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "GOOGLE_", "AZURE_"))}


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """The folder whose files are the objects of the bucket."""
    folder = tmp_path_factory.mktemp("objects")
    for name in ("control", "test", "job"):
        shutil.copytree(DATA / name, folder / "runs" / name)
    (folder / "runs" / "job" / "notes.txt").write_text("no trace")
    (folder / "runs" / "job" / "other.json").write_text("{}")
    (folder / "empty").mkdir()
    (folder / "empty" / "notes.txt").write_text("no trace")
    return folder


@pytest.fixture(scope="module")
def storage(objects):
    """The environment of a program that may read the bucket."""
    if not PYTHON.is_file():
        pytest.skip("no S3 server to test with: `make s3-server` fetches one from PyPI")
    port = free_port()
    server = subprocess.Popen(
        [PYTHON, Path(__file__).with_name("serve.py"), str(port), BUCKET, objects],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**CLEAN, "INITIAL_NO_AUTH_ACTION_COUNT": "1000000"},
    )
    try:
        key = json.loads(server.stdout.readline())
        endpoint = {"AWS_ENDPOINT": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
        yield {**CLEAN, **key, **endpoint, "TRACEBOOK_STORAGE_TIMEOUT": "2", "TRACEBOOK_CACHE": "off"}
    finally:
        server.kill()
        server.wait()


def run(*words, env, **options):
    return subprocess.run([PROGRAM, *map(str, words)], env=env, capture_output=True, text=True, timeout=60, **options)


def answer(*words, env):
    """What a command prints, without the places of the traces."""
    done = run(*words, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(address, env):
    """The message of a command that fails, which holds no secret."""
    done = run("describe", address, env=env)
    assert done.returncode == 1 and not done.stdout, done
    for name in ("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"):
        assert name not in env or env[name] not in done.stderr
    return " ".join(done.stderr.split())


def test_comparison_of_two_folders_is_that_of_their_files(storage, objects, tmp_path):
    def compared(root):
        out = tmp_path / "out.csv"
        answer("diff", f"{root}/runs/control", f"{root}/runs/test", "--csv", out, "--quiet", env=storage)
        return out.read_text()

    remote = compared(f"s3://{BUCKET}")
    assert remote == compared(objects) == compared(f"file://{objects}") and remote.count("\n") > 50


def test_description_of_all_ranks_is_that_of_their_files(storage, objects):
    def described(root):
        done = run("describe", f"{root}/runs/job", "--json", "-", env=storage)
        assert done.returncode == 0, done.stderr
        assert "other.json" in done.stdout and "notes.txt" not in done.stdout
        return done.stdout.replace(f"{root}/", "")

    assert described(f"s3://{BUCKET}") == described(str(objects))
    one = answer("describe", f"s3://{BUCKET}/runs/job/", "--rank", "2", env=storage)
    assert "rank 2" in one


def test_refusals_say_why_and_the_fix(storage):
    at = f"s3://{BUCKET}"
    wrong = {**storage, "AWS_SECRET_ACCESS_KEY": "no-such-secret-of-anybody"}
    for address in (f"{at}/runs/job", f"{at}/runs/job/rank0.json.gz"):
        message = refusal(address, wrong)
        assert "SignatureDoesNotMatch" in message and "secret key" in message, message
        assert "no-such-secret-of-anybody" not in message
    stranger = {**storage, "AWS_ACCESS_KEY_ID": "AKIAXXXXXXXXXXXXXXXX"}
    assert "InvalidAccessKeyId" in refusal(f"{at}/runs/job", stranger)
    assert "there is no bucket `no-such-bucket`" in refusal("s3://no-such-bucket/runs", storage)
    missing = refusal(f"{at}/runs/jbo", storage)
    assert "nothing of this name exists" in missing and "control, job, test" in missing, missing
    assert "no trace file found" in refusal(f"{at}/empty", storage)
    folders = refusal(f"{at}/runs", storage)
    assert "no trace file found" in folders and "job" in folders, folders
    assert "AWS_ALLOW_HTTP=true" in refusal(f"{at}/runs", {**storage, "AWS_ALLOW_HTTP": "false"})
    nowhere = {**storage, "AWS_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
    assert "cannot connect" in refusal(f"{at}/runs", nowhere)
    nobody = {**storage, "AWS_METADATA_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        del nobody[name]
    message = refusal(f"{at}/runs", nobody)
    assert "no credentials found" in message and "AWS_ACCESS_KEY_ID" in message, message


def test_addresses_are_checked_before_anything_is_sent():
    for address, part in (
        ("s3a://bucket/run", "did you mean s3://bucket/run?"),
        ("s3:///run", "names no bucket"),
        ("https://host/run/", "a web server has no listing"),
    ):
        assert part in refusal(address, CLEAN)
    for address in ("https://me:TOPSECRET@host/a.json", "s3://AKIA:TOPSECRET@bucket/run", "https://h/a?sig=TOPSECRET"):
        message = refusal(address, CLEAN)
        assert "contains credentials" in message and "TOPSECRET" not in message, message


@contextlib.contextmanager
def cutting(storage, name, at):
    proxy = Proxy(int(storage["AWS_ENDPOINT"].rsplit(":", 1)[1]))
    proxy.name, proxy.cut = name, at
    try:
        yield proxy, {**storage, "AWS_ENDPOINT": f"http://127.0.0.1:{proxy.port}"}
    finally:
        proxy.close()


def test_cut_transfer_is_continued(storage, objects):
    (file,) = (objects / "runs" / "control").iterdir()
    with cutting(storage, file.name.encode(), file.stat().st_size * 2 // 3) as (proxy, env):
        remote = answer("describe", f"s3://{BUCKET}/runs/control", env=env)
    assert proxy.cuts >= 1
    assert remote == answer("describe", objects / "runs" / "control", env=storage).replace(str(objects), f"s3://{BUCKET}")


def test_transfer_that_never_continues_names_object_and_byte(storage, objects):
    (file,) = (objects / "runs" / "control").iterdir()
    with cutting(storage, file.name.encode(), 0) as (_, env):
        message = refusal(f"s3://{BUCKET}/runs/control", env)
    assert f"runs/control/{file.name}" in message, message


def test_interrupt_ends_a_stalled_transfer(storage, objects):
    (file,) = (objects / "runs" / "control").iterdir()
    with cutting(storage, file.name.encode(), 3000) as (proxy, env):
        proxy.stall = True
        # By itself it would end after this time.
        env["TRACEBOOK_STORAGE_TIMEOUT"] = "600"
        program = subprocess.Popen([PROGRAM, "describe", f"s3://{BUCKET}/runs/control"], env=env, stderr=subprocess.PIPE)
        wait_until(lambda: proxy.cuts, AT_MOST, "nothing is transferred")
        assert program.poll() is None
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=AT_MOST) in (130, -signal.SIGINT)


@pytest.fixture
def web(objects):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=objects)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_file_of_a_web_server(web, objects):
    (file,) = (objects / "runs" / "control").iterdir()
    remote = answer("describe", f"{web}/runs/control/{file.name}", env=CLEAN)
    assert remote == answer("describe", file, env=CLEAN).replace(str(objects), web)
    assert "nothing of this name exists" in refusal(f"{web}/runs/control/none.json", CLEAN)
    assert "a web server has no listing" in refusal(f"{web}/runs/control/", CLEAN)
