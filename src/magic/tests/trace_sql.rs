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
    let text = notebook
        .text("%trace_sql SELECT trace, stream, r.rank FROM kernels, (SELECT 0 AS rank UNION ALL SELECT 1) AS r");
    // Columns are in the order of the statement.
    assert!(text.lines().any(|line| line.split_whitespace().eq(["trace", "stream", "rank"])), "{text}");
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

/// Returns the path of a trace of the notebooks.
fn recorded(name: &str) -> String {
    format!("{}/notebooks/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns a statement of the guide that contains `words`, with all its rows.
fn of_guide(words: &str) -> String {
    let guide = include_str!("../../../docs/guide/sql.md");
    let mut cells = guide.split("```").filter_map(|block| block.strip_prefix("tracebook\n%%trace_sql\n"));
    let statement = cells.find(|cell| cell.contains(words)).unwrap_or_else(|| panic!("the guide has no {words}"));
    statement.trim_end().trim_end_matches("LIMIT 5").replace('\n', " ")
}

/// Returns the rows of a magic, ascending: the text of the column `key`, and numbers.
fn answers(notebook: &mut Notebook, code: &str, key: &str, numbers: &[&str]) -> Vec<(String, Vec<f64>)> {
    notebook.text(&format!("asked = {code}"));
    let frame = notebook.frame("asked");
    let value = |name: &str, row: usize| frame.column(name).unwrap().get(row).unwrap().into_static();
    let text = |row: usize| value(key, row).get_str().map_or_else(|| value(key, row).to_string(), str::to_owned);
    let number = |name: &&str, row: usize| value(name, row).try_extract::<f64>().unwrap();
    let mut rows: Vec<(String, Vec<f64>)> =
        (0..frame.height()).map(|row| (text(row), numbers.iter().map(|name| number(name, row)).collect())).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

#[test]
fn numbers_of_the_guide_are_those_of_the_magics() {
    let mut notebook = Notebook::default();
    for label in ["job", "control"] {
        notebook.text(&format!("%trace_load '{}' --as {label}", recorded(label)));
    }
    let whole = "--include-last-profiler-step --quiet";

    // Analyses leave out what is behind the last step.
    let until = "WHERE ts < (SELECT MAX(end_ts) FROM iterations WHERE trace = 'control') AND";
    let sql = of_guide("FROM self_time").replace("WHERE", until);
    let sql = answers(&mut notebook, &format!("%trace_sql --quiet {sql}"), "name", &["calls", "self_time"]);
    let graph = format!("%call_graph control {whole} --where 'cat == cpu_op' --group-by name");
    let graph = answers(&mut notebook, &graph, "name", &["rows", "self_dur"]);
    assert!(graph.len() > 50 && sql == graph, "{sql:?}\n{graph:?}");

    let sql = of_guide("MEDIAN(dur)");
    let sql = answers(&mut notebook, &format!("%trace_sql --quiet {sql}"), "kernel_type", &["n"]);
    let kernels = "%trace_sql --quiet SELECT kernel_type, name FROM kernels WHERE trace = 'control'";
    let kernels = answers(&mut notebook, kernels, "kernel_type", &[]);
    let count = |of: &str| kernels.iter().filter(|(found, _)| found == of).count() as f64;
    assert!(sql.len() == 3 && sql.iter().all(|(kind, n)| n[0] == count(kind)), "{sql:?}");

    // The share of communication that overlaps computation.
    let of_communication = "%trace_sql --quiet SELECT rank, SUM(dur) AS dur FROM kernels WHERE trace = 'job' AND kernel_type = \
                            'COMMUNICATION' GROUP BY rank";
    let all = answers(&mut notebook, of_communication, "rank", &["dur"]);
    let sql = of_guide("AS overlapped");
    let sql = answers(&mut notebook, &format!("%trace_sql --quiet {sql}"), "rank", &["overlapped"]);
    let share = answers(&mut notebook, &format!("%comm_comp_overlap job {whole}"), "rank", &["comp_comm_overlap_pctg"]);
    assert_eq!(share.len(), 4);
    for ((share, sql), all) in share.iter().zip(&sql).zip(&all) {
        let of_sql = 100.0 * sql.1[0] / all.1[0];
        assert!(share.0 == sql.0 && (share.1[0] - of_sql).abs() < 0.006, "{share:?} {of_sql}");
    }
}

#[test]
fn times_of_all_magics_count_from_the_start_of_the_recording() {
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load '{}' --as control", recorded("control")));
    let step = "name == \"ProfilerStep#1012\"";
    let found = [
        format!("%events control --where '{step} and cat == user_annotation'"),
        format!("%call_graph control --where '{step} and cat == user_annotation'"),
        "%trace_sql SELECT name, ts FROM iterations WHERE iteration = 1012".to_owned(),
        "%trace_sql SELECT name, ts FROM self_time WHERE name = 'ProfilerStep#1012' AND cat = 'user_annotation'"
            .to_owned(),
    ]
    .map(|code| answers(&mut notebook, &code, "name", &["ts"]));
    assert_eq!(found[0].len(), 1);
    assert!(found.iter().all(|rows| *rows == found[0]), "{found:?}");
    let ts = found[0][0].1[0];
    assert!((30e6..40e6).contains(&ts), "{ts} ns: the fourth step of 11 ms");
    let near = format!("%events control --where 'ts == {ts}ns and {step}'");
    assert_eq!(answers(&mut notebook, &near, "name", &["ts"]), found[0]);
    let on_clock = "%trace_sql SELECT name, ts + origin AS ts FROM iterations JOIN (SELECT trace, rank, origin FROM ranks) \
                    USING (trace, rank) WHERE iteration = 1012";
    let on_clock = answers(&mut notebook, on_clock, "name", &["ts"])[0].1[0];
    let trace = trace::TraceSet::load(recorded("control")).unwrap();
    assert_eq!(on_clock - ts, trace.origin() as f64);
}

/// Companions lend to the trace that was loaded with them; those of the flag to all.
#[test]
fn companions_lend_operators_to_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = super::explain::notebook_of_graphs(&folder);
    let ask = |flags: &str| {
        format!(
            "%trace_sql {flags} --as x --quiet SELECT trace, operator, operator_source FROM kernels ORDER BY trace, ts"
        )
    };
    let mut rows = |flags: &str| {
        notebook.text(&ask(flags));
        let frame = notebook.frame("x");
        let texts = |name: &str| {
            frame
                .column(name)
                .unwrap()
                .str()
                .unwrap()
                .iter()
                .map(|text| text.unwrap_or("").to_owned())
                .collect::<Vec<_>>()
        };
        let (traces, operators, sources) = (texts("trace"), texts("operator"), texts("operator_source"));
        (traces.iter().zip(operators).zip(sources))
            .map(|((trace, operator), source)| format!("{trace} {operator} {source}"))
            .collect::<Vec<_>>()
    };
    let from = "borrowed from new_companion";
    let borrowed = |trace: &str| [format!("{trace} aten::mm {from}"), format!("{trace} aten::gelu {from}")];
    let none = |trace: &str| [format!("{trace}  "), format!("{trace}  ")];
    assert_eq!(rows(""), [borrowed("new"), none("old")].concat());
    assert_eq!(rows("--companion new_companion"), [borrowed("new"), borrowed("old")].concat());
    assert_eq!(rows("--companion none"), [none("new"), none("old")].concat());
}
