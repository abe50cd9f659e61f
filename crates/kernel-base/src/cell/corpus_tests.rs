//! Replay of the fuzzer's corpus of cells and magic lines; see `fuzz/README.md`.
#![allow(clippy::unwrap_used)]

use super::oracle;
use std::path::Path;

fn corpus(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let files = std::fs::read_dir(&folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let texts: Vec<String> = files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    assert!(texts.len() >= 15, "{} holds {} files", folder.display(), texts.len());
    texts
}

#[test]
fn cells_of_the_corpus_are_split_without_gaps() {
    corpus("cell_splitter").iter().for_each(|code| oracle::cell(code));
}

#[test]
fn lines_of_the_corpus_are_split_into_words() {
    corpus("magic_line").iter().for_each(|line| oracle::line(line));
}

#[test]
fn long_line_is_split_in_linear_time() {
    let started = std::time::Instant::now();
    let long = format!("%m {}{}", "a".repeat(200_000), " ".repeat(200_000));
    oracle::line(&long);
    assert!(started.elapsed().as_secs() < 20, "time is quadratic in the length of the line");
}

/// The extension highlights magic lines by its own grammar (`labextension/static/magic.js`); the browser tests check it against
/// the same cells.
#[test]
fn magic_lines_match_those_of_the_extension() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("../../../../tests/magic-lines.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let code = case["cell"].as_str().unwrap();
        let spans = super::segment::segment_spans(code);
        let magics: Vec<&str> =
            spans.iter().filter(|span| span.head.is_some()).map(|span| &code[span.range.clone()]).collect();
        assert_eq!(serde_json::json!(magics), case["magics"], "{code:?}");
    }
}
