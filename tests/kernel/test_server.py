"""Kernels behind Jupyter Server: REST, messages over a WebSocket, limits of outputs."""

import contextlib
import json
import os
import subprocess
import sys
import uuid

import pytest
import requests
import websocket

from driver import LONG
from places import DATA
from processes import assert_gone, children
from waiting import AT_MOST, wait_until

pytestmark = pytest.mark.rust_cells

TOKEN = "of-the-test"


@pytest.fixture(scope="module")
def server(tracebook_argv, tmp_path_factory):
    """The address of a server that knows the kernel under test."""
    folder = tmp_path_factory.mktemp("server")
    spec = folder / "share" / "kernels" / "under_test"
    spec.mkdir(parents=True)
    spec.joinpath("kernel.json").write_text(
        json.dumps(
            {
                "argv": [*tracebook_argv, "{connection_file}"],
                "display_name": "under test",
                "language": "rust",
                "interrupt_mode": "message",
            }
        )
    )
    names = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "JUPYTER_DATA_DIR": "data"}
    env = {**os.environ, **{name: str(folder / part) for name, part in names.items()}, "JUPYTER_PATH": str(folder / "share")}
    line = [
        "-m",
        "jupyter_server",
        "--no-browser",
        "--port=0",
        "--ip=127.0.0.1",
        f"--ServerApp.root_dir={folder}",
        "--allow-root",
        f"--IdentityProvider.token={TOKEN}",
    ]
    process = subprocess.Popen([sys.executable, *line], env=env, stderr=subprocess.DEVNULL)
    try:
        yield address(folder / "runtime", process)
    finally:
        below = children(process.pid)
        process.terminate()
        process.wait(20)
        assert_gone(below)


def address(runtime, process):
    def url():
        assert process.poll() is None, "Jupyter Server ended"
        for file in runtime.glob("jpserver-*.json"):
            # The file is there before it is whole, and before the server listens.
            with contextlib.suppress(ValueError, requests.ConnectionError):
                found = json.loads(file.read_text())["url"]
                requests.get(f"{found}api", timeout=LONG)
                return found
        return None

    return wait_until(url, 60, "Jupyter Server did not start")


class Remote:
    """A kernel behind a server, connected as a browser is."""

    def __init__(self, url):
        self.url, self.headers = url, {"Authorization": f"token {TOKEN}"}
        self.id = self.rest("post", "", json={"name": "under_test"}).json()["id"]
        self.connect()

    def rest(self, method, path, **options):
        url = f"{self.url}api/kernels{path}"
        answer = requests.request(method, url, headers=self.headers, timeout=LONG, **options)
        answer.raise_for_status()
        return answer

    def connect(self):
        url = f"{self.url.replace('http', 'ws', 1)}api/kernels/{self.id}/channels"
        self.socket = websocket.create_connection(url, header=[f"Authorization: token {TOKEN}"], timeout=LONG)

    def send(self, code):
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "username": "",
            "session": "s",
            "date": "",
            "version": "5.4",
        }
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        self.socket.send(
            json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"})
        )
        return header["msg_id"]

    def finish(self, msg_id):
        """The reply and the outputs of a cell, once it is idle."""
        reply, outputs, idle = None, [], False
        while reply is None or not idle:
            message = json.loads(self.socket.recv())
            # Messages of the server itself have no parent.
            if message["parent_header"].get("msg_id") not in (msg_id, None):
                continue
            if message["msg_type"] == "execute_reply":
                reply = message["content"]
            elif message["msg_type"] == "status":
                idle = idle or (message["content"]["execution_state"] == "idle" and "msg_id" in message["parent_header"])
            else:
                outputs.append(message)
        return reply, outputs

    def run(self, code):
        return self.finish(self.send(code))


@pytest.fixture
def remote(server):
    kernel = Remote(server)
    yield kernel
    kernel.socket.close()
    kernel.rest("delete", f"/{kernel.id}")


def text(outputs, name="stdout"):
    return "".join(m["content"]["text"] for m in outputs if m["msg_type"] == "stream" and m["content"]["name"] == name)


def test_cells_run_over_a_websocket(remote):
    reply, outputs = remote.run(f"%trace_load '{DATA}/control' --as control --quiet\ncontrol.ranks()")
    assert reply["status"] == "ok", reply
    assert [m["content"]["data"]["text/plain"] for m in outputs if m["msg_type"] == "execute_result"] == ["[3]"]


def test_text_beyond_the_servers_limit_is_cut_and_the_kernel_goes_on(remote):
    reply, outputs = remote.run('for n in 0..400_000 { println!("{n:062}"); }')
    assert reply["status"] == "ok", reply
    whole = "".join(f"{n:062}\n" for n in range(400_000))
    shown, errors = text(outputs), text(outputs, "stderr")
    assert shown == whole or "IOPub data rate exceeded" in errors
    assert whole.startswith(shown[:100_000])
    # The server drops outputs until its interval is over.
    again = lambda: text(remote.run('println!("still here")')[1]) == "still here\n"  # noqa: E731
    wait_until(again, AT_MOST, "no text arrives any more")


def test_many_displays_stay_below_the_limit_of_the_server(remote):
    reply, outputs = remote.run("for n in 0..3000 { display(&n); }")
    assert reply["status"] == "ok", reply
    assert [m["content"]["data"]["text/plain"] for m in outputs if m["msg_type"] == "display_data"] == [
        str(n) for n in range(3000)
    ]
    assert text(outputs, "stderr") == ""


def test_a_large_figure_passes_whole(remote):
    code = (
        "use plotly::{Plot, Scatter};\nlet mut plot = Plot::new();\n"
        "plot.add_trace(Scatter::new((0..200_000).collect::<Vec<_>>(), (0..200_000).collect::<Vec<_>>()));\nplot"
    )
    reply, outputs = remote.run(code)
    assert reply["status"] == "ok", reply
    (figure,) = [m["content"]["data"] for m in outputs if "application/vnd.plotly.v1+json" in m["content"].get("data", {})]
    assert len(figure["application/vnd.plotly.v1+json"]["data"][0]["y"]) == 200_000


def test_interrupt_restart_and_end_over_rest(server):
    remote = Remote(server)
    assert remote.run("let kept = 7;")[0]["status"] == "ok"
    running = remote.send('println!("begun"); loop {}')
    while json.loads(remote.socket.recv())["msg_type"] != "stream":
        pass
    remote.rest("post", f"/{remote.id}/interrupt")
    assert remote.finish(running)[0]["ename"] == "KeyboardInterrupt"
    assert remote.run("kept")[0]["status"] == "ok"
    remote.rest("post", f"/{remote.id}/restart")
    remote.socket.close()
    remote.connect()
    reply, _ = remote.run("kept")
    assert reply["status"] == "error" and reply["execution_count"] == 1, reply
    remote.socket.close()
    remote.rest("delete", f"/{remote.id}")
    assert remote.id not in [kernel["id"] for kernel in remote.rest("get", "").json()]
