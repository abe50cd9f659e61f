"""kernel_info, completion, inspection, is_complete, history, comms."""

import pytest

from processes import end


def test_kernel_info_is_complete(echo):
    content = echo.ask("kernel_info_request").content
    assert content["status"] == "ok"
    assert content["protocol_version"] == "5.5"
    assert content["implementation"] == "tracebook" and content["implementation_version"] and content["banner"]
    language = content["language_info"]
    assert (language["name"], language["file_extension"], language["mimetype"]) == ("rust", ".rs", "text/x-rust")
    assert language["pygments_lexer"] == language["codemirror_mode"] == "rust"
    assert language["version"].startswith("1.")
    assert all(link["text"] and link["url"].startswith("https://") for link in content["help_links"])
    assert content["supported_features"] == ["iopub_welcome"]
    assert content["debugger"] is False


def test_comms(echo):
    assert echo.ask("comm_info_request").content == {"status": "ok", "comms": {}}
    assert echo.ask("comm_info_request", {"target_name": "jupyter.widget"}).content["comms"] == {}
    opened = echo.send("comm_open", {"comm_id": "c1", "target_name": "jupyter.widget", "data": {}})
    (close,) = echo.recv_until_idle(opened)
    assert (close["msg_type"], close["content"]["comm_id"]) == ("comm_close", "c1")
    assert close["content"]["data"]["error"]["ename"] == "UnknownTarget"
    assert echo.recv_until_idle(echo.send("comm_close", {"comm_id": "c1", "data": {}})) == []


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("1 + 1", "complete"),
        ("", "complete"),
        ("%lsmagic", "complete"),
        ("fn f() {", "incomplete"),
        ('let s = "a', "incomplete"),
        ("f(1]", "invalid"),
        ("let = 7q;", "invalid"),
        ("let x = = 3;", "invalid"),
        ("struct", "incomplete"),
        ("if", "incomplete"),
        ("%lsmagic\nlet x =", "incomplete"),
        ("let x = = 3;\n%lsmagic", "invalid"),
        ("%%opt\nlet x = = 3;", "invalid"),
        ("%%opt\n1 + 1", "complete"),
        ("let x = %compare_traces (", "complete"),
        ("%%trace_sql\nSELECT name", "incomplete"),
        ("%%trace_sql\nSELECT name\nFROM kernels\n", "complete"),
        ("%%trace_sql\nSELECT name FROM kernels;", "complete"),
    ],
)
def test_is_complete(echo, code, status):
    content = echo.ask("is_complete_request", {"code": code}).content
    assert content["status"] == status
    assert status != "incomplete" or isinstance(content["indent"], str)


def complete(kernel, code, cursor=None):
    return kernel.ask("complete_request", {"code": code, "cursor_pos": len(code) if cursor is None else cursor}).content


def test_completion_counts_code_points(echo):
    echo.ok("println a")
    content = complete(echo, '"𝒳é"; éch')
    assert (content["status"], content["matches"]) == ("ok", ["échelle"])
    assert (content["cursor_start"], content["cursor_end"]) == (6, 9)
    assert content["metadata"]["_jupyter_types_experimental"][0]["text"] == "échelle"
    assert complete(echo, "zzz")["matches"] == []


def test_completion_without_a_cursor_is_at_the_end(echo):
    echo.ok("println a")
    assert echo.ask("complete_request", {"code": "éch"}).content["matches"] == ["échelle"]


def test_inspection(echo):
    echo.ok("println a")
    content = echo.ask("inspect_request", {"code": "échelle", "cursor_pos": 3, "detail_level": 0}).content
    assert (content["found"], content["data"]) == (True, {"text/plain": "échelle: i32"})
    missing = echo.ask("inspect_request", {"code": "zzz", "cursor_pos": 1, "detail_level": 0}).content
    assert missing == {"status": "ok", "found": False, "data": {}, "metadata": {}}


def history(kernel, **content):
    content = {"output": False, "raw": True, **content}
    return kernel.ask("history_request", content).content["history"]


def test_history(echo):
    for code in ("result 1", "println b", "result 1"):
        echo.ok(code)
    echo.ok("println hidden", store_history=False)
    echo.ok("println hidden", silent=True)
    echo.run("fail")
    assert history(echo, hist_access_type="tail", n=2) == [[1, 3, "result 1"], [1, 4, "fail"]]
    assert history(echo, hist_access_type="range", session=0, start=2, stop=3) == [[1, 2, "println b"]]
    assert history(echo, hist_access_type="search", pattern="result*", unique=True) == [[1, 3, "result 1"]]
    assert history(echo, hist_access_type="tail", n=4, output=True)[:2] == [
        [1, 1, ["result 1", "1"]],
        [1, 2, ["println b", None]],
    ]


def test_history_of_earlier_sessions(start, echo_argv, tmp_path):
    env = {"XDG_STATE_HOME": str(tmp_path / "shared state")}
    first = start(echo_argv, env=env)
    first.ok("println a")
    first.ok("result 1")
    end(first)
    second = start(echo_argv, env=env)
    second.ok("println b")
    assert history(second, hist_access_type="tail", n=2) == [[1, 2, "result 1"], [2, 1, "println b"]]
    assert history(second, hist_access_type="range", session=-1, start=1, stop=2) == [[1, 1, "println a"]]
    assert history(second, hist_access_type="range", session=0, start=0) == [[2, 1, "println b"]]
    assert history(second, hist_access_type="search", pattern="println*") == [[1, 1, "println a"], [2, 1, "println b"]]
    second.restart()
    assert history(second, hist_access_type="tail", n=1) == [[2, 1, "println b"]]
    (file,) = (tmp_path / "shared state").rglob("*.jsonl")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_two_kernels_share_the_file_and_not_their_numbers(start, echo_argv, tmp_path):
    env = {"XDG_STATE_HOME": str(tmp_path / "shared state")}
    one, two = start(echo_argv, env=env), start(echo_argv, env=env)
    for kernel, code in ((two, "println b"), (one, "println a")):
        kernel.ok(code)
    after = start(echo_argv, env=env)
    assert history(after, hist_access_type="tail", n=9) == [[1, 1, "println a"], [2, 1, "println b"]]


@pytest.mark.parametrize("env", [{"TRACEBOOK_HISTORY": "off"}, {"XDG_STATE_HOME": "/proc/nowhere"}], ids=["off", "not writable"])
def test_without_a_file_history_lasts_for_the_session(start, echo_argv, tmp_path, env):
    kernel = start(echo_argv, env=env)
    kernel.ok("println a")
    assert history(kernel, hist_access_type="tail", n=2) == [[1, 1, "println a"]]
    assert list(tmp_path.rglob("*.jsonl")) == []
