"""The log: off by default, one line per request, never in the notebook, without the text of cells."""

import re
import stat

import pytest

from waiting import AT_MOST, wait_until

LINE = re.compile(r"(?P<level>ERROR|WARN|INFO|DEBUG|TRACE) tracebook\S*: (?P<text>.*)")


def logged(path):
    found = [LINE.search(line) for line in path.read_text().splitlines()]
    assert all(found), path.read_text()
    return [(line["level"], line["text"]) for line in found]


def wait_for_log(read, what):
    """Returns the log once it contains all of these texts: a request is logged after its reply."""
    logged = ""

    def complete():
        nonlocal logged
        logged += read()
        return all(part in logged for part in what)

    wait_until(complete, AT_MOST, lambda: logged)
    return logged


def test_nothing_is_logged_unless_asked_for(start, tracebook_argv, tmp_path, capfd):
    log = tmp_path / "log"
    kernel = start(tracebook_argv, env={"TRACEBOOK_LOG": None, "TRACEBOOK_LOG_FILE": str(log)})
    kernel.ok("%trace_list")
    kernel.ask("no_such_request")
    assert log.read_text() == ""
    quiet = start(tracebook_argv, env={"TRACEBOOK_LOG": None, "TRACEBOOK_LOG_FILE": None})
    quiet.ask("no_such_request")
    written = capfd.readouterr()
    assert "no_such_request" not in written.out + written.err


def test_at_debug_a_request_is_one_line_and_no_cell_is_in_it(start, tracebook_argv, tmp_path):
    log = tmp_path / "log"
    kernel = start(tracebook_argv, env={"TRACEBOOK_LOG": "debug", "TRACEBOOK_LOG_FILE": str(log)})
    replies = [
        kernel.run("%trace_list --secret-text").reply,
        kernel.ask("complete_request", {"code": "%trace_secret", "cursor_pos": 13}).reply,
        kernel.ask("kernel_info_request", channel="control").reply,
    ]
    wait_for_log(log.read_text, [reply["parent_header"]["msg_id"] for reply in replies])
    lines = logged(log)
    for reply in replies:
        id, kind = reply["parent_header"]["msg_id"], reply["parent_header"]["msg_type"]
        about = [(level, text) for level, text in lines if id in text]
        assert [level for level, _ in about] == ["DEBUG"], (kind, lines)
        assert re.match(rf"{kind} {re.escape(id)} on \w+: .*\d ms$", about[0][1]), about
    assert "secret" not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_standard_error_has_the_lines_and_the_notebook_has_not(start, tracebook_argv, capfd):
    kernel = start(tracebook_argv, env={"TRACEBOOK_LOG": "debug", "TRACEBOOK_LOG_FILE": None})
    ran = kernel.ok("%trace_list")
    wait_for_log(lambda: capfd.readouterr().err, ["execute_request"])
    assert "execute_request" not in ran.text("stdout") + ran.text("stderr")


def test_unusable_log_settings_are_reported_and_the_kernel_runs(start, tracebook_argv, tmp_path, capfd):
    env = {"TRACEBOOK_LOG": "loud", "TRACEBOOK_LOG_FILE": str(tmp_path / "missing" / "log")}
    start(tracebook_argv, env=env).ok("%trace_list")
    logged = capfd.readouterr().err
    assert 'invalid TRACEBOOK_LOG="loud": expected' in logged and "cannot log to" in logged


@pytest.mark.rust_cells
def test_at_cells_each_step_of_a_rust_cell_is_a_line(start, tracebook_argv, tmp_path):
    log = tmp_path / "log"
    kernel = start(tracebook_argv, env={"TRACEBOOK_LOG": "cells", "TRACEBOOK_LOG_FILE": str(log)})
    kernel.ok("()", timeout=120)
    kernel.ok("let secret_name = 1;", timeout=120)
    kernel.ok("%trace_list")
    kernel.ok("std::thread::sleep(std::time::Duration::from_millis(200)); secret_name + 1", timeout=120)
    wait_for_log(log.read_text, ["cell 4: request to reply"])
    steps = {}
    for level, text in logged(log):
        found = re.fullmatch(r"cell (\d+): (.+?) ([\d.]+) ms(?:, from ([\d.]+) ms)?", text)
        if found:
            assert level == "DEBUG"
            steps.setdefault(int(found[1]), []).append((found[2], float(found[3]), float(found[4] or 0)))
    # The first cell waited for the engine to start.
    assert steps.pop(1) and list(steps) == [2, 4], "a cell without Rust has no steps"
    expected = ["parse", "write", "spawn", "rustc", "link", "load", "run", "drain", "reply", "request to reply"]
    for of_cell in steps.values():
        assert [name for name, *_ in of_cell] == expected, "a let without a type is compiled once"
        assert [since for *_, since in of_cell[:-1]] == sorted(since for *_, since in of_cell[:-1])
        seconds_of = {name: seconds for name, seconds, _ in of_cell}
        assert (
            seconds_of["rustc"] + seconds_of["run"] <= seconds_of["request to reply"]
            and seconds_of["link"] <= seconds_of["rustc"]
        )
    seconds_of = {name: seconds for name, seconds, _ in steps[4]}
    assert 200 <= seconds_of["run"] < seconds_of["request to reply"]
    assert "secret" not in log.read_text()


@pytest.mark.rust_cells
def test_library_that_only_cc_finds_is_linked_by_cc_and_logged(start, tracebook_argv, tmp_path):
    log = tmp_path / "log"
    kernel = start(tracebook_argv, env={"TRACEBOOK_LOG": "warn", "TRACEBOOK_LOG_FILE": str(log)})
    # Only cc knows the folder of the C++ library.
    linked = '#[link(name = "stdc++")] unsafe extern "C" { fn __cxa_get_globals() -> *mut u8; }\nlet globals = unsafe { __cxa_get_globals() } as usize; globals > 0'
    assert kernel.ok(linked, timeout=120).one("execute_result")["data"]["text/plain"] == "true"
    assert kernel.ok("1 + 1", timeout=120).one("execute_result")["data"]["text/plain"] == "2"
    assert log.read_text().count("cells are linked by cc from now on") == 1
