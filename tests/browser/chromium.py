"""A headless Chromium, driven over its debugging port: enough of that protocol to open a page, look and click."""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request

import websocket

NAMES = ["chromium", "chromium-browser", "google-chrome"]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
]


def find():
    """The browser's path, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def end(process):
    """Ends a process that was started as the head of its own group, and all of the group."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
    process.wait()


class Page:
    """One page. Errors it reports, and requests it sends to other machines, are collected as they come."""

    def __init__(self, socket):
        self.socket = socket
        self.last_id = 0
        self.errors = []
        self.strangers = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **params):
        self.last_id += 1
        self.socket.send(json.dumps({"id": self.last_id, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last_id:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self.note(message.get("method"), message.get("params", {}))

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(json.dumps({"args": params["args"], "stack": params.get("stackTrace")}))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(json.dumps(params["entry"]))
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("http://127.0.0.1", "http://localhost", "data:", "blob:", "ws:")):
                self.strangers.append(url)

    def open(self, url):
        self.send("Page.navigate", url=url)

    def size(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, script):
        """The value of a JavaScript expression; a promise is awaited."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, f"{script}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait(self, script, seconds=90):
        """Waits until a JavaScript expression is true."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.evaluate(script):
                return
            time.sleep(0.2)
        raise AssertionError(f"still not true after {seconds} s: {script}\nerrors of the page: {self.errors}")

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))


@contextlib.contextmanager
def page(folder):
    """A page in a fresh browser, whose profile lies in `folder`."""
    process = subprocess.Popen(
        [find(), *FLAGS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    socket = None
    try:
        active = folder / "DevToolsActivePort"
        deadline = time.monotonic() + 60
        while not (active.exists() and active.read_text().strip()):
            assert process.poll() is None and time.monotonic() < deadline, "the browser did not start"
            time.sleep(0.1)
        port = active.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            url = next(page["webSocketDebuggerUrl"] for page in json.load(answer) if page["type"] == "page")
        socket = websocket.create_connection(url, suppress_origin=True, timeout=60)
        yield Page(socket)
    finally:
        if socket:
            socket.close()
        end(process)
