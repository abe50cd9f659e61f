//! docs/parity.md: the comparisons with HTA and their results. Each test writes one section.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Set to 1 to write the page; otherwise a section that differs fails.
const WRITE: &str = "TRACEBOOK_WRITE_PARITY";

/// Text before the sections.
const HEAD: &str = "# Parity with HTA

Written by the parity tests (`crates/trace/tests/suite/parity`), which fail if this page is stale;
`TRACEBOOK_WRITE_PARITY=1 cargo test --release -p trace --test suite -- parity` writes it. It compares the answers of HolisticTraceAnalysis 0.6.1,
recorded on third-party traces, with ours under `--compat hta`. Counts are equal, numbers are equal to 1e-9 relative. Matched: the
same table. By decision: HTA raised an error or returned nothing, and ours is an answer or explains why it is empty. Missing: differs,
or was never compared.
";

/// The sections, in their order.
const SECTIONS: &[&str] = &["Analyses of one trace", "Decisions", "Overlaid traces", "Not run", "Everything else"];

/// Serializes access to the page: tests run concurrently.
static PAGE: Mutex<()> = Mutex::new(());

/// Requires that a section has these lines.
///
/// # Panics
/// If it differs and is not to be written.
pub(crate) fn section(name: &str, lines: &[String]) {
    let _page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    check_or_write(name, lines);
}

/// Checks or writes a section; the caller holds the lock.
fn check_or_write(name: &str, lines: &[String]) {
    assert!(SECTIONS.contains(&name), "unknown section {name} of docs/parity.md");
    let mut sections = sections(&std::fs::read_to_string(path()).unwrap_or_default());
    let text = lines.join("\n");
    let known = sections.get(name).map(|text| text.as_str());
    if known == Some(text.as_str()) {
        return;
    }
    assert_eq!(
        std::env::var(WRITE).as_deref(),
        Ok("1"),
        "docs/parity.md is stale: its section {name:?} is\n{}\nand should be\n{text}\n({WRITE}=1 writes it)",
        known.unwrap_or("nothing")
    );
    sections.insert(name.to_owned(), text);
    let written = SECTIONS.iter().filter_map(|name| Some(format!("\n## {name}\n\n{}\n", sections.get(*name)?)));
    std::fs::write(path(), HEAD.to_owned() + &written.collect::<String>()).unwrap();
}

/// Asserts the counts of one row of the section "Everything else", or writes it.
///
/// # Panics
/// As [`section`].
pub(crate) fn counted(what: &str, counts: [usize; 3]) {
    const NAME: &str = "Everything else";
    let _page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = row(what, counts);
    let page = std::fs::read_to_string(path()).unwrap_or_default();
    let known = sections(&page).remove(NAME).unwrap_or_default();
    if known.lines().any(|line| line == wanted) {
        return;
    }
    let this = format!("| {what} |");
    let mut rows: Vec<String> =
        known.lines().skip(2).filter(|line| !line.starts_with(&this)).map(str::to_owned).chain([wanted]).collect();
    rows.sort();
    check_or_write(NAME, &head("what").into_iter().chain(rows).collect::<Vec<_>>());
}

/// Returns a row of a table of counts.
pub(crate) fn row(what: &str, [matched, decided, missing]: [usize; 3]) -> String {
    format!("| {what} | {matched} | {decided} | {missing} |")
}

/// Returns the head of a table of counts.
pub(crate) fn head(what: &str) -> [String; 2] {
    [format!("| {what} | matched | by decision | missing |"), "| --- | ---: | ---: | ---: |".to_owned()]
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/parity.md")
}

fn sections(page: &str) -> BTreeMap<String, String> {
    page.split("\n## ")
        .skip(1)
        .filter_map(|section| section.split_once('\n'))
        .map(|(name, text)| (name.to_owned(), text.trim().to_owned()))
        .collect()
}
