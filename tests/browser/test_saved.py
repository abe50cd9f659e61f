"""Tables in notebooks saved by older versions: the MIME type grows by addition only, so each is still drawn.

`saved/` contains the JSON as written by the version in the file's name. Its files are never changed; a new version adds files.
"""

import json

import pytest

from looks import TABLE, open_notebook, own_errors
from places import ROOT
from samples import write_samples

SAVED = sorted((ROOT / "tests" / "browser" / "saved").glob("*.json"))


@pytest.fixture(scope="module")
def contents():
    return [json.loads(path.read_text()) for path in SAVED]


def test_tables_of_older_versions_are_drawn(page, server, contents):
    assert {path.name.split("-")[0] for path in SAVED} >= {"0.1.0"}
    bundles = [{"data": {TABLE: content, "text/plain": "saved"}, "metadata": {}} for content in contents]
    write_samples(server.folder / "saved.ipynb", bundles)
    open_notebook(page, server.url("saved.ipynb"), 0, len(bundles))
    drawn = page.play.locator(".tracebook-table")
    for number, content in enumerate(contents):
        table = drawn.nth(number)
        name = SAVED[number].name
        assert table.locator(".tb-caption").text_content() == content["caption"], name
        heads = [text.strip(" ↕").replace("\u00a0", " ") for text in table.locator("thead th").all_text_contents()]
        for head, column in zip(heads, content["columns"], strict=True):
            assert head == column["name"].replace("(us)", "").strip() + (f" [{column['unit']}]" if column["unit"] else ""), name
        rows = [row.locator("td").all() for row in table.locator("tbody tr:not(.tb-empty)").all()]
        assert len(rows) == len(content["rows"]), name
        for cells, values in zip(rows, content["rows"], strict=True):
            for cell, value, column in zip(cells, values, content["columns"], strict=True):
                text = cell.get_attribute("title") or cell.text_content()
                assert shows(text, value, column), (name, column["name"], text, value)
        for note in content["notes"]:
            assert note in table.locator(".tb-foot").text_content(), name
    assert own_errors(page) == []


TO_NS = {"µs": 1e3, "ms": 1e6, "s": 1e9}


def shows(text, value, column):
    """Whether a text shows a value: a dash for none, a text unchanged, a number with the decimals of its column."""
    if value is None:
        return text == "—"
    if not isinstance(value, int | float) or column["kind"] in ("id", "name"):
        return text == str(value)
    if text.endswith(" ns") and column["unit"] in TO_NS:
        # Durations that are too small for their column have their own unit.
        value, column, text = value * TO_NS[column["unit"]], {**column, "decimals": 0}, text.removesuffix(" ns")
    size = "".join(c for c in text if c.isdigit() or c in ".e")
    close = abs(float(size) - abs(value)) <= 0.51 * 10 ** -column["decimals"]
    sign = ("▼ −" if value < 0 else "▲ +" if value > 0 else "") if column["kind"] == "difference" else "−" if value < 0 else ""
    return close and text.startswith(sign)
