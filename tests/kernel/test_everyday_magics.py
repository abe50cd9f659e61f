"""`%cd`, `%pwd`, `%time`, `%timeit` and `%help` in the running kernel."""

import re

import pytest

from driver import LONG
from waiting import wait_until


def printed(ran):
    return ran.text().strip()


def test_cd_goes_and_pwd_says_where(kernel, tmp_path, monkeypatch):
    start = printed(kernel.ok("%pwd"))
    folder = tmp_path / "my runs"
    folder.mkdir()
    assert printed(kernel.ok(f"%cd '{folder}'")) == str(folder)
    assert printed(kernel.ok("%pwd")) == str(folder)
    assert printed(kernel.ok("%cd -")) == start
    assert printed(kernel.ok("%cd -")) == str(folder)
    failed = kernel.run("%cd nowhere")
    assert failed.status == "error" and "nowhere" in failed.content["evalue"], failed.content
    assert str(folder) in failed.content["evalue"], "it says where one is"
    assert printed(kernel.ok("%pwd")) == str(folder), "a wrong folder changes nothing"
    home = printed(kernel.ok("%cd"))
    assert printed(kernel.ok("%pwd")) == home != str(folder)
    assert printed(kernel.ok("%cd ~")) == home
    assert printed(kernel.ok(f"%cd ${{NOT_SET_HERE:-{tmp_path}}}")) == str(tmp_path)
    kernel.ok(f"%cd '{start}'")


def test_paths_of_magics_follow_cd(kernel, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    event = '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 5}'
    (runs / "a.json").write_text(f'{{"traceEvents": [{event}]}}')
    start = printed(kernel.ok("%pwd"))
    kernel.ok(f"%cd '{runs}'")
    kernel.ok("%trace_load a.json --as a")
    kernel.ok(f"%cd '{tmp_path}'")
    kernel.ok("%trace_with_counters a")
    kernel.ok("%trace_load runs/a.json --as b")
    kernel.ok(f"%cd '{start}'")
    assert not (tmp_path / "a_with_counters.json").exists()


@pytest.mark.rust_cells
def test_rust_cells_follow_cd(kernel, tmp_path):
    here = "std::env::current_dir()?.display().to_string()"
    start = kernel.ok(here, timeout=LONG).one("execute_result")["data"]["text/plain"].strip('"')
    assert start == printed(kernel.ok("%pwd"))
    kernel.ok(f"%cd '{tmp_path}'")
    assert kernel.ok(here, timeout=LONG).one("execute_result")["data"]["text/plain"].strip('"') == str(tmp_path)
    kernel.ok('std::fs::write("note.txt", "x")?;', timeout=LONG)
    assert (tmp_path / "note.txt").read_text() == "x"
    kernel.ok("%cd -")
    both = kernel.ok(f"%cd '{tmp_path}'\n{here}", timeout=LONG)
    assert both.one("execute_result")["data"]["text/plain"].strip('"') == str(tmp_path)
    kernel.ok(f"%cd '{start}'")


def test_time_of_a_magic_follows_its_output(kernel):
    ran = kernel.ok("%time %pwd")
    lines = printed(ran).splitlines()
    assert len(lines) == 2 and re.fullmatch(r"Wall time: [\d.]+ [nµm]?s", lines[1]), lines
    failed = kernel.run("%time %nonsense")
    assert failed.status == "error" and "Wall time" not in failed.text()
    for line in ["%time", "x = %time %pwd", "%%time"]:
        assert kernel.run(line).status == "error", line


@pytest.mark.rust_cells
def test_time_of_rust_keeps_variables_and_separates_running(kernel):
    ran = kernel.ok("%time let slept = { std::thread::sleep(std::time::Duration::from_millis(300)); 7 };", timeout=LONG)
    (whole, unit, running) = re.search(
        r"Wall time: ([\d.]+) (m?s) \(Rust: .+ to compile, ([\d.]+) ms to run\)", ran.text()
    ).groups()
    assert float(whole) * (1000 if unit == "s" else 1) > float(running) >= 295, ran.text()
    cell = kernel.ok("%%time\n%pwd\nlet more = slept + 1;\nmore", timeout=LONG)
    assert cell.one("execute_result")["data"]["text/plain"] == "8"
    assert "Wall time: " in cell.text()
    assert kernel.ok("more", timeout=LONG).one("execute_result")["data"]["text/plain"] == "8"


PER_LOOP = r"[\d.]+ [nµm]?s ± [\d.]+ [nµm]?s per loop \(mean ± std\. dev\. of (\d+) runs?, (\d+) loops? each\)"


def test_timeit_of_a_magic_shows_one_line(kernel):
    ran = kernel.ok("%timeit %pwd", timeout=60)
    runs, loops = re.fullmatch(PER_LOOP, printed(ran)).groups()
    assert 1 <= int(runs) <= 7 and int(loops) >= 100
    ran = kernel.ok("%timeit -n 3 -r2 %pwd")
    assert re.fullmatch(PER_LOOP, printed(ran)).groups() == ("2", "3")


@pytest.mark.rust_cells
def test_timeit_of_rust_compiles_once(kernel):
    kernel.ok("let numbers: Vec<u64> = (0..1000).collect();", timeout=LONG)
    ran = kernel.ok("%timeit numbers.iter().sum::<u64>() // a comment", timeout=LONG)
    runs, loops = re.fullmatch(PER_LOOP, printed(ran)).groups()
    assert 1 <= int(runs) <= 7 and int(loops) >= 100
    cell = kernel.ok("%%timeit -n 5 -r 2 let few = 3usize;\nlet text = few.to_string();\ntext.parse::<usize>()?", timeout=LONG)
    assert re.fullmatch(PER_LOOP, printed(cell)).groups() == ("2", "5")
    wrong = kernel.run("let a = 1;\n%timeit numbers.lenn()", timeout=LONG)
    assert wrong.status == "error" and "lenn" in wrong.content["evalue"], wrong.content
    shown = "\n".join(wrong.content["traceback"])
    assert "cell, line 2" in shown and "cells::timing" not in shown and "black_box" not in shown, shown
    mixed = kernel.run("%%timeit\n%pwd\nnumbers.len()")
    assert mixed.status == "error" and "%%time" in mixed.content["evalue"], mixed.content


@pytest.mark.rust_cells
def test_timeit_stops_at_an_interrupt(kernel, tmp_path):
    note = f'std::fs::write("{tmp_path}/begun", "")'
    msg_id = kernel.client.execute(
        f"%timeit -n 1000 -r 1000 {{ {note}; std::thread::sleep(std::time::Duration::from_millis(10)) }}"
    )
    wait_until((tmp_path / "begun").exists, LONG, "it does not run")
    kernel.interrupt()
    ran = kernel.finish(msg_id)
    assert ran.status == "error" and ran.content["ename"] == "KeyboardInterrupt", ran.content


def test_help_says_where_to_look(kernel):
    text = kernel.ok("%help").text()
    assert "%lsmagic" in text and "%NAME?" in text and "Shift-Tab" in text
    page = kernel.ok("%help compare_traces").one("display_data")["data"]["text/plain"]
    assert page.startswith("Usage: %compare_traces CONTROL TEST")
    assert kernel.run("%help nonsense").status == "error"
