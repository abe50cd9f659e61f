//! The table of consistency: what several magics show of a trace is equal, on every shared trace and pair.
//!
//! A row of [`SHOWN`] says which quantities a magic shows, a row of [`READERS`] how to read one of them from its answer.

#![allow(clippy::unwrap_used)]
mod readers;

use super::Notebook;
use crate::display::Output;
use crate::magic::{MAGICS, Quantity, SHOWN};
use readers::{READERS, described};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use trace::polars::prelude::DataFrame;

/// What a magic shows of a quantity: a value, as text, for each of what it is of. Times are whole ns.
type Values = BTreeMap<String, String>;

/// How one quantity is read from the answer of one magic; `None` where the magic refuses the trace, or does not show it of such a trace.
struct Reader(&'static str, Quantity, fn(&mut Case) -> Option<Values>);

/// A trace that is asked about, or a pair of them.
struct Case {
    notebook: Notebook,
    folder: TempDir,
    /// Label of the test: that of control where there is no pair.
    test: &'static str,
    /// Ranks that all questions are about.
    ranks: Vec<i64>,
    /// Numbers of the profiler steps.
    iterations: Vec<i64>,
    /// Magics that refused.
    refused: Vec<String>,
}

impl Case {
    fn outputs(&mut self, code: &str) -> Option<Vec<Output>> {
        match self.notebook.outputs(code) {
            Ok(outputs) => Some(outputs),
            Err(failure) => {
                self.refused.push(format!("{code}: {}", failure.evalue));
                None
            }
        }
    }

    /// Returns the document of `--json`.
    fn json(&mut self, code: &str) -> Option<Value> {
        let file = self.folder.path().join("answer.json");
        self.outputs(&format!("{code} --quiet --json '{}'", file.display()))?;
        Some(serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
    }

    /// Returns the frame that a magic binds.
    fn frame(&mut self, code: &str) -> Option<DataFrame> {
        self.outputs(&format!("asked = {code}"))?;
        Some(self.notebook.frame("asked").clone())
    }

    fn sql(&mut self, statement: &str) -> Option<DataFrame> {
        self.frame(&format!("%trace_sql --quiet {statement}"))
    }

    /// Returns the contents of one MIME type in the outputs of a magic.
    fn shown(&mut self, code: &str, mime: &str) -> Option<Vec<Value>> {
        let outputs = self.outputs(code)?.into_iter();
        let of =
            |output| if let Output::Display { bundle, .. } = output { bundle.data.get(mime).cloned() } else { None };
        Some(outputs.filter_map(of).collect())
    }

    /// Returns the outputs of a magic as text.
    fn text(&mut self, code: &str) -> Option<String> {
        Some(self.outputs(code)?.iter().map(super::notebook::plain).collect::<Vec<_>>().join("\n"))
    }

    /// Selections of single steps, and what they are of: `rank 0, ProfilerStep#7`.
    fn steps(&self) -> Vec<(i64, i64)> {
        let iterations = self.iterations.iter().copied().take(2);
        iterations.flat_map(|iteration| self.ranks.iter().take(2).map(move |&rank| (rank, iteration))).collect()
    }

    fn is_pair(&self) -> bool {
        self.test != "control"
    }
}

/// All folders with traces below one.
fn folders(of: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![of.to_owned()]);
    while let Some(folder) = open.pop() {
        let files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        if files.iter().any(|file| file.is_file() && trace::read::is_trace_name(&file.display().to_string())) {
            found.push(folder);
        }
        open.extend(files.into_iter().filter(|file| file.is_dir()));
    }
    found.sort();
    found
}

/// Loads a trace, or a pair; `None` if a file is none.
fn load(control: &Path, test: Option<&Path>) -> Option<Case> {
    let mut case = Case {
        notebook: Notebook::default(),
        folder: tempfile::tempdir().unwrap(),
        test: if test.is_some() { "test" } else { "control" },
        ranks: Vec::new(),
        iterations: Vec::new(),
        refused: Vec::new(),
    };
    for (label, path) in std::iter::once(("control", control)).chain(test.map(|test| ("test", test))) {
        case.outputs(&format!("%trace_load '{}' --as {label} --no-cache", path.display()))?;
    }
    let page = described(&mut case)?;
    let numbers = |values: &Value, key: &str| {
        values.as_array().unwrap().iter().map(|of| of[key].as_i64().unwrap()).collect::<Vec<i64>>()
    };
    (case.ranks, case.iterations) = (numbers(&page["ranks"], "rank"), numbers(&page["iterations"], "iteration"));
    Some(case)
}

#[test]
fn every_magic_says_what_it_shows_and_each_is_read() {
    let magics: BTreeSet<&str> = MAGICS.iter().map(|magic| magic.name()).collect();
    let rows: BTreeSet<&str> = SHOWN.iter().map(|(name, _)| *name).collect();
    assert_eq!(magics, rows, "a row of SHOWN for every magic");
    assert_eq!(rows.len(), SHOWN.len(), "one row each");
    let shown: BTreeSet<(&str, Quantity)> =
        SHOWN.iter().flat_map(|(name, all)| all.iter().map(move |&quantity| (*name, quantity))).collect();
    let read: BTreeSet<(&str, Quantity)> = READERS.iter().map(|Reader(name, quantity, _)| (*name, *quantity)).collect();
    assert_eq!(shown, read, "a reader for every quantity that a magic shows");
    for quantity in Quantity::ALL {
        assert!(shown.iter().filter(|(_, of)| *of == quantity).count() > 1, "{quantity:?} is shown by several magics");
    }
}

#[test]
fn magics_agree_on_every_shared_trace_and_pair() {
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED").map(PathBuf::from).filter(|folder| folder.is_dir()) else {
        eprintln!("skipped: TRACEBOOK_SHARED names no folder of traces");
        return;
    };
    let singles = folders(&shared.join("traces"));
    let parents: BTreeSet<&Path> = singles.iter().filter_map(|folder| folder.parent()).collect();
    let pairs = parents.into_iter().filter_map(|parent| {
        let is_there = |name: &str| singles.contains(&parent.join(name));
        (is_there("control") && is_there("test")).then(|| (parent.join("control"), Some(parent.join("test"))))
    });
    let cases = singles.iter().cloned().map(|folder| (folder, None)).chain(pairs.collect::<Vec<_>>());
    let (mut differ, mut compared) = (Vec::new(), BTreeMap::<Quantity, usize>::new());
    for (control, test) in cases {
        let Some(mut case) = load(&control, test.as_deref()) else { continue };
        for quantity in Quantity::ALL {
            let mut first: Option<(&str, Values)> = None;
            for Reader(magic, of, read) in READERS {
                if *of != quantity {
                    continue;
                }
                let Some(values) = read(&mut case) else { continue };
                let Some((other, expected)) = &first else {
                    first = Some((magic, values));
                    continue;
                };
                *compared.entry(quantity).or_default() += 1;
                if *expected != values {
                    let only = |one: &Values, other: &Values| {
                        let of = one.iter().filter(|(key, value)| other.get(*key) != Some(value)).take(4);
                        of.map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join("; ")
                    };
                    differ.push(format!(
                        "{} {:?} {quantity:?}: %{other} {} | %{magic} {}",
                        control.display(),
                        test.as_ref().map(|test| test.file_name()),
                        only(expected, &values),
                        only(&values, expected)
                    ));
                }
            }
        }
        case.refused.dedup();
        case.refused.iter().for_each(|refused| eprintln!("{}: {refused}", control.display()));
    }
    eprintln!("{compared:?}");
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    for quantity in Quantity::ALL {
        assert!(compared.get(&quantity).copied().unwrap_or(0) >= 3, "{quantity:?}: {compared:?}");
    }
}
