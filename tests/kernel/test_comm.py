"""Comms: conversations of a front end with the kernel. `test.work` is a target of the echo kernel: see echo/targets.rs."""

import random
import uuid

import pytest
import zmq

from processes import end
from test_streams import resident

MEGABYTE = 1 << 20
ECHO, SESSION, WORK = "tracebook.echo", "tracebook.session", "test.work"


class Comm:
    """A comm of a client."""

    def __init__(self, kernel, target, data=None, id=None):
        self.kernel, self.id = kernel, id or uuid.uuid4().hex
        self.opened = self.ask("comm_open", data, target_name=target)

    def begin(self, data, kind="comm_msg", buffers=None, **more):
        """Sends a message; returns its id."""
        session = self.kernel.client.session
        message = session.msg(kind, {"comm_id": self.id, "data": {} if data is None else data, **more})
        session.send(self.kernel.client.shell_channel.socket, message, buffers=buffers)
        return message["header"]["msg_id"]

    def ask(self, kind, data=None, **more):
        return self.kernel.recv_until_idle(self.begin(data, kind, **more))

    def answer(self, data, buffers=None):
        (answer,) = self.kernel.recv_until_idle(self.begin(data, buffers=buffers))
        assert (answer["msg_type"], answer["content"]["comm_id"]) == ("comm_msg", self.id)
        return answer["content"]["data"]

    def close(self):
        assert self.ask("comm_close") == []


def reason(messages):
    """The error with which the only message closes its comm."""
    (close,) = messages
    assert close["msg_type"] == "comm_close"
    return close["content"]["data"]["error"]["ename"]


def listed(kernel, **content):
    return kernel.ask("comm_info_request", content).content["comms"]


def test_messages_and_buffers_go_both_ways(echo):
    comm = Comm(echo, ECHO, {"hello": "𝒳"})
    (hello,) = comm.opened
    assert (hello["msg_type"], hello["content"]) == ("comm_msg", {"comm_id": comm.id, "data": {"hello": "𝒳"}})
    buffers = [b"\0\xff", b"", bytes(range(256)) * 4096]
    (answer,) = echo.recv_until_idle(comm.begin({"id": 1}, buffers=buffers))
    assert [bytes(buffer) for buffer in answer["buffers"]] == buffers
    assert answer["content"] == {"comm_id": comm.id, "data": {"id": 1}}
    assert listed(echo) == listed(echo, target_name=ECHO) == {comm.id: {"target_name": ECHO}}
    assert listed(echo, target_name="jupyter.widget") == {}
    comm.close()
    assert listed(echo) == {}


def test_invalid_messages_close_at_most_their_comm(echo):
    comm = Comm(echo, ECHO)
    assert reason(Comm(echo, "jupyter.widget").opened) == "UnknownTarget"
    assert reason(Comm(echo, ECHO, [1]).opened) == "ProtocolError"
    for content in [{}, {"comm_id": None}, {"comm_id": 7, "target_name": ECHO}, {"comm_id": "x" * 1000, "target_name": ECHO}]:
        for kind in ("comm_open", "comm_msg", "comm_close"):
            assert echo.recv_until_idle(echo.send(kind, content)) == []
    for content in [{"comm_id": "a"}, {"comm_id": "a", "target_name": ["b"]}, {"comm_id": "a", "target_name": {}, "data": None}]:
        assert reason(echo.recv_until_idle(echo.send("comm_open", content))) == "UnknownTarget"
    assert reason(echo.recv_until_idle(echo.send("comm_msg", {"comm_id": "a", "data": {}}))) == "NotOpen"
    assert comm.answer([1])["ename"] == comm.answer("text")["ename"] == "ProtocolError"
    assert comm.answer({"id": 3, "text": "x" * 5 * MEGABYTE})["ename"] == "MessageTooLarge"
    assert comm.answer({"id": 4}, [b""] * 2000)["ename"] == "MessageTooLarge"
    assert comm.answer({"id": 5}, [bytes(65 * MEGABYTE)])["message"].startswith("message too large")
    assert comm.answer({"id": {"deep": [[]]}, "replaces": 7}) == {"id": {"deep": [[]]}, "replaces": 7}
    comm.close()
    assert reason(comm.ask("comm_msg")) == "NotOpen"
    assert reason(Comm(echo, ECHO, id=Comm(echo, ECHO).id).opened) == "ProtocolError"
    assert listed(echo) == {}


def test_random_messages_do_no_harm(echo):
    chance = random.Random(21)
    hostile = ["", "a", "b", "\0", "\u202e", "<script>", "../..", "x" * 300, "%s%n", "🦀", None, True, -1, 1e308, [], [[]], {}]

    def anything(depth=0):
        if depth < 3 and chance.random() < 0.3:
            return {str(chance.choice(hostile)): anything(depth + 1) for _ in range(3)}
        return chance.choice(hostile)

    session, socket = echo.client.session, echo.client.shell_channel.socket
    sent = []
    for _ in range(500):
        content = {key: anything() for key in ("comm_id", "target_name", "data") if chance.random() < 0.9}
        if chance.random() < 0.5:
            content["target_name"] = chance.choice([ECHO, SESSION, WORK])
        message = session.msg(chance.choice(["comm_open", "comm_msg", "comm_close", "comm_info_request"]), content)
        session.send(socket, message, buffers=[chance.randbytes(chance.randrange(9)) for _ in range(chance.randrange(3))])
        sent.append(message["header"]["msg_id"])
    for request in sent:
        for answer in echo.recv_until_idle(request):
            assert answer["msg_type"] in ("comm_msg", "comm_close")
    comm = Comm(echo, ECHO)
    assert comm.answer({"id": 1}) == {"id": 1}


def test_answers_arrive_while_a_cell_runs(echo):
    comm = Comm(echo, ECHO)
    running = echo.begin("sleep 600000")
    for id in range(30):
        assert comm.answer({"id": id}) == {"id": id}
    echo.interrupt()
    assert echo.finish(running).status == "error"


def test_session_is_that_of_the_moment(echo, tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}')
    comm = Comm(echo, SESSION)
    assert comm.opened[0]["content"]["data"] == {"id": None, "traces": [], "groups": []}
    running = echo.begin(f"%trace_load {file} --as control --quiet\nprintln loaded\nsleep 600000", printed="loaded")
    (trace,) = comm.answer({"id": 1})["traces"]
    assert (trace["label"], trace["events"], trace["ranks"]) == ("control", 1, [0])
    echo.interrupt()
    echo.finish(running)
    echo.ok("%trace_drop control")
    assert comm.answer({"id": 2}) == {"id": 2, "traces": [], "groups": []}


def test_interrupt_is_for_cells(echo):
    comm = Comm(echo, WORK)
    working = comm.begin({"id": 1, "ms": 1500})
    running = echo.begin("sleep 600000")
    echo.interrupt()
    assert echo.finish(running).status == "error"
    (answer,) = echo.recv_until_idle(working)
    assert answer["content"]["data"] == {"id": 1, "done": True}


def test_newer_message_replaces_older_ones(echo):
    comm = Comm(echo, WORK)
    older = [comm.begin({"id": id, "ms": 600000, "replaces": "view"}) for id in range(100)]
    assert comm.answer({"id": 100, "replaces": "view"}) == {"id": 100, "done": True}
    for id, request in enumerate(older):
        (skipped,) = echo.recv_until_idle(request)
        assert skipped["content"]["data"] == {"type": "skipped", "id": id}


def test_panic_is_the_end_of_one_comm(echo):
    other, comm = Comm(echo, ECHO), Comm(echo, WORK)
    assert reason(Comm(echo, WORK, {"panic": True}).opened) == "InternalError"
    assert reason(comm.ask("comm_msg", {"panic": True})) == "InternalError"
    assert other.answer({"id": 1}) == {"id": 1}
    assert listed(echo) == {other.id: {"target_name": ECHO}}


def test_closed_comms_leave_threads_to_others(echo):
    comms = [Comm(echo, WORK) for _ in range(12)]
    for comm in comms:
        comm.begin({"deaf": 600000})
    for comm in comms:
        comm.close()
    assert Comm(echo, WORK, {"id": 1}).opened[0]["content"]["data"]["done"]


def test_thousand_comms(echo):
    comm = Comm(echo, WORK)
    comm.begin({"ms": 1000})
    sent = [Comm.begin(comm, {}, "comm_open", comm_id=f"c{n}", target_name=ECHO) for n in range(1000)]
    for request in sent:
        kinds = [message["msg_type"] for message in echo.recv_until_idle(request)]
        assert kinds[-1:] in (["comm_msg"], ["comm_close"], []), kinds
    open_now = listed(echo)
    assert len(open_now) == 512 and "c999" in open_now and "c0" not in open_now
    assert resident(echo) < 300 * MEGABYTE


def test_client_that_does_not_read_costs_bounded_memory(echo):
    deaf = echo.raw("iopub", zmq.SUB)
    deaf.rcvhwm = 1
    deaf.subscribe(b"")
    comm = Comm(echo, WORK)
    for _ in range(12):
        answers = echo.recv_until_idle(comm.begin({"flood": 10, "bytes": 5 * MEGABYTE}), timeout=60)
        assert len(answers) == 11, "the client that reads gets everything"
    assert resident(echo) < 450 * MEGABYTE
    assert echo.ok("println alive").text() == "alive\n"


@pytest.mark.parametrize("work", [{"ms": 600000}, {"deaf": 600000}])
def test_shutdown_with_open_comms(echo, work):
    for comm in [Comm(echo, WORK) for _ in range(6)]:
        comm.begin(work)
    end(echo)
