"""Printed text: complete, prompt, in few messages."""

import json
import time
from pathlib import Path

import zmq

from waiting import AT_MOST, wait_until

MEGABYTE = 1 << 20


def streams(messages):
    return [message for message in messages if message["msg_type"] == "stream"]


def seconds_of(messages):
    """The seconds from the first of some messages to the last, by the dates that the kernel gave them."""
    dates = [message["header"]["date"] for message in messages]
    return (dates[-1] - dates[0]).total_seconds()


def test_text_without_a_line_end_arrives_while_the_cell_runs(echo):
    msg_id = echo.client.execute("print a\nsleep 100\nprint b\nsleep 600000")
    echo.wait_for(msg_id, lambda messages: "".join(m["content"]["text"] for m in streams(messages)) == "ab")
    echo.interrupt()
    assert echo.finish(msg_id).content["ename"] == "KeyboardInterrupt"


def test_ten_megabytes_in_lines_are_few_messages_and_complete(echo):
    count = 10 * MEGABYTE // 63
    ran = echo.ok(f"lines {count}", timeout=60)
    assert ran.text() == "".join(f"{n:062}\n" for n in range(count))
    assert_few(streams(ran.outputs))


def assert_few(messages):
    """Asserts at most 20 messages a second."""
    assert len(messages) <= 20 * (seconds_of(messages) + 1), f"{len(messages)} messages in {seconds_of(messages):.1f} s"


def test_ten_megabytes_in_one_line_are_complete(echo):
    ran = echo.ok(f"bytes {10 * MEGABYTE}", timeout=60)
    assert ran.text() == "x" * 10 * MEGABYTE


def test_hundred_megabyte_result(echo):
    ran = echo.ok(f"bytes {100 * MEGABYTE}", timeout=120)
    assert len(ran.text()) == 100 * MEGABYTE


def test_streams_keep_their_order(echo):
    ran = echo.ok("println a\neprintln b\nprintln c\nresult d\nprintln e")
    seen = [message["content"].get("text") or message["msg_type"] for message in ran.outputs[1:]]
    assert seen == ["a\n", "b\n", "c\n", "execute_result", "e\n"]


def test_text_is_sent_before_idle(echo):
    for n in range(50):
        assert echo.ok(f"println {n}").text() == f"{n}\n"


def resident(kernel):
    """The memory of the kernel's process, in bytes."""
    (line,) = [line for line in Path(f"/proc/{kernel.pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def test_client_that_stops_reading_costs_other_clients_no_output(echo):
    deaf = echo.raw("iopub", zmq.SUB)
    deaf.rcvhwm = 1
    deaf.subscribe(b"")
    echo.ok("println heard")
    for count in range(14):
        ran = echo.ok(f"bytes {50 * MEGABYTE}", timeout=60)
        assert len(ran.text()) == 50 * MEGABYTE, f"output {count}"
    assert resident(echo) < 450 * MEGABYTE
    # It gets the messages that waited for it, and then all new ones.
    deaf.rcvhwm, last = 1000, b""

    def welcomed_back():
        nonlocal last
        if not deaf.poll(200):
            echo.ok("println welcome back")
        last = deaf.recv_multipart()[-1] if deaf.poll(200) else b""
        return b"welcome back" in last

    wait_until(welcomed_back, AT_MOST, "it gets no new message")
    assert len(echo.ok(f"bytes {MEGABYTE}").text()) == MEGABYTE
    while len(last) <= MEGABYTE:
        last = deaf.recv_multipart()[-1]


def test_slow_client_slows_the_cell_down_and_loses_nothing(echo):
    slow = echo.raw("iopub", zmq.SUB)
    slow.rcvhwm = 1
    slow.subscribe(b"")
    slow.recv_multipart()
    msg_id = echo.client.execute(f"bytes {200 * MEGABYTE}")
    size, state = 0, ""
    while state != "idle":
        parts = slow.recv_multipart()
        # A slow reader is what is tested.
        time.sleep(0.05)
        content = json.loads(parts[-1])
        size += len(content.get("text", ""))
        state = content.get("execution_state", state)
    assert size == 200 * MEGABYTE
    assert len(echo.finish(msg_id, timeout=60).text()) == 200 * MEGABYTE


def test_many_displays_are_complete_and_below_jupyters_rate_limit(echo):
    ran = echo.ok("displays 3000", timeout=60)
    displays = [message for message in ran.outputs if message["msg_type"] == "display_data"]
    assert [message["content"]["data"]["text/plain"] for message in displays] == [str(n) for n in range(3000)]
    assert 3000 / seconds_of(displays) < 1200, f"{3000 / seconds_of(displays):.0f} a second"
