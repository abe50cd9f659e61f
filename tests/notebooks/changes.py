"""The differences between the two sides of the demo data, from its documentation.

A test of the generator compares that documentation with the data, so it is independent of the kernel.
"""

import re

from places import ROOT

ROW = re.compile(r"^\| (CPU|GPU) \| `(.*)` \| (\d+) \| (\d+) \|$", re.MULTILINE)


def changes(device):
    """name → (count in control, count in test), of names whose counts differ."""
    text = (ROOT / "notebooks" / "data" / "README.md").read_text()
    found = {name: (int(control), int(test)) for where, name, control, test in ROW.findall(text) if where == device}
    assert found
    return found


def added(device):
    return {name for name, (control, _) in changes(device).items() if control == 0}


def deleted(device):
    return {name for name, (_, test) in changes(device).items() if test == 0}


def increased(device):
    return {name for name, (control, test) in changes(device).items() if 0 < control < test}


def decreased(device):
    return {name for name, (control, test) in changes(device).items() if 0 < test < control}
