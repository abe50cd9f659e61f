"""Display of values at the end of a Rust cell and in the middle of it."""

import pytest

from driver import LONG

pytestmark = pytest.mark.rust_cells

TABLE = "application/vnd.tracebook.table.v1+json"
PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture(scope="module", autouse=True)
def values(kernel):
    kernel.ok('let small = df!("name" => ["x"], "n" => [1])?;')
    kernel.ok(
        "use plotly::{Bar, Layout, Plot, HeatMap};\n"
        "let mut bars = Plot::new();\n"
        'bars.add_trace(Bar::new(vec!["a", "b"], vec![1.0, 2.0]).name("made by hand"));\n'
        'bars.set_layout(Layout::new().title("two bars"));'
    )


def shown(ran):
    """What a cell showed, in order: the richest type of each output, or its text."""
    kinds = []
    for message in ran.outputs:
        data = message["content"].get("data")
        if message["msg_type"] in ("display_data", "execute_result"):
            kinds.append(next((kind for kind in (TABLE, PLOTLY) if kind in data), data["text/plain"]))
    return kinds


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("small", [TABLE]),
        ("&small", [TABLE]),
        ("Some(small.clone())", [TABLE]),
        ("None::<DataFrame>", ["None"]),
        ("small.clone().lazy().collect()", [TABLE]),
        ("Box::new(small.clone())", [TABLE]),
        ("std::sync::Arc::new(small.clone())", [TABLE]),
        ("vec![small.clone(), small.clone()]", [TABLE, TABLE]),
        ("(small.clone(), bars.clone())", [TABLE, PLOTLY]),
        ("[bars.clone(), bars.clone()]", [PLOTLY, PLOTLY]),
        ('std::collections::HashMap::from([("b", bars.clone()), ("a", bars.clone())])', ['"a":', PLOTLY, '"b":', PLOTLY]),
        ("std::collections::BTreeMap::from([(3, small.clone())])", ["3:", TABLE]),
        ('small.column("n")?', [TABLE]),
        ('Series::new("s".into(), [1, 2])', [TABLE]),
        ("vec![1, 2]", ["[1, 2]"]),
        ("Some(1)", ["Some(1)"]),
        ('"7".parse::<i32>()', ["Ok(7)"]),
        ("Ok::<(), String>(())", []),
        ("()", []),
        ("for _ in 0..2 {}", []),
        ("if true { 1 } else { 2 }", ["1"]),
        ("1 + 1 // two", ["2"]),
        ("// one\n\n/* two */ match 3 { n => n }", ["3"]),
        ('let s = String::from("of the cell"); &s', ['"of the cell"']),
        ("display(&small); display(&bars); display(&1); 2", [TABLE, PLOTLY, "1", "2"]),
        ("display(&vec![small.clone()]); display!(&small.clone().lazy());", [TABLE]),
        (
            "fn show_all(frames: &[DataFrame]) { for frame in frames { display(frame); } }\nshow_all(&[small.clone(), small.clone()]);",
            [TABLE, TABLE],
        ),
    ],
)
def test_values_show_richly_in_order(kernel, code, expected):
    ran = kernel.ok(code, timeout=LONG)
    assert shown(ran)[: len(expected)] == expected
    assert kernel.ok("(small.height(), bars.data().len())").one("execute_result")["data"]["text/plain"] == "(1, 1)"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ('"x".parse::<i32>()', "invalid digit"),
        ("Err::<i32, _>(Some(5))", "Some(5)"),
        ('Err::<DataFrame, _>("no frame")', "no frame"),
        ('small.column("no_such")', "no_such"),
        ('display(&Err::<i32, _>("in the middle"));', "in the middle"),
    ],
)
def test_an_error_value_is_an_error(kernel, code, error):
    ran = kernel.run(code, timeout=LONG)
    assert ran.status == "error" and error in ran.content["evalue"]


def test_a_plot_is_shown_by_our_bundle_and_not_moved(kernel):
    data = kernel.ok("bars").one("execute_result")["data"]
    assert set(data) == {PLOTLY, "image/png", "text/plain"}
    assert data[PLOTLY]["data"][0]["name"] == "made by hand"
    assert "two bars" in data["text/plain"]
    assert kernel.ok("bars.data().len()").one("execute_result")["data"]["text/plain"] == "1"


def test_a_plot_of_a_kind_without_a_picture_says_what_it_is(kernel):
    ran = kernel.ok("let mut plot = Plot::new();\nplot.add_trace(plotly::Contour::new_z(vec![vec![1.0]]));\nplot")
    data = ran.one("execute_result")["data"]
    assert set(data) == {PLOTLY, "text/plain"} and data["text/plain"].startswith("plotly figure: 1 contour")


def test_a_heat_map_has_a_picture(kernel):
    ran = kernel.ok("let mut heat = Plot::new();\nheat.add_trace(HeatMap::new_z(vec![vec![1.0]]));\nheat")
    data = ran.one("execute_result")["data"]
    assert set(data) == {PLOTLY, "image/png", "text/plain"} and data["text/plain"] == "plotly figure: 1 heatmap of 1 × 1"


def test_a_method_of_the_users_own_counts(kernel):
    kernel.ok(
        "#[derive(Debug)] struct Card(i32);\n"
        "impl Card { fn evcxr_display(&self) { "
        'println!("EVCXR_BEGIN_CONTENT text/html\\n<b>{}</b>\\nEVCXR_END_CONTENT", self.0); } }'
    )
    assert kernel.ok("Card(5)").one("display_data")["data"]["text/html"] == "<b>5</b>"


def test_a_value_without_debug_text_is_explained(kernel):
    kernel.ok("struct Bare(i32);")
    ran = kernel.run("Bare(5)")
    assert ran.content["ename"] == "CompileError"
    assert "`Bare`" in ran.content["evalue"] and "derive(Debug)" in ran.content["evalue"]


def test_a_function_called_display_is_left_alone(kernel):
    kernel.ok("mod mine { pub fn display(x: i32) -> i32 { x + 1 } }")
    ran = kernel.ok("{ use mine::display; fn display_id(x: i32) -> i32 { x } mine::display(display_id(1)) }")
    assert ran.one("execute_result")["data"]["text/plain"] == "2"


def test_the_end_of_a_cell_may_move_a_variable(kernel):
    kernel.ok('let moved = small.clone().lazy().group_by([col("name")]);')
    assert kernel.ok("moved.agg([len()]).collect()?.height()").one("execute_result")["data"]["text/plain"] == "1"


def test_error_in_the_last_expression_is_reported_once(kernel):
    ran = kernel.run('let good = 1;\nsmall.head(Some("x"))')
    text = "\n".join(ran.content["traceback"])
    assert text.count("error") == 1 and "mismatched" in text
    assert "line 2, column 17" in text


def test_plot_that_is_shown_as_in_a_program_says_how(kernel):
    kernel.ok("let shown = plotly::Plot::new();", timeout=LONG)
    note = kernel.ok("if false { shown.show(); }", timeout=LONG).text("stderr")
    assert "`shown` at the end of a cell is shown here" in note, note
