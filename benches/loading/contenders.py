"""The readers that are compared, and the programs that are measured in the same run."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

PEERS = Path(__file__).parent / "peers"

OFTEN = (15, 15, 9)
"""Rounds of fast programs, whose ratio is needed to one percent."""


@dataclass
class Contender:
    name: str
    argv: list
    """The command line; the file follows, then `more`."""
    more: list = field(default_factory=list)
    digest: list = None
    """What to append for a digest; `None`: the program has none."""
    lossy: bool = False
    """Whether it rounds times to whole microseconds."""
    memory: float = 0.5
    """Peak memory as a multiple of the JSON: measured once, used only to skip files that would not fit."""
    up_to: float = 1e12
    """The largest JSON that it reads here, in bytes."""
    rounds: tuple = (5, 5, 5)
    """The number of runs on files below 100 MB, below 500 MB, and larger ones."""
    sources: list = field(default_factory=list)
    """The files that its digest depends on."""

    def command(self, file):
        return [*self.argv, file, *self.more]

    def rounds_on(self, json_bytes):
        return self.rounds[(json_bytes >= 1e8) + (json_bytes >= 5e8)]


def ours(load):
    return Contender("tracebook", [load], ["--json", "--no-digest"], ["--json"], rounds=OFTEN, sources=[load])


def limits(load):
    """The lower bounds of any reader, and a good general-purpose library."""
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
    """The versions of the peers, as installed."""
    code = (
        "import sys, importlib.metadata as m; print('; '.join(['Python ' + sys.version.split()[0]] + "
        "[f'{n} {m.version(n)}' for n in ('traceinsight', 'pandas', 'polars', 'duckdb', 'orjson')]))"
    )
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def toolchain():
    version = subprocess.run([os.environ.get("RUSTC", "rustc"), "--version"], capture_output=True, text=True)
    return version.stdout.strip() or "rustc unknown"
