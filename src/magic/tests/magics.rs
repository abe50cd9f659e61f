//! Properties of all magics in the table.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::magic::{Form, Kind, MAGICS, Magic, TOPICS, find};
use std::collections::BTreeSet;
use std::path::Path;
use trace::analysis::CATALOG;

#[test]
fn every_magic_has_one_heading_and_the_readme_has_the_same() {
    let named: Vec<&str> = TOPICS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut sorted = named.clone();
    sorted.sort_unstable();
    let mut all: Vec<&str> = MAGICS.iter().map(|magic| magic.name()).collect();
    all.sort_unstable();
    assert_eq!(sorted, all);
    let readme = include_str!("../../../README.md");
    let headings: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("| **")?.split("**").next()).collect();
    assert_eq!(headings, TOPICS[..headings.len()].iter().map(|(topic, _)| *topic).collect::<Vec<_>>());
    assert_eq!(headings.len(), 7);
    // What the README names for a question is listed under it.
    for (line, (topic, names)) in readme.lines().filter(|line| line.starts_with("| **")).zip(TOPICS) {
        let of_line = line.split("`%").skip(1).filter_map(|word| word.split([' ', '`']).next());
        for name in of_line.filter(|name| !names.contains(name)) {
            assert_eq!((*topic, name), ("Is it real?", "compare_traces"));
        }
    }
}

#[test]
fn every_file_has_a_row_and_every_row_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src/magic", "crates/kernel-magic/src"].map(|name| root.join(name));
    let files: BTreeSet<String> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .filter_map(|entry| entry.unwrap().file_name().into_string().unwrap().strip_suffix(".rs").map(str::to_owned))
        .filter(|name| {
            !["mod", "lib", "api", "as_hta", "execution_trace", "magics", "quantity", "usage"].contains(&name.as_str())
        })
        .collect();
    let rows: BTreeSet<String> = MAGICS.iter().map(|magic| magic.name().to_owned()).collect();
    assert_eq!(rows.len(), MAGICS.len(), "two magics of one name");
    // One file makes a magic of every analysis of the catalog.
    let analyses: BTreeSet<String> = CATALOG.iter().map(|entry| entry.name.to_owned()).collect();
    assert!(analyses.is_subset(&rows));
    let rows: BTreeSet<String> = rows.difference(&analyses).cloned().chain(["analysis".to_owned()]).collect();
    assert_eq!(rows, files);
}

#[test]
fn summaries_are_one_sentence_on_one_line() {
    for magic in MAGICS.iter() {
        let summary = magic.summary();
        assert!(
            summary.ends_with('.') && !summary.contains('\n') && summary.len() <= 90,
            "%{}: {summary}",
            magic.name()
        );
        assert!(summary.starts_with(char::is_uppercase), "%{}: {summary}", magic.name());
    }
}

#[test]
fn every_argument_is_documented_and_named_once() {
    for magic in MAGICS.iter() {
        let mut names = BTreeSet::new();
        let mut optional = false;
        for group in magic.arguments() {
            assert!(!group.title.is_empty() && !group.arguments.is_empty());
            for argument in group.arguments {
                let label = format!("%{} {}", magic.name(), argument.name);
                assert!(names.insert(argument.name), "{label}: twice");
                assert!(
                    !argument.help.is_empty() && !argument.help.ends_with('.') && !argument.help.contains('\n'),
                    "{label}"
                );
                match argument.form {
                    Form::Required => assert!(!optional, "{label}: required after optional"),
                    Form::Optional => optional = true,
                    Form::Flag => {
                        assert!(argument.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{label}");
                        // The help page shows the default, unless it is obvious.
                        let clear = matches!(argument.kind, Kind::Switch | Kind::File)
                            || !argument.default.is_empty()
                            || matches!(argument.name, "as" | "sort" | "height");
                        assert!(clear, "{label}: no default said");
                    }
                }
            }
        }
    }
}

#[test]
fn examples_parse() {
    for magic in MAGICS.iter() {
        assert!(!magic.examples().is_empty(), "%{}", magic.name());
        for example in magic.examples() {
            let failure = Notebook::default().outputs(example);
            let Err(failure) = failure else { continue };
            // An example may fail since no trace is loaded, but not in parsing.
            let expected = [
                "unknown trace",
                "unknown variable",
                "unknown baseline",
                "no such file",
                "No such file",
                "cannot find",
                "not a data frame",
                "cannot be reached",
                "no trace is loaded",
            ];
            let known = expected.iter().any(|text| failure.evalue.contains(text));
            assert!(known, "{example}: {failure:?}");
        }
    }
}

#[test]
fn find_returns_magics_by_name() {
    assert_eq!(find("trace_load").map(Magic::name), Some("trace_load"));
    assert!(find("trace_lod").is_none());
}
