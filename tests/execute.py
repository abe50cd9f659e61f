"""`python tests/execute.py FROM [TO]`: executes a notebook in its folder, as JupyterLab would, and saves it.

The saved file contains no times, so that another execution changes only outputs that differ.
"""

import json
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from places import KERNEL

# A cell may have to wait for the compiler on a busy machine.
CELL_SECONDS = 180


def execute(notebook, folder, **start):
    """Executes a notebook in place and raises at the first error of a cell without the tag `raises-exception`. `start` are arguments of the kernel's start."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # The tag of a cell that shows a mistake.
            kept = {"tags": ["raises-exception"]} if "raises-exception" in cell.metadata.get("tags", []) else {}
            cell.outputs, cell.execution_count, cell.metadata = [], None, nbformat.NotebookNode(kept)
    client = NotebookClient(
        notebook,
        kernel_name=KERNEL,
        timeout=CELL_SECONDS,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(**start)
    nbformat.validate(notebook)


def save(notebook, path):
    """Saves a notebook with each JSON of an output in one line: indented, a table has a line for each of its values."""
    saved = json.loads(nbformat.writes(notebook))
    compact = {}
    for cell in saved["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for form in [form for form in data if form.endswith("json")]:
                mark = f"@json-{len(compact)}@"
                compact[mark] = json.dumps(data[form], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
                data[form] = mark
    text = json.dumps(saved, ensure_ascii=False, indent=1, sort_keys=True)
    for mark, value in compact.items():
        text = text.replace(f'"{mark}"', value)
    Path(path).write_text(text + "\n", encoding="utf-8")


def main(source, target=None):
    source = Path(source)
    notebook = nbformat.read(source, as_version=4)
    try:
        execute(notebook, source.parent)
    except CellExecutionError as error:
        sys.exit(f"{source}: {error}")
    save(notebook, target or source)


if __name__ == "__main__":
    main(*sys.argv[1:])
