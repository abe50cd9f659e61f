"""Trees in JupyterLab, by W3C's treegrid pattern, with real mouse, keys and clipboard; and their HTML in an untrusted notebook."""

import csv
import io
import json
import subprocess

import pytest
from playwright.sync_api import expect

from lab import samples
from looks import DRAWN, TABLE, open_notebook, own_errors, switch_theme
from samples import TREE_COLUMNS, tree, write_samples
from test_tables import contrast

SMALL, LARGE = tree(3), tree(220)
FOCUSED = "document.activeElement?.querySelector('.tb-branch')?.textContent ?? ''"


@pytest.fixture(scope="module")
def with_trees(server):
    bundles = [{"data": {TABLE: content, "text/plain": "a tree"}, "metadata": {}} for content in (SMALL, LARGE)]
    write_samples(server.folder / "trees.ipynb", bundles)
    drawn = json.loads(subprocess.run([samples(), "--tree"], check=True, capture_output=True).stdout)
    for bundle in drawn:
        del bundle["data"][TABLE]
    write_samples(server.folder / "plain-trees.ipynb", drawn)
    return server


@pytest.fixture
def opened(page, with_trees):
    open_notebook(page, with_trees.url("trees.ipynb"), 0, 2)
    return page


@pytest.fixture
def small(opened):
    return opened.play.locator(".tracebook-table").nth(0)


@pytest.fixture
def large(opened):
    return opened.play.locator(".tracebook-table").nth(1)


def rows(node):
    return node.locator("tbody tr[aria-level]")


def names(node):
    """The names of the drawn rows, without marks and numbers."""
    return node.evaluate(
        """(node) => [...node.querySelectorAll('tbody tr[aria-level] .tb-branch')].map((cell) =>
          cell.title || [...cell.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map((text) => text.data).join(''))"""
    )


def focused(page):
    """The name in the row that has the focus, and its state."""
    return page.evaluate(
        """(() => {
          const row = document.activeElement?.closest('tr[aria-level]');
          if (!row) return null;
          const cell = row.querySelector('.tb-branch');
          const text = [...cell.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map((part) => part.data).join('');
          return [text, row.getAttribute('aria-level'), row.getAttribute('aria-expanded')];
        })()"""
    )


def press(page, *keys):
    for key in keys:
        page.play.keyboard.press(key)
    return focused(page)


def test_changed_paths_are_open_and_described(small, opened):
    grid = small.get_by_role("treegrid", name="tree_diff · 3 layers")
    assert names(small)[:4] == ["ProfilerStep#7", "nn.Module: Layer_0", "nn.Module: Layer_1", "nn.Module: Layer_2"]
    assert names(small)[-1] == "my::slow <b>gelu</b>" and len(names(small)) == 9
    assert grid.get_attribute("aria-rowcount") == "10"
    read = ("aria-level", "aria-expanded", "aria-posinset", "aria-setsize", "aria-rowindex")
    described = [[row.get_attribute(name) for name in read] for row in rows(small).all()]
    assert described[0] == ["1", "true", "1", "1", "2"]
    assert described[1] == ["2", "false", "1", "3", "3"]
    assert described[3] == ["2", "true", "3", "3", "5"]
    assert described[-1] == ["3", None, "5", "5", "10"]
    assert small.get_by_role("gridcell").count() == 9 * len(TREE_COLUMNS)
    assert small.locator("b, script").count() == 0
    assert own_errors(opened) == []


def test_keys_walk_the_tree(small, opened):
    play = opened.play
    # Tab reaches one row, and then what is behind the table.
    small.get_by_role("button", name="Copy as Markdown").focus()
    assert press(opened, "Tab") == ["ProfilerStep#7", "1", "true"]
    press(opened, "Tab")
    assert focused(opened) is None and not small.evaluate("(node) => node.contains(document.activeElement)")
    small.get_by_role("button", name="Copy as Markdown").focus()
    press(opened, "Tab")
    # Right expands, then goes to the first row below; left collapses, then goes to the row above.
    assert press(opened, "ArrowRight") == ["nn.Module: Layer_0", "2", "false"]
    assert press(opened, "ArrowRight") == ["nn.Module: Layer_0", "2", "true"]
    assert press(opened, "ArrowRight") == ["aten::linear 0", "3", "false"]
    assert press(opened, "ArrowDown", "ArrowDown")[0] == "aten::linear 2"
    assert press(opened, "ArrowLeft") == ["nn.Module: Layer_0", "2", "true"]
    assert press(opened, "ArrowLeft") == ["nn.Module: Layer_0", "2", "false"]
    assert press(opened, "ArrowLeft")[0] == "ProfilerStep#7"
    assert press(opened, "ArrowLeft") == ["ProfilerStep#7", "1", "false"]
    assert len(names(small)) == 1
    # Enter and Space expand and collapse; the notebook neither edits the cell nor runs it.
    assert press(opened, "Enter")[2] == "true"
    assert press(opened, " ")[2] == "false"
    assert press(opened, "Enter", "End")[0] == "my::slow <b>gelu</b>"
    assert press(opened, "Home")[0] == "ProfilerStep#7"
    assert press(opened, "ArrowDown", "ArrowUp")[0] == "ProfilerStep#7"
    assert press(opened, "PageDown")[0] == "my::slow <b>gelu</b>"
    assert press(opened, "PageUp")[0] == "ProfilerStep#7"
    # An asterisk expands all siblings.
    press(opened, "ArrowDown", "*")
    assert [row.get_attribute("aria-expanded") for row in small.locator("tr[aria-level='2']").all()] == ["true"] * 3
    assert len(names(small)) == 1 + 3 * 6
    # Up from the first row reaches the heads, which sort.
    press(opened, "Home", "ArrowUp")
    assert opened.evaluate("document.activeElement.closest('th')?.textContent.trim()").startswith("name")
    press(opened, "ArrowRight", "ArrowRight", "Enter")
    expect(small.get_by_role("columnheader", name="control")).to_have_attribute("aria-sort", "descending")
    assert press(opened, "ArrowDown")[0] == "ProfilerStep#7"
    assert opened.evaluate("document.querySelectorAll('.jp-Notebook.jp-mod-editMode').length") == 0
    assert opened.evaluate("document.querySelectorAll('.jp-Notebook .jp-Cell').length") == 2
    assert play.locator(".tracebook-table tr[tabindex='0']").count() == 2
    assert own_errors(opened) == []


def test_clicks_expand_and_collapse(small, opened):
    first = rows(small).nth(1)
    first.locator(".tb-twist").click()
    expect(first).to_have_attribute("aria-expanded", "true")
    expect(rows(small)).to_have_count(14)
    expect(first).to_be_focused()
    # A click elsewhere only chooses the row.
    rows(small).nth(0).locator("td").nth(3).click()
    expect(rows(small).nth(0)).to_be_focused()
    expect(rows(small)).to_have_count(14)
    first.locator(".tb-branch").click()
    expect(first).to_have_attribute("aria-expanded", "false")
    expect(rows(small)).to_have_count(9)


def test_buttons_expand_all_and_what_changed(small):
    def button(name):
        small.get_by_role("button", name=name, exact=True).click()

    button("Expand all")
    expect(rows(small)).to_have_count(len(SMALL["rows"]))
    button("Collapse all")
    # The only root stays open, or one row would be left.
    expect(rows(small)).to_have_count(4)
    button("Expand what changed")
    expect(rows(small)).to_have_count(9)


def test_text_finds_rows_and_shows_the_path_to_them(small, opened):
    box = small.get_by_role("searchbox")
    box.click()
    opened.play.keyboard.type("slow <b>")
    assert names(small) == ["ProfilerStep#7", "nn.Module: Layer_2", "my::slow <b>gelu</b>"]
    assert [row.get_attribute("class") for row in rows(small).all()] == ["tb-context", "tb-context", ""]
    expect(small.locator(".tb-foot")).to_contain_text("1 of 31 rows")
    # What is below a found row can be expanded; where a layer was found, its siblings are gone.
    box.fill("Layer_0")
    assert names(small) == ["ProfilerStep#7", "nn.Module: Layer_0"]
    assert rows(small).nth(1).get_attribute("aria-setsize") == "1"
    rows(small).nth(1).locator(".tb-twist").click()
    expect(rows(small)).to_have_count(7)
    # Without the filter, the row that was chosen stays in sight.
    box.fill("")
    expect(rows(small)).to_have_count(9)
    box.fill("nothing like it")
    expect(small.locator("tbody")).to_have_text("no row matches")
    box.press("Escape")
    expect(rows(small)).to_have_count(9)
    assert own_errors(opened) == []


def test_grades_are_filters(small):
    chips = small.locator(".tb-chip")
    assert chips.all_text_contents() == ["added 1", "exact 28", "name 2"]
    chips.nth(0).click()
    assert names(small) == ["ProfilerStep#7", "nn.Module: Layer_2", "my::slow <b>gelu</b>"]
    small.get_by_role("searchbox").fill("Layer_0")
    expect(small.locator("tbody")).to_have_text("no row matches")
    expect(chips.nth(0)).to_have_text("added 0")
    chips.nth(0).click()
    chips.nth(1).click()
    expect(small.locator(".tb-foot")).to_contain_text("10 of 31 rows")


def test_siblings_are_sorted_by_a_head(small):
    small.get_by_role("columnheader", name="delta").get_by_role("button").click()
    assert names(small)[:2] == ["ProfilerStep#7", "nn.Module: Layer_2"]
    assert names(small)[2] == "my::slow <b>gelu</b>" and names(small)[-1] == "nn.Module: Layer_1"


def test_all_rows_are_copied_with_their_level(small, opened):
    small.get_by_role("button", name="Copy as CSV").click()
    expect(small.get_by_text("copied 31 rows as CSV")).to_be_visible()
    copied = list(csv.reader(io.StringIO(opened.evaluate("navigator.clipboard.readText()"))))
    assert copied[0] == ["level", "name", "grade", "control [µs]", "test [µs]", "delta [µs]"]
    assert [int(row[0]) for row in copied[1:]] == SMALL["tree"]["level"]
    assert [row[1] for row in copied[1:]] == [row[0] for row in SMALL["rows"]]
    assert copied[-1] == ["2", "my::slow <b>gelu</b>", "added", "", "15", "15"]
    small.locator(".tb-chip").first.click()
    small.get_by_role("button", name="Copy as Markdown").click()
    assert len(opened.evaluate("navigator.clipboard.readText()").splitlines()) == 2 + 3


def test_what_is_expanded_survives_a_new_renderer(small, opened):
    rows(small).nth(1).locator(".tb-twist").click()
    expect(rows(small)).to_have_count(14)
    # As when JupyterLab collapses or scrolls away an output and shows it again: a new renderer with the same model.
    opened.evaluate(
        """(() => {
          const widget = window.jupyterapp.shell.currentWidget.content.widgets[0].outputArea;
          widget.model.set(0, widget.model.get(0).toJSON());
          return true;
        })()"""
    )
    expect(rows(small)).to_have_count(14)
    assert small.locator("tr[tabindex='0'] .tb-branch").text_content().startswith("▾nn.Module: Layer_0")


# Expands and collapses all rows; returns how many milliseconds each took.
EXPAND_AND_COLLAPSE = """
(node) => {
  const button = (name) => [...node.querySelectorAll('button')].find((one) => one.textContent === name);
  const timed = (act) => { const from = performance.now(); act(); node.offsetHeight; return performance.now() - from; };
  return ['Expand all', 'Collapse all', 'Expand all'].map((name) => timed(() => button(name).click()));
}
"""


def test_two_thousand_rows_are_expanded_and_only_near_ones_drawn(large, opened):
    total = len(LARGE["rows"])
    assert total > 2000
    large.evaluate(EXPAND_AND_COLLAPSE)
    expect(large.get_by_role("treegrid")).to_have_attribute("aria-rowcount", str(total + 1))
    assert rows(large).count() < 300
    # The last row is reached by keys, and drawn where it belongs.
    rows(large).first.focus()
    assert press(opened, "End")[0] == "my::slow <b>gelu</b>"
    focus = opened.play.locator(":focus")
    assert focus.get_attribute("aria-rowindex") == str(total + 1)
    expect(focus).to_be_in_viewport()
    box, scroll = focus.bounding_box(), large.locator(".tb-scroll").bounding_box()
    assert scroll["y"] <= box["y"] and box["y"] + box["height"] <= scroll["y"] + scroll["height"] + 1
    assert press(opened, "PageUp", "PageUp") != press(opened, "PageDown")
    # A row that is scrolled away keeps the focus.
    here = focused(opened)
    large.locator(".tb-scroll").evaluate("(node) => { node.scrollTop = 0; }")
    opened.evaluate(DRAWN)
    assert focused(opened) == here
    assert names(large)[0] == "ProfilerStep#7"
    large.get_by_role("searchbox").fill("kernel.* 21[0-9]$")
    expect(large.locator(".tb-foot")).to_contain_text(f"40 of {total:,} rows")
    assert own_errors(opened) == []


def test_row_in_focus_is_below_the_heads(large, opened):
    large.get_by_role("button", name="Expand all").click()
    rows(large).first.focus()
    press(opened, "End")
    top = "(node) => node.getBoundingClientRect().top"
    bottom = "(node) => node.getBoundingClientRect().bottom"
    for _ in range(40):
        press(opened, "ArrowUp")
    assert opened.play.locator(":focus").evaluate(top) >= large.locator("thead").evaluate(bottom) - 1


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_trees_are_readable_in_every_theme(small, opened, theme, screenshots):
    switch_theme(opened, theme)
    small.get_by_role("searchbox").fill("slow")
    for inner in ("td", ".tb-context td", ".tb-chip", ".tb-foot"):
        assert contrast(small, inner) >= 4.5, inner
    small.get_by_role("searchbox").fill("")
    small.get_by_role("button", name="Copy as Markdown").focus()
    press(opened, "Tab", "ArrowDown")
    assert focused(opened)[0] == "nn.Module: Layer_0"
    outline = opened.play.locator(":focus").evaluate("(node) => getComputedStyle(node).outlineWidth")
    assert outline == "2px"
    for width in (1400, 1100, 900):
        opened.size(width, 1000)
        opened.evaluate(DRAWN)
        # Another width draws the rows again, and the focus stays.
        assert focused(opened)[1:] == ["2", "false"]
        opened.screenshot(screenshots / f"tree-{width}-{theme.split(' ', 1)[1].replace(' ', '-').lower()}.png")


def test_no_column_is_lost_at_any_width(small, opened):
    for width in (1400, 1100, 900, 700):
        opened.size(width, 1000)
        opened.evaluate(DRAWN)
        inside = small.locator("table").evaluate("(node) => node.offsetWidth") <= small.evaluate("(node) => node.clientWidth")
        assert inside or small.locator(".tb-more button").is_visible(), width
        # Values are whole: only names are shortened.
        cut = small.evaluate(
            "(node) => [...node.querySelectorAll('td.tb-right')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
        )
        assert cut == 0, width


def test_html_of_a_tree_is_expanded_without_the_extension(page, with_trees, screenshots):
    open_notebook(page, with_trees.url("plain-trees.ipynb"), 0, 0)
    page.wait("document.querySelectorAll('.jp-RenderedHTMLCommon details').length > 10")
    details = page.play.locator(".jp-RenderedHTMLCommon details")
    # The sanitiser keeps what is open, and the paths to what changed are.
    shown = page.play.locator(".jp-RenderedHTMLCommon")
    expect(shown.get_by_text("my::slow_gelu", exact=False)).to_be_visible()
    expect(shown.get_by_text("aten::softmax").first).to_be_hidden()
    assert details.evaluate_all("(all) => all.filter((one) => one.open).length") == 5
    closed = shown.locator("summary", has_text="Layer_0").first
    closed.focus()
    page.play.keyboard.press("Enter")
    expect(shown.get_by_text("nn.Module: Attention").first).to_be_visible()
    # Columns are aligned, whatever the level.
    right = """(all) => all.filter((one) => one.offsetParent).map((one) => one.lastElementChild.getBoundingClientRect().right)"""
    edges = shown.locator("summary").evaluate_all(right)
    assert len(edges) > 15 and max(edges) - min(edges) < 2, (min(edges), max(edges))
    assert page.evaluate("document.querySelectorAll('.jp-RenderedHTMLCommon script').length") == 0
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        switch_theme(page, theme)
        page.screenshot(screenshots / f"plain-tree-{theme.split()[-1].lower()}.png")


def test_notebook_7_leaves_the_keys_to_the_tree(page, with_trees):
    """Notebook 7 looks for shortcuts before the page's elements get a key: `x` would cut the cell."""
    page.open(with_trees.notebook_url("trees.ipynb"))
    table = page.play.locator(".tracebook-table").first
    table.locator("tbody tr[aria-level] td:last-child").nth(1).click()
    before = focused(page)
    assert press(page, "ArrowDown") not in (None, before)
    assert press(page, "x", "d", "d") is not None
    expect(page.play.locator(".jp-Notebook .jp-Cell")).to_have_count(2)
