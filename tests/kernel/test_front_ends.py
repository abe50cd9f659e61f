"""Front ends other than a notebook in a browser, each driven as a person would."""

import json
import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


@pytest.fixture
def named(echo_argv, tmp_path, monkeypatch):
    """A kernelspec `echo` where Jupyter's programs look."""
    spec = tmp_path / "kernels" / "echo"
    spec.mkdir(parents=True)
    argv = [*echo_argv, "{connection_file}"]
    spec.joinpath("kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "echo", "language": "rust", "interrupt_mode": "message"})
    )
    monkeypatch.setenv("JUPYTER_PATH", os.pathsep.join([str(tmp_path), os.environ.get("JUPYTER_PATH", "")]))
    return "echo"


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def test_nbclient_runs_a_notebook(named):
    executed = NotebookClient(notebook("println a", "display b", "update c", "result d"), kernel_name=named).execute()
    shown = [[output.get("text") or output["data"]["text/plain"] for output in cell.outputs] for cell in executed.cells]
    assert shown == [["a\n"], ["c"], [], ["d"]]
    assert [cell.execution_count for cell in executed.cells] == [1, 2, 3, 4]
    assert executed.metadata.language_info.name == "rust"


def test_nbclient_stops_at_an_error(named):
    failing = notebook("println a", "fail on purpose", "println never")
    with pytest.raises(CellExecutionError, match="on purpose"):
        NotebookClient(failing, kernel_name=named).execute()
    assert [len(cell.outputs) for cell in failing.cells] == [1, 1, 0]


def test_jupyter_console(named):
    typed = "println hello\nresult 42\nfail oops\ninput name?\nAda\n%lsmagic?\n"
    ran = subprocess.run(
        [sys.executable, "-m", "jupyter_console", f"--kernel={named}", "--simple-prompt"],
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
    )
    for shown in ["Tracebook", "hello", "Out[2]: 42", "EchoError: oops", "name?Ada", "List all magics"]:
        assert shown in ran.stdout + ran.stderr, ran.stdout + ran.stderr
