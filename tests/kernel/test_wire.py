"""Sockets, signatures, frames, heartbeat: no message may end the kernel."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import zmq
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.session import Session

from driver import TIMEOUT, Kernel
from processes import end

DELIMITER = b"<IDS|MSG>"


def header(kind="kernel_info_request", **fields):
    return {
        "msg_id": "raw",
        "session": "s",
        "username": "u",
        "date": "2026-01-01T00:00:00Z",
        "msg_type": kind,
        "version": "5.4",
        **fields,
    }


def signed(kernel, frames):
    """The four frames as a message with a valid signature."""
    return [DELIMITER, kernel.client.session.sign(frames), *frames]


def frames(kind="kernel_info_request", content=None):
    return [json.dumps(part).encode() for part in (header(kind), {}, {}, content or {})]


def assert_alive(kernel):
    assert kernel.ask("kernel_info_request").status == "ok"
    assert kernel.ask("kernel_info_request", channel="control").status == "ok"
    assert kernel.ok("println still here").text() == "still here\n"


def later(kernel):
    """A request whose answer shows that everything sent before it has been read."""
    return signed(kernel, [json.dumps(header(msg_id="later")).encode(), *frames()[1:]])


def assert_not_answered(kernel, raw, message):
    raw.send_multipart(message)
    raw.send_multipart(later(kernel))
    assert json.loads(raw.recv_multipart()[3])["msg_id"] == "later"


def test_rightly_signed_raw_message_is_answered(echo):
    raw = echo.raw()
    raw.send_multipart(signed(echo, frames()))
    reply = raw.recv_multipart()
    assert reply[0] == DELIMITER
    assert reply[1] == echo.client.session.sign(reply[2:6])
    assert json.loads(reply[2])["msg_type"] == "kernel_info_reply"
    assert json.loads(reply[3]) == header(), "the parent header is returned unchanged"


@pytest.mark.parametrize("signature", [b"", b"0" * 64, b"not hex", b"\xff" * 64])
@pytest.mark.parametrize("channel", ["shell", "control"])
def test_wrong_signature_is_ignored(echo, channel, signature):
    assert_not_answered(echo, echo.raw(channel), [DELIMITER, signature, *frames()])
    assert_alive(echo)


def test_signature_of_another_message_is_ignored(echo):
    message = signed(echo, frames())
    assert_not_answered(echo, echo.raw(), [*message[:-1], b'{"code": "println forged"}'])


MALFORMED = {
    "one_frame": lambda k: [b"hello"],
    "empty_frame": lambda k: [b""],
    "delimiter_only": lambda k: [DELIMITER],
    "no_delimiter": lambda k: [b"a", b"b", b"c", b"d", b"e", b"f"],
    "two_delimiters": lambda k: [DELIMITER, DELIMITER, b"", b"{}", b"{}", b"{}", b"{}"],
    "missing_content": lambda k: signed(k, frames())[:-1],
    "header_not_json": lambda k: signed(k, [b"nope", b"{}", b"{}", b"{}"]),
    "header_a_list": lambda k: signed(k, [b"[]", b"{}", b"{}", b"{}"]),
    "header_empty": lambda k: signed(k, [b"{}", b"{}", b"{}", b"{}"]),
    "header_numbers": lambda k: signed(k, [b'{"msg_id": 1, "msg_type": 2}', b"{}", b"{}", b"{}"]),
    "content_not_json": lambda k: signed(k, [*frames()[:3], b"nope"]),
    "content_a_list": lambda k: signed(k, [*frames()[:3], b"[1]"]),
    "content_null": lambda k: signed(k, [*frames()[:3], b"null"]),
    "not_utf8": lambda k: signed(k, [*frames("execute_request")[:3], b"\xff\xfe"]),
    "deep_json": lambda k: signed(k, [*frames()[:3], b"[" * 200_000 + b"]" * 200_000]),
    "execute_without_code": lambda k: signed(k, frames("execute_request", {"silent": False})),
    "execute_with_a_number": lambda k: signed(k, frames("execute_request", {"code": 1})),
    "complete_without_code": lambda k: signed(k, frames("complete_request", {"cursor_pos": -1})),
    "complete_beyond_the_end": lambda k: signed(k, frames("complete_request", {"code": "é", "cursor_pos": 10**9})),
    "history_unknown": lambda k: signed(k, frames("history_request", {"hist_access_type": "unknown"})),
    "unknown_request": lambda k: signed(k, frames("make_coffee_request")),
    "unknown_message": lambda k: signed(k, frames("coffee")),
    "reply_as_request": lambda k: signed(k, frames("execute_reply")),
    "metadata_not_json": lambda k: signed(k, [frames()[0], b"{}", b"nope", b"{}"]),
    "parent_not_json": lambda k: signed(k, [frames()[0], b"\xff", b"{}", b"{}"]),
    "huge_number": lambda k: signed(k, frames("history_request", {"hist_access_type": "tail", "n": 10**18})),
    "negative_number": lambda k: signed(k, frames("history_request", {"hist_access_type": "range", "session": -9, "start": -9})),
    "nul_in_the_type": lambda k: signed(k, frames("execute\0_request")),
    "long_type": lambda k: signed(k, frames("x" * 1_000_000 + "_request")),
    "many_frames": lambda k: [*signed(k, frames()), *[b"x"] * 1000],
    "large_frame": lambda k: [b"x" * 20_000_000],
}


@pytest.mark.parametrize("channel", ["shell", "control", "stdin"])
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_message_does_no_harm(shared_echo, channel, name):
    kernel, raw = shared_echo, shared_echo.raw(channel)
    raw.send_multipart(MALFORMED[name](kernel))
    if channel == "stdin":
        question = kernel.begin("input name?", allow_stdin=True)
        kernel.client.get_stdin_msg(timeout=TIMEOUT)
        kernel.client.input("Ada")
        assert kernel.finish(question).text() == "Ada"
    else:
        raw.send_multipart(later(kernel))
        while json.loads(raw.recv_multipart()[3]).get("msg_id") != "later":
            pass
    raw.close()
    assert_alive(kernel)


@pytest.fixture(scope="module")
def shared_echo(echo_argv, tmp_path_factory):
    kernel = Kernel(echo_argv, tmp_path_factory.mktemp("shared"))
    yield kernel
    kernel.close()


def test_garbage_that_is_no_zeromq_does_no_harm(echo):
    for channel in ("shell", "control", "iopub", "hb", "stdin"):
        port = getattr(echo.manager, f"{channel}_port")
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\n\r\n" + bytes(range(256)) * 10)
    assert_alive(echo)


def test_extra_buffers_are_legal(echo):
    raw = echo.raw()
    raw.send_multipart([*signed(echo, frames()), b"\x00\xff", b""])
    assert json.loads(raw.recv_multipart()[2])["msg_type"] == "kernel_info_reply"


def test_identities_go_back(echo):
    raw = echo.raw()
    raw.send_multipart([b"hop", *signed(echo, frames())])
    assert raw.recv_multipart()[:2] == [b"hop", DELIMITER]


def test_requests_with_unknown_types_are_answered_or_ignored(echo):
    assert echo.ask("make_coffee_request").status == "error"
    msg_id = echo.send("coffee")
    assert echo.recv_until_idle(msg_id) == []


# Every request of the protocol, and the type of its reply.
REQUESTS = {
    "kernel_info_request": {},
    "comm_info_request": {},
    "complete_request": {"code": "%tra", "cursor_pos": 4},
    "inspect_request": {"code": "%lsmagic", "cursor_pos": 3, "detail_level": 1},
    "is_complete_request": {"code": "1"},
    "history_request": {"hist_access_type": "tail", "n": 1, "output": False, "raw": True},
    "interrupt_request": {},
    "execute_request": {"code": "println a"},
    "debug_request": {"type": "request", "seq": 1, "command": "debugInfo"},
    "create_subshell_request": {},
    "usage_request": {},
}


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("kind", REQUESTS)
def test_every_request_is_answered(shared_echo, channel, kind):
    ran = shared_echo.ask(kind, REQUESTS[kind], channel=channel)
    assert ran.reply["msg_type"] == kind.replace("_request", "_reply")
    assert ran.status in ("ok", "complete", "error")
    if ran.status == "error":
        assert all(field in ran.content for field in ("ename", "evalue", "traceback")), ran.content


def test_half_a_character_is_answered(shared_echo):
    """What a browser sends for half an emoji, and jupyter_client for a byte that is not UTF-8."""
    requests = {**REQUESTS, "execute_request": {"code": "println a"}, "history_request": {"hist_access_type": "tail", "n": 1}}
    for half in (b"\\ud83d", b"\\udcff x", b"\\ude00\\ud83d", b"\xff", b"\xed\xa0\xbd", "é".encode()[:1]):
        for kind, content in requests.items():
            for in_header in (False, True):
                socket = shared_echo.raw()
                head = json.dumps(header(kind)).encode()
                body = json.dumps(content).encode()
                if in_header:
                    head = head.replace(b'"u"', b'"u' + half + b'"')
                else:
                    body = body[:-1] + (b", " if content else b"") + b'"more": "' + half + b'"}'
                    body = body.replace(b'"println a"', b'"println a' + half + b'"')
                socket.send_multipart(signed(shared_echo, [head, b"{}", b"{}", body]))
                reply = socket.recv_multipart()
                assert reply[1] == shared_echo.client.session.sign(reply[2:6])
                assert json.loads(reply[2])["msg_type"] == kind.replace("_request", "_reply"), (half, kind)
                assert json.loads(reply[3])["msg_id"] == "raw", "a client can read its own header"
                socket.close()
    raw = shared_echo.raw()
    head = json.dumps(header("execute_request", msg_id="half")).encode()
    raw.send_multipart(signed(shared_echo, [head, b"{}", b"{}", b'{"code": "println \\ud83d"}']))
    (shown,) = [message for message in shared_echo.recv_until_idle("half") if message["msg_type"] == "stream"]
    assert shown["content"]["text"] == "\ufffd\n"


# In a separate process that ends without cleaning up: libzmq overflows its stack when it removes a long topic.
UNUSUAL_SUBSCRIBER = """
import os, sys, zmq
socket = zmq.Context().socket(zmq.XSUB)
socket.connect(sys.argv[1])
for message in (b"\\x01" + b"x" * 1_000_000, b"\\x01\\xff\\xfe", b"\\x00never", b"\\x07", b"", b"hello"):
    socket.send(message)
socket.send_multipart([b"\\x01", b"more", b"frames"])
# The welcome to a later subscription: the kernel has read all of them.
socket.send(b"\\x01last")
while socket.recv_multipart()[0] != b"last":
    pass
os._exit(0)
"""


def test_unusual_subscriptions_do_no_harm(start, echo_argv):
    kernel = start(echo_argv)
    for _ in range(2):
        subprocess.run([sys.executable, "-c", UNUSUAL_SUBSCRIBER, kernel.client._make_url("iopub")], check=True, timeout=TIMEOUT)
        assert_alive(kernel)
    end(kernel)
    assert kernel.manager.provisioner.process.returncode == 0


def test_heartbeat_echoes_what_it_gets(echo):
    beat = echo.raw("hb", zmq.REQ)
    for payload in (b"ping", b"", bytes(range(256)), b"x" * 100_000):
        beat.send(payload)
        assert beat.recv() == payload


def test_heartbeat_and_control_answer_while_a_cell_runs(echo):
    busy = echo.begin("hang 600000")
    beat = echo.raw("hb", zmq.REQ)
    for n in range(20):
        beat.send(b"%d" % n)
        assert beat.recv() == b"%d" % n
        echo.recv_reply(echo.send("kernel_info_request", channel="control"), channel="control")
    assert not echo.has_replied(busy)


def test_subscriber_is_welcomed(echo):
    for topic in (b"", b"kernel.tracebook.status"):
        subscriber = echo.raw("iopub", zmq.SUB)
        subscriber.subscribe(topic)
        while True:
            got_topic, delimiter, signature, *parts = subscriber.recv_multipart()
            if json.loads(parts[0])["msg_type"] == "iopub_welcome":
                break
        assert (got_topic, delimiter, signature) == (topic, DELIMITER, echo.client.session.sign(parts))
        assert json.loads(parts[1]) == {}
        assert json.loads(parts[3]) == {"subscription": topic.decode()}


def test_a_welcome_is_for_the_new_subscriber_alone(echo):
    first = echo.raw("iopub", zmq.SUB)
    first.subscribe(b"")
    assert json.loads(first.recv_multipart()[3])["msg_type"] == "iopub_welcome"
    for _ in range(3):
        other = echo.raw("iopub", zmq.SUB)
        other.subscribe(b"")
        assert json.loads(other.recv_multipart()[3])["msg_type"] == "iopub_welcome"
    echo.ok("println a")
    kinds = []
    while kinds[-1:] != ["idle"]:
        parts = first.recv_multipart()
        kinds.append(json.loads(parts[6])["execution_state"] if b'"status"' in parts[3] else json.loads(parts[3])["msg_type"])
    assert kinds == ["busy", "execute_input", "stream", "idle"], "no welcome of another client"


def test_two_clients_get_their_own_replies(echo):
    # A separate session: two sockets of one session count as one client that reconnected.
    other = echo.manager.client(session=Session(key=echo.client.session.key))
    other.start_channels()
    other.wait_for_ready(timeout=TIMEOUT)
    mine, theirs = echo.client.execute("println mine"), other.execute("println theirs")
    assert echo.recv_reply(mine)["content"]["status"] == "ok"
    while other.get_shell_msg(timeout=TIMEOUT)["parent_header"]["msg_id"] != theirs:
        pass
    other.stop_channels()


def test_ipc_transport(start, echo_argv):
    assert_alive(start(echo_argv, transport="ipc"))


def test_ipc_sockets_are_private_from_the_start(start, echo_argv):
    """Sockets are private when they are created, even with a permissive umask."""
    kernel = start(["sh", "-c", 'umask 0; exec "$@"', "sh", *echo_argv], transport="ipc")
    folder = Path(kernel.manager.ip).parent
    sockets = [path for path in folder.iterdir() if path.is_socket()]
    assert len(sockets) == 5
    assert all(path.stat().st_mode & 0o077 == 0 for path in sockets), "other users must not connect"


def by_hand(argv, tmp_path, key="k", **more):
    """Starts a kernel with our own connection file. The client does not see the keys `more` in it."""
    import test_faults

    path = Path(test_faults.connection_file(tmp_path, key=key))
    client = BlockingKernelClient(connection_file=str(path))
    client.load_connection_file()
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))
    process = subprocess.Popen([*argv, str(path)])
    client.start_channels()
    try:
        client.wait_for_ready(timeout=TIMEOUT)
        assert client.execute_interactive("println a", timeout=TIMEOUT)["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        process.kill()
        process.wait()


def test_without_a_key_messages_are_not_signed(echo_argv, tmp_path):
    by_hand(echo_argv, tmp_path, key="")


def test_unknown_keys_of_the_connection_file(echo_argv, tmp_path):
    by_hand(echo_argv, tmp_path, curve_publickey="x" * 40, curve_secretkey="y" * 40, jupyter_session="", extra=[{}])


def test_ten_thousand_requests_are_all_answered(echo):
    ids = {echo.send("comm_info_request") for _ in range(10_000)}
    while ids:
        ids.discard(echo.client.get_shell_msg(timeout=TIMEOUT)["parent_header"]["msg_id"])


def test_taken_port_ends_the_kernel_with_a_message(echo, echo_argv):
    ended = subprocess.run([*echo_argv, echo.manager.connection_file], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode != 0
    assert "cannot listen on" in ended.stderr or "Address already in use" in ended.stderr
