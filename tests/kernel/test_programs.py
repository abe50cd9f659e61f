"""Programs that run notebooks with the kernel: papermill, nbconvert, jupyter console."""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest

from places import DATA, ROOT

pytestmark = pytest.mark.rust_cells

LONG = 240
PAGE = ROOT / "docs" / "front-ends.md"


@pytest.fixture
def folder(tracebook_argv, tmp_path, monkeypatch):
    """A folder of notebooks, and a kernelspec of the kernel under test that Jupyter's programs find."""
    spec = tmp_path / "share" / "kernels" / "under_test"
    spec.mkdir(parents=True)
    argv = [*tracebook_argv, "{connection_file}"]
    spec.joinpath("kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "under test", "language": "rust", "interrupt_mode": "message"})
    )
    monkeypatch.setenv("JUPYTER_PATH", os.pathsep.join([str(tmp_path / "share"), os.environ.get("JUPYTER_PATH", "")]))
    return tmp_path


def write(path, *cells, tags=()):
    """A notebook; the first cell has the tags."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.cells[0].metadata["tags"] = list(tags)
    notebook.metadata["kernelspec"] = {"name": "under_test", "display_name": "under test", "language": "rust"}
    nbformat.write(notebook, path)
    return path


def program(*line, env=None, **options):
    return subprocess.run(
        [sys.executable, *map(str, line)],
        capture_output=True,
        text=True,
        timeout=LONG,
        env={**os.environ, **(env or {})},
        **options,
    )


def texts(path):
    """The text outputs of each cell of an executed notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return ["".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs) for cell in cells]


# papermill


def test_papermill_takes_parameters_from_the_environment(folder):
    """The code block of docs/front-ends.md."""
    (cell,) = re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    source = write(folder / "in.ipynb", cell, "(control.ranks(), top)")
    ran = program("-m", "papermill", source, folder / "out.ipynb", env={"CONTROL": str(DATA / "control"), "TOP": "7"})
    assert ran.returncode == 0, ran.stderr
    assert texts(folder / "out.ipynb")[1] == "([3], 7)"


def test_papermill_stops_at_an_error_and_keeps_what_was_shown(folder):
    source = write(folder / "in.ipynb", "1 + 1", '%trace_load "${CONTROL:-no/such/file}"', "2 + 2")
    ran = program("-m", "papermill", source, folder / "out.ipynb")
    assert ran.returncode != 0 and "no/such/file" in ran.stderr, ran.stderr
    cells = nbformat.read(folder / "out.ipynb", as_version=4).cells
    assert "2" in [output.get("data", {}).get("text/plain") for cell in cells for output in cell.get("outputs", [])]


def test_papermill_knows_no_rust_by_itself(folder):
    source = write(folder / "in.ipynb", "let top = 5;", tags=["parameters"])
    ran = program("-m", "papermill", source, folder / "out.ipynb", "-p", "top", "7")
    (expected,) = re.findall(r"`(No parameter translator .*?) for kernel", PAGE.read_text())
    assert ran.returncode != 0 and expected in ran.stderr, ran.stderr


def test_papermill_with_the_translator_of_the_page(folder):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    folder.joinpath("run.py").write_text(code)
    source = write(
        folder / "in.ipynb",
        'let control = "nowhere"; let top = 5; let ranks = vec![0]; let deep = false; let share = 0.5;',
        "%trace_load {control} --as control_trace --quiet",
        "(control_trace.ranks(), top, &ranks, deep, share)",
        tags=["parameters"],
    )
    parameters = {"control": str(DATA / "control"), "top": 7, "ranks": [1, 2], "deep": True, "share": 0.25}
    ran = program(folder / "run.py", source, folder / "out.ipynb", json.dumps(parameters))
    assert ran.returncode == 0, ran.stderr
    assert texts(folder / "out.ipynb")[-1] == "([3], 7, [1, 2], true, 0.25)"


# nbconvert


@pytest.fixture
def shown(folder):
    """A notebook with text, a table, a figure and a Rust value."""
    load = f"%trace_load '{DATA}/control' --as control --quiet\n%trace_load '{DATA}/test' --as test --quiet"
    return write(
        folder / "shown.ipynb", load, "%compare_traces control test", "%visualize control test", 'println!("printed"); 6 * 7'
    )


def test_nbconvert_to_html(shown, folder):
    ran = program("-m", "nbconvert", "--execute", "--to", "html", shown)
    assert ran.returncode == 0, ran.stderr
    page = (folder / "shown.html").read_text()
    assert "<table" in page and "data:image/png;base64," in page and "printed" in page and ">42" in page
    assert "control_counts" in page or "counts" in page


def test_nbconvert_to_the_source_of_latex(shown, folder):
    ran = program("-m", "nbconvert", "--execute", "--to", "latex", shown)
    if "pandoc" in ran.stderr.lower() and ran.returncode != 0:
        pytest.skip("nbconvert needs pandoc for LaTeX, and there is none here")
    assert ran.returncode == 0, ran.stderr
    source = (folder / "shown.tex").read_text()
    assert "printed" in source and "42" in source
    pictures = re.findall(r"\{shown_files/([^}]+\.png)\}", source)
    assert pictures and all((folder / "shown_files" / name).read_bytes().startswith(b"\x89PNG") for name in pictures)
    assert ".svg" not in source


# jupyter console


def test_jupyter_console(folder):
    typed = f"let x = 20;\nx * 2 + 2\n%trace_load '{DATA}/control' --as control --quiet\ncontrol.ranks()\nno_such_name\n%trace_list?\n"
    ran = program("-m", "jupyter_console", "--kernel=under_test", "--simple-prompt", input=typed)
    for expected in ["Tracebook", "Out[2]: 42", "Out[4]: [3]", "no_such_name", "List"]:
        assert expected in ran.stdout + ran.stderr, ran.stdout + ran.stderr
