//! Values that magics bind: written to files (see `handover`), and mapped by the worker process when a cell first mentions them.

use super::handover::Handover;
use crate::Failure;
use crate::session::{Binding, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::TraceSet;
use trace_core::polars::prelude::DataFrame;

/// The values that magics bound, by name.
pub(in crate::engine) struct Bindings {
    folder: PathBuf,
    entries: BTreeMap<String, Entry>,
    files: usize,
}

struct Entry {
    value: Binding,
    file: Handover,
    /// Whether the worker process has it as a variable.
    attached: bool,
    /// Whether the running cell got the statement that makes it a variable.
    offered: bool,
}

impl Bindings {
    /// Returns an empty set of bindings, whose files will be in `folder`.
    pub(in crate::engine) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), entries: BTreeMap::new(), files: 0 }
    }

    /// Binds a value; `ahead` writes a trace now, on a thread.
    pub(in crate::engine) fn bind(&mut self, name: &str, value: Binding, ahead: bool) {
        self.forget(name);
        self.files += 1;
        // A file name has at most 255 bytes, the name of a variable any number.
        let start: String = name.chars().take(40).collect();
        let ending = if matches!(value, Binding::Trace(_)) { "" } else { ".arrow" };
        let file = self.folder.join(format!("{start}-{}{ending}", self.files));
        // A trace with two names, as the first of several runs, is written once.
        let is_known = |traces: &Arc<TraceSet>| {
            let mut bound = self.entries.values();
            bound.any(|entry| matches!(&entry.value, Binding::Trace(known) if Arc::ptr_eq(known, traces)))
        };
        let file = match &value {
            Binding::Trace(traces) if ahead && !is_known(traces) => Handover::ahead(traces, file),
            _ => Handover::Deferred(file),
        };
        self.entries.insert(name.to_owned(), Entry { value, file, attached: false, offered: false });
    }

    /// Removes the binding of `name` and its file; returns whether the worker process has it as a variable.
    pub(in crate::engine) fn forget(&mut self, name: &str) -> bool {
        self.entries.remove(name).is_some_and(|entry| entry.attached)
    }

    /// Whether a magic bound `name`; such a value is attached again after it was lost.
    pub(in crate::engine) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Returns the traces that were written since the last call, each as bound and as mapped.
    pub(in crate::engine) fn mapped(&mut self) -> Vec<(Arc<TraceSet>, Arc<TraceSet>)> {
        let mut pairs = Vec::new();
        for entry in self.entries.values_mut() {
            let Binding::Trace(bound) = &mut entry.value else { continue };
            if let Some(mapped) = entry.file.take_mapped() {
                pairs.push((std::mem::replace(bound, Arc::clone(&mapped)), mapped));
            }
        }
        for entry in self.entries.values_mut() {
            let Binding::Trace(bound) = &mut entry.value else { continue };
            if let Some((_, mapped)) = pairs.iter().find(|(trace, _)| Arc::ptr_eq(trace, bound)) {
                *bound = Arc::clone(mapped);
            }
        }
        pairs
    }

    /// Updates, after a cell, which values are variables of the worker process. `before` and `after` are the variables around the
    /// cell. After a cell that failed, an offered value counts only if there was no variable of that name before.
    pub(in crate::engine) fn settle(&mut self, before: &BTreeSet<String>, after: &BTreeSet<String>, succeeded: bool) {
        for (name, entry) in &mut self.entries {
            let made = std::mem::take(&mut entry.offered) && (succeeded || !before.contains(name));
            entry.attached = (entry.attached || made) && after.contains(name);
        }
    }

    /// Returns the frame bound as `name`, as long as no cell can have changed it.
    pub(in crate::engine) fn untouched_frame(&self, name: &str) -> Option<DataFrame> {
        match self.entries.get(name) {
            Some(Entry { value: Binding::Frame(frame), attached: false, .. }) => Some(frame.clone()),
            _ => None,
        }
    }

    /// Returns the bound values that are not yet variables of the worker process.
    pub(in crate::engine) fn unattached(&self) -> Vec<Variable> {
        let unattached = self.entries.iter().filter(|(_, entry)| !entry.attached);
        unattached
            .map(|(name, entry)| Variable { name: name.clone(), type_name: type_name(&entry.value).to_owned() })
            .collect()
    }

    /// Returns the statements, on one line, that make variables of those values that `code` mentions and the worker process does not
    /// have; empty if there are none. Writes their files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(in crate::engine) fn attach(&mut self, code: &str) -> Result<String, Failure> {
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

/// Whether `code` contains the word `name`, be it in an expression or in a format string.
pub(in crate::engine) fn mentions(code: &str, name: &str) -> bool {
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

/// Removes the paths from a type: `cells::polars::prelude::DataFrame` → `DataFrame`.
pub(in crate::engine) fn without_paths(type_name: &str) -> String {
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
    fn value_is_offered_until_attached() {
        let folder = tempfile::tempdir().unwrap();
        let mut bindings = Bindings::new(folder.path());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        bindings.bind("df", Binding::Frame(DataFrame::empty()), true);
        assert_eq!(bindings.attach("pdf").unwrap(), "");
        let mut offered = |before: &[&str], after: &[&str], succeeded: bool| {
            let statements = bindings.attach("df.height()").unwrap();
            bindings.settle(&names(before), &names(after), succeeded);
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
    fn only_whole_words_are_mentions() {
        assert!(mentions("df.height()", "df"));
        assert!(mentions("println!(\"{df}\")", "df"));
        assert!(!mentions("let pdf = dfs;", "df"));
        assert!(!mentions("größedf", "df"));
    }

    #[test]
    fn types_lose_their_paths() {
        assert_eq!(without_paths("std::vec::Vec<cells::trace::TraceSet>"), "Vec<TraceSet>");
        assert_eq!(without_paths("&'static str"), "&'static str");
    }
}
