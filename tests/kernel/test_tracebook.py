"""The kernel as users get it: first what needs no compiler, then Rust cells."""

import os
import signal

import pytest

from processes import assert_gone, children, end, run_folders
from test_streams import assert_few, streams


def test_magics_run_before_and_without_a_compiler(start, tracebook_argv):
    nowhere = dict.fromkeys(["PATH", "CARGO_HOME", "RUSTUP_HOME"], "/nonexistent")
    kernel = start(tracebook_argv, env=nowhere)
    assert "display_data" in kernel.ok("%lsmagic").kinds
    ran = kernel.run("1 + 1")
    assert (ran.kinds, ran.content["ename"]) == (["error"], "RustUnavailable")
    kernel.ok("%trace_list")


@pytest.mark.rust_cells
def test_kernel_info_is_answered_before_the_first_rust_cell(tracebook):
    cell = tracebook.begin("1 + 1")
    info = tracebook.send("kernel_info_request")
    replies = [tracebook.client.get_shell_msg(timeout=120)["parent_header"]["msg_id"] for _ in range(2)]
    assert replies == [info, cell]


def test_unknown_magic_is_one_usage_error(tracebook):
    ran = tracebook.run("%trace_lod")
    assert (ran.kinds, ran.content["ename"]) == (["error"], "UsageError")
    assert "%trace_load" in ran.content["evalue"]
    assert 0 < len(ran.content["traceback"]) <= 6


def test_help_is_paged(tracebook):
    ran = tracebook.ok("%trace_load?")
    (page,) = ran.content["payload"]
    assert "trace_load" in page["data"]["text/plain"]
    assert ran.kinds == []


def test_magics_are_completed_and_explained(tracebook):
    content = tracebook.ask("complete_request", {"code": "é = %trace_li", "cursor_pos": 13}).content
    assert content["matches"] == ["%trace_list"]
    assert (content["cursor_start"], content["cursor_end"]) == (4, 13)
    content = tracebook.ask("inspect_request", {"code": "%trace_load x", "cursor_pos": 4, "detail_level": 0}).content
    assert content["found"] and "trace_load" in content["data"]["text/plain"]


def events(path):
    """A trace of one operator and two kernels, the arguments of one of them unusual."""
    import json

    def event(cat, name, ts, dur, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}

    listed = [
        event("cpu_op", "aten::mm", 0, 50, **{"Sequence number": 7}),
        event("kernel", "gemm", 60, 200, stream=7, correlation=1, **{"est. achieved occupancy %": 40, "mine": 1.5}),
        event("kernel", "ncclDevKernel_AllReduce", 300, 80, stream=20, correlation=2),
    ]
    path.write_text(json.dumps({"distributedInfo": {"rank": 0}, "traceEvents": listed}))
    return path


def shown(ran):
    return "\n".join(message["content"]["data"]["text/plain"] for message in ran.outputs if "data" in message["content"])


def test_arguments_become_columns_and_conditions_choose_events(tracebook, tmp_path):
    path = events(tmp_path / "t.json")
    tracebook.ok(f"%trace_load {path} --args all --quiet")
    memory = shown(tracebook.ok("%trace_info t --memory"))
    assert all(column in memory for column in ["est_occupancy", "mine", "sequence"]), memory
    assert "cpu_op::sequence_number" in shown(tracebook.ok("%parser_args"))
    table = shown(tracebook.ok("%gpu_kernel_breakdown t --no-figure --where 'est_occupancy >= 40 and dur > 100us'"))
    assert "gemm" in table and "nccl" not in table, table
    table = shown(tracebook.ok("%compare_traces t t --where 'name ~ \"^nccl\" and stream in 7,20'"))
    assert "ncclDevKernel_AllReduce" in table and "gemm" not in table, table
    ran = tracebook.run("%gpu_kernel_breakdown t --where 'dur > 100us and strm == 7'")
    assert ran.content["traceback"][1:] == ["  dur > 100us and strm == 7", "                  ^^^^"]
    content = tracebook.ask("complete_request", {"code": "%trace_load t --args sm::", "cursor_pos": 25}).content
    assert content["matches"] == ["sm::blocks", "sm::occupancy", "sm::warps", "sm::occupancy_limits"]
    content = tracebook.ask("complete_request", {"code": "%ops_diff t t --where 'dur > 1us and str", "cursor_pos": 40}).content
    assert content["matches"] == ["stream"]


def test_interrupt_while_idle_loses_nothing(tracebook):
    tracebook.interrupt()
    assert tracebook.ok("%trace_list").status == "ok"


def test_shutdown_right_after_the_start_leaves_nothing(start, tracebook_argv, tmp_path):
    kernel = start(tracebook_argv, env={"TMPDIR": str(tmp_path)})
    below = children(kernel.pid)
    end(kernel)
    assert_gone(below)
    assert run_folders(tmp_path) == []


def test_a_folder_of_another_run_is_left_alone(start, tracebook_argv, tmp_path):
    """The environment of a kernel that was started from a cell of another kernel."""
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    foreign.joinpath("kept").write_text("kept")
    inherited = {"TRACEBOOK_RUN_FOLDER": str(foreign), "TRACEBOOK_RUN_PROCESS": "1"}
    kernel = start(tracebook_argv, env=inherited)
    kernel.ok("%lsmagic")
    end(kernel)
    assert [file.name for file in foreign.iterdir()] == ["kept"]


# Rust cells

rust = pytest.mark.rust_cells
LONG = 180


@rust
def test_value_text_and_error_of_a_cell(tracebook):
    ran = tracebook.ok('println!("a"); eprintln!("b"); 1 + 1', timeout=LONG)
    assert (ran.text(), ran.text("stderr")) == ("a\n", "b\n")
    assert ran.one("execute_result")["data"]["text/plain"] == "2"
    ran = tracebook.run('let x: i32 = "no"; let y: i32 = "no";')
    assert ran.kinds == ["error"], "one error, however many the compiler found"
    assert ran.content["traceback"] == ran.one("error")["traceback"] != []


@rust
def test_panic_is_an_error_and_aborts_the_queue(tracebook):
    tracebook.ok("let kept = 7;", timeout=LONG)
    first = tracebook.client.execute('panic!("on purpose")')
    second = tracebook.client.execute("kept")
    ran = tracebook.finish(first)
    assert (ran.status, ran.kinds) == ("error", ["error"])
    assert "on purpose" in ran.content["evalue"]
    assert tracebook.recv_reply(second)["content"]["status"] == "aborted"
    assert tracebook.ok("kept").one("execute_result")["data"]["text/plain"] == "7"


@rust
def test_text_without_a_line_end_is_not_lost(tracebook):
    assert tracebook.ok('print!("no end")', timeout=LONG).text() == "no end"


@rust
def test_invalid_utf8_does_no_harm(tracebook):
    ran = tracebook.ok('use std::io::Write; std::io::stdout().write_all(b"a\\xff\\xfeb\\n").unwrap();', timeout=LONG)
    assert ran.text().startswith("a") and ran.text().endswith("b\n")
    assert tracebook.ok('println!("after")').text() == "after\n"


@rust
def test_ten_megabytes_are_complete(tracebook):
    ran = tracebook.ok('for n in 0..160_000 { println!("{n:062}"); }', timeout=LONG)
    assert len(ran.text()) == 160_000 * 63
    assert_few(streams(ran.outputs))


@rust
def test_variables_are_completed_and_explained(tracebook):
    tracebook.ok("let a_number = 5i32;", timeout=LONG)
    assert tracebook.ask("complete_request", {"code": "a_num", "cursor_pos": 5}).content["matches"] == ["a_number"]
    content = tracebook.ask("inspect_request", {"code": "a_number", "cursor_pos": 2, "detail_level": 0}).content
    assert "i32" in content["data"]["text/plain"]


@rust
def test_expressions_are_evaluated(tracebook):
    ran = tracebook.ok("let x = 20;", user_expressions={"twice": "x * 2", "bad": "no_such"}, timeout=LONG)
    answers = ran.content["user_expressions"]
    assert answers["twice"]["data"]["text/plain"] == "40"
    assert answers["bad"]["status"] == "error"


@rust
def test_interrupt_of_a_cell_ends_it_and_says_what_was_lost(tracebook):
    tracebook.ok("let kept = 7;", timeout=LONG)
    msg_id = tracebook.begin('println!("begun"); loop {}', printed="begun", timeout=LONG)
    tracebook.interrupt()
    ran = tracebook.finish(msg_id)
    assert ran.content["ename"] == "KeyboardInterrupt"
    assert tracebook.ok("1 + 1", timeout=LONG).one("execute_result")["data"]["text/plain"] == "2"


@rust
@pytest.mark.parametrize(
    "code", [None, 'println!("begun"); loop {}', 'loop { println!("begun"); }'], ids=["idle", "loop", "output"]
)
def test_shutdown_leaves_no_process_and_no_file(start, tracebook_argv, tmp_path, code):
    kernel = start(tracebook_argv, env={"TMPDIR": str(tmp_path)})
    kernel.ok("1", timeout=LONG)
    if code:
        kernel.begin(code, printed="begun", timeout=LONG)
    below = children(kernel.pid)
    assert below, "the process for Rust cells runs"
    end(kernel)
    assert_gone(below)
    assert run_folders(tmp_path) == []


@rust
@pytest.mark.parametrize("code", [None, 'println!("begun"); loop {}'], ids=["idle", "loop"])
def test_killed_kernel_leaves_no_process(tracebook, code):
    tracebook.ok("1", timeout=LONG)
    if code:
        tracebook.begin(code, printed="begun", timeout=LONG)
    below = children(tracebook.pid)
    assert below, "the process for Rust cells runs"
    os.kill(tracebook.pid, signal.SIGKILL)
    assert_gone(below)
