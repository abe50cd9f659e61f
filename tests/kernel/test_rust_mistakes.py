"""Common mistakes in Rust cells: the message names the thing, the reason and the fix, and shows the user's cell only."""

import re

import pytest

from driver import LONG
from places import DATA

pytestmark = pytest.mark.rust_cells

# The cell, what the message names, and the fix it gives.
MISTAKES = {
    "python_import": ("import pandas as pd", "`pandas`", "polars, plotly, serde_json"),
    "magic_without_sigil": ("compare_traces control test", "`control`", "did you mean `%compare_traces control test`?"),
    "python_function": ("def f(x):\n    return x", "`f`", "`fn name"),
    "python_loop": ("for i in range(3):\n    i", "`:`", "write blocks in braces"),
    "python_print": ('print("a")', "macro `print`", "println!"),
    "shell": ("!ls", "`ls`", 'Command::new("ls")'),
    "shell_with_flags": ("!ls -la /tmp", "ls", "cells are Rust and have no shell"),
    "missing_semicolon": ("let x = 5\nlet y = 6;", "found keyword `let`", "add `;` here"),
    "missing_last_semicolon": ("let x = 5", "found the end of the cell", "add `;` here"),
    "junk": ("let x = 5 junk", "found `junk`", "`;`"),
    "unclosed_brace": ('if true {\n    println!("a");', "unclosed delimiter `{`", "never closed"),
    "wrong_bracket": ("vec![1, 2)", "mismatched closing delimiter `)`", "`[` is open"),
    "stray_brace": ("let x = 1; }", "unexpected closing delimiter `}`", "nothing is open"),
    "open_string": ('let text = "abc', "unterminated double quote string", "line 1, column 12"),
    "single_quotes": ("let s = 'abc';", "character literal", "use double quotes"),
    "unknown_crate": ("use rand::Rng;", "`rand`", '`:dep rand = "*"`'),
    "filter_with_text": ('mf.filter("x > 0")', "mismatched types", '.lazy().filter(col("x").gt(lit(0))).collect()?'),
    "head_with_number": ("mf.head(5)", "mismatched types", "`df.head(Some(5))`"),
    "sort_with_text": ('mf.sort("x")', "`&str`", "SortMultipleOptions::new()"),
    "group_by_on_a_frame": ('mf.groupby("x")', "`groupby`", ".lazy().group_by("),
    "comparison_of_columns": ('mf.clone().lazy().filter(col("x") > 1).collect()?', "`Expr`", '`col("x").gt(lit(5))`'),
    "column_as_field": ("mf.x", "`x`", '`df.column("x")?`'),
    "column_as_target": ('mf["z"] = 5;', "`Column`", "with_column"),
    "mean_of_a_column": ('mf["x"].mean()', "`mean`", ".as_materialized_series().mean()"),
    "assignment_without_let": ("new_one = 5;", "`new_one`", "`let new_one = …;`"),
    "float_and_integer": ("let n = 1 + 2.0;", "float", "`x as f64`"),
    "python_true": ("let v = True;", "`True`", "write `true` and `false`"),
    "mean_of_a_frame": ("mf.mean()", "`mean`", '.lazy().select([col("x").mean()])'),
    "result_as_value": ('let read = mf.column("x"); read.len()', "`len`", "`?` behind it"),
    "index_of_another_type": ("vec![1, 2][1i32]", "`i32`", "`xs[i as usize]`"),
    "quantile_of_one_argument": (
        'mf.lazy().select([col("x").quantile(0.5)]).collect()?',
        "2 arguments",
        "QuantileMethod::Linear",
    ),
    "quantile_of_a_column": ('mf["x"].quantile(0.5)', "`quantile`", "QuantileMethod::Linear"),
    "contains_without_lit": ('mf.lazy().filter(col("x").str().contains("a")).collect()?', "2 arguments", '`lit("mm")`'),
    "over_without_question_mark": ('mf.lazy().select([col("x").sum().over(["yy"])]).collect()?', "Expr", '.over([col("y")])?'),
    "number_beside_a_column": ('mf.lazy().select([col("x") / 1000]).collect()?', "mismatched types", 'col("x") / lit(1000)'),
    "sum_of_a_column": ('mf["x"].sum()', "`Column`", ".as_materialized_series().sum::<f64>()?"),
    "maximum_of_a_column": ('mf["x"].max()', "`Column`", ".as_materialized_series().sum::<f64>()?"),
    "columns_compared": ('mf["x"] > 0', "`Column`", '.lazy().filter(col("x").gt(lit(0)))'),
    "column_indexed": ('mf["x"][0]', "`Column`", 'df["x"].get(0)?'),
    "loop_over_a_column": ('for x in mf["x"] {}', "`Column`", ".f64()?.iter().flatten()"),
    "rows_of_a_frame": ("mf.rows()", "`rows`", "df.get_row(0)?"),
    "sample_of_a_frame": ("mf.sample(2)", "`sample`", "sample_n_literal(5, false, None, None)?"),
    "drop_nulls": ("mf.drop_nulls()", "1 argument", "drop_nulls::<String>(None)?"),
    "query_of_pandas": ('mf.query("x > 1")', "`query`", 'filter::query("x > 1")?'),
    "contains_without_str": (
        'mf.lazy().filter(col("x").contains("a")).collect()?',
        "`contains`",
        '.str().contains(lit("mm"), false)',
    ),
    "text_beside_a_column": ('mf.clone().lazy().filter(col("x").eq("a::b")).collect()?', '"a::b"', '`lit("a::b")`'),
    "frame_indexed_by_a_missing_column": ('mf["xx"]', "xx", 'Did you mean "x"? The columns are x, yy'),
    "function_of_a_variable": ("fn rows_of() -> usize { mf.height() }", "`mf`", "`fn f(mf: &DataFrame)`"),
    "frame_without_a_name": ("df.height()", "`df`", "there is no variable `df`"),
    "comment_of_python": ("# a comment", "`a`", "a comment begins with `//`"),
    "value_counts": ('mf["x"].value_counts()', "`value_counts`", '.value_counts(true, true, "count".into(), false)?'),
    "pivot": ('mf.pivot("x", "yy")', "`pivot`", "FILTER (WHERE"),
    "conditions_with_and": ('mf.lazy().filter(col("x").gt(lit(1)) & col("yy").lt(lit(3))).collect()?', "Expr & Expr", "`.and`"),
    "to_csv": ('mf.to_csv("x.csv")', "`to_csv`", 'write_csv(&df, "x.csv")?'),
    "to_parquet": ('mf.to_parquet("x")', "`to_parquet`", 'write_parquet(&df, "x.parquet")?'),
    "lazy_scan_parquet": ('LazyFrame::scan_parquet("x", Default::default())?', "`scan_parquet`", 'read_parquet("x.parquet")?'),
    "sort_values": ('mf.sort_values("x")', "`sort_values`", "with_order_descending(true)"),
    "unique_of_a_frame": ("mf.unique()", "3 arguments", "unique_stable("),
    "shape_as_field": ("mf.shape", "`shape`", "`df.shape()`"),
    "plot_of_a_frame": ("mf.plot()", "`plot`", "`%visualize df`"),
    "module_of_pandas": ('pd::read_csv("x.csv")', "`pd`", "frames are polars'"),
    "immutable": ("let total = 0; total += 1;", "`total`", "let mut"),
    "missing_column": ('mf.column("xx")?', '"xx"', 'did you mean "x"?'),
    "string_function_on_categories": (
        'control.events().lazy().filter(col("name").str().contains(lit("nccl"), false)).collect()?',
        "String",
        'col("name").cast(DataType::String)',
    ),
}


@pytest.fixture(scope="module")
def frames(kernel):
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet", timeout=LONG)
    kernel.ok('let mut mf = df!("x" => [3, 1, 2], "yy" => [1.0, 2.0, 3.0])?;', timeout=LONG)
    return kernel


def shown(ran):
    """The traceback without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(ran.content["traceback"]))


@pytest.mark.parametrize(("cell", "names", "fix"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_in_a_rust_cell_is_answered_with_its_fix(frames, cell, names, fix):
    ran = frames.run(cell, timeout=LONG)
    assert ran.status == "error", "it is a mistake"
    text = shown(ran)
    assert names in text and fix in text, text
    assert names in ran.content["evalue"] or fix in ran.content["evalue"], ran.content["evalue"]
    assert "evcxr" not in text.lower() and "cells::" not in text and "lib.rs" not in text, text
    # Every source line shown is one of the cell.
    lines = cell.split("\n")
    for number, source in re.findall(r"^(\d+) \| (.*)$", text, re.MULTILINE):
        assert lines[int(number) - 1] == source, text


def test_error_says_each_thing_once(kernel):
    ran = kernel.run("1.no_such()", timeout=LONG)
    text = shown(ran)
    assert text.count("no method named `no_such`") == 1, text


def test_advice_is_given_once(kernel):
    text = shown(kernel.run("let total = 0; total += 1;", timeout=LONG))
    assert text.count("consider making this binding mutable") == 1, text


def test_type_in_scope_is_named_without_its_path(frames):
    for cell in ("control.no_such()", "let n: i64 = control;"):
        text = shown(frames.run(cell, timeout=LONG))
        assert "`TraceSet`" in text and "prelude::" not in text and "trace::" not in text, text


def test_error_behind_a_magic_names_the_line_of_the_cell(kernel):
    text = shown(kernel.run("%lsmagic\nlet a = 1;\nlet b = a b;", timeout=LONG))
    assert "cell, line 3, column 11" in text and "3 | let b = a b;" in text, text


def test_error_of_an_earlier_item_is_reported_as_such(kernel):
    kernel.ok("struct Shape { side: i32 }\nfn area(shape: &Shape) -> i32 { shape.side * shape.side }", timeout=LONG)
    ran = kernel.run("struct Shape { radius: i32 }\n1 + 1", timeout=LONG)
    text = shown(ran)
    assert "no field `side`" in text and "an item of an earlier cell" in text, text
    kernel.ok("struct Shape { side: i32 }", timeout=LONG)
