"""Response times of figures of the extension, in Chromium without a GPU: timelines on a page of their own, and timelines, tables, trees and
conversations in JupyterLab with the real kernel.

    python benches/browser.py [--events 1000000]

Needs Chromium, and the kernel in the environment of this Python (`make kernel` installs it). A busy machine draws fewer frames.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "browser")]

import chromium  # noqa: E402
import test_comm  # noqa: E402
import test_tables  # noqa: E402
import test_timeline  # noqa: E402
import test_timeline_million as million  # noqa: E402
import test_trees  # noqa: E402
from lab import lab  # noqa: E402
from looks import TABLE, open_notebook  # noqa: E402
from modules import served  # noqa: E402
from places import KERNEL  # noqa: E402
from samples import write_samples  # noqa: E402
from test_cells import notebook, open_cells, run_all  # noqa: E402
from timelines import PAN  # noqa: E402
from timelines_trace import write_trace  # noqa: E402

FRAMES = 90


def note(what, value, unit="ms"):
    print(f"| {what} | {value:.0f} {unit} |", flush=True)


def frames_a_second(page, share):
    drawn, milliseconds = page.play.evaluate(PAN, [share, FRAMES])
    return 1000 * drawn / milliseconds


def of_modules(browser):
    """Timelines on a page without JupyterLab, whose kernel is a script."""
    with served() as address, chromium.page(browser) as page:
        for events in (1_000_000, 10_000_000):
            page.open(address)
            took = page.play.evaluate(test_timeline.MOUNT, {"events": events, "sample": "timeline.json", "kernel": True})
            note(f"{events:,} events on a page: first picture", took)
            for share in (0.5, 0.01, 0.0001):
                note(f"{events:,} events on a page: {share:.2%} of them move", frames_a_second(page, share), "frames a second")


def of_timelines(browser, server, events):
    """The first `%timeline` of a large trace."""
    write_trace(server.folder / "million.json", events)
    write_trace(server.folder / "small.json", 4_000)
    notebook(server.folder / "million.ipynb", KERNEL, million.CELLS)
    with chromium.page(browser) as page:
        open_cells(page, server.url("million.ipynb"), len(million.CELLS))
        million.run(page, million.LOAD)
        found = million.run(page, million.MILLION, drawn=True)
        note(f"{events:,} events in JupyterLab: first picture", found["appears_ms"])
        note(f"{events:,} events in JupyterLab: of it the kernel", found["kernel_ms"])
        note(f"{events:,} events in JupyterLab: of it the page, with the output", found["page_ms"])
        million.use(page, million.MILLION)
        for share in (0.5, 0.01, 0.0001):
            note(f"{events:,} events in JupyterLab: {share:.2%} of them move", frames_a_second(page, share), "frames a second")


def of_tables(browser, server):
    contents = [test_tables.TABLES[test_tables.MANY], test_trees.LARGE]
    write_samples(
        server.folder / "large.ipynb", [{"data": {TABLE: content, "text/plain": ""}, "metadata": {}} for content in contents]
    )
    with chromium.page(browser) as page:
        open_notebook(page, server.url("large.ipynb"), 0, 2)
        table, tree = (page.play.locator(".tracebook-table").nth(number) for number in (0, 1))
        note("table of 5,000 rows: five patterns are typed, a column is sorted", table.evaluate(test_tables.TYPE_AND_SORT))
        for what, took in zip(
            ("expanded", "collapsed", "expanded again"), tree.evaluate(test_trees.EXPAND_AND_COLLAPSE), strict=True
        ):
            note(f"tree of 2,000 rows: {what}", took)


def of_conversations(browser, server):
    notebook(server.folder / "talk.ipynb", KERNEL, ["%lsmagic"])
    with chromium.page(browser) as page:
        open_cells(page, server.url("talk.ipynb"), 1)
        run_all(page)
        page.wait("document.querySelectorAll('.jp-Notebook .jp-OutputArea-output').length > 0")
        assert page.play.evaluate(test_comm.CONNECT, "tracebook.echo")
        page.evaluate("talk.connection.send({ id: 1 })")
        page.wait("talk.seen.length === 2")
        note("conversation with the kernel: an answer, median of 30", page.evaluate(test_comm.TALK))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| what | figure |\n| --- | ---: |")
    with tempfile.TemporaryDirectory() as folder, chromium.browser() as browser:
        of_modules(browser)
        notebooks = Path(folder) / "notebooks"
        notebooks.mkdir()
        with lab(Path(folder), notebooks) as server:
            of_timelines(browser, server, options.events)
            of_tables(browser, server)
            of_conversations(browser, server)


if __name__ == "__main__":
    main()
