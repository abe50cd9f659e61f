//! `%report` and `%open_perfetto` in a notebook.

use super::fixtures::{at, folder, loaded};
use serde_json::Value;

#[test]
fn report_is_one_page_with_the_answer_first() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let html = at(&folder, "why.html");
    let text = notebook.text(&format!("%report control test --html '{html}'"));
    assert!(text.contains("why.html: control → test"), "{text}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.len() < 3_000_000, "{}", page.len());
    let [lead, figure, flame, timeline] =
        ["class=\"lead\"", "data:image/png", "mountFlame(", "mountTimeline("].map(|part| page.find(part).unwrap());
    assert!(lead < figure && figure < flame && flame < timeline);
    // Its own scripts are data; nothing is loaded.
    assert!(!page.contains("src=\"http") && !page.contains("href=") && page.contains("default-src 'none'"));
    assert!(notebook.error("%report control test").contains("--html FILE"));
}

#[test]
fn perfetto_file_has_the_chosen_events() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let file = at(&folder, "gpu.json");
    let text = notebook.text(&format!("%open_perfetto control --where 'stream is not null' --file '{file}'"));
    assert!(text.contains("gpu.json: ") && text.contains("https://ui.perfetto.dev"), "{text}");
    let copy: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let slices: Vec<&Value> =
        copy["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == "X").collect();
    assert!(!slices.is_empty() && slices.iter().all(|slice| slice["args"]["stream"].is_i64()), "{slices:?}");
    assert!(notebook.error("%open_perfetto control --rank 7").contains("rank 7"));
}
