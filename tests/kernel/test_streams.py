"""Printed text: complete, in time, in few messages."""

import time

import zmq

MEGABYTE = 1 << 20


def streams(ran):
    return [message for message in ran.outputs if message["msg_type"] == "stream"]


def test_text_without_a_line_end_arrives_in_time(echo):
    msg_id = echo.client.execute("print a\nsleep 100\nprint b\nsleep 2000")
    started, text = time.monotonic(), ""
    while text != "ab":
        message = echo.client.get_iopub_msg(timeout=1)
        text += message["content"]["text"] if message["msg_type"] == "stream" else ""
    assert time.monotonic() - started < 1
    assert echo.recv_reply(msg_id)["content"]["status"] == "ok"


def test_ten_megabytes_in_lines_are_few_messages_and_complete(echo):
    count = 10 * MEGABYTE // 63
    ran = echo.ok(f"lines {count}", timeout=60)
    assert ran.text() == "".join(f"{n:062}\n" for n in range(count))
    assert len(streams(ran)) <= 20 * (ran.seconds + 1), f"{len(streams(ran))} messages in {ran.seconds:.1f} s"


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
    (line,) = [line for line in open(f"/proc/{kernel.pid}/status") if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def test_client_that_stops_reading_costs_bounded_memory_and_no_status(echo):
    deaf = echo.raw("iopub", zmq.SUB)
    deaf.rcvhwm = 1
    deaf.subscribe(b"")
    echo.ok("println heard")
    shown = [len(echo.ok(f"bytes {50 * MEGABYTE}", timeout=60).text()) for _ in range(12)]
    assert resident(echo) < 450 * MEGABYTE
    assert shown[:4] == [50 * MEGABYTE] * 4 and shown[-1] == 0, "what is too much for one is dropped for all"
    assert echo.ok("println fine").text() == "fine\n", "small outputs are not"
    deaf.close()
    deadline = time.monotonic() + 20
    while len(echo.ok(f"bytes {MEGABYTE}").text()) != MEGABYTE:
        assert time.monotonic() < deadline, "nobody is left who does not read"
        time.sleep(0.2)


def test_many_displays_are_not_lost_and_not_faster_than_jupyter_takes_them(echo):
    ran = echo.ok("displays 3000", timeout=30)
    displays = (message["content"] for message in ran.outputs if message["msg_type"] == "display_data")
    assert [content["data"]["text/plain"] for content in displays] == [str(n) for n in range(3000)]
    assert 3000 / ran.seconds < 1200, f"{3000 / ran.seconds:.0f} a second"
