//! House rules that are checked on the sources: which room may name what, how large a file may grow, which words are used.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "house/names.rs"]
mod names;
#[path = "house/rooms.rs"]
mod rooms;
#[path = "house/vocabulary.rs"]
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

/// The lines of code that a rule looks at: no comments, and no tests, which may reach further.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[cfg(test)]").next().unwrap_or_default().lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Whether a file belongs to one of the crates that `trace` is made of.
fn is_of_trace(path: &Path) -> bool {
    rooms::trace_crates().iter().any(|sources| path.starts_with(sources))
}

#[test]
fn categories_are_named_in_one_file() {
    // `align_mtia` goes by parts of categories, as HTA does.
    let allowed = ["domain/event_kind.rs", "frame/align_mtia.rs"];
    let categories = [
        "\"cpu_op\"",
        "_runtime\"",
        "_driver\"",
        "\"python_function\"",
        "\"Operator\"",
        "\"user_annotation\"",
        "\"gpu_user_annotation\"",
    ];
    for (path, text) in sources("crates").into_iter().filter(|(path, _)| is_of_trace(path)) {
        let is_test =
            path.components().any(|part| part.as_os_str() == "tests") || path.to_string_lossy().ends_with("tests.rs");
        if is_test || allowed.iter().any(|file| path.ends_with(file)) {
            continue;
        }
        // A column of HTA, not a category.
        let text = text.replace("\"index_runtime\"", "");
        for line in code(&text) {
            let named = categories.iter().find(|category| line.contains(**category));
            assert!(named.is_none(), "{}: {line}\nask EventKind (domain/event_kind.rs)", path.display());
        }
    }
}

#[test]
fn one_room_of_the_library_waits_for_storage() {
    let room = root().join("crates/trace-read/src/read/remote");
    for (path, text) in sources("crates").into_iter().filter(|(path, _)| is_of_trace(path)) {
        let names = ["tokio::", "object_store::"].into_iter().any(|name| code(&text).any(|line| line.contains(name)));
        assert!(path.starts_with(&room) || !names, "{}", path.display());
    }
}

#[test]
fn facade_has_at_most_120_names() {
    let text = ["trace-core", "trace"]
        .map(|name| fs::read_to_string(root().join(format!("crates/{name}/src/lib.rs"))).unwrap())
        .concat()
        .replace("pub use trace_core::*;", "");
    let re_exports = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names: usize = re_exports
        .map(|names| names.split(',').filter(|name| !name.trim_matches([' ', '\n', '}']).is_empty()).count())
        .sum();
    let modules = text.matches("\npub mod ").count();
    assert!(
        names > 90 && names + modules <= 120,
        "{names} names and {modules} modules: put parts of answers into `answers`"
    );
}

#[test]
fn files_hold_one_idea() {
    for (path, text) in ["src", "crates"].into_iter().flat_map(sources) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !["utils", "util", "common", "helpers", "misc"].contains(&name.as_str()),
            "{}: name the idea",
            path.display()
        );
        let lines = text.split("#[cfg(test)]").next().unwrap_or_default().lines().count();
        assert!(lines <= 450, "{}: {lines} lines before its tests; does it still hold one idea?", path.display());
    }
}

#[test]
fn unsafe_code_is_where_the_page_says() {
    let page = fs::read_to_string(root().join("docs/unsafe.md")).unwrap();
    let mut allowed = BTreeSet::new();
    for (path, text) in ["src", "crates"].into_iter().flat_map(sources) {
        if text.contains("allow(unsafe_code)") {
            allowed.insert(path.strip_prefix(root()).unwrap().display().to_string());
        }
    }
    for path in &allowed {
        assert!(page.contains(path.as_str()), "docs/unsafe.md does not argue for {path}");
    }
    assert_eq!(
        page.lines().filter(|line| line.starts_with("| `")).count(),
        allowed.len(),
        "docs/unsafe.md argues for what is not there"
    );
}

/// What `cargo build PACKAGES` turns on, by crate.
fn features(packages: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "--prefix", "none", "-e", "normal,build,dev", "-f", "{p}|{f}"])
        .args(packages)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((package, features)) = line.replace(" (*)", "").replace(" (proc-macro)", "").split_once('|') {
            found.entry(package.to_owned()).or_default().insert(features.to_owned());
        }
    }
    found
}

#[test]
fn polars_compiles_once_whatever_is_built() {
    let all = features(&["--workspace"]);
    for package in [
        "cells",
        "trace",
        "trace-base",
        "trace-data",
        "trace-compare",
        "trace-sql",
        "trace-timeline",
        "trace-core",
        "trace-render",
        "kernel-base",
        "kernel-rust",
        "kernel-magic",
        "tracebook",
    ] {
        for (name, sets) in features(&["-p", package]) {
            let known = &all[&name];
            assert!(
                sets.is_subset(known),
                "-p {package} builds {name} with {sets:?}, the workspace with {known:?}: add it to crates/workspace-hack"
            );
        }
    }
}
