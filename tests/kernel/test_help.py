"""Help while a cell is written: completion (Tab) and inspection (Shift-Tab)."""

import pytest

from driver import LONG, Kernel, until_exists
from places import DATA

pytestmark = pytest.mark.rust_cells


ITEMS = """/// One measurement.
#[derive(Clone, Debug)]
struct Sample { start: i64, length: i64 }
impl Sample {
    /// Where it ends, in ns.
    fn finish(&self) -> i64 { self.start + self.length }
}
enum Phase { Forward, Backward }
/// The longest of some samples.
fn longest(samples: &[Sample]) -> Option<&Sample> { samples.iter().max_by_key(|sample| sample.length) }
macro_rules! twice { ($x:expr) => { 2 * $x } }
const LIMIT: usize = 3;
mod units { /// Nanoseconds in a microsecond.
pub const NANOS: i64 = 1000; }
let sample = Sample { start: 1, length: 2 };"""

FRAMES = """let totals = frame.clone().lazy().group_by([col("name")]).agg([col("dur").sum().alias("busy"), len()]).collect()?;
let plan = totals.clone().lazy().select([col("busy").alias("nanos")]);
let durations = frame.column("dur")?.clone();"""


@pytest.fixture(scope="module")
def kernel(tracebook_argv, tmp_path_factory):
    """A kernel with a trace, and with variables of earlier cells."""
    kernel = Kernel(tracebook_argv, tmp_path_factory.mktemp("help"))
    try:
        kernel.ok(f"%trace_load {DATA}/job/rank-0.json.gz --as control --quiet")
        kernel.ok("diff = %compare_traces control control --quiet")
        cell = 'let frame = control.events().clone(); let names = vec![String::from("é")]; let lazy = frame.clone().lazy();'
        kernel.ok(cell, timeout=LONG)
        kernel.ok(ITEMS, timeout=LONG)
        kernel.ok(FRAMES, timeout=LONG)
        yield kernel
    finally:
        kernel.close()


def ask(kernel, kind, code):
    """The answer at the `|`, in code points as the protocol counts."""
    before, after = code.rsplit("|", 1)
    return kernel.ask(kind, {"code": before + after, "cursor_pos": len(before), "detail_level": 0}).content


def offered(kernel, code):
    return ask(kernel, "complete_request", code)["matches"]


def shown(kernel, code):
    return ask(kernel, "inspect_request", code)["data"].get("text/plain", "")


OFFERED = [
    # What every cell has in scope, and variables of earlier cells before it.
    ("TraceD|", ["TraceDiff"]),
    ("DataF|", ["DataFrame"]),
    ("printl|", ["println!"]),
    ("fram|", ["frame"]),
    ("na|", ["names"]),
    ("le|", ["let", "len"]),
    # Members of our types.
    ("control.even|", ["event_count", "events"]),
    ("control.events().heig|", ["height"]),
    ("TraceDiff::new(&control, &control).compare_|", ["compare_traces"]),
    ("TraceAnalysis::new(&control)?.get_idle_t|", ["get_idle_time_breakdown"]),
    ("TraceSet::lo|", ["load", "load_with"]),
    # Members of polars' types, along a chain, also over lines and through bindings of the cell.
    ("frame.he|", ["head", "height"]),
    ('control.events().lazy().filter(col("dur").gt(lit(1))).gro|', ["group_by", "group_by_stable"]),
    ('lazy\n    .sort(["dur"], Default::default())\n    .colle|', ["collect"]),
    ("let mine = frame.lazy();\nlet mine = mine.limit(3);\nmine.with_colu|", ["with_column", "with_columns"]),
    ('col("dur").su|', ["sum"]),
    ("diff.get_column_n|", ["get_column_names"]),
    # The standard library.
    ("std::collections::HashMa|", ["HashMap"]),
    ("use std::collections::{BTreeMap, HashS|", ["HashSet"]),
    ("Vec::with_cap|", ["with_capacity"]),
    ("std::fs::read_to_s|", ["read_to_string"]),
    ("names.iter().enumer|", ["enumerate"]),
    ("names.iter().map(|name| name.to_upp|", ["to_uppercase"]),
    ("for rank in control.ranks() { rank.abs|", ["abs"]),
    ("std::time::Instant::now().elapsed().as_mill|", ["as_millis"]),
    # Columns, of traces and of variables, inside the quotes that take them.
    ('diff.select([col("diff_cou|', ["diff_counts"]),
    ('control.events().column("correl|', ["correlation"]),
    ('frame.sort(["name", "du|', ["dur"]),
    # Frames that cells made, lazy ones too; of a chain, the columns that it has reached.
    ('totals.select([col("bu|', ["busy"]),
    ('plan.clone().filter(col("|', ["nanos"]),
    ('let t = totals.clone().lazy().with_row_index("row", None);\nt.filter(col("|', ["row", "name", "busy", "len"]),
    ('control.events().lazy().filter(col("dur").gt(lit(1))).group_by([col("cor|', ["correlation"]),
    # What cells defined.
    ("long|", ["longest"]),
    ("Samp|", ["Sample"]),
    ("Sample { len|", ["length"]),
    ("sample.fin|", ["finish"]),
    ("longest(&[]).unwrap().sta|", ["start"]),
    ("Phase::Back|", ["Backward"]),
    ("twi|", ["twice!"]),
    ("LIM|", ["LIMIT"]),
    ("units::|", ["NANOS"]),
    # plotly and serde_json.
    ("plotly::Bar::new(a, b).nam|", ["name"]),
    ("use plotly::{Plot, Lay|", ["Layout"]),
    ('plotly::Layout::new().title("x").y_ax|', ["y_axis"]),
    ("serde_json::from_st|", ["from_str"]),
    ("let v: serde_json::Value = f();\nv.as_arr|", ["as_array"]),
    # Commands.
    (":de|", [":dep"]),
    # Magics, flags, labels, paths.
    ("%compare_tr|", ["%compare_traces"]),
    ("%compare_traces --control-ra|", ["--control-rank"]),
    ("%trace_info con|", ["control"]),
    (f"%trace_load {DATA}/jo|", [f"{DATA}/job/"]),
    # A name in another case, if nothing starts as typed.
    ("tracedi|", ["TraceDiff"]),
]


@pytest.mark.parametrize(("code", "first"), OFFERED, ids=[code.split("\n")[-1][-24:] for code, _ in OFFERED])
def test_offered(kernel, code, first):
    found = offered(kernel, code)
    assert [name for name in found if name in first][: len(first)] == first and found[0] == first[0], found[:10]
    assert len(found) == len(set(found))


@pytest.mark.parametrize("code", ["// TraceD|", '"TraceD|', "let x = 1.|", "no::such::|", "frame.xyzzy|", ":dep ra|", ":dep |"])
def test_nothing_is_offered_where_nothing_fits(kernel, code):
    assert offered(kernel, code) == []


def test_the_text_that_is_replaced_is_counted_in_code_points(kernel):
    reply = ask(kernel, "complete_request", 'let s = "🦀🦀é"; control.events().heig|')
    assert (reply["cursor_start"], reply["cursor_end"]) == (32, 36)
    assert reply["matches"] == ["height"]
    reply = ask(kernel, "complete_request", 'let s = "🦀"; diff.select([col("diff_c|')
    assert reply["cursor_end"] - reply["cursor_start"] == len("diff_c")
    assert "height" in shown(kernel, 'let s = "🦀🦀"; frame.hei|ght()')


def test_each_is_shown_with_kind_and_signature(kernel):
    reply = ask(kernel, "complete_request", "frame.heig|")
    (kind,) = reply["metadata"]["_jupyter_types_experimental"]
    assert kind["type"] == "method" and kind["signature"] == "fn height(&self) -> usize"


SHOWN = [
    ("TraceD|iff::new(&a, &b)", ["struct TraceDiff"]),
    ("TraceDiff::new(&control, &control).compare_tr|aces()", ["fn compare_traces(&self)", "DataFrame", "Columns"]),
    ('frame.lazy().group_b|y([col("name")])', ["LazyFrame: fn group_by", "LazyGroupBy"]),
    # Between the brackets of a call: what is called.
    ("frame.lazy().group_by(|", ["fn group_by"]),
    ('col|("dur")', ["fn col", "Expr"]),
    ("std::collections::HashM|ap", ["struct HashMap<K, V"]),
    ("Vec::with_capaci|ty(3)", ["fn with_capacity(capacity: usize)", "capacity"]),
    ("fra|me", ["frame: DataFrame"]),
    ("control|", ["control: TraceSet"]),
    ("let mine = frame.lazy();\nmi|ne", ["mine: LazyFrame"]),
    ("%compare_tra|ces control", ["compare_traces", "--control-rank"]),
    # A frame with its size and columns.
    ("tota|ls", ["totals: DataFrame\n", " × 3\n", "\nname  cat\nbusy  i64\nlen   u32"]),
    ("pla|n", ["plan: LazyFrame\n1 column\nnanos  i64"]),
    ("durat|ions", ["durations: Column\n", "dur  i64"]),
    ("contro|l", ["control: TraceSet\n", "rank ", "dur "]),
    ('totals.select([col("bus|y")])', ["busy: i64"]),
    ('control.events().column("du|r")', ["dur: i64", "duration [ns]"]),
    # What cells defined.
    ("longe|st(&[])", ["fn longest(samples: &[Sample]) -> Option<&Sample>", "The longest of some samples.", "defined in a cell"]),
    ("sample.fini|sh()", ["Sample: fn finish(&self) -> i64", "Where it ends"]),
    ("Sampl|e", ["struct Sample", "One measurement."]),
    (":de|p rand", [":dep NAME"]),
]


@pytest.mark.parametrize(("code", "parts"), SHOWN, ids=[code.split("\n")[-1][:24] for code, _ in SHOWN])
def test_shown(kernel, code, parts):
    text = shown(kernel, code)
    assert all(part in text for part in parts), text
    assert "[`" not in text


def test_nothing_is_shown_for_unknown_names(kernel):
    for code in ("1 + |2", "xyzzy|", '"TraceD|iff"', "|"):
        reply = ask(kernel, "inspect_request", code)
        assert reply["status"] == "ok" and not reply["found"], code


MANY = {"fr|": 2, "frame.|": 100, 'control.events().lazy().filter(col("dur").gt(lit(1))).|': 100, "std::|": 30, 'col("|': 10}


def test_all_that_fits_is_offered(kernel):
    for code, least in MANY.items():
        found = offered(kernel, code)
        assert len(found) == len(set(found)) >= least, (code, found)


def test_help_is_there_while_a_cell_runs(kernel, tmp_path):
    running = kernel.begin(until_exists(tmp_path / "asked"), printed="begun", timeout=LONG)
    assert offered(kernel, "frame.heig|") == ["height"]
    assert "fn height" in shown(kernel, "frame.heigh|t()")
    assert not kernel.has_replied(running)
    (tmp_path / "asked").touch()
    assert kernel.finish(running, LONG).status == "ok"


def test_columns_of_a_chain_are_those_of_its_frame_only(kernel):
    """The finding of the first hour: columns of another variable came first."""
    events = offered(kernel, 'control.events()["|')
    assert events[0] == "rank" and "busy" not in events and "diff_counts" not in events
    assert offered(kernel, 'let ev = control.events();\nev.lazy().group_by([col("|') == events
    assert offered(kernel, 'frame.lazy().group_by([col("|') == events
    assert offered(kernel, 'plan.clone().collect()?["|') == ["nanos"]


def test_failed_cell_defines_nothing_and_redefinition_replaces(start, tracebook_argv):
    kernel = start(tracebook_argv)
    kernel.ok("fn steady() {} struct Shape { old_field: i32 }", timeout=LONG)
    assert kernel.run("fn wrong() { nothing } struct Never {}", timeout=LONG).status == "error"
    assert offered(kernel, "wron|") == [] and offered(kernel, "Neve|") == [] and offered(kernel, "stead|") == ["steady"]
    # What a cell that panics has defined stays.
    assert kernel.run('fn stays() {} panic!("x")', timeout=LONG).status == "error"
    assert offered(kernel, "stay|") == ["stays"]
    kernel.ok("struct Shape { new_field: i32 }", timeout=LONG)
    assert offered(kernel, "Shape { |")[0] == "new_field" and "old_field" not in offered(kernel, "Shape { |")
    kernel.ok(":clear", timeout=LONG)
    assert offered(kernel, "stead|") == []


def test_frames_are_reported_after_each_cell(start, tracebook_argv):
    kernel = start(tracebook_argv)
    kernel.ok('let mut x = df!("a" => [1, 2], "b``` <b>" => [1.5, 2.5])?;', timeout=LONG)
    assert offered(kernel, 'x["|') == ["a", "b``` <b>"]
    page = ask(kernel, "inspect_request", "x|")["data"]
    assert "2 × 2\na         i32\nb``` <b>  f64" in page["text/plain"]
    # No name of a column closes the fence.
    assert page["text/markdown"].startswith("```rust\nx: DataFrame\n```\n\n````text\n2 × 2")
    # Changed in place, also by a cell that fails later.
    kernel.run('x.rename("a", "c".into())?; panic!("later")', timeout=LONG)
    kernel.ok('x.with_column(Column::new("d".into(), [true, false]))?;', timeout=LONG)
    assert offered(kernel, 'x["|')[-1] == "d"
    # Another value of the same name; a lazy frame that cannot be resolved has no columns.
    kernel.ok('let x = x.lazy().select([col("d")]);', timeout=LONG)
    assert offered(kernel, 'x.clone().filter(col("|') == ["d"]
    ran = kernel.ok('let x = x.select([col("nothing")]);', timeout=LONG)
    assert ran.kinds == [] or ran.kinds == ["status"] * len(ran.kinds), ran.kinds
    assert "columns" not in shown(kernel, "x|")
    kernel.ok("let x = 1;", timeout=LONG)
    assert shown(kernel, "x|") == "x: i32"


def test_what_is_pasted_ends_nothing(kernel):
    """Deep nesting, long cells, broken texts: answered, and the kernel lives."""
    for code in ("(" * 100_000, "Vec<" * 30_000, "&" * 100_000, "a." * 100_000, "let x = 1;\n" * 50_000 + "fra", '"' * 9999):
        for kind in ("complete_request", "inspect_request"):
            reply = kernel.ask(kind, {"code": code, "cursor_pos": len(code), "detail_level": 0}).content
            assert reply["status"] == "ok"
    ran = kernel.run("let deep = " + "(" * 50_000 + "1" + ")" * 50_000 + ";", timeout=LONG)
    assert ran.status == "error" and "nests too deep" in ran.content["evalue"]
    assert offered(kernel, "fram|")[0] == "frame"


def test_without_a_compiler_only_variables_of_cells_are_missing(start, tracebook_argv):
    kernel = start(tracebook_argv, env={"TRACEBOOK_CELLS": "/no/such/folder"})
    assert offered(kernel, "std::collections::HashMa|") == ["HashMap"]
    assert "fn height" in shown(kernel, "DataFrame::heigh|t")
