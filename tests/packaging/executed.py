"""Execution of cells in the environment of a wheel."""

import json
import subprocess

from places import ROOT

# Runs in the environment of the wheel, as `jupyter execute` does there.
EXECUTE = """
import json, sys
import nbformat
from nbclient import NotebookClient
from jupyter_client.kernelspec import KernelSpecManager

cells = [nbformat.v4.new_code_cell(source) for source in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
NotebookClient(notebook, kernel_name="tracebook", timeout=120, allow_errors=True).execute()
json.dump({"spec": KernelSpecManager().get_kernel_spec("tracebook").resource_dir,
           "outputs": [cell.outputs for cell in notebook.cells]}, sys.stdout)
"""


def execute(place, env, cells):
    ran = subprocess.run(
        [place / "bin" / "python", "-c", EXECUTE],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        timeout=300,
        env=env,
        cwd=ROOT / "notebooks",
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
