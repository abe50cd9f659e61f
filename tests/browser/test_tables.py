"""Tables in JupyterLab and Notebook 7, with real mouse, keys and clipboard."""

import csv
import io
import re

import pytest
from playwright.sync_api import expect

from looks import DRAWN, TABLE, open_notebook, own_errors, switch_theme
from samples import COLUMNS, comparison, table, write_samples

EVIL = "<img src=x onerror=\"document.title='stolen'\"><script>document.title='stolen'</script>"
HUGE = 2**63 - 1


def hostile():
    """A table in which every text from a trace is markup."""
    columns = [(EVIL, EVIL, "name", 0), ("group", "", "category", 0), ("id", "", "number", 0)]
    rows = [[f"{EVIL} | {at}", EVIL if at % 2 else "`a` | $x$", str(HUGE - at) if at < 2 else at] for at in range(6)]
    return table(columns, rows, caption=EVIL, notes=[EVIL])


KERNELS = ["adagrad_unweighted_kernel_cta", "adagrad_unweighted_kernel_warp", "sgd_weighted_kernel_warp"]


def look_alikes():
    """Kernels whose long names differ in two places, on two ranks, in a table of which only some rows were sent."""
    name = "split_embedding_backward_codegen_rowwise_{}_per_row_1_and_a_tail_that_is_the_same_in_all_of_them"
    columns = [("rank", "", "id", 0), ("name", "", "name", 0), ("ts", "ns", "number", 0), ("sum", "ms", "number", 1)]
    rows = [[rank, name.format(kernel), str(HUGE - at), at / 4] for rank in (0, 1) for at, kernel in enumerate(KERNELS)]
    events = {
        "name": "name",
        "rank": "rank",
        "cells": [{"title": "events in c", "before": "%events c --name ", "after": "", "counts": ""}],
    }
    return {**table(columns, rows, events=events, rest="`%show five --top 0` shows all"), "total_rows": 5000}


def events():
    """Events with many columns; one far to the right has a long name and long texts."""
    names = ["rank", "index", "name", "cat", *(f"argument_{at}" for at in range(14)), "wait_on_cuda_event_record_corr_id"]
    columns = [(name, "", "text" if at > 3 else "number" if at < 2 else "name", 0) for at, name in enumerate(names)]
    rows = [[0, row, "aten::mm", "cpu_op", *["[1, 2, 3]"] * 14, "[[1024, 1024], [512, 512], [8, 8]] " * 6] for row in range(8)]
    return table(columns, rows)


TABLES = [comparison(12), comparison(5000, page=20), hostile(), comparison(5), look_alikes(), events()]
FEW, MANY, HOSTILE, APART, ALIKE, EVENTS = range(6)


@pytest.fixture(scope="module")
def with_tables(server):
    bundles = [{"data": {TABLE: content, "text/plain": "a table"}, "metadata": {}} for content in TABLES]
    write_samples(server.folder / "tables.ipynb", bundles)
    return server


@pytest.fixture
def opened(page, with_tables):
    open_notebook(page, with_tables.url("tables.ipynb"), 0, len(TABLES))
    return page


def nth(page, number):
    return page.play.locator(".tracebook-table").nth(number)


def column(node, number):
    return node.locator(f"tbody tr td:nth-child({number + 1})").all_text_contents()


def number(text):
    return (-1 if "−" in text else 1) * float("".join(c for c in text if c.isdigit() or c == "."))


def head(node, name):
    return node.get_by_role("columnheader", name=name)


def status(node):
    return node.locator(".tb-foot")


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_a_head_sorts_by_click_and_by_keys(opened):
    few = nth(opened, FEW)
    unsorted = column(few, 6)
    sorter = head(few, "diff_duration").get_by_role("button")
    assert head(few, "diff_duration").get_attribute("aria-sort") is None
    sorter.click()
    expect(head(few, "diff_duration")).to_have_attribute("aria-sort", "descending")
    down = [number(text) for text in column(few, 6)]
    assert down == sorted(down, reverse=True)
    # Enter and Space belong to the table: the notebook neither edits the cell nor scrolls.
    sorter.press("Enter")
    expect(head(few, "diff_duration")).to_have_attribute("aria-sort", "ascending")
    assert [number(text) for text in column(few, 6)] == down[::-1]
    expect(status(few)).to_contain_text("sorted by diff_duration ↑")
    expect(sorter).to_be_focused()
    sorter.press(" ")
    expect(head(few, "diff_duration")).not_to_have_attribute("aria-sort", re.compile(".*"))
    assert column(few, 6) == unsorted
    # Tab moves from head to head; the table is sorted by one column only.
    sorter.press("Tab")
    opened.play.keyboard.press("Tab")
    opened.play.keyboard.press("Enter")
    expect(head(few, "counts_change_categories")).to_have_attribute("aria-sort", "ascending")
    assert few.locator("th[aria-sort]").count() == 1
    assert opened.evaluate("document.querySelectorAll('.jp-Notebook.jp-mod-editMode').length") == 0
    assert opened.evaluate("document.querySelectorAll('.jp-Notebook .jp-Cell').length") == len(TABLES)


def test_rows_are_filtered_by_typing(opened):
    many = nth(opened, MANY)
    box = many.get_by_role("searchbox")
    box.click()
    # Letters are typed, though they are shortcuts of the notebook.
    opened.play.keyboard.type("ADD_ 1[0-2]$")
    assert column(many, 0) == ["aten::add_ 10"]
    expect(status(many)).to_contain_text("1 of 5,000 rows × 9 columns")
    box.fill("vectorized_elementwise_kernel<4, float> 2")
    expect(status(many)).not_to_contain_text("0 of 5,000")
    assert all(
        "float> 2" in (cell.get_attribute("title") or cell.text_content()) for cell in many.locator("td:first-child").all()
    )
    box.press("Escape")
    expect(box).to_have_value("")
    expect(status(many)).to_contain_text("5,000 rows")
    assert opened.evaluate("document.querySelectorAll('.jp-Notebook .jp-Cell').length") == len(TABLES)


def test_invalid_regular_expression_is_reported_and_searched_as_text(opened):
    few = nth(opened, FEW)
    box = few.get_by_role("searchbox")
    box.fill("add_ (")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(few.locator(".tb-search .tb-hint")).to_contain_text("not a regular expression")
    expect(status(few)).to_contain_text("0 of 12 rows")
    expect(few.locator("tbody")).to_have_text("no row matches")
    box.fill("add_ 1")
    expect(box).to_have_attribute("aria-invalid", "false")
    expect(few.locator(".tb-search .tb-hint")).to_be_empty()
    expect(status(few)).to_contain_text("2 of 12 rows")
    assert own_errors(opened) == []


def test_facet_buttons_filter_and_count_rows(opened):
    few = nth(opened, FEW)
    chips = few.locator(".tb-chip")
    assert chips.all_text_contents() == ["added 3", "deleted 3", "increased 2", "decreased 2", "unchanged 2"]
    added, deleted = chips.nth(0), chips.nth(1)
    added.click()
    expect(added).to_have_attribute("aria-pressed", "true")
    assert set(column(few, 1)) == {"0"}
    deleted.press("Enter")
    expect(status(few)).to_contain_text("6 of 12 rows")
    few.get_by_role("searchbox").fill("mm")
    expect(added).to_have_text("added 1")
    added.press(" ")
    deleted.click()
    expect(added).to_have_attribute("aria-pressed", "false")
    few.get_by_role("searchbox").fill("")
    expect(status(few)).to_contain_text("12 rows")


def test_without_kinds_of_the_kernel_words_are_words(page, server):
    """A table of an older version, or of a frame that is not a comparison."""
    content = comparison(12)
    del content["changes"]
    write_samples(server.folder / "words.ipynb", [{"data": {TABLE: content, "text/plain": "a table"}, "metadata": {}}])
    open_notebook(page, server.url("words.ipynb"), 0, 1)
    assert nth(page, 0).locator(".tb-chip").all_text_contents() == ["- 5", "+ 5", "= 2"]


def test_filter_without_match_in_cut_rows_says_so(opened):
    alike = nth(opened, ALIKE)
    alike.get_by_role("searchbox").fill("Memcpy")
    expect(alike.locator("tbody")).to_have_text("no row matches among the first 6 of 5,000 rows; `%show five --top 0` shows all")
    expect(status(alike)).to_contain_text("searched only the first 6 rows; `%show five --top 0` shows all")


def test_different_names_look_different_at_every_width(opened):
    alike = nth(opened, ALIKE)
    for width in (1400, 900, 700, 500):
        opened.size(width, 1000)
        opened.evaluate(DRAWN)
        shown = column(alike, 1)
        assert len(set(shown)) == 3 and shown[:3] == shown[3:], (width, shown)
        assert all("cta" in text or "warp" in text for text in shown[:2]), (width, shown)
    # Nanoseconds beyond 2⁵³ are exact.
    assert column(alike, 2)[0] == f"{HUGE:,}"


def test_rows_of_many_columns_have_one_line(opened):
    many, few = nth(opened, EVENTS), nth(opened, FEW)
    height = "(node) => node.getBoundingClientRect().height"
    assert many.locator("thead tr").evaluate(height) <= 1.5 * many.locator("tbody tr").first.evaluate(height)
    assert many.locator("tbody tr").first.evaluate(height) <= few.locator("tbody tr").first.evaluate(height) + 1


FITS = "(node) => node.scrollWidth <= node.clientWidth + 1"


@pytest.mark.parametrize("width", [1400, 1100])
def test_a_comparison_fits_the_window(opened, width, screenshots):
    opened.size(width, 1000)
    few = nth(opened, FEW)
    opened.wait(f"({FITS})(document.querySelector('.tb-scroll'))")
    region = few.get_by_role("region").bounding_box()
    change = few.locator("th.tb-short").bounding_box()
    assert change["x"] + change["width"] <= region["x"] + region["width"] + 1 and change["width"] < 60
    assert few.locator("th.tb-short").text_content().strip(" ↕") == "±"
    assert "counts_change_categories" in few.locator("th.tb-short").get_attribute("title")
    assert set(column(few, 8)) == {"+", "−", "="}
    assert few.locator(".tb-more").is_hidden()
    assert few.get_by_role("region").evaluate(FITS)
    opened.screenshot(screenshots / f"tables-{width}.png")


def test_narrow_window_offers_the_columns_out_of_sight(opened, screenshots):
    opened.size(900, 1000)
    few = nth(opened, FEW)
    more = few.locator(".tb-more button")
    expect(more).to_be_visible()
    expect(more).to_contain_text("more column")
    region = few.get_by_role("region").bounding_box()
    heads = [head.bounding_box() for head in few.locator("thead th").all()]
    seen = sum(head["x"] + head["width"] <= region["x"] + region["width"] + 1 for head in heads)
    assert seen >= 5, seen
    assert more.text_content() == f"{len(heads) - seen} more column{'' if len(heads) - seen == 1 else 's'} →"
    opened.screenshot(screenshots / "tables-900.png")
    more.press("Enter")
    expect(few.locator("th.tb-short")).to_be_in_viewport()
    expect(more).to_have_text("← back to the first columns")
    opened.size(1400, 1000)
    expect(more).to_be_hidden()


def test_a_row_offers_the_cells_of_its_events(opened):
    few = nth(opened, FEW)
    rows = few.locator("tr.tb-events")
    expect(rows).to_have_count(12)
    rows.nth(2).locator("td").nth(1).click()
    offer = few.locator(".tb-offer")
    name = TABLES[FEW]["rows"][2][0]
    assert offer.locator("code").all_text_contents() == [f"%events {label} --name '{name}' --rank 3" for label in "ab"]
    # Flags that do not break behind their hyphens.
    assert {"--name", "--rank"} <= set(offer.locator("code").first.locator("span").all_text_contents())
    offer.get_by_role("button", name="Copy the cell for events in b").click()
    expect(offer.get_by_role("status")).to_have_text("copied: paste it into a cell")
    assert clipboard(opened) == f"%events b --name '{name}' --rank 3"
    opened.play.keyboard.press("Escape")
    expect(offer).to_have_count(0)
    expect(rows.nth(2)).to_be_focused()
    # By keys alone. An operator of test only has no events in control.
    opened.play.keyboard.press("ArrowUp")
    opened.play.keyboard.press("ArrowUp")
    expect(rows.nth(0)).to_be_focused()
    opened.play.keyboard.press("Enter")
    assert offer.locator("code").all_text_contents() == [f"%events b --name '{TABLES[FEW]['rows'][0][0]}' --rank 3"]
    assert opened.evaluate("document.querySelectorAll('.jp-Notebook.jp-mod-editMode').length") == 0
    alike = nth(opened, ALIKE)
    alike.locator("tr.tb-events").nth(4).click()
    assert alike.locator(".tb-offer code").text_content() == f"%events c --name '{TABLES[ALIKE]['rows'][4][1]}' --rank 1"
    assert own_errors(opened) == []


def test_words_of_one_row_each_have_no_buttons(opened):
    assert nth(opened, APART).locator("tbody tr").count() == 5
    assert nth(opened, APART).locator(".tb-chip").count() == 0


def test_columns_are_hidden_and_shown_by_keys(opened):
    few = nth(opened, FEW)
    opener = few.get_by_role("button", name="Columns")
    expect(opener).to_have_attribute("aria-expanded", "false")
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    boxes = few.get_by_role("checkbox")
    assert boxes.count() == len(COLUMNS)
    boxes.nth(0).focus()
    opened.play.keyboard.press("ArrowDown")
    expect(boxes.nth(1)).to_be_focused()
    opened.play.keyboard.press(" ")
    expect(few.locator("thead th")).to_have_count(len(COLUMNS) - 1)
    expect(status(few)).to_contain_text("12 rows × 8 of 9 columns")
    assert few.locator("tbody tr").first.locator("td").count() == len(COLUMNS) - 1
    for at in range(2, len(COLUMNS)):
        boxes.nth(at).uncheck()
    # The last column cannot be hidden.
    expect(boxes.nth(0)).to_be_disabled()
    opened.play.keyboard.press("Escape")
    expect(opener).to_be_focused()
    expect(boxes.nth(0)).to_be_hidden()
    opener.click()
    few.get_by_role("button", name="show all").click()
    expect(few.locator("thead th")).to_have_count(len(COLUMNS))


def test_pages_are_turned(opened):
    many = nth(opened, MANY)
    rows = many.locator("tbody tr")
    expect(rows).to_have_count(20)
    expect(many.locator(".tb-pages")).to_contain_text("1–20 of 5,000")
    many.get_by_role("button", name="next page").click()
    assert column(many, 0)[0].endswith(" 20")
    many.get_by_role("button", name="last page").press("Enter")
    expect(many.locator(".tb-pages")).to_contain_text("4,981–5,000 of 5,000")
    expect(many.get_by_role("button", name="next page")).to_have_attribute("aria-disabled", "true")
    many.get_by_role("combobox", name="rows per page").select_option(label="500 rows per page")
    expect(rows).to_have_count(500)
    expect(many.locator(".tb-pages")).to_contain_text("4,501–5,000 of 5,000")
    many.get_by_role("searchbox").fill("aten::mm 3$")
    expect(many.locator(".tb-pages")).to_contain_text("1–1 of 1")
    # A table of one page has no page controls.
    expect(nth(opened, FEW).locator(".tb-pages")).to_be_hidden()


def test_the_head_stays_in_sight(opened):
    many = nth(opened, MANY)
    many.get_by_role("combobox", name="rows per page").select_option(label="100 rows per page")
    scroll = many.get_by_role("region")
    scroll.evaluate("(node) => { node.scrollTop = 800; }")
    top = "(node) => node.getBoundingClientRect().top"
    assert abs(many.locator("th").first.evaluate(top) - scroll.evaluate(top)) < 3


def test_what_is_copied_is_what_is_shown_and_exact(opened):
    few = nth(opened, FEW)
    few.get_by_role("searchbox").fill("add_")
    few.get_by_role("button", name="Columns").click()
    for name in ("a_counts", "b_counts", "diff_counts", "diff [%]", "counts_change_categories"):
        few.get_by_role("checkbox", name=name, exact=True).uncheck()
    head(few, "diff_duration").get_by_role("button").click()
    few.get_by_role("button", name="Copy as CSV").click()
    expect(few.get_by_text("copied 4 rows as CSV")).to_be_visible()
    copied = list(csv.reader(io.StringIO(clipboard(opened))))
    assert copied[0] == ["name", "a_total_duration [ms]", "b_total_duration [ms]", "diff_duration [ms]"]
    kept = [row for row in TABLES[FEW]["rows"] if "add_" in row[0]]
    kept.sort(key=lambda row: -row[6])
    assert [[row[0], *map(float, row[1:])] for row in copied[1:]] == [[row[0], row[2], row[4], row[6]] for row in kept]
    few.get_by_role("button", name="Copy as Markdown").press("Enter")
    expect(few.get_by_text("copied 4 rows as Markdown")).to_be_visible()
    lines = clipboard(opened).splitlines()
    assert lines[1] == "| --- | ---: | ---: | ---: |" and len(lines) == 6
    assert lines[2].replace("\\", "").startswith(f"| {kept[0][0]} | ")


def test_all_pages_are_copied(opened):
    many = nth(opened, MANY)
    many.get_by_role("button", name="Copy as CSV").click()
    expect(many.get_by_text("copied 5,000 rows as CSV")).to_be_visible()
    assert len(clipboard(opened).splitlines()) == 5001


def test_no_name_becomes_markup_and_no_digit_is_lost(opened):
    evil = nth(opened, HOSTILE)
    assert evil.locator("img, script").count() == 0
    assert EVIL in evil.locator(".tb-caption").text_content() and EVIL in status(evil).text_content()
    assert evil.locator(".tb-chip").all_text_contents() == ["`a` | $x$ 3", f"{EVIL} 3"]
    evil.get_by_role("searchbox").fill(EVIL)
    head(evil, "id").get_by_role("button").click()
    assert column(evil, 2) == [f"{HUGE:,}", f"{HUGE - 1:,}", "5", "4", "3", "2"]
    evil.get_by_role("button", name="Copy as CSV").click()
    expect(evil.get_by_text("copied 6 rows as CSV")).to_be_visible()
    copied = list(csv.reader(io.StringIO(clipboard(opened))))
    assert copied[1] == [f"{EVIL} | 0", "`a` | $x$", str(HUGE)]
    evil.get_by_role("button", name="Copy as Markdown").click()
    expect(evil.get_by_text("copied 6 rows as Markdown")).to_be_visible()
    row = clipboard(opened).splitlines()[2]
    assert r"\<script\>" in row and r"\| 0 |" in row and r"\`a\` \| \$x\$" in row
    assert "stolen" not in opened.play.title()
    assert own_errors(opened) == []


# Types, deletes and sorts within one task of the page; returns how many milliseconds that took.
TYPE_AND_SORT = """
(node) => {
  const box = node.querySelector('input[type=search]');
  const started = performance.now();
  for (const typed of ['a', 'at', 'aten', 'aten::.*1', '']) {
    box.value = typed;
    box.dispatchEvent(new Event('input'));
  }
  node.querySelectorAll('th button')[6].click();
  return performance.now() - started;
}
"""


def test_five_thousand_rows_are_sorted_and_filtered(opened):
    many = nth(opened, MANY)
    many.get_by_role("combobox", name="rows per page").select_option(label="500 rows per page")
    expect(many.locator("tbody tr")).to_have_count(500)
    head(many, "name").get_by_role("button").click()
    expect(head(many, "name")).to_have_attribute("aria-sort", "ascending")
    many.get_by_role("searchbox").press_sequentially("kernel.*99$")
    found = sum(bool(re.search("kernel.*99$", row[0])) for row in TABLES[MANY]["rows"])
    expect(status(many)).to_contain_text(f"{found} of 5,000 rows")
    # Faster than anybody types.
    many.evaluate(TYPE_AND_SORT)
    expect(status(many)).to_contain_text("5,000 rows")
    expect(status(many)).to_contain_text("sorted by diff_duration")


def test_bars_tell_more_from_less_and_begin_at_zero(opened):
    few = nth(opened, FEW)
    head(few, "diff_duration").get_by_role("button").click()
    cells = few.locator("tbody td:nth-child(7)")
    bars = [cell.evaluate("(node) => node.style.backgroundImage") for cell in cells.all()]
    assert "--tb-more" in bars[0] and bars[0].endswith("transparent 100.0%)")
    assert "--tb-less" in bars[-1] and "transparent 0.0%" in bars[-1]
    zero = re.search(r"transparent ([\d.]+)%", bars[0])[1]
    assert f"{zero}%, transparent {zero}%)" in bars[-1]
    # The durations of both sides share the scale of their bars; counts have no bars.
    longest = max(max(row[2], row[4]) for row in TABLES[FEW]["rows"])
    first = few.locator("tbody tr").first
    for at in (3, 5):
        cell = first.locator(f"td:nth-child({at})")
        share = number(cell.text_content()) / longest * 100
        picture = cell.evaluate("(node) => node.style.backgroundImage")
        assert (f"{share:.1f}".removesuffix(".0") + "%" in picture) == (share > 0), picture
    assert first.locator("td:nth-child(2)").evaluate("(node) => node.style.backgroundImage") == ""


def contrast(node, inner):
    """The contrast of an element's text with its nearest opaque background, as defined by WCAG."""
    return node.locator(inner).first.evaluate(
        """(node) => {
          const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
            .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
          let behind = node;
          while (behind && (parts(getComputedStyle(behind).backgroundColor)[3] ?? 1) < 1) { behind = behind.parentElement; }
          const text = light(parts(getComputedStyle(node).color));
          const page = light(parts(getComputedStyle(behind ?? document.body).backgroundColor));
          return (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
        }"""
    )


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_tables_are_readable_in_every_theme(opened, theme, screenshots):
    switch_theme(opened, theme)
    few = nth(opened, FEW)
    few.locator(".tb-chip").first.click()
    for inner in ("td", "th button", ".tb-chip", ".tb-foot", "input[type=search]", ".tb-caption"):
        assert contrast(few, inner) >= 4.5, inner
    opened.screenshot(screenshots / f"tables-{theme.split(' ', 1)[1].replace(' ', '-').lower()}.png")


def test_a_narrow_window_scrolls_the_rows_and_not_the_page(opened, screenshots):
    opened.size(700, 1000)
    few = nth(opened, FEW)
    box = few.get_by_role("region").bounding_box()
    output = few.bounding_box()
    assert box["width"] <= output["width"] + 1
    opened.screenshot(screenshots / "tables-narrow.png")
    opened.play.emulate_media(media="print")
    assert few.locator(".tb-tools").is_hidden()
    assert few.get_by_role("region").evaluate("(node) => getComputedStyle(node).maxHeight") == "none"


def test_output_drawn_again_keeps_its_view_state(opened):
    few = nth(opened, FEW)
    few.get_by_role("searchbox").fill("mm")
    head(few, "diff_duration").get_by_role("button").click()
    before = column(few, 0)
    # As when JupyterLab collapses or scrolls away an output and shows it again: a new renderer with the same model.
    opened.evaluate(
        """(() => {
          const widget = window.jupyterapp.shell.currentWidget.content.widgets[0].outputArea;
          const output = widget.model.get(0);
          widget.model.set(0, output.toJSON());
          return true;
        })()"""
    )
    expect(nth(opened, FEW).get_by_role("searchbox")).to_have_value("mm")
    assert column(nth(opened, FEW), 0) == before


def test_notebook_7_sorts_and_filters_too(page, with_tables):
    open_notebook(page, with_tables.notebook_url("tables.ipynb"), 0, len(TABLES))
    few = nth(page, FEW)
    head(few, "diff_duration").get_by_role("button").press("Enter")
    expect(head(few, "diff_duration")).to_have_attribute("aria-sort", "descending")
    few.get_by_role("searchbox").click()
    page.play.keyboard.type("mm")
    assert all("mm" in name for name in column(few, 0))
    few.locator(".tb-chip").first.press(" ")
    expect(few.locator(".tb-chip").first).to_have_attribute("aria-pressed", "true")
    assert own_errors(page) == []
