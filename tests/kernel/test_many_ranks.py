"""Every magic on a trace of 512 ranks: answers stay readable and small."""

import json
import subprocess

import pytest

from driver import LONG, Kernel

RANKS = 512
# The largest message of a magic; most are below 300 kB.
MOST_BYTES = 1_000_000
HEATMAP = "heatmap"
PLOTLY = "application/vnd.plotly.v1+json"

ANALYSES = {
    # The magic, and how many heat maps it shows with all ranks.
    "temporal_breakdown job": 1,
    "idle_time_breakdown job --rank all": 1,
    "gpu_kernel_breakdown job": 2,
    "comm_comp_overlap job": 1,
    "memory_bw_time_series job --rank all": 1,
    "memory_bw_summary job --rank all": 1,
    "queue_length_time_series job --rank all": 1,
    "queue_length_summary job --rank all": 1,
    "time_blocked_on_full_queue job --max-queue-length 2": 1,
    "cuda_kernel_launch_stats job --rank all": 1,
    "frequent_cuda_kernel_sequences job aten::addmm --rank all": 0,
    "gpu_user_annotation_breakdown job --use-gpu-annotation=false": 1,
    "gpu_kernels_with_user_annotations job --rank all": 0,
    "aten_op_kernels_and_delay job --rank all": 1,
    "potential_stragglers job": 1,
    "profiler_steps job": 0,
}
OTHERS = {
    "describe job": 1,
    "describe job other": 2,
    "trace_info job": 0,
    "trace_info job --memory": 0,
    "trace_list": 0,
    "compare_traces job other": 0,
    "ops_diff job other": 0,
    "visualize job other": 0,
    "explain job other --rank 0-3": 0,
    "waterfall job other --rank 0-3": 0,
    "events job --name aten::addmm": 0,
}


@pytest.fixture(scope="module")
def kernel(tracebook_argv, large_trace, tmp_path_factory):
    """A kernel without Rust cells that has loaded two jobs of 512 ranks."""
    folder = tmp_path_factory.mktemp("many")
    for seed, name in ((1, "job"), (2, "other")):
        job = [large_trace, "--ranks", str(RANKS), "--bytes", "10M", "--seed", str(seed), "--out", str(folder / name)]
        subprocess.run(job, check=True, capture_output=True)
    kernel = Kernel(tracebook_argv, tmp_path_factory.mktemp("kernel"))
    try:
        for name in ("job", "other"):
            loaded = kernel.ok(f"%trace_load {folder / name} --as {name}", timeout=LONG)
            assert_readable(loaded)
            assert "20 of 512 ranks shown, those that differ most first" in texts(loaded)
        yield kernel
    finally:
        kernel.close()


def displayed(ran):
    return [m["content"]["data"] for m in ran.outputs if m["msg_type"] in ("display_data", "execute_result")]


def texts(ran):
    return "\n".join(data.get("text/plain", "") for data in displayed(ran)) + ran.text()


def heat_maps(ran):
    return [d for d in displayed(ran) if any(t["type"] == HEATMAP for t in d.get(PLOTLY, {}).get("data", []))]


def assert_readable(ran):
    for message in ran.outputs:
        assert len(json.dumps(message["content"])) < MOST_BYTES
    for data in displayed(ran):
        assert len(data["text/plain"].splitlines()) <= 60, data["text/plain"][:2000]
        figure = data.get(PLOTLY, {})
        assert len(figure.get("data", [])) <= 32, "a series for each rank"
        assert len(figure.get("layout", {}).get("annotations", [])) <= 32
        if figure.get("data"):
            assert "image/png" in data


@pytest.mark.parametrize("line", [*ANALYSES, *OTHERS])
def test_answers_about_many_ranks_stay_readable(kernel, line):
    ran = kernel.ok(f"%{line}", timeout=LONG)
    assert_readable(ran)
    maps = heat_maps(ran)
    assert len(maps) == {**ANALYSES, **OTHERS}[line], texts(ran)[:3000]
    for data in maps:
        (trace,) = data[PLOTLY]["data"]
        assert RANKS in (len(trace["x"]), len(trace["y"]))
        assert "heat map of" in data["text/plain"]


def test_stragglers_are_named_and_labelled(kernel):
    ran = kernel.ok("%temporal_breakdown job")
    text = texts(ran)
    assert "ranks are 5 robust standard deviations or more from the median: rank " in text
    assert "20 of 512 ranks shown, those that differ most first; `--rank 7` looks closer" in text
    (data,) = heat_maps(ran)
    labels = {label["text"] for label in data[PLOTLY]["layout"]["annotations"]}
    assert {"39", "409"} <= labels
    hover = data[PLOTLY]["data"][0]["hovertemplate"]
    assert hover.startswith("<b>rank %{x}</b><br>%{y}: %{text}")


def test_files_and_variables_stay_complete(kernel, tmp_path):
    ran = kernel.ok(f"%temporal_breakdown job --csv {tmp_path / 'all.csv'} --quiet")
    rows = (tmp_path / "all.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [str(rank) for rank in range(RANKS)]
    ran = kernel.ok(f"%queue_length_time_series job --rank all --csv {tmp_path / 'queue.csv'} --no-figure")
    assert len(list(tmp_path.glob("queue.rank*.csv"))) == RANKS
    written = [line for line in ran.text().splitlines() if line.startswith(("wrote ", "… "))]
    assert len(written) == 3 and "510 more files" in written[1], written


def test_chosen_ranks_are_shown_as_before(kernel):
    ran = kernel.ok("%temporal_breakdown job --rank 39,409,0-2")
    assert not heat_maps(ran)
    (figure,) = [data[PLOTLY] for data in displayed(ran) if PLOTLY in data]
    assert figure["data"][0]["type"] == "bar" and len(figure["data"][0]["x"]) == 5
    info = kernel.ok("%trace_info job --rank 39,7")
    assert "ranks shown" not in texts(info)
