"""Input: requested on the stdin channel, only if the front end allows it."""

import pytest

from driver import TIMEOUT


def ask(kernel, code="input name? "):
    msg_id = kernel.client.execute(code, allow_stdin=True)
    question = kernel.client.get_stdin_msg(timeout=TIMEOUT)
    assert question["msg_type"] == "input_request"
    assert question["parent_header"]["msg_id"] == msg_id
    return msg_id, question["content"]


@pytest.mark.parametrize("answer", ["", "Ada", "naïve 𝒳 \U0001f980", "x" * 100_000])
def test_input_round_trip(echo, answer):
    msg_id, question = ask(echo)
    assert question == {"prompt": "name? ".strip(), "password": False}
    echo.client.input(answer)
    assert echo.finish(msg_id).text() == answer


def test_password(echo):
    msg_id, question = ask(echo, "input password")
    assert question["password"] is True
    echo.client.input("secret")
    assert echo.finish(msg_id).status == "ok"


def test_input_that_is_not_allowed_is_an_error(echo):
    ran = echo.run("input name?", allow_stdin=False)
    assert ran.content["ename"] == "StdinNotImplementedError"


def test_interrupt_while_waiting_for_input(echo):
    msg_id, _ = ask(echo)
    echo.interrupt()
    ran = echo.finish(msg_id)
    assert (ran.status, ran.content["ename"]) == ("error", "KeyboardInterrupt")


def test_late_answer_is_not_taken_for_the_next_question(echo):
    msg_id, _ = ask(echo)
    echo.interrupt()
    assert echo.recv_reply(msg_id)["content"]["status"] == "error"
    echo.client.input("late")
    # The kernel has it when it has answered what was sent later.
    for channel in ("control", "shell"):
        echo.ask("kernel_info_request", channel=channel)
    msg_id, _ = ask(echo)
    echo.client.input("right")
    assert echo.finish(msg_id).text() == "right"
