"""The notebook of comparisons finds what the generator hid in its data."""

import json

from changes import added, changes, decreased, deleted, increased
from outputs import debug_list

GROUPS = ["added", "deleted", "increased", "decreased", "unchanged"]


def test_ranks_and_iterations(demo):
    steps = "[1009, 1010, 1011, 1012, 1013, 1014]"
    assert demo.printed("ranks-rust").splitlines() == [
        "ranks of control:      [3]",
        "ranks of test:         [1]",
        f"iterations of control: {steps}",
        f"iterations of test:    {steps}",
    ]


def test_the_cards_name_trace_rank_and_iterations(demo):
    for word in ["control", "test", "1009", "1014"]:
        assert word in demo.text("load") + demo.text("ranks-magic")


def test_the_magics_and_the_help_are_shown(demo):
    for name in ["%trace_load", "%compare_traces", "%ops_diff", "%visualize"]:
        assert name in demo.text("methods")
    assert "--control-rank" in demo.text("help")


def test_magic_and_rust_give_the_same_rows(demo):
    assert demo.printed("compare-rust").strip() == "equal to the rows of the magic: true"
    assert len(demo.table("compare-rust")) == 5


def test_the_comparison_shows_the_slow_data_loader_first(demo):
    rows = demo.table("compare-magic")
    names = [row["name"] for row in rows]
    assert "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__" in names[:3]
    for row in rows:
        control, test = changes("CPU").get(row["name"], (row["control_counts"], row["control_counts"]))
        assert (row["control_counts"], row["test_counts"], row["diff_counts"]) == (control, test, test - control)


def test_names_added_and_deleted(demo):
    text = demo.printed("ops-rust")
    assert debug_list(text, "deleted: ") == sorted(deleted("CPU"))
    assert debug_list(text, "added: ") == sorted(added("CPU"))
    groups = {row["name"]: row["group"] for row in demo.table("ops-magic")}
    assert groups == dict.fromkeys(added("CPU"), "added") | dict.fromkeys(deleted("CPU"), "deleted")


def test_every_group_has_its_names_and_size(demo):
    cpu = json.loads(demo.printed("json-cpu"))
    assert list(cpu) == GROUPS
    assert [set(cpu[group]) for group in GROUPS[:4]] == [group("CPU") for group in (added, deleted, increased, decreased)]
    sizes = ", ".join(f"{len(cpu[group])} {group}" for group in GROUPS)
    assert demo.printed("ops-sizes").strip() == sizes


def test_the_gpu_as_json_from_rust_and_from_the_magic(demo):
    gpu = json.loads(demo.printed("json-gpu"))
    assert list(gpu) == GROUPS
    assert [set(gpu[group]) for group in GROUPS[:4]] == [group("GPU") for group in (added, deleted, increased, decreased)]
    assert json.loads((demo.folder / "ops_diff_gpu.json").read_text()) == gpu


def test_the_ten_largest_decreases_and_increases(demo):
    by_change = sorted(changes("CPU").items(), key=lambda item: item[1][1] - item[1][0])
    least, most = by_change[:10], by_change[::-1][:10]
    for cell, expected in [("decrease-magic", least), ("decrease", least), ("increase-magic", most), ("increase", most)]:
        bars = demo.bars(cell)
        assert list(bars) == ["control", "test", "Difference"]
        differences = [test - control for _, (control, test) in expected]
        assert list(bars["Difference"].values()) == differences
        for name, difference in bars["Difference"].items():
            control, test = changes("CPU")[name]
            assert (bars["control"][name], bars["test"][name], difference) == (control, test, test - control)


def test_added_and_deleted_are_plotted_and_listed(demo):
    for cell, expected in [("added", added("CPU")), ("deleted", deleted("CPU"))]:
        assert set(demo.bars(f"{cell}-plot")["Difference"]) == expected
        assert {row["name"] for row in demo.table(f"{cell}-list")} == expected


def test_the_largest_durations_are_the_known_regressions(demo):
    bars = demo.bars("duration")["Difference"]
    assert len(bars) == 10
    assert next(iter(bars)) == "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    assert {"aten::copy_", "cudaMemcpyAsync", "## load_batch ##"} <= set(bars)
    assert not [name for name in bars if name.startswith("ProfilerStep")]
    assert [row["name"] for row in demo.table("duration-rust")] == list(bars)


def test_short_names_of_kernels(demo):
    text = demo.printed("short-rust")
    new, gone = text.split("GPU kernels deleted:")
    assert "    pytorch_flash::flash_fwd_kernel\n" in new
    assert "    Memcpy HtoD (Pageable -> Device)\n" in new
    assert "    ::softmax_warp_forward\n" in gone
    names = [row["name"] if "name" in row else row["short_name"] for row in demo.table("short-magic")]
    assert "at::native::vectorized_elementwise_kernel" in names
    assert not [name for name in names if "<" in name]


def test_figures_of_the_gpu_contain_the_slow_kernel(demo):
    for cell in ["gpu-figure", "gpu-figure-rust"]:
        bars = demo.bars(cell)
        (slow,) = [name for name in bars["Difference"] if "embedding_backward_feature_kernel" in name]
        assert 7.4 < bars["test"][slow] / bars["control"][slow] < 8.7
