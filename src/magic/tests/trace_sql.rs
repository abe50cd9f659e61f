//! `%trace_sql`: results, names, saved statements, mistakes, completion and help.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::{at, folder, loaded, notebook_with};
use crate::display::Output;
use crate::magic::{complete, inspect};
use crate::session::Cells;
use trace::polars::df;
use trace_testkit::{Stream, TraceBuilder};

fn notebook() -> Notebook {
    loaded(&folder())
}

#[test]
fn statement_is_shown_with_caption_and_rows() {
    let mut notebook = notebook();
    let text = notebook
        .text("%trace_sql SELECT trace, name, SUM(dur) AS dur FROM kernels GROUP BY trace, name ORDER BY trace");
    assert!(text.contains("2 rows") && text.contains("void gemm<float>(int)"), "{text}");
    assert!(text.contains("SELECT trace, name, SUM(dur) AS dur"), "{text}");
    assert_eq!(notebook.text("%trace_sql SELECT * FROM events WHERE dur < 0").lines().next(), Some("no rows"));
}

#[test]
fn results_are_bound_by_every_spelling() {
    let mut notebook = notebook();
    for cell in [
        "%%trace_sql\nx << SELECT name, dur FROM kernels",
        "%%trace_sql --as x\nSELECT name, dur\nFROM kernels",
        "%%trace_sql x <<\nSELECT name, dur FROM kernels",
        "x = %trace_sql SELECT name, dur FROM kernels",
        "%trace_sql x << SELECT name, dur FROM kernels",
        "%trace_sql --as x --quiet SELECT name, dur FROM kernels;",
    ] {
        notebook.cells.unbind("x");
        notebook.text(cell);
        assert_eq!(notebook.frame("x").shape(), (2, 2), "{cell}");
    }
    let error = notebook.error("%%trace_sql --as y\nx << SELECT 1 AS a");
    assert!(error.contains("two names"), "{error}");
    assert!(notebook.error("%trace_sql 1x << SELECT 1 AS a").contains("invalid name"), "a number begins no name");
}

#[test]
fn bound_frames_and_saved_statements_are_tables() {
    let mut notebook = notebook().with_frame("wanted", df!("name" => ["aten::mm"], "weight" => [2]).unwrap());
    notebook.text("%trace_sql n << SELECT SUM(dur * weight) AS n FROM events JOIN wanted ON events.name = wanted.name");
    let ns = notebook.frame("n").column("n").unwrap().i64().unwrap().get(0);
    assert_eq!(ns, Some(2 * (30 + 35 + 35) * 1000));
    assert!(
        notebook
            .text("%%trace_sql --save mm -N\nSELECT * FROM events WHERE name = 'aten::mm'")
            .contains("saved: FROM mm")
    );
    notebook.text("%trace_sql --with mm --as n SELECT COUNT(*) AS n FROM mm");
    assert_eq!(
        notebook
            .frame("n")
            .column("n")
            .unwrap()
            .cast(&trace::polars::prelude::DataType::Int64)
            .unwrap()
            .i64()
            .unwrap()
            .get(0),
        Some(3)
    );
    assert!(notebook.error("%trace_sql --with nn SELECT 1 AS a").contains("unknown saved statement `nn`: expected mm"));
    assert!(notebook.error("%trace_sql --save kernels SELECT 1 AS a").contains("a table has this name"));
    assert!(notebook.error("%trace_sql --save control SELECT 1 AS a").contains("a loaded trace has this name"));
}

#[test]
fn statements_are_read_from_files() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let path = at(&folder, "query.sql");
    std::fs::write(&path, "SELECT COUNT(*) AS n\nFROM kernels").unwrap();
    notebook.text(&format!("%trace_sql --file '{path}' --as n"));
    assert_eq!(notebook.frame("n").height(), 1);
    assert!(notebook.error(&format!("%trace_sql --file '{path}' SELECT 1 AS a")).contains("two statements"));
    assert!(notebook.error("%trace_sql -f /no/such.sql").contains("cannot read /no/such.sql"));
    assert!(notebook.error("%trace_sql").contains("missing STATEMENT"));
}

#[test]
fn mistakes_show_line_and_caret() {
    let mut notebook = notebook();
    let error = notebook.error("%%trace_sql\nSELECT nam\nFROM kernels");
    assert_eq!(
        error,
        "SqlError: unknown column `nam`; did you mean name?\nat line 1, column 8:\n  SELECT nam\n         ^^^"
    );
    let error = notebook.error("%%trace_sql\nSELECT name, SUM(dur)\nFROM kernels");
    assert!(error.contains("`name` stands beside an aggregate without GROUP BY"), "{error}");
    let error = Notebook::default().error("%trace_sql SELECT * FROM events");
    assert!(error.contains("no trace is loaded; %trace_load PATH --as NAME loads one"), "{error}");
}

#[test]
fn hostile_names_stay_inert() {
    let name = "<img src=x onerror=alert(1)>'; DROP TABLE events; --";
    let trace = TraceBuilder::new().operator(name, 0..9).kernel(name, Stream(7), 1..4);
    let mut notebook = notebook_with(&[("a", trace)]).1;
    for output in notebook.outputs("%trace_sql SELECT name, dur FROM kernels").unwrap() {
        let Output::Display { bundle, .. } = output else { continue };
        let html = bundle.data.get("text/html").and_then(|html| html.as_str()).unwrap();
        assert!(html.contains("&lt;img") && !html.contains("<img"), "{html}");
    }
}

/// The candidates at the `|`.
fn offered(notebook: &Notebook, code: &str) -> Vec<String> {
    let at = code.find('|').unwrap();
    let view = notebook.session.view(&notebook.cells);
    let found = complete(&code.replacen('|', "", 1), at, &view);
    found.map(|found| found.items.into_iter().map(|item| item.text).collect()).unwrap_or_default()
}

#[test]
fn completion_offers_tables_columns_and_flags() {
    let notebook = notebook();
    assert_eq!(offered(&notebook, "%%trace_sql\nSELECT * FROM ker|"), ["kernels"]);
    assert_eq!(offered(&notebook, "%trace_sql SELECT * FROM ra|"), ["ranks"]);
    assert_eq!(offered(&notebook, "%%trace_sql --as x\nSELECT k.launch| FROM kernels k"), ["launch_id"]);
    assert_eq!(offered(&notebook, "%%trace_sql\nSELECT quantile_c| FROM kernels"), ["quantile_cont"]);
    assert_eq!(offered(&notebook, "%%trace_sql\nSELECT * FROM kernels WHERE trace = 'te|"), ["test"]);
    assert_eq!(offered(&notebook, "%%trace_sql\nSELECT * FROM kernels WH|"), ["WHEN", "WHERE"]);
    assert!(offered(&notebook, "%%trace_sql --sa|\nSELECT 1").contains(&"--save".to_owned()));
    assert!(offered(&notebook, "%trace_sql SELECT 1\nlet x = ker|").is_empty());
}

#[test]
fn help_on_a_table_lists_its_columns() {
    let notebook = notebook();
    let view = notebook.session.view(&notebook.cells);
    let page = |code: &str, word: &str| {
        inspect(code, code.find(word).unwrap() + 1, &view).map(|page| page.plain().to_owned()).unwrap_or_default()
    };
    let kernels = page("%%trace_sql\nSELECT k.dur FROM kernels k", "kernels");
    assert!(kernels.starts_with("kernels: the work of the GPU") && kernels.contains("launch_id"), "{kernels}");
    assert_eq!(page("%%trace_sql\nSELECT k.end_ts FROM kernels k", "end_ts"), "end_ts: end: ts + dur [ns]");
    assert!(page("%trace_sql SELECT * FROM gaps(7)", "gaps").contains("before_name"));
    assert!(page("%%trace_sql\nSELECT AVG(dur) FROM kernels", "AVG").contains("function"));
}
