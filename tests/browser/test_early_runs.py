"""Cells that are run as soon as their notebook is open, before it has a kernel: JupyterLab would leave some of them out."""

import pytest

from looks import own_errors
from places import KERNEL
from test_cells import cell, notebook, open_cells

# Opens a notebook as the file browser does, and runs all cells before JupyterLab has started the kernel.
OPEN_AND_RUN = """
async (path) => {
  const { commands } = window.jupyterapp;
  const opened = await commands.execute('docmanager:open', { path });
  await opened.context.ready;
  const had = Boolean(opened.sessionContext.session?.kernel);
  void commands.execute('notebook:run-all-cells');
  return had;
}
"""
PROMPTS = (
    "[...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-InputPrompt')].map((prompt) => prompt.textContent)"
)


@pytest.mark.parametrize("number", range(5))
def test_run_all_right_after_opening_runs_every_cell(page, server, number):
    name = f"early-{number}.ipynb"
    notebook(server.folder / "first.ipynb", KERNEL, ["%trace_list"])
    notebook(server.folder / name, KERNEL, ["%trace_list", "%pwd", "%trace_list"])
    open_cells(page, server.url("first.ipynb"), 1)
    assert not page.play.evaluate(OPEN_AND_RUN, name), "the kernel was there already"
    page.wait(f"String({PROMPTS}) === '[1]:,[2]:,[3]:'")
    assert page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.name") == KERNEL
    assert own_errors(page) == []


def test_first_keys_run_the_first_cell(page, server):
    notebook(server.folder / "keys.ipynb", KERNEL, ["%trace_list", "%pwd"])
    open_cells(page, server.url("keys.ipynb"), 2)
    for number in range(2):
        cell(page, number).locator(".cm-content").press("Control+Enter")
    page.wait(f"String({PROMPTS}) === '[1]:,[2]:'")
