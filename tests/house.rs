//! House rules that are checked on the sources: which room may name what, how large a file may grow, which words are used.
#![allow(clippy::unwrap_used, missing_docs)]

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

/// Room, and what no line of it may name.
const NEVER: &[(&str, &[&str])] = &[
    ("crates/trace-view/src", &["polars::", "evcxr::", "tokio::", "jupyter_protocol", "zmq::", "trace::"]),
    ("crates/trace/src", &["plotly::", "evcxr::", "jupyter_protocol", "zmq::"]),
    ("crates/trace/src/read", &["polars::", "crate::frame", "crate::diff"]),
    ("crates/trace/src/config", &["polars::", "crate::read", "crate::frame"]),
    ("crates/trace/src/filter", &["crate::diff", "crate::analysis", "crate::read"]),
    ("crates/trace/src/frame", &["crate::diff", "crate::analysis"]),
    ("crates/trace/src/store", &["crate::diff", "crate::analysis", "crate::read", "crate::filter"]),
    ("crates/trace/src/interval", &["polars::", "crate::frame", "crate::Trace"]),
    ("crates/trace/src/counter", &["crate::diff", "crate::analysis", "crate::read"]),
    ("crates/trace/src/diff", &["crate::analysis"]),
    ("crates/trace/src/describe", &["crate::analysis", "crate::diff", "crate::read"]),
    ("crates/trace/src/analysis", &["crate::diff", "crate::read"]),
    ("crates/trace/src/distributed", &["crate::analysis", "crate::explain"]),
    ("crates/causal/src", &["polars::", "trace::", "call_tree::", "std::fs", "std::env"]),
    ("crates/timeline/src", &["polars::", "trace::", "call_tree::", "std::fs", "std::env"]),
    ("crates/sql-engine/src", &["polars::", "trace::", "std::fs"]),
    ("crates/statistics/src", &["polars::", "trace::", "call_tree::", "std::fs", "std::env"]),
    ("src/wire", &["crate::dispatch", "crate::magic", "crate::engine", "crate::session", "trace::", "evcxr::"]),
    (
        "src/cell",
        &["crate::magic", "crate::engine", "crate::session", "crate::wire", "crate::dispatch", "trace::", "evcxr::"],
    ),
    (
        "src/introspect",
        &["crate::wire", "crate::engine", "crate::display", "crate::dispatch", "crate::magic", "evcxr::"],
    ),
    ("src/dispatch", &["evcxr::", "polars::"]),
    (
        "src/magic",
        &["crate::wire", "crate::engine", "crate::dispatch", "crate::terminal", "tokio::", "evcxr::", "zmq::"],
    ),
    ("src/terminal", &["crate::wire", "crate::engine", "crate::dispatch", "tokio::", "evcxr::", "zmq::"]),
    (
        "src/comm",
        &[
            "crate::wire",
            "crate::dispatch",
            "crate::engine",
            "crate::magic",
            "crate::display",
            "tokio::",
            "evcxr::",
            "zmq::",
            "jupyter_protocol",
        ],
    ),
    (
        "src/cluster",
        &[
            "crate::wire",
            "crate::dispatch",
            "crate::engine",
            "crate::magic",
            "crate::terminal",
            "tokio::",
            "evcxr::",
            "zmq::",
        ],
    ),
    ("src/session", &["crate::engine", "crate::display", "crate::wire", "crate::dispatch", "evcxr::"]),
    ("src/display", &["crate::session", "crate::engine", "crate::wire", "trace::", "evcxr::"]),
    ("src/engine", &["crate::wire", "crate::magic", "crate::dispatch", "zmq::", "jupyter_protocol"]),
    ("src/engine/values", &["crate::engine::patching", "crate::engine::compiling", "crate::engine::running"]),
    ("src/engine/patching", &["crate::engine::compiling", "crate::engine::running"]),
    ("src/engine/compiling", &["crate::engine::running"]),
];

#[test]
fn no_room_names_what_it_must_not_know() {
    let mut broken = Vec::new();
    for (room, never) in NEVER {
        for (path, text) in sources(room) {
            for line in code(&text) {
                for name in *never {
                    let named = line.match_indices(name).any(|(at, _)| {
                        // A longer word (`crate::trace::`, `my_trace::`) is another name.
                        !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
                    });
                    if named {
                        broken.push(format!("{}: {}", path.display(), line.trim()));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
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
    for (path, text) in sources("crates/trace/src") {
        let is_test =
            path.components().any(|part| part.as_os_str() == "tests") || path.to_string_lossy().ends_with("tests.rs");
        if is_test || allowed.iter().any(|file| path.ends_with(file)) {
            continue;
        }
        for line in code(&text) {
            let named = categories.iter().find(|category| line.contains(**category));
            assert!(named.is_none(), "{}: {line}\nask EventKind (domain/event_kind.rs)", path.display());
        }
    }
}

#[test]
fn one_room_of_the_library_waits_for_storage() {
    let room = root().join("crates/trace/src/read/remote");
    for (path, text) in sources("crates/trace/src") {
        let names = ["tokio::", "object_store::"].into_iter().any(|name| code(&text).any(|line| line.contains(name)));
        assert!(path.starts_with(&room) || !names, "{}", path.display());
    }
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
    for package in ["cells", "trace", "trace-view", "tracebook"] {
        for (name, sets) in features(&["-p", package]) {
            let known = &all[&name];
            assert!(
                sets.is_subset(known),
                "-p {package} builds {name} with {sets:?}, the workspace with {known:?}: add it to crates/workspace-hack"
            );
        }
    }
}
