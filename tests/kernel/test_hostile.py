"""Texts of a trace are shown as text: by every magic, in every form of an output."""

import re

import pytest

import hostile
from places import DATA


@pytest.fixture(scope="module")
def kernel(tmp_path_factory, tracebook_argv):
    """A kernel with two hostile traces; their files and folders have hostile names, too."""
    import os

    from driver import Kernel

    folder = tmp_path_factory.mktemp("hostile")
    traces = folder / "a <img src=x onerror=alert(1)> \x1b[31m \u202e $x$"
    for name in ("control", "test"):
        (traces / name).mkdir(parents=True)
        for number in (0, 1):
            hostile.write(DATA / "job" / f"rank-{number}.json.gz", traces / name / f"<b>rank-{number}.json.gz")
    before = os.getcwd()
    os.chdir(folder)
    kernel = Kernel(tracebook_argv, folder)
    kernel.folder, kernel.traces = folder, traces
    yield kernel
    kernel.close()
    os.chdir(before)


def every_output(ran):
    """The MIME type and the content of everything that a cell showed."""
    for message in ran.outputs:
        content = message["content"]
        if message["msg_type"] == "stream":
            yield "stream", content["text"]
        elif message["msg_type"] == "error":
            yield "error", "\n".join([content["evalue"], *content["traceback"]])
        elif "data" in content:
            yield from content["data"].items()
    for page in ran.content.get("payload", []):
        yield from page["data"].items()


def check(ran, line):
    kinds = set()
    for kind, content in every_output(ran):
        assert hostile.faults(kind, content) == [], f"{line}: {kind}"
        kinds.add(kind)
    return kinds


def quoted(path):
    return "'" + str(path) + "'"


def test_loading_a_hostile_trace_says_nothing_dangerous(kernel):
    for name in ("control", "test"):
        line = f"%trace_load {quoted(kernel.traces / name)} --as {name} --args all"
        ran = kernel.run(line, timeout=60)
        assert ran.status == "ok", ran.content
        assert check(ran, line)


def examples(kernel, name):
    ran = kernel.ok(f"%{name}?")
    (page,) = ran.content["payload"]
    text = page["data"]["text/plain"].split("\nExamples\n")[1]
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_every_magic_shows_a_hostile_trace_as_text(kernel):
    offered = kernel.ask("complete_request", {"code": "%", "cursor_pos": 1}).content["matches"]
    names = [name for name in offered if not name.startswith("%%")]
    assert len(names) >= 25
    kernel.ok("df = %compare_traces control test")
    seen, payload, failed = {}, set(), []
    # Magics that drop a trace come last.
    for name in sorted(names, key=lambda name: name == "%trace_drop"):
        for line in examples(kernel, name.strip("%")):
            if "%" not in line or line.startswith(("let ", "%%", "%trace_load")) or "trace_drop --all" in line:
                continue
            if "df.head" in line or ("{" in line and "$" not in line):
                continue  # needs a compiler
            ran = kernel.run(line, timeout=60)
            if ran.status != "ok":
                failed.append((line, ran.content["evalue"][:200]))
            for kind in check(ran, line):
                seen.setdefault(kind, []).append(line)
            for _, content in every_output(ran):
                if "alert(1)" in str(content):
                    payload.add(name)
    assert {"text/plain", "text/html", "application/vnd.plotly.v1+json", "image/png"} <= set(seen), seen.keys()
    # The attack was shown; else nothing was tested.
    assert len(payload) >= 12, sorted(payload)
    # Examples name operators, ranks, traces, baselines, files and folders that this session does not have.
    absent = ("no operator", "has no", "none of", "unknown trace", "unknown baseline", "no baseline", "no such file")
    known = [line for line, why in failed if not any(words in why for words in absent)]
    assert len(known) <= 6, "\n".join(f"{line}: {why}" for line, why in failed if line in known)


@pytest.mark.parametrize(
    "line",
    [
        "%trace_info control --memory",
        "%gpu_kernel_breakdown control --top 0",
        "%compare_traces control test --where 'name ~ \"img\"' --top 0",
        "%compare_traces control control --control-rank 0 --test-rank 1",
        "%ops_diff control test --category equal --top 0",
        "%idle_time_breakdown control --rank 99",
        "%trace_load '/no/such/<img src=x onerror=alert(1)>'",
        "%gpu_kernel_breakdown control --where 'name ~ \"<b>(\"'",
        "%<script>",
        "%trace_info \x1b[2J\u202e",
        "\x1b[2J\u202e\x9b3J",
        "%trace_load '\x1b[2J\u202e\x9b3J'",
        "%trace_list --\x1b[2J\u202e",
        "%trace_load .",
    ],
)
def test_errors_and_long_tables_too(kernel, line):
    check(kernel.run(line, timeout=60), line)


def test_history_completion_and_inspection_have_no_escapes(kernel):
    for code in ("%trace_info ", "cont", 'control.events().column("'):
        content = kernel.ask("complete_request", {"code": code, "cursor_pos": len(code)}).content
        for match in content["matches"]:
            assert not hostile.STEERS.search(match), match
    content = kernel.ask("inspect_request", {"code": "control", "cursor_pos": 3, "detail_level": 0}).content
    for kind, text in content["data"].items():
        assert hostile.faults(kind, text) == []


def test_files_are_written_only_where_they_are_named(start, tracebook_argv, tmp_path, monkeypatch):
    """Asserts that all new files in the working folder were named, and those in the home folder are known."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    kernel = start(tracebook_argv, env={"HOME": str(home), "XDG_DATA_HOME": str(home / "data")})
    control = DATA / "job" / "rank-0.json.gz"
    before = sorted((path.name, path.stat().st_mtime_ns) for path in control.parent.iterdir())
    kernel.ok(f"%trace_load {control} --as control --quiet")
    kernel.ok("%gpu_kernel_breakdown control --no-figure --quiet")
    assert list(work.iterdir()) == []
    kernel.ok("%gpu_kernel_breakdown control --quiet --csv out.csv")
    assert all(re.match(r"out(\.\w+)?\.csv$", path.name) for path in work.iterdir()), list(work.iterdir())
    assert sorted((path.name, path.stat().st_mtime_ns) for path in control.parent.iterdir()) == before
    # rustup writes its own settings when it runs the compiler.
    assert [path for path in home.rglob("*") if path.is_file() and ".rustup" not in path.parts] == []
