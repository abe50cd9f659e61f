//! Sources of the index: our own library at runtime, other crates by tests that write `data/`.

use super::scan::{CrateSource, Docs, index_text};
use std::collections::{BTreeMap, BTreeSet};

/// Indexes our own library from the sources that the binary carries.
pub(super) fn library_text() -> String {
    let files = carried();
    let source = |name: &'static str, folder: &str| CrateSource {
        name,
        root: format!("crates/{folder}/src/lib.rs"),
        files: &files,
        features: BTreeSet::new(),
        docs: Docs::Whole,
        sees_private: false,
    };
    index_text(
        &[
            source("trace", "trace"),
            source("trace_core", "trace-core"),
            source("trace_base", "trace-base"),
            source("trace_read", "trace-read"),
            source("trace_data", "trace-data"),
            source("trace_events", "trace-events"),
            source("trace_compare", "trace-compare"),
            source("trace_bounds", "trace-bounds"),
            source("trace_analysis", "trace-analysis"),
            source("trace_timeline", "trace-timeline"),
            source("trace_sql", "trace-sql"),
            source("trace_view", "trace-view"),
            source("cells", "cells"),
        ],
        &["trace", "trace_view", "cells"],
    )
}

/// Returns the sources that the program carries: path and text.
#[cfg(not(test))]
fn carried() -> BTreeMap<String, String> {
    let sources = kernel_base::provenance::provenance().sources;
    sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Returns the sources of the checkout, which a program built from it would carry.
#[cfg(test)]
fn carried() -> BTreeMap<String, String> {
    tests::checkout()
}

#[cfg(test)]
mod tests {
    //! Checks the committed parts of the index against the sources, or writes them.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::introspect::index::lookup::decompress;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Set by `make completion-index`.
    const WRITE: &str = "TRACEBOOK_WRITE_COMPLETION_INDEX";

    fn read(folder: &Path, files: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !["tests", "benches", "core_arch", "target"].iter().any(|name| path.ends_with(name)) {
                    read(&path, files);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.insert(path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    /// Reads the sources of all crates: paths from the root of the checkout, and texts.
    pub(super) fn checkout() -> BTreeMap<String, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).unwrap();
        let mut files = BTreeMap::new();
        read(&root.join("crates"), &mut files);
        let from_root = |path: String| Path::new(&path).strip_prefix(root).unwrap().to_string_lossy().into_owned();
        files.into_iter().map(|(path, text)| (from_root(path), text)).collect()
    }

    fn cargo(arguments: &[&str]) -> String {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let root = env!("CARGO_MANIFEST_DIR");
        let output = Command::new(cargo).args(arguments).current_dir(root).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn rustc(arguments: &[&str]) -> String {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        String::from_utf8(Command::new(rustc).args(arguments).output().unwrap().stdout).unwrap()
    }

    /// Indexes the dependencies that `wanted` selects, with the features of the workspace, as far as paths from the crates `named`
    /// reach.
    fn crates(wanted: impl Fn(&str) -> bool, named: &[&str]) -> String {
        let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let tree = cargo(&["tree", "--offline", "--locked", "--workspace", "--prefix", "none", "-f", "{p}|{f}"]);
        for (name, list) in tree.lines().filter_map(|line| line.split_once('|')) {
            if !wanted(name.split(' ').next().unwrap()) {
                continue;
            }
            let list = list.trim_end_matches(" (*)").split(',').map(str::to_owned);
            features.entry(name.split(' ').next().unwrap().to_owned()).or_default().extend(list);
        }
        // Crates for other systems need not be downloaded.
        let host = rustc(&["-vV"]).lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned)).unwrap();
        let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", &host];
        let metadata: serde_json::Value = serde_json::from_str(&cargo(&arguments)).unwrap();
        let mut crates = Vec::new();
        for package in metadata["packages"].as_array().unwrap() {
            let name = package["name"].as_str().unwrap();
            if let Some(features) = features.get(name) {
                let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().join("src");
                let mut files = BTreeMap::new();
                read(&folder, &mut files);
                files.values_mut().for_each(add_layout_structs);
                crates.push((name.replace('-', "_"), folder, files, features.clone()));
            }
        }
        let source = |(name, folder, files, features)| {
            let (name, folder): (&String, &PathBuf) = (name, folder);
            let (files, features): (_, &BTreeSet<String>) = (files, features);
            let root = folder.join("lib.rs").to_string_lossy().into_owned();
            CrateSource { name, root, files, features: features.clone(), docs: Docs::Summary, sees_private: false }
        };
        let sources: Vec<CrateSource<'_>> = crates.iter().map(|(a, b, c, d)| source((a, b, c, d))).collect();
        index_text(&sources, named)
    }

    /// Adds the expansion of plotly's attribute `layout_structs`: two structs with the fields of one, and their methods.
    fn add_layout_structs(text: &mut String) {
        let Some((_, fields)) = text.split_once("#[layout_structs]\npub struct LayoutFields {") else { return };
        let fields = fields.split_once("\n}\n").unwrap().0;
        let structs = ["LayoutTemplate", "Layout"].map(|name| {
            format!(
                "#[derive(Clone, FieldSetter)]\npub struct {name} {{{fields}\n}}\n\
                 impl {name} {{\n\
                 pub fn new() -> Self {{}}\n\
                 pub fn add_annotation(&mut self, annotation: Annotation) {{}}\n\
                 pub fn add_shape(&mut self, shape: Shape) {{}}\n}}\n"
            )
        });
        let layout = "impl Layout {
            pub fn to_json(&self) -> String {}
            pub fn template<T>(mut self, template: T) -> Self where T: Into<Cow<'static, Template>> {}
        }\n";
        *text = structs.concat() + layout + text;
    }

    /// Indexes the standard library if its sources are installed.
    fn std_library() -> Option<String> {
        let sysroot = PathBuf::from(rustc(&["--print", "sysroot"]).trim());
        let library = sysroot.join("lib/rustlib/src/rust/library");
        if !library.is_dir() {
            return None;
        }
        let mut files = BTreeMap::new();
        let names = ["core", "alloc", "std"];
        names.iter().for_each(|name| read(&library.join(name).join("src"), &mut files));
        let source = |name: &'static str| CrateSource {
            name,
            root: library.join(name).join("src/lib.rs").to_string_lossy().into_owned(),
            files: &files,
            features: BTreeSet::new(),
            docs: Docs::Summary,
            sees_private: false,
        };
        Some(index_text(&names.map(source), &["std"]))
    }

    /// Compares the committed part with `fresh`, or writes it under `make completion-index`.
    fn check_or_write(file: &str, committed: &[u8], fresh: &str) {
        if std::env::var_os(WRITE).is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/introspect/index/data").join(file);
            let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
            compressed.write_all(fresh.as_bytes()).unwrap();
            std::fs::write(path, compressed.finish().unwrap()).unwrap();
            return;
        }
        let old = decompress(committed);
        let changed = old.lines().zip(fresh.lines()).find(|(old, new)| old != new);
        assert!(old == fresh, "data/{file} is out of date: run `make completion-index`; {changed:?}");
    }

    #[test]
    fn polars_index_matches_its_sources() {
        let text = crates(|name| name.starts_with("polars"), &["polars", "polars_io"]);
        check_or_write("polars.gz", include_bytes!("data/polars.gz"), &text);
    }

    #[test]
    fn plotly_index_matches_its_sources() {
        check_or_write("plotly.gz", include_bytes!("data/plotly.gz"), &crates(|name| name == "plotly", &["plotly"]));
    }

    #[test]
    fn serde_json_index_matches_its_sources() {
        let text = crates(|name| name == "serde_json", &["serde_json"]);
        check_or_write("serde_json.gz", include_bytes!("data/serde_json.gz"), &text);
    }

    #[test]
    fn std_index_matches_its_sources() {
        let compiler = rustc(&["--version"]);
        match std_library() {
            // The index is that of the release that the project requires; another release has other items.
            Some(fresh) if std::env::var_os(WRITE).is_some() || compiler.starts_with("rustc 1.95.") => {
                check_or_write("std.gz", include_bytes!("data/std.gz"), &fresh);
            }
            _ => eprintln!("skipped: no sources of the standard library of Rust 1.95 (rustup component add rust-src)"),
        }
    }

    #[test]
    fn library_is_indexed_from_the_carried_sources() {
        let text = library_text();
        for line in ["m\ttrace::prelude", "b\tTraceSet", "b\tTraceDiff"] {
            assert!(text.lines().any(|found| found.starts_with(line)), "{line}");
        }
        assert!(text.contains("fn compare_traces("));
    }
}
