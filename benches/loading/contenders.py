"""Who reads the same file, and what is measured beside them in the same run."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

PEERS = Path(__file__).parent / "peers"

OFTEN = (15, 15, 9)
"""Rounds of those that take no time, and whose ratio is to be known to a hundredth."""


@dataclass
class Contender:
    name: str
    argv: list
    """Of the whole process; the file follows, then `more`."""
    more: list = field(default_factory=list)
    digest: list = None
    """What to append for a digest; `None`: it has none."""
    lossy: bool = False
    """It rounds times to whole microseconds."""
    memory: float = 0.5
    """Its peak memory, as a multiple of the JSON; measured once, and only used to skip what would not fit."""
    up_to: float = 1e12
    """The largest JSON it is given, in bytes."""
    rounds: tuple = (5, 5, 5)
    """How often it runs on a file below 100 MB, below 500 MB, and above."""
    sources: list = field(default_factory=list)
    """Files on which its digest depends."""

    def command(self, file):
        return [*self.argv, file, *self.more]

    def rounds_on(self, json_bytes):
        return self.rounds[(json_bytes >= 1e8) + (json_bytes >= 5e8)]


def ours(load):
    return Contender("tracebook", [load], ["--json", "--no-digest"], ["--json"], rounds=OFTEN, sources=[load])


def limits(load):
    """What no reader can beat, and what a well-kept library gives."""
    return [
        Contender("gunzip alone", [load], ["--gunzip-only"], memory=0.05, rounds=OFTEN),
        Contender("gunzip and structural scan", [load], ["--scan-only"], memory=0.05),
        Contender("serde_json visitor", [load], ["--serde"], memory=2.2, up_to=2e9),
    ]


def peers(python):
    def peer(name, script, **more):
        path = PEERS / f"with_{script}.py"
        return Contender(name, [python, path], [], ["--digest"], sources=[path, PEERS / "arguments.py"], **more)

    return [
        peer("HTA", "hta", lossy=True, memory=5.5, up_to=2e9, rounds=(5, 3, 2)),
        peer("polars read_json", "polars", memory=12, up_to=2e9, rounds=(5, 3, 2)),
        peer("DuckDB read_json", "duckdb", memory=9, up_to=2e9, rounds=(5, 3, 1)),
        peer("orjson and pandas", "orjson", memory=8, up_to=2e9, rounds=(5, 3, 1)),
    ]


def versions(python):
    """Of the peers, as installed."""
    code = (
        "import sys, importlib.metadata as m; print('; '.join(['Python ' + sys.version.split()[0]] + "
        "[f'{n} {m.version(n)}' for n in ('traceinsight', 'pandas', 'polars', 'duckdb', 'orjson')]))"
    )
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def toolchain():
    said = subprocess.run([os.environ.get("RUSTC", "rustc"), "--version"], capture_output=True, text=True)
    return said.stdout.strip() or "rustc unknown"
