"""Conversations of views with the real kernel in JupyterLab, through comm.js."""

import nbformat
import pytest

from looks import own_errors
from places import KERNEL, ROOT
from test_cells import notebook, open_cells, run_all
from waiting import AT_MOST, wait_until

LOAD = "%trace_load data/job --as job --quiet\n%trace_list"

# Opens a conversation from the output of the first cell, as a renderer does, and keeps what arrives in `window.talk`.
CONNECT = """
async (target) => {
  const script = [...document.scripts].find(({ src }) => src.includes('tracebook-labextension') && src.endsWith('remoteEntry.js'));
  const { connect } = await import(new URL('comm.js', script.src).href);
  const output = document.querySelector('.jp-Notebook .jp-OutputArea-output');
  const talk = { connection: connect(target, output, { id: 0 }), seen: [], events: [] };
  window.talk = talk;
  if (!talk.connection) {
    return false;
  }
  talk.connection.onMessage = (data, buffers) => talk.seen.push({ data, buffers: buffers.map((it) => new Uint8Array(it)) });
  talk.connection.onClose = (reason) => talk.events.push(reason?.ename ?? 'closed');
  talk.connection.onOpen = () => talk.events.push('open');
  return true;
}
"""


@pytest.fixture
def run(page, server):
    """Opens a notebook and runs its cells."""
    data = server.folder / "data"
    if not data.exists():
        data.symlink_to(ROOT / "notebooks" / "data")

    def run(name, *cells):
        notebook(server.folder / name, KERNEL, cells)
        open_cells(page, server.url(name), len(cells))
        run_all(page)
        page.wait("document.querySelectorAll('.jp-Notebook .jp-OutputArea-output').length > 0")
        return page

    return run


# Sends thirty messages, each once the one before is answered; the median of the milliseconds until an answer.
TALK = """
(async () => {
  const took = [];
  for (let id = 2; id < 32; id += 1) {
    const start = performance.now();
    talk.connection.send({ id });
    while (talk.seen.at(-1).data.id !== id) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[15];
})()
"""


def test_messages_and_buffers_go_both_ways_in_jupyterlab(run):
    page = run("talk.ipynb", "%lsmagic")
    assert page.play.evaluate(CONNECT, "tracebook.echo")
    page.evaluate(
        "talk.connection.send({ id: 1 }, [Uint8Array.from({ length: 1 << 20 }, (_, at) => at % 251), new Uint8Array(0)])"
    )
    page.wait("talk.seen.length === 2")
    assert page.evaluate("talk.seen.map(({ data }) => data)") == [{"id": 0}, {"id": 1}]
    assert page.evaluate("talk.seen[1].buffers.map(({ length }) => length)") == [1 << 20, 0]
    assert page.evaluate("talk.seen[1].buffers[0].every((byte, at) => byte === at % 251)")
    page.evaluate(TALK)
    assert page.evaluate("talk.seen.map(({ data }) => data.id)") == list(range(32))
    assert own_errors(page) == []


def test_notebook_7_has_conversations(run, server):
    # JupyterLab starts the kernel, and the output becomes trusted when it is saved.
    page = run("seven-talk.ipynb", "%lsmagic")
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    open_cells(page, server.notebook_url("seven-talk.ipynb"), 1)
    page.wait("document.querySelectorAll('.jp-Notebook .jp-OutputArea-output').length > 0")
    # The output is there before the kernel.
    wait_until(lambda: page.play.evaluate(CONNECT, "tracebook.echo"), AT_MOST, "no conversation")
    page.evaluate("talk.connection.send({ id: 1 }, [Uint8Array.of(1, 2, 3)])")
    page.wait("talk.seen.length === 2")
    assert page.evaluate("[talk.seen[1].data, ...talk.seen[1].buffers[0]]") == [{"id": 1}, 1, 2, 3]
    assert own_errors(page) == []


def test_restarted_kernel_is_asked_again(run):
    page = run("again.ipynb", LOAD)
    assert page.play.evaluate(CONNECT, "tracebook.session")
    page.wait("talk.seen.length === 1")
    (trace,) = page.evaluate("talk.seen[0].data.traces")
    assert (trace["label"], trace["ranks"]) == ("job", [0, 1, 2, 3])
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    page.wait("talk.seen.length === 2")
    assert page.evaluate("talk.events") == ["KernelRestarted", "open"]
    assert page.evaluate("talk.seen[1].data.traces") == []
    page.evaluate("talk.connection.dispose()")
    assert own_errors(page) == []


def test_an_untrusted_output_reaches_no_kernel(page, server):
    output = nbformat.v4.new_output("display_data", {"text/plain": "from elsewhere"})
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%lsmagic", outputs=[output])])
    made.metadata["kernelspec"] = {"name": KERNEL, "display_name": KERNEL, "language": "rust"}
    nbformat.write(made, server.folder / "elsewhere.ipynb")
    open_cells(page, server.url("elsewhere.ipynb"), 1)
    page.wait("window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'")
    page.wait("document.querySelectorAll('.jp-Notebook .jp-OutputArea-output').length > 0")
    assert not page.play.evaluate(CONNECT, "tracebook.session")
