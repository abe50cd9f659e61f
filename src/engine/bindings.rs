//! Values that magics hand to Rust cells: written to a file (see `handover`), and mapped by the cell's process when a cell
//! first mentions them.

use super::handover::Handover;
use crate::Failure;
use crate::session::{Binding, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::TraceSet;
use trace::polars::prelude::DataFrame;

/// The values that magics bound, by name.
pub(super) struct Bindings {
    folder: PathBuf,
    entries: BTreeMap<String, Entry>,
    files: usize,
}

struct Entry {
    value: Binding,
    file: Handover,
    /// Whether the cell's process has it as a variable.
    attached: bool,
    /// Whether the cell that runs was given it.
    offered: bool,
}

impl Bindings {
    /// No bindings yet; files will go to `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), entries: BTreeMap::new(), files: 0 }
    }

    /// Binds a value; with `ahead`, a trace is written now, beside whatever else happens.
    pub(super) fn bind(&mut self, name: &str, value: Binding, ahead: bool) {
        self.forget(name);
        self.files += 1;
        // The name of a file may have 255 bytes, and that of a variable any number.
        let start: String = name.chars().take(40).collect();
        let file = self.folder.join(format!("{start}-{}.arrow", self.files));
        let file = match &value {
            Binding::Trace(traces) if ahead => Handover::ahead(traces, file),
            _ => Handover::Waiting(file),
        };
        self.entries.insert(name.to_owned(), Entry { value, file, attached: false, offered: false });
    }

    /// Forgets `name`, and its file; returns whether the cell's process has it.
    pub(super) fn forget(&mut self, name: &str) -> bool {
        self.entries.remove(name).is_some_and(|entry| entry.attached)
    }

    /// Whether a magic bound `name`, so that it comes back.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The traces that were written since the last call: each as it was bound, and as it is mapped.
    pub(super) fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        let mut pairs = Vec::new();
        for entry in self.entries.values_mut() {
            let Binding::Trace(bound) = &mut entry.value else { continue };
            if let Some(mapped) = entry.file.take_mapped() {
                pairs.push((std::mem::replace(bound, Arc::clone(&mapped)), mapped));
            }
        }
        pairs
    }

    /// After a cell: which values its process now has. `before` and `after` are the variables around the cell; what a cell
    /// that failed was given counts only if it made a variable, and not an older one of the same name.
    pub(super) fn settle(&mut self, before: &BTreeSet<String>, after: &BTreeSet<String>, ended_well: bool) {
        for (name, entry) in &mut self.entries {
            let given = std::mem::take(&mut entry.offered) && (ended_well || !before.contains(name));
            entry.attached = (entry.attached || given) && after.contains(name);
        }
    }

    /// The frame bound as `name`, as long as no cell can have changed it.
    pub(super) fn untouched_frame(&self, name: &str) -> Option<DataFrame> {
        match self.entries.get(name) {
            Some(Entry { value: Binding::Frame(frame), attached: false, .. }) => Some(frame.clone()),
            _ => None,
        }
    }

    /// What a cell finds beside its own variables.
    pub(super) fn waiting(&self) -> Vec<Variable> {
        let waiting = self.entries.iter().filter(|(_, entry)| !entry.attached);
        waiting
            .map(|(name, entry)| Variable { name: name.clone(), type_name: type_name(&entry.value).to_owned() })
            .collect()
    }

    /// The Rust that makes variables of the values that `code` mentions and the process does not have yet, on one line;
    /// empty if there are none.
    pub(super) fn attach(&mut self, code: &str) -> Result<String, Failure> {
        let mut statements = String::new();
        for (name, entry) in &mut self.entries {
            entry.offered = !entry.attached && mentions(code, name);
            if !entry.offered {
                continue;
            }
            let file = entry.file.written(&entry.value)?;
            let (reader, type_name) = (reader(&entry.value), full_type_name(&entry.value));
            statements.push_str(&format!(
                "let mut {name}: {type_name} = match cells::bridge::{reader}({:?}) {{ Ok(value) => value, Err(error) => panic!(\"{{error}}\") }}; ",
                file.to_string_lossy()
            ));
        }
        Ok(statements)
    }
}

/// Whether the word `name` stands anywhere in `code`: in an expression, or in a format string.
pub(super) fn mentions(code: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name)
        .any(|(at, _)| !code[..at].ends_with(is_word) && !code[at + name.len()..].starts_with(is_word))
}

fn reader(value: &Binding) -> &'static str {
    match value {
        Binding::Trace(_) => "trace",
        Binding::Frame(_) => "frame",
        Binding::OpsDiff(_) => "ops_diff",
    }
}

fn type_name(value: &Binding) -> &'static str {
    match value {
        Binding::Trace(_) => "TraceSet",
        Binding::Frame(_) => "DataFrame",
        Binding::OpsDiff(_) => "OpsDiff",
    }
}

fn full_type_name(value: &Binding) -> &'static str {
    match value {
        Binding::Trace(_) => "cells::trace::TraceSet",
        Binding::Frame(_) => "cells::polars::prelude::DataFrame",
        Binding::OpsDiff(_) => "cells::trace::OpsDiff",
    }
}

/// A type without the paths of its parts: `cells::polars::prelude::DataFrame` → `DataFrame`.
pub(super) fn shorten(type_name: &str) -> String {
    let mut short = String::with_capacity(type_name.len());
    let mut word = String::new();
    for c in type_name.chars() {
        match c {
            ':' => word.clear(),
            c if c.is_alphanumeric() || c == '_' => word.push(c),
            c => {
                short.push_str(&word);
                word.clear();
                short.push(c);
            }
        }
    }
    short.push_str(&word);
    short
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_value_is_offered_until_a_cell_has_made_it_a_variable() {
        let folder = tempfile::tempdir().unwrap();
        let mut bindings = Bindings::new(folder.path());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        bindings.bind("df", Binding::Frame(DataFrame::empty()), true);
        assert_eq!(bindings.attach("pdf").unwrap(), "");
        let mut offered = |before: &[&str], after: &[&str], ended_well: bool| {
            let statements = bindings.attach("df.height()").unwrap();
            bindings.settle(&names(before), &names(after), ended_well);
            !statements.is_empty()
        };
        assert!(offered(&[], &[], false), "new");
        assert!(offered(&["df"], &["df"], false), "the cell before did not compile");
        assert!(offered(&["df"], &["df"], true), "the variable that the cell before left was an older one");
        assert!(!offered(&["df"], &["df"], false), "attached");
        assert!(!offered(&["df"], &[], true), "attached, then moved away");
        assert!(offered(&[], &["df"], false), "moved away by the cell before");
        assert!(!offered(&["df"], &["df"], true), "that cell failed late, and left the variable");
    }

    #[test]
    fn a_name_is_mentioned_as_a_whole_word_only() {
        assert!(mentions("df.height()", "df"));
        assert!(mentions("println!(\"{df}\")", "df"));
        assert!(!mentions("let pdf = dfs;", "df"));
        assert!(!mentions("größedf", "df"));
    }

    #[test]
    fn types_lose_their_paths() {
        assert_eq!(shorten("std::vec::Vec<cells::trace::TraceSet>"), "Vec<TraceSet>");
        assert_eq!(shorten("&'static str"), "&'static str");
    }
}
