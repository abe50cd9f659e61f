"""`x?`, `?x` and `x??` alone in a cell: what Shift-Tab shows, without compiling anything."""

import pytest

from places import DATA


def page(ran):
    (payload,) = ran.content["payload"]
    assert payload["source"] == "page"
    return payload["data"]["text/plain"]


@pytest.fixture(scope="module")
def described(kernel):
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet\n%trace_load '{DATA}/test' --as test --quiet")
    kernel.ok("compared = %compare_traces control test --device-type cpu --quiet")
    return kernel


@pytest.mark.parametrize("cell", ["control?", "?control", "control??"])
def test_trace_tells_what_it_holds(described, cell):
    text = page(described.ok(cell))
    assert text.startswith("control: TraceSet") and "iterations" in text and "4,9" in text, text


def test_frame_tells_its_columns_and_their_types(described):
    text = page(described.ok("compared?"))
    assert text.startswith("compared: DataFrame"), text
    assert any(line.split()[:2] == ["diff_counts", "i64"] for line in text.splitlines()), text


@pytest.mark.parametrize(
    ("cell", "part"), [("compare_traces?", "%compare_traces"), ("TraceDiff::new?", "fn new"), ("compared.lazy?", "LazyFrame")]
)
def test_magic_and_function_show_their_help(described, cell, part):
    assert part in page(described.ok(cell))


def test_question_needs_no_compiler(start, tracebook_argv):
    kernel = start(tracebook_argv, env={"TRACEBOOK_CELLS": "/no/such/folder"})
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet")
    assert page(kernel.ok("control?")).startswith("control: TraceSet")


@pytest.mark.rust_cells
def test_question_mark_behind_a_result_is_rust(kernel):
    kernel.ok('let parsed = "7".parse::<i32>();', timeout=120)
    assert kernel.ok("parsed?", timeout=120).one("execute_result")["data"]["text/plain"] == "7"
