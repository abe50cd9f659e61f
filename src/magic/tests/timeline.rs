//! `%timeline`, `%flame` and `--where sel` in a notebook.

use super::Notebook;
use super::fixtures::{at, folder, loaded};
use crate::display::Output;
use serde_json::{Value, json};
use trace_view::{FLAME, HTML, PNG, TIMELINE};

/// The JSON of the only figure of a cell.
pub(super) fn drawn(notebook: &mut Notebook, code: &str, mime: &str) -> Value {
    let outputs = notebook.outputs(code).unwrap();
    let mut found = outputs.iter().filter_map(|output| match output {
        Output::Display { bundle, .. } if bundle.data.contains_key(mime) => Some(bundle),
        _ => None,
    });
    let bundle = found.next().unwrap();
    // HTML would win over the picture where the extension is missing.
    assert!(found.next().is_none() && bundle.data.contains_key(PNG) && !bundle.data.contains_key(HTML));
    bundle.data[mime].clone()
}

#[test]
fn timeline_draws_a_trace_and_two() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let one = drawn(&mut notebook, "%timeline control --iteration 1", TIMELINE);
    assert_eq!(one["title"], "Timeline of control, rank 0, iteration 1");
    assert_eq!(one["open"]["traces"][0]["label"], "control");
    let gpu = drawn(&mut notebook, "%timeline control --where 'stream is not null'", TIMELINE);
    assert_eq!(gpu["lanes"].as_array().unwrap().len(), 1);
    let two = drawn(&mut notebook, "%timeline control test", TIMELINE);
    assert_eq!(two["sides"].as_array().unwrap().len(), 2);
    assert!(notebook.error("%timeline control --rank 7").contains("rank 7"));
}

#[test]
fn flame_draws_a_step_and_a_difference() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let one = drawn(&mut notebook, "%flame control", FLAME);
    assert_eq!((&one["by"], &one["total"]), (&json!("attributed"), &json!([100_000])));
    let two = drawn(&mut notebook, "%flame control test --by cpu", FLAME);
    assert_eq!((&two["sides"], &two["total"]), (&json!(["control", "test"]), &json!([100_000, 100_000])));
}

#[test]
fn figures_are_written_to_files() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let (html, png) = (at(&folder, "x.html"), at(&folder, "x.png"));
    let (speedscope, folded) = (at(&folder, "x.json"), at(&folder, "x.folded"));
    let text = notebook.text(&format!("%timeline control --html '{html}' --png '{png}'"));
    assert!(text.contains("wrote ") && std::fs::read(&png).unwrap().starts_with(b"\x89PNG"), "{text}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("mountTimeline") && !page.contains("from \"./"));
    notebook.text(&format!("%flame control --html '{html}' --speedscope '{speedscope}' --folded '{folded}'"));
    assert!(std::fs::read_to_string(&html).unwrap().contains("mountFlame"));
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&speedscope).unwrap()).unwrap();
    let sum = |weights: &Value| weights.as_array().unwrap().iter().map(|weight| weight.as_i64().unwrap()).sum::<i64>();
    assert_eq!(sum(&file["profiles"][0]["weights"]), 100_000);
    let lines = std::fs::read_to_string(&folded).unwrap();
    assert_eq!(
        lines.lines().map(|line| line.rsplit(' ').next().unwrap().parse::<i64>().unwrap()).sum::<i64>(),
        100_000
    );
}

#[test]
fn selection_of_a_timeline_is_a_condition() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let error = notebook.error("%events control --where sel");
    assert!(error.contains("nothing is selected in a timeline"), "{error}");
    notebook.session.shared().select("name == aten::add or name == aten::mm".to_owned());
    let text = notebook.text("%events control --where sel");
    assert!(text.contains("aten::add") && text.contains("aten::mm") && !text.contains("gemm"), "{text}");
    let text = notebook.text("%events control --where 'sel and dur < 20us'");
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let names = |name: &str| rows.iter().any(|row| row.contains(name));
    assert!(names("aten::add") && !names("aten::mm"), "{text}");
}
