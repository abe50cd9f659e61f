"""The notebook of timelines and flame graphs: views that a saved notebook can show, and files that are read back."""

import json

import pytest

from outputs import PNG

TIMELINE = "application/vnd.tracebook.timeline.v1+json"
FLAME = "application/vnd.tracebook.flame.v1+json"


def view(executed, cell, mime):
    """The view of a cell, whose bundle has a picture, too."""
    (bundle,) = [data for data in executed.bundles(cell) if mime in data]
    assert PNG in bundle
    return bundle[mime]


@pytest.mark.parametrize("cell", ["one", "step", "both"])
def test_timelines_have_lanes_and_events(timelines, cell):
    text = json.dumps(view(timelines, cell, TIMELINE))
    assert "stream 7" in text and len(text) < 400_000


@pytest.mark.parametrize("cell", ["flame", "flames"])
def test_flame_graphs_have_stacks(timelines, cell):
    assert "aten::" in json.dumps(view(timelines, cell, FLAME))


def test_files_of_stacks_agree(timelines):
    folder = timelines.folder / "notebooks"
    folded = (folder / "flame.folded").read_text().splitlines()
    total = sum(int(line.rsplit(" ", 1)[1]) for line in folded)
    document = json.loads((folder / "flame.speedscope.json").read_text())
    (profile,) = document["profiles"]
    assert total > 0 and sum(profile["weights"]) == total == profile["endValue"]
