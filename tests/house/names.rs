//! The names that source files use, read with the compiler's lexer, and the file in which each of them is defined.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Module of a crate: `["diff", "plan"]`; the root is empty.
pub(super) type Module = Vec<String>;

/// A path that a file names: `crate::diff::DiffPlan`, `polars::prelude`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: Vec<String>,
    /// Whether it is a re-export: `pub use`.
    is_exported: bool,
    pub(super) line: usize,
}

/// The sources of a crate, without tests.
pub(super) struct Sources {
    files: BTreeMap<Module, SourceFile>,
    /// Names that modules re-export, with the paths they stand for; `*` for all names of a module.
    exports: BTreeMap<Module, Vec<(String, Vec<String>)>>,
}

struct SourceFile {
    path: PathBuf,
    names: Vec<Named>,
    children: BTreeSet<String>,
}

/// A use of a name: from a file, what it names, and the module in which that is defined.
pub(super) struct Use<'s> {
    pub(super) from: &'s Module,
    pub(super) file: &'s Path,
    pub(super) named: &'s Named,
    /// `None` for a name of another crate.
    pub(super) module: Option<&'s Module>,
}

impl Sources {
    /// Reads the files below the folder `src` of a crate.
    pub(super) fn of(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        read(folder, &[], &mut files);
        assert!(!files.is_empty(), "{} has no sources", folder.display());
        let mut sources = Self { files, exports: BTreeMap::new() };
        for (module, file) in &sources.files {
            let exported = file.names.iter().filter(|named| named.is_exported);
            let found = exported.filter_map(|named| {
                let path = sources.absolute(module, &named.path)?;
                let (last, before) = path.split_last()?;
                Some(if last == "*" { (last.clone(), before.to_vec()) } else { (last.clone(), path) })
            });
            let found = found.collect();
            sources.exports.insert(module.clone(), found);
        }
        sources
    }

    /// Returns the modules that have a file.
    pub(super) fn modules(&self) -> impl Iterator<Item = &Module> {
        self.files.keys()
    }

    /// Returns all uses of names; re-exports are none.
    pub(super) fn uses(&self) -> impl Iterator<Item = Use<'_>> {
        self.files.iter().flat_map(move |(from, file)| {
            file.names.iter().filter(|named| !named.is_exported).map(move |named| {
                let path = self.absolute(from, &named.path);
                let module = path.and_then(|path| self.defining(&path, 0));
                Use { from, file: &file.path, named, module }
            })
        })
    }

    /// Returns a path from the root of the crate; `None` if it leads to another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let mut base = module.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|first| first == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first if self.files[module].children.contains(first) => {}
            _ => return None,
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// Returns the module that defines what a path names, through re-exports.
    fn defining(&self, path: &[String], depth: usize) -> Option<&Module> {
        if depth > 12 {
            return None;
        }
        let length = (0..=path.len()).rev().find(|&length| self.files.contains_key(&path[..length]))?;
        let (module, _) = self.files.get_key_value(&path[..length])?;
        let Some(name) = path.get(length) else { return Some(module) };
        for (exported, target) in &self.exports[module] {
            let target: Vec<String> = match exported.as_str() {
                "*" => target.iter().chain(&path[length..]).cloned().collect(),
                _ if exported == name && target[..] != path[..=length] => {
                    target.iter().chain(&path[length + 1..]).cloned().collect()
                }
                _ => continue,
            };
            let found = self.defining(&target, depth + 1);
            // Of all names of a module, only those that it has.
            if found.is_some_and(|found| exported != "*" || self.mentions(found, name)) {
                return found;
            }
        }
        Some(module)
    }

    fn mentions(&self, module: &Module, name: &str) -> bool {
        fs::read_to_string(&self.files[module].path).is_ok_and(|text| text.contains(name))
    }
}

fn read(folder: &Path, module: &[String], files: &mut BTreeMap<Module, SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let below = [module, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            if name != "tests" {
                read(&path, &below, files);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") && !name.ends_with("tests") {
            let module = if matches!(name.as_str(), "mod" | "lib" | "main") { module.to_vec() } else { below };
            let (names, children) = names(&fs::read_to_string(&path).unwrap());
            let file = SourceFile { path, names, children };
            match files.get_mut(&module) {
                // `lib.rs` and `main.rs` of one crate.
                Some(known) => known.names.extend(file.names),
                None => {
                    files.insert(module, file);
                }
            }
        }
    }
}

/// A token that is no comment and no literal, and its line.
type Token<'t> = (&'t str, usize);

/// Returns the paths that a text names outside of tests, and its child modules.
fn names(text: &str) -> (Vec<Named>, BTreeSet<String>) {
    let tokens = without_tests(tokens(text));
    let word = |at: usize| tokens.get(at).map_or("", |token| token.0);
    let (mut found, mut children) = (Vec::new(), BTreeSet::new());
    let mut at = 0;
    while at < tokens.len() {
        if word(at) == "mod" && word(at + 2) == ";" {
            children.insert(word(at + 1).to_owned());
        }
        let begins = is_name(word(at)) && at.checked_sub(1).is_none_or(|before| !matches!(word(before), "::" | "."));
        let is_used = at > 0 && word(at - 1) == "use";
        if begins && (is_used || word(at + 1) == "::") || is_used && word(at) == "{" {
            let is_exported = is_used && at > 1 && matches!(word(at - 2), "pub" | ")");
            let line = tokens[at].1;
            let mut paths = Vec::new();
            at = tree(&tokens, at, &[], &mut paths);
            found.extend(paths.into_iter().map(|path| Named { path, is_exported, line }));
        } else {
            at += 1;
        }
    }
    (found, children)
}

/// Reads a path, or paths in braces, behind `before`; returns where it ends.
fn tree(tokens: &[Token<'_>], mut at: usize, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.0);
    let mut path = before.to_vec();
    loop {
        match word(at) {
            "{" if path.len() > before.len() || word(at.wrapping_sub(1)) == "use" => {
                at += 1;
                while !matches!(word(at), "}" | "") {
                    let from = at;
                    at = tree(tokens, at, &path, found);
                    if word(at) == "as" {
                        at += 2;
                    }
                    if word(at) == "," || at == from {
                        at += 1;
                    }
                }
                return at + 1;
            }
            name if is_name(name) || name == "*" => {
                path.push(name.to_owned());
                at += 1;
                if word(at) != "::" || !(is_name(word(at + 1)) || matches!(word(at + 1), "{" | "*")) {
                    // `self` in braces is the module itself.
                    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                        path.pop();
                    }
                    found.push(path);
                    return at;
                }
                at += 1;
            }
            _ => return at,
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_') && word != "as"
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    for token in tokenize(text, FrontmatterAllowed::No) {
        let word = &text[at..at + token.len as usize];
        match token.kind {
            TokenKind::Colon if found.last() == Some(&(":", line)) && text[..at].ends_with(':') => {
                found.pop();
                found.push(("::", line));
            }
            TokenKind::Whitespace
            | TokenKind::LineComment { .. }
            | TokenKind::BlockComment { .. }
            | TokenKind::Literal { .. } => {}
            _ => found.push((word, line)),
        }
        line += word.matches('\n').count();
        at += token.len as usize;
    }
    found
}

/// Leaves out what follows `#[cfg(test)]`: an item, a field or a statement.
fn without_tests(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let is_test = |at: usize| {
        let words = ["#", "[", "cfg", "(", "test", ")", "]"];
        words.iter().enumerate().all(|(offset, word)| tokens.get(at + offset).is_some_and(|token| token.0 == *word))
    };
    let mut left = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if !is_test(at) {
            left.push(tokens[at]);
            at += 1;
            continue;
        }
        at += 7;
        let mut depth = 0_usize;
        while let Some(&(word, _)) = tokens.get(at) {
            at += 1;
            match word {
                "{" | "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                ";" | "," if depth == 0 => break,
                _ => {}
            }
        }
    }
    left
}

#[test]
fn names_are_found_in_groups_and_outside_of_tests() {
    let (found, children) = names(
        "//! crate::comment\nmod diff;\npub use diff::{Plan, api::*};\nuse crate::{a::{b, self}, c as d};\n\
         #[cfg(test)]\nmod tests { use crate::only_tests; }\nfn f() { \"crate::text\"; super::g(crate::h::i) }\n",
    );
    let found: Vec<(String, bool, usize)> =
        found.into_iter().map(|named| (named.path.join("::"), named.is_exported, named.line)).collect();
    let expected = [
        ("diff::Plan", true, 3),
        ("diff::api::*", true, 3),
        ("crate::a::b", false, 4),
        ("crate::a", false, 4),
        ("crate::c", false, 4),
        ("super::g", false, 7),
        ("crate::h::i", false, 7),
    ];
    assert_eq!(found, expected.map(|(path, is_exported, line)| (path.to_owned(), is_exported, line)));
    assert_eq!(children, BTreeSet::from(["diff".to_owned()]));
}
