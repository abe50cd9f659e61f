"""No telemetry, no network: the kernel opens no connection."""

import pytest

from driver import LONG
from namespaces import of_its_own
from places import DATA


def without_network(argv):
    """Returns a command that runs `argv` in an isolated network; skips if the system does not allow it."""
    return [*of_its_own("net", "an isolated network"), *argv]


def attempts(pid):
    """The counters of attempts to reach other addresses, and of sent packets, in the network of a process."""
    counters = {}
    with open(f"/proc/{pid}/net/snmp") as file:
        lines = [line.split() for line in file]
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        counters.update({f"{names[0]}{name}": int(value) for name, value in zip(names[1:], values[1:], strict=True)})
    with open(f"/proc/{pid}/net/snmp6") as file:
        counters.update({name: int(value) for name, value in map(str.split, file)})
    telling = ["Ip:OutRequests", "Ip:OutNoRoutes", "Tcp:ActiveOpens", "Udp:OutDatagrams", "Ip6OutNoRoutes"]
    return {name: counters.get(name, 0) for name in telling}


@pytest.mark.rust_cells
def test_no_connection_but_those_of_jupyter(start, tracebook_argv, tmp_path):
    kernel = start(without_network(tracebook_argv), transport="ipc")
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet\n%trace_load '{DATA}/test' --as test --quiet")
    for cell in (
        "%lsmagic",
        "%compare_traces control test",
        "%visualize control test",
        "%gpu_kernel_breakdown control",
        "%trace_info control",
        "%trace_load?",
        f"%compare_traces control test --csv '{tmp_path}/table.csv'",
    ):
        kernel.ok(cell, timeout=LONG)
    kernel.ok("control.ranks()", timeout=LONG)
    kernel.run("no_such_name")
    kernel.ask("complete_request", {"code": "std::col", "cursor_pos": 8})
    assert set(attempts(kernel.pid).values()) == {0}, attempts(kernel.pid)
    reaching_out = 'std::net::TcpStream::connect("203.0.113.1:80").is_err()'
    assert kernel.ok(reaching_out, timeout=LONG).one("execute_result")["data"]["text/plain"] == "true"
    assert attempts(kernel.pid)["Ip:OutNoRoutes"] > 0, "an attempt would have been seen"
