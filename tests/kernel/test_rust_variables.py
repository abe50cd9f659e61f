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


# Moved variables

TAKE = "fn eat(rows: Vec<i32>) -> usize { rows.len() }\nfn eat_frame(df: DataFrame) -> usize { df.height() }"


@pytest.mark.parametrize(
    ("make", "move", "name", "value"),
    [
        ('let m1 = df!("a" => [1, 2, 3])?;', 'm1.lazy().filter(col("a").gt(lit(1))).collect()?.height()', "m1.height()", "3"),
        ('let m2 = df!("a" => [1, 2, 3])?;', "eat_frame(m2)", "m2.height()", "3"),
        ('let m3 = df!("a" => [1, 2])?.lazy();', "let n3 = m3.collect()?; n3.height()", "m3.clone().collect()?.height()", "2"),
        ('let m4 = df!("a" => [1])?;', "let (x4, y4) = (m4.lazy(), eat_frame(m4)); y4", "m4.height()", "1"),
        ('let m5 = Series::new("a".into(), [1, 2]);', "DataFrame::new(2, vec![m5.into()])?.width()", "m5.len()", "2"),
        # The clone is that of the moment.
        (
            'let mut m6 = df!("a" => [1])?;',
            'm6.rename("a", "b".into())?; let n6 = m6.lazy().select([col("b")]).collect()?; n6.height()',
            "m6.get_column_names()[0].to_string()",
            "b",
        ),
        (
            'let m7 = df!("a" => [1, 2])?.lazy();',
            "for i in 1..3 { m7.limit(i).collect()?; }",
            "m7.clone().collect()?.height()",
            "2",
        ),
    ],
)
def test_frames_and_columns_that_a_cell_moves_stay(kernel, make, move, name, value):
    kernel.ok(f"{TAKE}\n{make}", timeout=LONG)
    ran = kernel.ok(move, timeout=LONG)
    assert "moved" not in ran.text("stderr"), ran.text("stderr")
    assert value in plain(kernel.ok(name, timeout=LONG))


@pytest.mark.parametrize(
    ("move", "by", "instead"),
    [
        ("eat(rows)", "eat(rows)", "eat(rows.clone())"),
        ("let n = rows.into_iter().sum::<i32>(); n", "rows.into_iter()", "rows.clone().into_iter()"),
        ('for row in rows { print!("{row}"); }', "for … in rows", "for … in &rows"),
        ("let other = rows; other.len()", "let other = rows", "let other = rows.clone()"),
        ("let f = move || rows.len(); f()", "move ||", "let copy = rows.clone();"),
    ],
)
def test_other_moved_variables_are_named(kernel, move, by, instead):
    kernel.ok(f"{TAKE}\nlet rows = vec![1, 2, 3];", timeout=LONG)
    note = kernel.ok(move, timeout=LONG).text("stderr")
    assert f"`rows` was moved by `{by}`" in note and instead in note, note
    later = kernel.run("rows.len()", timeout=LONG).content["evalue"]
    assert f"`rows` was moved by `{by}` in an earlier cell" in later and instead in later, later


def test_dropped_and_redefined_variables_have_their_own_hints(kernel):
    kernel.ok('let d1 = df!("a" => [1])?; #[derive(Debug)] struct Own(i32); let o1 = Own(1);', timeout=LONG)
    assert kernel.ok("drop(d1);", timeout=LONG).text("stderr") == ""
    assert "`d1` was dropped in an earlier cell" in kernel.run("d1.height()", timeout=LONG).content["evalue"]
    kernel.ok("#[derive(Debug)] struct Own(i32, i32);", timeout=LONG)
    later = kernel.run("o1", timeout=LONG).content["evalue"]
    assert "`o1` was dropped when a cell redefined its type" in later, later


def test_moves_of_a_cells_own_variables_are_those_of_rust(kernel):
    ran = kernel.run('let twice = df!("a" => [1])?; let l = twice.lazy(); twice.height()', timeout=LONG)
    assert "borrow of moved value: `twice`" in ran.content["evalue"], ran.content
    kernel.ok("let own = vec![1]; let other = own;", timeout=LONG)
    later = kernel.run("own.len()", timeout=LONG).content["evalue"]
    assert "`own` was moved by `let other = own` in an earlier cell" in later, later
