"""`%critical_path` and `%what_if` in the running kernel."""

import json

import pytest

from driver import Kernel


def events():
    """Three steps of 200 µs; in each the CPU waits for a kernel of 100 µs."""
    found = []

    def add(cat, name, pid, tid, ts, dur, **args):
        found.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    for number in range(3):
        at = 200 * number
        add("user_annotation", f"ProfilerStep#{number}", 10, 1, at, 200)
        add("cpu_op", "aten::mm", 10, 1, at, 60)
        add("cuda_runtime", "cudaLaunchKernel", 10, 1, at + 40, 10, correlation=number + 1)
        add("kernel", "gemm", 0, 7, at + 50, 100, stream=7, device=0, correlation=number + 1)
        add("cuda_runtime", "cudaDeviceSynchronize", 10, 1, at + 60, 100, correlation=number + 100)
    return found


@pytest.fixture(scope="module")
def kernel(tracebook_argv, tmp_path_factory):
    """A kernel with the trace `job`."""
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "job.json").write_text(json.dumps({"traceEvents": events()}))
    kernel = Kernel(tracebook_argv, folder)
    kernel.ok(f"%trace_load {folder}/job.json --as job --quiet")
    yield kernel
    kernel.close()


def mime(ran, kind):
    """The contents of one MIME type that a cell showed."""
    return [m["content"]["data"][kind] for m in ran.outputs if kind in m["content"].get("data", {})]


def test_page_has_a_sentence_a_figure_and_tables(kernel):
    ran = kernel.ok("%critical_path job")
    first = mime(ran, "text/plain")[0]
    assert first.startswith("Rank 0 of job, ProfilerStep#1 (instance 1, of 3 from 0), 200 µs, is GPU-bound"), first
    assert "Most would help: gemm twice as fast" in first
    (figure,) = mime(ran, "application/vnd.plotly.v1+json")
    assert figure["layout"]["yaxis"]["ticktext"] == ["stream 7", "thread 1"]
    assert len(mime(ran, "image/png")) == 1


def test_changes_are_replayed_and_written_as_json(kernel, tmp_path):
    ran = kernel.ok("%what_if job 'name ~ \"gemm\" x 0.5' 'bound_by = \"python\" x 0' --sweep")
    assert "the step is 50.0 µs shorter (25.0 %)" in mime(ran, "text/plain")[0]
    assert len(mime(ran, "application/vnd.plotly.v1+json")) == 1
    file = tmp_path / "out.json"
    kernel.ok(f"%critical_path job --annotation '' --what-if 'name ~ gemm x 0' --json '{file}' --quiet")
    document = json.loads(file.read_text())
    (window,) = document["windows"]
    assert sum(part["duration_ns"] for part in window["summary"]) == window["duration_ns"]
    # A call that need not wait still takes a little.
    assert document["replay_error_ns"] == 0 and 270_000 <= document["what_if"][0]["saved_ns"] <= 300_000


def test_a_bad_change_is_marked_where_it_is_wrong(kernel):
    failed = kernel.run("%what_if job 'name ~ \"gemm\"'")
    assert failed.status == "error"
    assert "end with `x` and a factor" in failed.content["evalue"] and "^" in failed.content["evalue"]
