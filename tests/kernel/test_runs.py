"""Labels of several runs in the running kernel: groups, statistics and noise."""

import json

import pytest

from driver import LONG, Kernel

STEPS, OPERATORS = 6, 10


def run(slow, shift):
    """A trace of six steps with ten operators of about 100 µs; the first takes `slow` times as long."""
    events = []
    for step in range(STEPS):
        at = step * 10_000.0
        spans = [(f"op_{n}", (100 + shift * ((n + step) % 3)) * (slow if n == 0 else 1)) for n in range(OPERATORS)]
        whole = sum(us for _, us in spans) + 50
        step_name = f"ProfilerStep#{step}"
        events.append({"ph": "X", "cat": "user_annotation", "name": step_name, "pid": 1, "tid": 1, "ts": at, "dur": whole})
        for name, us in spans:
            events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": us})
            at += us
    return events


@pytest.fixture(scope="module")
def kernel(tracebook_argv, tmp_path_factory):
    """A kernel for all tests of this file; magics need no compiler."""
    kernel = Kernel(tracebook_argv, tmp_path_factory.mktemp("kernel"))
    yield kernel
    kernel.close()


@pytest.fixture(scope="module")
def loaded(kernel, tmp_path_factory):
    """What loading two groups of five runs shows."""
    folder = tmp_path_factory.mktemp("runs")
    for word, slow in [("control", 1), ("test", 2)]:
        for number in range(1, 6):
            run_folder = folder / f"{word}-{number}"
            run_folder.mkdir()
            trace = {"traceEvents": run(slow, 0.1 * number)}
            (run_folder / "rank-0.json").write_text(json.dumps(trace))
    kernel.ok(f"%cd '{folder}'")
    return shown(kernel.ok("%trace_load control-* --as control\n%trace_load 'test-*' --as test", timeout=LONG))


def shown(ran):
    texts = [message["content"].get("data", {}).get("text/plain", "") for message in ran.outputs]
    return "\n".join([ran.text(), *texts])


def test_pattern_makes_a_group_of_runs(kernel, loaded):
    assert "control: 5 runs, control_1 to control_5" in loaded
    assert "test is 5 runs: test_1 to test_5" in shown(kernel.ok("%trace_list"))
    assert "control is 5 runs: control_1 is shown; name control_2 to see another" in shown(kernel.ok("%describe control"))


def test_statistics_over_runs_find_the_slower_operator(kernel, loaded):
    text = shown(kernel.ok("%compare_traces control test --stats", timeout=LONG))
    assert "Between the programs (5 + 5 runs of 30 + 30 iterations): " in text
    (row,) = [line for line in text.splitlines() if line.startswith("op_0 ")]
    assert "regression" in row, text
    few = shown(kernel.ok("%compare_traces control_1,control_2 test_1,test_2 --stats", timeout=LONG))
    assert "too few runs: 2 on one side, 4 a side needed" in few and "too few, 4 needed" in few


def test_verdict_beside_an_interval_around_0_is_explained(kernel, shared):
    runs = shared / "traces" / "recorded_runs"
    kernel.ok(f"%trace_load {runs}/control-* --as ours --quiet\n%trace_load {runs}/test-* --as theirs --quiet", timeout=LONG)
    text = shown(kernel.ok("%compare_traces ours theirs --stats", timeout=LONG)).lstrip()
    assert text.startswith("theirs is "), text
    assert "Verdicts rest on the interval of the ratio (ratio_low, ratio_high)" in text
    assert "theirs is " in shown(kernel.ok("%explain ours theirs", timeout=LONG))
    kernel.ok("%trace_drop ours\n%trace_drop theirs")


def test_noise_of_one_run_is_honest_about_others(kernel, loaded):
    assert "Between runs: unknown, this is one run." in shown(kernel.ok("%noise control_1"))
    ran = kernel.ok("%noise control")
    assert "Between 5 runs, the mean of a step varies by" in shown(ran)
    assert any("application/vnd.plotly.v1+json" in m["content"].get("data", {}) for m in ran.outputs)


@pytest.mark.rust_cells
def test_group_is_its_first_run_in_rust_cells(kernel, loaded):
    ran = kernel.ok("(control.label().to_owned(), control_5.label().to_owned(), test.iterations().len())", timeout=LONG)
    assert shown(ran).strip() == '("control_1", "control_5", 6)'
    kernel.ok("%trace_drop control")
    failed = kernel.run("control.ranks()", timeout=LONG)
    assert failed.status == "error", failed.content
    assert "unknown trace `control`" in kernel.run("%describe control").content["evalue"]
