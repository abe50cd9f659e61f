"""Variables of Rust cells: those dropped after their cell, lost ones, and invalid names."""

import os
import shutil
import signal

import pytest

from driver import LONG, plain
from places import DATA
from processes import assert_gone, worker

pytestmark = pytest.mark.rust_cells


@pytest.mark.parametrize(
    ("cell", "value", "name", "advice"),
    [
        ("let double = |x: i32| x * 2; let t1 = 1; double(21)", "42", "double", "write a `fn`"),
        ("let o2 = vec![1, 2]; let borrowed = o2.iter(); let t2 = 1; borrowed.len()", "2", "borrowed", "`.clone()`"),
        ('let f3 = df!("n" => [1, 2])?; let ints = f3.column("n")?.i32()?; let t3 = 1; ints.len()', "2", "ints", "`.clone()`"),
        ('let o4 = String::from("x"); let text: &str = &o4; let t4 = 1; text.len()', "1", "text", "`.clone()`"),
        ("let evens = (0..10).filter(|x| x % 2 == 0); let t5 = 1; evens.count()", "5", "evens", "no name"),
        (
            "let m6 = std::sync::Mutex::new(5); let guard = m6.lock().unwrap(); let t6 = 1; *guard + t6",
            "6",
            "guard",
            "`.clone()`",
        ),
        ("let plain = i32::abs; let t7 = 1; plain(-t7)", "1", "plain", "fn(i32) -> i32"),
        ("let (pair, t8) = (|x: i32| x, 1); pair(t8)", "1", "pair", "write a `fn`"),
    ],
)
def test_variable_that_cannot_be_kept_is_dropped_after_its_cell(kernel, cell, value, name, advice):
    ran = kernel.ok(cell, timeout=LONG)
    assert plain(ran) == value
    notes = ran.text("stderr").splitlines()
    assert len(notes) == 1 and f"`{name}` lives in this cell only" in notes[0] and advice in notes[0], notes
    assert "evcxr" not in notes[0].lower()
    for kept in [
        word
        for word in ("t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "o2", "f3", "o4", "m6")
        if f"{word} =" in cell or f"{word})" in cell
    ]:
        kernel.ok(f"let _ = &{kept};", timeout=LONG)
    later = kernel.run(name, timeout=LONG)
    assert "lived in an earlier cell only" in later.content["evalue"], later.content


def test_borrow_of_an_earlier_variable_leaves_that_alone(kernel):
    kernel.ok("let earlier = vec![1, 2, 3];", timeout=LONG)
    assert plain(kernel.ok("let earlier = earlier.iter(); earlier.len()", timeout=LONG)) == "3"
    assert plain(kernel.ok("earlier.len()", timeout=LONG)) == "3"


def test_real_error_hides_what_cannot_be_kept(kernel):
    ran = kernel.run("let mut own = vec![1]; let first = &own; own.push(2); first.len()", timeout=LONG)
    text = "\n".join(ran.content["traceback"])
    assert "cannot borrow `own` as mutable" in ran.content["evalue"] and text.count("error") == 1, text


def test_cell_runs_after_its_process_was_killed_while_idle(tracebook):
    tracebook.ok("let idle_one = 1;\nfn twice(x: i32) -> i32 { x * 2 }", timeout=LONG)
    tracebook.ok(f"%trace_load '{DATA}/control' --as control --quiet")
    tracebook.ok("control.ranks()", timeout=LONG)
    pid = worker(tracebook.pid)
    os.kill(pid, signal.SIGKILL)
    assert_gone([pid])
    ran = tracebook.ok("twice(control.ranks().len() as i32)", timeout=LONG)
    assert plain(ran) == "2"
    note = ran.text("stderr")
    assert "was started again" in note and "idle_one" in note and "control," not in note and ": control" not in note, note
    ran = tracebook.run("idle_one", timeout=LONG)
    assert "was lost" in ran.content["evalue"], ran.content


def test_lost_process_lists_no_trace(tracebook):
    tracebook.ok(f"%trace_load '{DATA}/control' --as t --quiet")
    tracebook.ok("let keep = t.ranks().len();", timeout=LONG)
    ran = tracebook.run("std::process::abort()", timeout=LONG)
    assert ran.content["ename"] == "ProcessLost"
    assert "were lost: keep;" in ran.content["evalue"], ran.content


@pytest.mark.parametrize("label", ["None", "Some", "Ok", "Err", "evcxr_variable_store"])
def test_label_that_no_variable_can_have_is_refused(kernel, label):
    ran = kernel.run(f"%trace_load '{DATA}/control' --as {label} --quiet")
    assert ran.status == "error" and label in ran.content["evalue"] and "try " in ran.content["evalue"], ran.content


def test_label_of_300_characters_is_a_variable(kernel):
    label = "x" * 300
    kernel.ok(f"%trace_load '{DATA}/control' --as {label} --quiet")
    assert plain(kernel.ok(f"{label}.ranks()", timeout=LONG)) == "[3]"


def test_library_installed_anew_asks_for_a_restart(start, tracebook_argv, tmp_path, cells_toolchain):
    copy = tmp_path / "cells"
    install(cells_toolchain, copy)
    kernel = start(tracebook_argv, env={"TRACEBOOK_CELLS": str(copy)})
    kernel.ok("1", timeout=LONG)
    # An installation replaces the folder.
    copy.rename(tmp_path / "old")
    missing = kernel.run("1 + 1", timeout=LONG)
    install(cells_toolchain, copy)
    renewed = kernel.run("1 + 1", timeout=LONG)
    for ran in (missing, renewed):
        assert ran.content["ename"] == "RustUnavailable" and "restart the kernel" in ran.content["evalue"], ran.content
        assert len(ran.content["evalue"].splitlines()) == 1


def install(source, target):
    """A second cells toolchain: links to the files of the first, but a copy of the library."""
    target.mkdir()
    for file in source.iterdir():
        if file.name == "libcells.so":
            shutil.copy(file, target)
        else:
            (target / file.name).symlink_to(file)
