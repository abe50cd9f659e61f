"""Starts a kernel as Jupyter does, and drives it through jupyter_client."""

import contextlib
import json
import os
import queue
import signal
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path

import zmq
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from waiting import AT_MOST, wait_until

# The timeout of a request, and that of a cell that has to wait for the compiler on a busy machine.
TIMEOUT, LONG = AT_MOST, 180


@dataclass
class Ran:
    """The result of a request: its reply and, in order, its iopub messages between `busy` and `idle`."""

    reply: dict
    outputs: list = field(default_factory=list)
    # For figures; no test asserts it.
    seconds: float = 0.0

    @property
    def content(self):
        return self.reply["content"]

    @property
    def status(self):
        return self.content["status"]

    @property
    def kinds(self):
        return [message["msg_type"] for message in self.outputs if message["msg_type"] != "execute_input"]

    def text(self, name="stdout"):
        streams = (m["content"] for m in self.outputs if m["msg_type"] == "stream")
        return "".join(stream["text"] for stream in streams if stream["name"] == name)

    def one(self, kind):
        (message,) = [message for message in self.outputs if message["msg_type"] == kind]
        return message["content"]


def plain(ran):
    """The plain text of the result of a cell."""
    return ran.one("execute_result")["data"]["text/plain"]


def until_exists(path):
    """A Rust cell that prints "begun", and runs until a file exists."""
    return (
        f'println!("begun");\nwhile !std::path::Path::new("{path}").exists() {{\n'
        "    std::thread::sleep(std::time::Duration::from_millis(10));\n}"
    )


class Kernel:
    """A running kernel and one client of it."""

    def __init__(self, argv, folder, transport="tcp", env=None):
        spec = Path(folder) / "kernels" / "under_test"
        spec.mkdir(parents=True, exist_ok=True)
        spec.joinpath("kernel.json").write_text(
            json.dumps(
                {
                    "argv": [*argv, "{connection_file}"],
                    "display_name": "under test",
                    "language": "rust",
                    "interrupt_mode": "message",
                }
            )
        )
        specs = KernelSpecManager(kernel_dirs=[str(spec.parent)])
        self.manager = KernelManager(kernel_name="under_test", kernel_spec_manager=specs, transport=transport)
        if transport == "ipc":
            self.manager.ip = str(Path(folder) / "socket")
        # A separate history, or tests would see those of other tests and of the user.
        state = {"XDG_STATE_HOME": str(Path(folder) / "state")}
        env = {**os.environ, **state, **(env or {})}
        self.manager.start_kernel(env={name: value for name, value in env.items() if value is not None})
        self.client = self.manager.client()
        # This socket can be written to once it is connected, and not before. It would drop replies of a kernel that ends.
        self.client.context.setsockopt(zmq.IMMEDIATE, 1)
        self.client.stdin_channel.start()
        self.client.context.setsockopt(zmq.IMMEDIATE, 0)
        self.client.start_channels()
        try:
            self.wait_until_ready()
        except BaseException:
            self.close()
            raise

    def wait_until_ready(self):
        """Waits for the welcome to iopub, from which on no message is missed, for the connection to stdin, without which a request for
        input would be dropped, and for the first answer. `wait_for_ready` of the client waits 0.2 s for more messages instead."""
        # Per channel and parent, in the order of arrival.
        self._kept = defaultdict(lambda: defaultdict(deque))
        deadline = time.monotonic() + TIMEOUT
        while not any(message["msg_type"] == "iopub_welcome" for message in self._kept["iopub"][None]):
            assert self.is_alive(), "the kernel ended before it was ready"
            with contextlib.suppress(queue.Empty):
                self._keep("iopub", min(deadline, time.monotonic() + 1))
            assert time.monotonic() < deadline, "the kernel welcomes no subscriber"
        assert self.client.stdin_channel.socket.poll(TIMEOUT * 1000, zmq.POLLOUT), "no connection to stdin"
        # After a restart a request may be lost with the connection to the old process.
        reply = None
        while reply is None:
            assert self.is_alive() and time.monotonic() < deadline, "the kernel does not answer"
            with contextlib.suppress(queue.Empty):
                reply = self.ask("kernel_info_request", timeout=10).reply
        self.client._handle_kernel_info_reply(reply)

    def restart(self):
        """Restarts the kernel as Jupyter does, and waits until it is ready."""
        self.manager.restart_kernel()
        self.wait_until_ready()

    # Requests

    def run(self, code, timeout=TIMEOUT, **options):
        """Executes a cell and waits for its reply and its `idle`."""
        started = time.monotonic()
        ran = self.finish(self.client.execute(code, **options), timeout)
        ran.seconds = time.monotonic() - started
        return ran

    def begin(self, code, printed=None, timeout=TIMEOUT, **options):
        """Sends a cell; returns the id of the request once the cell runs, or once it has printed `printed`."""
        msg_id = self.client.execute(code, **options)

        def begun(message):
            if printed is None:
                return message["msg_type"] == "execute_input"
            return message["msg_type"] == "stream" and printed in message["content"]["text"]

        self.wait_for(msg_id, lambda messages: any(map(begun, messages)), timeout)
        return msg_id

    def wait_for(self, msg_id, condition, timeout=TIMEOUT):
        """Waits until the iopub messages of a request, which are kept, satisfy a condition; returns them."""
        kept, deadline = self._kept["iopub"], time.monotonic() + timeout
        while not condition(kept[msg_id]):
            self._keep("iopub", deadline)
        return list(kept[msg_id])

    def interrupt(self):
        assert self.ask("interrupt_request", channel="control").content == {"status": "ok"}

    def ok(self, code, **options):
        ran = self.run(code, **options)
        assert ran.status == "ok", ran.content
        return ran

    def ask(self, kind, content=None, channel="shell", timeout=TIMEOUT):
        """Sends any request and waits for its reply and its `idle`."""
        session, socket = self.client.session, getattr(self.client, f"{channel}_channel")
        message = session.msg(kind, content or {})
        socket.send(message)
        return self.finish(message["header"]["msg_id"], timeout, channel)

    def send(self, kind, content=None, channel="shell"):
        message = self.client.session.msg(kind, content or {})
        getattr(self.client, f"{channel}_channel").send(message)
        return message["header"]["msg_id"]

    # Answers

    def finish(self, msg_id, timeout=TIMEOUT, channel="shell"):
        reply = self.recv_reply(msg_id, timeout, channel)
        return Ran(reply, self.recv_until_idle(msg_id, timeout))

    def has_replied(self, msg_id, channel="shell"):
        """Whether the reply to a request is there."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._keep(channel, deadline=0)
        return bool(self._kept[channel][msg_id])

    def recv_reply(self, msg_id, timeout=TIMEOUT, channel="shell"):
        return self._recv(channel, msg_id, timeout)

    def recv_until_idle(self, msg_id, timeout=TIMEOUT):
        """The iopub messages of one request; `busy` must come first."""
        seen, deadline = [], time.monotonic() + timeout
        while True:
            message = self._recv("iopub", msg_id, deadline - time.monotonic())
            if message["msg_type"] == "status":
                state = message["content"]["execution_state"]
                if state == "idle":
                    assert seen and seen[0] is None, "idle without busy"
                    return seen[1:]
                assert state == "busy" and not seen, f"{state} after {len(seen)} messages"
                seen.append(None)
                continue
            assert seen, f"{message['msg_type']} before busy"
            seen.append(message)

    def _recv(self, channel, parent, timeout):
        """The next message on a channel with this parent. Messages with other parents are kept."""
        kept, deadline = self._kept[channel], time.monotonic() + timeout
        while not kept[parent]:
            self._keep(channel, deadline)
        return kept[parent].popleft()

    def _keep(self, channel, deadline):
        """Receives a message and keeps it for its parent."""
        socket = getattr(self.client, f"{channel}_channel")
        message = socket.get_msg(timeout=max(0.0, deadline - time.monotonic()))
        self._kept[channel][message["parent_header"].get("msg_id")].append(message)

    # Raw sockets

    def raw(self, channel="shell", kind=zmq.DEALER):
        """A raw socket on a channel, to send what jupyter_client cannot."""
        socket = zmq.Context.instance().socket(kind)
        socket.linger = 0
        socket.rcvtimeo = TIMEOUT * 1000
        socket.connect(self.client._make_url({"heartbeat": "hb"}.get(channel, channel)))
        return socket

    # The process

    @property
    def pid(self):
        return self.manager.provisioner.process.pid

    def is_alive(self):
        return self.manager.provisioner.process.poll() is None

    def wait_for_end(self):
        wait_until(lambda: not self.is_alive(), AT_MOST, "the kernel is still alive")

    def close(self):
        """Kills the kernel. The manager, which would do the same, looks every 0.1 s whether it has ended."""
        self.client.stop_channels()
        process = self.manager.provisioner.process
        if process and process.poll() is None:
            os.killpg(os.getpgid(process.pid), signal.SIGKILL)
            process.wait()
        self.manager.cleanup_resources()
