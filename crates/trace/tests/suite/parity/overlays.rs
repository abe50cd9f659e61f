//! The overlaid traces of frequent kernel sequences.

use super::goldens::{csv, text};
use serde_json::Value;
use std::path::Path;
use trace::Answer;

/// Why the copy that an answer writes is not the golden one: its name, its events, and those of them that say to which
/// pattern they belong. `None` if it is.
pub(crate) fn differs(answer: &Answer, golden: &Path) -> Option<String> {
    let (heads, rows) = csv(golden);
    assert_eq!(heads, ["overlay_file", "events", "events_with_patterns"], "{}", golden.display());
    let copy = answer.copies.first().expect("a copy");
    let copied = copy.save().unwrap();
    let trace: Value = serde_json::from_str(&text(&copy.target)).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.len() as u64, copied.events);
    let marked = events.iter().filter(|event| !event["args"]["Patterns"].is_null()).count();
    // An event that tells the names, where the source has none that could, is ours.
    let ours = [
        copy.target.file_name().unwrap().to_string_lossy().into_owned(),
        (copied.events - copied.added).to_string(),
        marked.to_string(),
    ];
    (ours[..] != rows[0][..]).then(|| format!("{ours:?}, golden {:?}", rows[0]))
}
