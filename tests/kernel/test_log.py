"""The log: off unless asked for, one line per request, never in the notebook, and nothing of what stands in cells."""

import re
import stat
import time

LINE = re.compile(r"(?P<level>ERROR|WARN|INFO|DEBUG|TRACE) tracebook\S*: (?P<text>.*)")


def logged(path):
    found = [LINE.search(line) for line in path.read_text().splitlines()]
    assert all(found), path.read_text()
    return [(line["level"], line["text"]) for line in found]


def until_told(read, what):
    """What is read when all of this stands in it: of a request is told after it has been answered."""
    deadline, said = time.monotonic() + 10, ""
    while not all(part in said for part in what):
        assert time.monotonic() < deadline, said
        said += read()
    return said


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
    asked = [
        kernel.run("%trace_list --secret-text").reply,
        kernel.ask("complete_request", {"code": "%trace_secret", "cursor_pos": 13}).reply,
        kernel.ask("kernel_info_request", channel="control").reply,
    ]
    until_told(log.read_text, [reply["parent_header"]["msg_id"] for reply in asked])
    lines = logged(log)
    for reply in asked:
        id, kind = reply["parent_header"]["msg_id"], reply["parent_header"]["msg_type"]
        about = [(level, text) for level, text in lines if id in text]
        assert [level for level, _ in about] == ["DEBUG"], (kind, lines)
        assert re.match(rf"{kind} {re.escape(id)} on \w+: .*\d ms$", about[0][1]), about
    assert "secret" not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_standard_error_has_the_lines_and_the_notebook_has_not(start, tracebook_argv, capfd):
    kernel = start(tracebook_argv, env={"TRACEBOOK_LOG": "debug", "TRACEBOOK_LOG_FILE": None})
    ran = kernel.ok("%trace_list")
    until_told(lambda: capfd.readouterr().err, ["execute_request"])
    assert "execute_request" not in ran.text("stdout") + ran.text("stderr")


def test_a_level_or_a_file_that_cannot_be_used_is_said_and_the_kernel_runs(start, tracebook_argv, tmp_path, capfd):
    env = {"TRACEBOOK_LOG": "loud", "TRACEBOOK_LOG_FILE": str(tmp_path / "missing" / "log")}
    start(tracebook_argv, env=env).ok("%trace_list")
    said = capfd.readouterr().err
    assert 'TRACEBOOK_LOG="loud" is no level' in said and "cannot log to" in said
