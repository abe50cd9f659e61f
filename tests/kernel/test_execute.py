"""execute_request: counts, silence, errors, aborts, payloads, outputs and their order."""

import datetime

import pytest


def test_outputs_are_between_busy_and_idle_with_the_parent(echo):
    ran = echo.ok("println a\nresult b\ndisplay c\nupdate d\nclear\neprintln e")
    assert ran.kinds == ["stream", "execute_result", "display_data", "update_display_data", "clear_output", "stream"]
    assert ran.one("execute_input") == {
        "code": "println a\nresult b\ndisplay c\nupdate d\nclear\neprintln e",
        "execution_count": 1,
    }
    result = ran.one("execute_result")
    assert result == {"data": {"text/plain": "b"}, "metadata": {}, "execution_count": 1}
    assert ran.one("display_data")["transient"] == {"display_id": "an-id"}
    assert ran.one("update_display_data")["data"] == {"text/plain": "d"}
    assert (ran.text(), ran.text("stderr")) == ("a\n", "e\n")


def test_reply_comes_before_idle_and_has_all_fields(echo):
    content = echo.ok("println a").content
    assert content == {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}


def test_reply_says_when_the_cell_ran_and_how_long(echo):
    before = datetime.datetime.now(datetime.UTC)
    for cell in ("sleep 150", "sleep 150\nfail"):
        metadata = echo.run(cell).reply["metadata"]
        after = datetime.datetime.now(datetime.UTC)
        started = metadata["started"]
        if isinstance(started, str):
            started = datetime.datetime.fromisoformat(started)
        assert before <= started <= after
        assert 0.15 <= metadata["duration"] <= (after - started).total_seconds()


def test_counts_start_at_one_and_count_history_only(echo):
    assert echo.ok("println 1").content["execution_count"] == 1
    assert echo.ok("println 2", silent=True).content["execution_count"] == 1
    assert echo.ok("println 3", store_history=False).content["execution_count"] == 1
    assert echo.ok("").content["execution_count"] == 1
    assert echo.run("fail").content["execution_count"] == 2
    assert echo.ok("// a comment").content["execution_count"] == 3


def test_silent_shows_nothing(echo):
    ran = echo.ok("println a\nresult b\ndisplay c", silent=True)
    assert ran.outputs == []
    failed = echo.run("fail quietly", silent=True)
    assert (failed.status, failed.outputs) == ("error", [])


def test_error_is_one_message_and_the_same_fields_in_the_reply(echo):
    ran = echo.run("println before\nfail on purpose\nprintln never")
    assert ran.kinds == ["stream", "error"]
    error = {"ename": "EchoError", "evalue": "on purpose", "traceback": ["EchoError: on purpose"]}
    assert ran.one("error") == error
    assert ran.content == {**error, "status": "error", "execution_count": 1, "payload": [], "user_expressions": {}}


def test_defect_ends_the_cell_and_not_the_kernel(echo):
    ran = echo.run("panic oh no")
    assert (ran.kinds, ran.content["ename"]) == (["error"], "InternalError")
    assert "oh no" in ran.content["evalue"]
    assert echo.ok("println fine").text() == "fine\n"


def replies(kernel, ids):
    return [kernel.recv_reply(msg_id)["content"]["status"] for msg_id in ids]


@pytest.mark.parametrize("cell", ["sleep 200\nfail", "fail"], ids=["slow", "at once"])
def test_cells_behind_an_error_are_aborted(echo, cell):
    first = echo.client.execute(cell)
    queued = [echo.client.execute(f"println {n}") for n in range(5)]
    assert replies(echo, [first, *queued]) == ["error", *["aborted"] * 5]
    for msg_id in queued:
        assert echo.recv_until_idle(msg_id) == [], "an aborted cell shows nothing"
    after = echo.ok("println after")
    assert (after.text(), after.content["execution_count"]) == ("after\n", 2)


def test_cells_behind_an_error_run_if_asked_to(echo):
    ids = [echo.client.execute("sleep 100\nfail", stop_on_error=False), echo.client.execute("println a")]
    assert replies(echo, ids) == ["error", "ok"]


def test_cell_sent_after_the_error_was_seen_runs(echo):
    for _ in range(20):
        assert echo.run("fail").status == "error"
        assert echo.ok("println a").text() == "a\n"


def test_requests_that_are_no_cells_are_not_aborted(echo):
    first = echo.client.execute("sleep 200\nfail")
    info = echo.send("comm_info_request")
    assert echo.recv_reply(info)["content"]["status"] == "ok"
    assert echo.recv_reply(first)["content"]["status"] == "error"


def test_cells_run_in_order(echo):
    ids = [echo.client.execute(f"result {n}") for n in range(200)]
    ran = [echo.finish(msg_id) for msg_id in ids]
    assert [r.one("execute_result")["data"]["text/plain"] for r in ran] == [str(n) for n in range(200)]
    assert [r.content["execution_count"] for r in ran] == list(range(1, 201))


def test_thousand_rapid_executions(echo):
    ids = [echo.client.execute("") for _ in range(1000)]
    assert replies(echo, ids) == ["ok"] * 1000


def test_user_expressions_are_values_or_errors_of_their_own(echo):
    ran = echo.ok("println a", user_expressions={"good": "result 42", "bad": "fail here"})
    good, bad = (ran.content["user_expressions"][name] for name in ("good", "bad"))
    assert good == {"status": "ok", "data": {"text/plain": "42"}, "metadata": {}}
    assert (bad["status"], bad["ename"], bad["evalue"]) == ("error", "EchoError", "here")
    assert ran.kinds == ["stream"], "expressions show nothing"


def test_help_is_a_page_in_the_payload(echo):
    ran = echo.ok("%lsmagic?")
    (page,) = ran.content["payload"]
    assert page["source"] == "page" and page["start"] == 0 and page["data"]["text/plain"]
    assert ran.kinds == []


def test_magics_and_cells_mix_in_order(echo):
    ran = echo.ok("println a\n%lsmagic\nprintln b")
    assert ran.kinds == ["stream", "display_data", "stream"]


def test_parent_header_travels_with_the_execution(echo):
    first = echo.client.execute("later 400")
    assert echo.finish(first).status == "ok"
    second = echo.begin("input go?", allow_stdin=True)
    echo.wait_for(first, lambda messages: messages)
    echo.client.input("")
    assert echo.finish(second).text() == "", "the text belongs to the first cell"


def test_text_of_a_thread_after_its_cell_has_the_cell_as_parent(echo):
    first = echo.client.execute("later 300")
    assert echo.finish(first).status == "ok"
    (message,) = echo.wait_for(first, lambda messages: messages)
    assert message["content"]["text"] == "later"


def test_other_requests_are_answered_while_a_cell_runs(echo):
    busy = echo.begin("hang 600000")
    for kind, content in {
        "kernel_info_request": {},
        "complete_request": {"code": "%ls", "cursor_pos": 3},
        "inspect_request": {"code": "%lsmagic", "cursor_pos": 3, "detail_level": 0},
        "is_complete_request": {"code": "1"},
        "history_request": {"hist_access_type": "tail", "n": 1, "output": False, "raw": True},
        "comm_info_request": {},
    }.items():
        assert echo.ask(kind, content).status in ("ok", "complete")
    assert not echo.has_replied(busy)
