"""Rows of the table."""

from statistics import median

HEAD = """\
| job | program | load s | answers s | ratio | peak MiB | own | files | equal |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"""

NOT_TIMED = {"columns"}
"""Steps that only make digests."""


class Runs:
    """Repeated runs of one program on one job."""

    def __init__(self, runs):
        self.runs = runs

    def seconds(self, chosen):
        """The median over the runs of the seconds of the chosen steps."""
        return median(sum(step["seconds"] for step in run if chosen(step["step"])) for run in self.runs)

    def load(self):
        return self.seconds(lambda step: step == "load")

    def answers(self):
        return self.seconds(lambda step: step != "load" and step not in NOT_TIMED)

    def peaks(self, kind="rss"):
        """The most memory of each step, in bytes."""
        steps = [step["step"] for step in self.runs[0]]
        return {name: max(step["peak"][kind] for run in self.runs for step in run if step["step"] == name) for name in steps}

    def most(self, kind="rss"):
        return max(self.peaks(kind).values()) >> 20

    def digests(self):
        return {step["step"]: step["outcome"].get("digest") for run in self.runs for step in run}

    def errors(self):
        return {step["step"]: step["outcome"]["error"] for run in self.runs for step in run if "error" in step["outcome"]}

    def differences(self, other):
        """The steps whose digests are not the same in all runs of both."""
        expected = self.digests()
        seen = [(step["step"], step["outcome"].get("digest")) for run in self.runs + other.runs for step in run]
        return sorted({name for name, digest in seen if expected.get(name) != digest})


def row(job, program, runs, free=None):
    ratio = equal = ""
    if free:
        both = (runs.load() + runs.answers()) / (free.load() + free.answers())
        ratio = f"{both:.2f}"
        equal = "yes" if not runs.differences(free) else "NO"
    return (
        f"| {job.name} | {program} | {runs.load():.2f} | {runs.answers():.2f} | {ratio} "
        f"| {runs.most()} | {runs.most('anon')} | {runs.most('file')} | {equal} |"
    )


def steps(within, free):
    """Every step: its seconds and its peak, with and without the budget."""
    lines = []
    for name, most in within.peaks().items():
        seconds = within.seconds(lambda step, name=name: step == name)
        other = f"{free.seconds(lambda step, name=name: step == name):8.3f}" if free else " " * 8
        lines.append(
            f"    {name:<36}{seconds:8.3f} s {other}  {most >> 20:6} MiB, own {within.peaks('anon')[name] >> 20:6}, "
            f"files {within.peaks('file')[name] >> 20:6} {within.errors().get(name, '')}"
        )
    return "\n".join(lines)


def hta_row(job, limit, found):
    note = f" ({', '.join(found['skipped'])})" if found["skipped"] else ""
    return (
        f"| {job.name} | HTA, at most {limit} | {found['load']:.2f} | {found['seconds'] - found['load']:.2f} | "
        f"| {found['peak'] >> 20} | | | {found['ranks']} ranks{note} |"
    )
