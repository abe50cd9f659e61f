//! What the fuzzer found, and every kind of odd cell and line, once more: see `fuzz/` at the top of the repository.
#![allow(clippy::unwrap_used)]

use super::oracle;
use std::path::Path;

fn corpus(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let files = std::fs::read_dir(&folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let texts: Vec<String> = files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    assert!(texts.len() >= 15, "{} holds {} files", folder.display(), texts.len());
    texts
}

#[test]
fn cells_of_the_fuzzer_are_cut_without_a_gap() {
    corpus("cell_splitter").iter().for_each(|code| oracle::cell(code));
}

#[test]
fn lines_of_the_fuzzer_are_read_as_words() {
    corpus("magic_line").iter().for_each(|line| oracle::line(line));
}

#[test]
fn a_long_line_is_read_in_time_that_grows_with_its_length() {
    let started = std::time::Instant::now();
    let long = format!("%m {}{}", "a".repeat(200_000), " ".repeat(200_000));
    oracle::line(&long);
    assert!(started.elapsed().as_secs() < 20, "each letter looked at every blank behind");
}

/// The extension colours magic lines by a grammar of its own (`labextension/static/magic.js`); the browser tests hold it to
/// the same cells.
#[test]
fn magic_lines_are_those_the_extension_colours() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("../../tests/magic-lines.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let code = case["cell"].as_str().unwrap();
        let stretches = super::segment::stretches(code);
        let magics: Vec<&str> =
            stretches.iter().filter(|one| one.head.is_some()).map(|one| &code[one.range.clone()]).collect();
        assert_eq!(serde_json::json!(magics), case["magics"], "{code:?}");
    }
}
