"""A JupyterLab server with private settings and data, our extension, and a folder of notebooks."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from playwright.sync_api import Error

import chromium
from places import ROOT
from waiting import wait_until

EXTENSION = "tracebook-labextension"
# All cells are drawn at once, so that tests see them; nothing accesses the network.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none", "autoRenderMarkdownCells": True},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "extensionmanager-extension/plugin": {"enabled": False},
}


def samples():
    """The program that prints sample bundles and plotly.js; `cargo test` builds it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    program = target / "release" / "examples" / "sample_bundles"
    if not program.exists():
        build = ["cargo", "build", "--release", "--locked", "-p", "trace-render", "--example", "sample_bundles"]
        subprocess.run(build, cwd=ROOT, check=True)
    return program


def installed():
    """The extension of this Python's environment, if `tracebook install` wrote it from this checkout; else None."""
    there = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / EXTENSION
    ours = (ROOT / "labextension" / "static").iterdir()
    found = list(there.glob("static/*/plotly.min.js"))
    same = len(found) == 1 and all(
        (theirs := found[0].with_name(script.name)).is_file() and theirs.read_bytes() == script.read_bytes() for script in ours
    )
    return there if same else None


def install(share):
    """Writes the extension to `share`, for a checkout whose kernel is not installed."""
    there = share / "labextensions" / EXTENSION
    shutil.copytree(ROOT / "labextension", there)
    plotly = subprocess.run([samples(), "--plotly"], check=True, capture_output=True).stdout
    (there / "static" / "plotly.min.js").write_bytes(plotly)


def end(process):
    """Ends a process that leads its own group, and the whole group."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
    process.wait()


class Lab:
    """A running server over the notebooks in `folder`."""

    def __init__(self, url, token, folder):
        self.base, self.token, self.folder = url, token, folder

    def url(self, notebook):
        # A separate workspace: the default one would restore what another test opened.
        workspace = f"lab/workspaces/test-{os.urandom(4).hex()}/tree"
        return f"{self.base}{workspace}/{urllib.parse.quote(notebook)}?token={self.token}"

    def kernels(self):
        """The names of the kernels that the server offers; none while it does not listen yet."""
        with (
            contextlib.suppress(urllib.error.URLError),
            urllib.request.urlopen(f"{self.base}api/kernelspecs?token={self.token}", timeout=60) as reply,
        ):
            return set(json.load(reply)["kernelspecs"])
        return set()

    def notebook_url(self, notebook):
        """The URL in Notebook 7."""
        return f"{self.base}notebooks/{urllib.parse.quote(notebook)}?token={self.token}"


# Opens a notebook in the running application, as its file browser does, and closes what was open.
OPEN = """
async (path) => {
  const { commands, shell } = jupyterapp;
  const others = [...shell.widgets('main')];
  for (const widget of others) {
    // What a test changed is not saved, and no dialog asks.
    if (widget.context) widget.context.model.dirty = false;
    widget.close();
  }
  while (others.some((widget) => !widget.isDisposed)) await new Promise(requestAnimationFrame);
  const opened = await commands.execute('docmanager:open', { path });
  await opened.context.ready;
  shell.activateById(opened.id);
}
"""
NOTEBOOK = re.compile(r"(.*/)lab/workspaces/[^/]+/tree/([^?]*)")


class LabPage(chromium.Page):
    """A page that starts JupyterLab once, which takes four seconds of a core, and opens notebook after notebook in it."""

    def open(self, url):
        notebook = NOTEBOOK.match(url)
        if not (notebook and self.play.url.startswith(notebook[1] + "lab/") and self.opened(urllib.parse.unquote(notebook[2]))):
            super().open(url)

    def opened(self, path):
        """Whether the running application opened a notebook. It drops the promise of one now and then while it closes others."""
        try:
            self.play.evaluate(OPEN, path)
        except Error as error:
            if "garbage collected" not in str(error):
                raise
            return False
        return True


@contextlib.contextmanager
def lab(folder, notebooks):
    """Runs a server for the folder `notebooks`; all its other files are in `folder`."""
    share, settings, runtime = folder / "share", folder / "settings", folder / "runtime"
    if not installed():
        install(share)
    for plugin, values in SETTINGS.items():
        file = settings / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    environment = {
        **os.environ,
        "JUPYTER_PATH": str(share),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    token = os.urandom(12).hex()
    log = (folder / "lab.log").open("w")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--expose-app-in-browser",
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port=0",
            f"--IdentityProvider.token={token}",
            f"--ServerApp.root_dir={notebooks}",
        ],
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:

        def url():
            assert process.poll() is None, (folder / "lab.log").read_text()
            for file in runtime.glob("jpserver-*.json"):
                with contextlib.suppress(ValueError):
                    return json.loads(file.read_text())["url"]
            return None

        running = Lab(wait_until(url, 90, (folder / "lab.log").read_text), token, notebooks)
        # Where the list of kernels lacks that of a notebook, Jupyter starts the only other one of the same language without a word. So
        # the list is complete before a page asks for it.
        installed_kernels = {path.name for path in (Path(sys.prefix) / "share" / "jupyter" / "kernels").glob("*")}
        wait_until(lambda: installed_kernels <= running.kernels(), 90, lambda: f"the server knows only {running.kernels()}")
        yield running
    finally:
        end(process)
        log.close()
