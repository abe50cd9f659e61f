"""Checks, before anything is timed, that all readers read the same: their digests against one made with Python's `Decimal`.

A check that passed is not repeated for the same file, program and reference; `checked.json`, next to the data, records it.
"""

import hashlib
import json
import sys
import time
from pathlib import Path

from measure import run

REFERENCE = Path(__file__).with_name("decimal_reading.py")


class Differs(Exception):
    """Two readers read different things from one file."""


class Checks:
    def __init__(self, folder, version=""):
        self.notes = Path(folder) / "checked.json"
        self.known = json.loads(self.notes.read_text()) if self.notes.exists() else {}
        self.version = version

    def keep(self, key, value):
        self.known[key] = value
        self.notes.write_text(json.dumps(self.known, indent=1))
        return value

    def reference(self, file):
        """The digest of the file, computed with `Decimal`."""
        key = f"reference {fingerprint(file)} {fingerprint(REFERENCE)}"
        if key not in self.known:
            print(f"reading {file.name} with Python's Decimal", flush=True)
            self.keep(key, run([sys.executable, REFERENCE, file]).report)
        return self.known[key]

    def contender(self, contender, file):
        """Returns how exact the times of a reader are, as text; raises `Differs` if it read something else."""
        sources = " ".join(fingerprint(source) for source in [file, REFERENCE, Path(__file__), *contender.sources])
        key = f"{contender.name} {sources} {self.version}"
        if key not in self.known:
            print(f"checking what {contender.name} reads of {file.name}", flush=True)
            report = run([*contender.argv, file, *contender.digest]).report
            exactness = compare(self.reference(file), report.get("digest", report), contender)
            self.keep(key, {"exact": exactness, "at": time.strftime("%Y-%m-%d %H:%M")})
        return self.known[key]["exact"]


def compare(reference, digest, contender):
    """Returns how exact the times are, as text, if everything else is equal."""
    exact = contender.name == "tracebook"
    wrong = []
    if digest["rows"] != reference["rows"]:
        wrong.append(f"rows: {digest['rows']}, not {reference['rows']}")
    for column, sums in reference["args"].items():
        if column in reference["own"] and not exact:
            continue
        expected = sums["sum" if exact else "lenient"]
        # Tracebook makes no column for an argument that no event has.
        found = number(digest["args"].get(column, 0)) if exact else digest["args"][column]
        if found is None:
            # HTA's default also occurs as a value, so the digest cannot be compared.
            continue
        near = 1e-9 * abs(expected) if isinstance(expected, float) else 0
        if abs(found - expected) > near:
            wrong.append(f"{column}: {found}, not {expected}")
    unknown = set(digest["args"]) - set(reference["args"])
    if unknown:
        wrong.append(f"columns that were not requested: {', '.join(sorted(unknown))}")
    rows = reference["rows"]
    off = {column: number(digest[column]) - reference[column] for column in ("ts_ns", "dur_ns")}
    # HTA rounds each time to a whole microsecond. A double has a resolution of a quarter of one for today's timestamps.
    allowed = 0 if exact else 2000 * rows
    for column, difference in off.items():
        if abs(difference) > allowed:
            wrong.append(f"{column}: {digest[column]}, not {reference[column]}")
    if wrong:
        raise Differs(f"{contender.name} read something else than Python's Decimal:\n  " + "\n  ".join(wrong))
    if not any(off.values()):
        return "exact"
    means = [
        f"{column} {difference / rows:+.1f} ns"
        for column, difference in (("ts", off["ts_ns"]), ("dur", off["dur_ns"]))
        if difference
    ]
    return ("rounds to µs: " if contender.lossy else "loses digits: ") + ", ".join(means) + " per row"


def number(value):
    """Sums beyond 64 bits are text."""
    return int(value) if isinstance(value, str) else value


def fingerprint(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]
