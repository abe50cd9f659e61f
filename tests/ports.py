"""Ports for kernels and servers. Each worker of pytest-xdist has a range of its own, outside of that of the system's ephemeral ports: a
port that was free a moment ago is still free when the program that it is for listens to it."""

import itertools
import os
import socket

from jupyter_client.connect import LocalPortCache

FIRST, EACH = 10_000, 2_000
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
# Other processes of one worker begin elsewhere in its range.
_next = itertools.count(os.getpid() * 5)


def free_port(ip="127.0.0.1"):
    """Returns a port that nothing listens to, each time another one."""
    while True:
        port = FIRST + EACH * WORKER + next(_next) % EACH
        with socket.socket() as tried:
            try:
                tried.bind((ip, port))
            except OSError:
                continue
        return port


def use_for_kernels():
    """Makes jupyter_client start kernels at these ports."""
    LocalPortCache.find_available_port = lambda _, ip: free_port(ip)
