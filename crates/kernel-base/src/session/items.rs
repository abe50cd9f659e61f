//! The items that cells define (functions, types, traits, macros, imports), as text, for completion and inspection.

use crate::cell::{Segment, nests_too_deep, segments, without_commands};
use ra_ap_syntax::ast::{self, HasModuleItem, HasName};
use ra_ap_syntax::{AstNode, Edition, SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// The defined items, and the crates of `:dep` lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Items {
    /// The text of each item by name, with the `impl` blocks that follow it in its cell. A new definition replaces all of it, as in
    /// evcxr.
    named: BTreeMap<String, String>,
    /// Imports, and `impl` blocks without a definition before them in their cell.
    unnamed: Vec<String>,
    crates: BTreeSet<String>,
}

impl Items {
    /// Adds the items of a cell or of one of its Rust segments. Skips items that are still being typed: an item whose name touches
    /// byte `cursor`, and an import without a semicolon.
    pub fn add(&mut self, code: &str, cursor: Option<usize>) {
        for (start, rust) in rust(code) {
            if !may_define(rust) || nests_too_deep(rust) {
                continue;
            }
            let text = format!("{HEAD}{}\n}}", without_commands(rust));
            let parsed = SourceFile::parse(&text, Edition::Edition2024);
            let cell =
                parsed.tree().items().find_map(|item| if let ast::Item::Fn(it) = item { it.body() } else { None });
            let cursor = cursor.and_then(|cursor| (cursor + HEAD.len()).checked_sub(start));
            self.add_all(cell.iter().flat_map(ast::BlockExpr::statements), cursor);
        }
    }

    fn add_all(&mut self, statements: impl Iterator<Item = ast::Stmt>, cursor: Option<usize>) {
        let mut previous: Option<String> = None;
        for statement in statements {
            let ast::Stmt::Item(item) = statement else { continue };
            let text = item.syntax().text().to_string();
            if let Some(name) = name(&item) {
                let range = name.syntax().text_range();
                if cursor
                    .is_some_and(|cursor| range.contains_inclusive(u32::try_from(cursor).unwrap_or(u32::MAX).into()))
                {
                    continue;
                }
                let name = name.text().to_string();
                self.named.insert(name.clone(), text);
                previous = Some(name);
            } else if matches!(item, ast::Item::Use(_)) {
                if text.ends_with(';') && !self.unnamed.contains(&text) {
                    self.unnamed.push(text);
                }
            } else if let Some(all) = previous.as_ref().and_then(|name| self.named.get_mut(name)) {
                all.push('\n');
                all.push_str(&text);
            } else if !self.unnamed.contains(&text) {
                self.unnamed.push(text);
            }
        }
    }

    /// Adds the crates of a cell's `:dep` lines.
    pub fn add_crates(&mut self, code: &str) {
        for line in code.lines() {
            let Some(rest) = line.trim_start().strip_prefix(":dep ") else { continue };
            let name = rest.split(['=', ' ']).find(|part| !part.is_empty()).unwrap_or_default();
            if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
                self.crates.insert(name.replace('-', "_"));
            }
        }
    }

    /// Keeps the items whose name `is_defined`.
    pub fn retain(&mut self, is_defined: impl Fn(&str) -> bool) {
        self.named.retain(|name, _| is_defined(name));
    }

    /// Adds the items of `newer` that are not yet known.
    pub fn add_unknown(&mut self, newer: Items) {
        for (name, text) in newer.named {
            self.named.entry(name).or_insert(text);
        }
    }

    /// Returns the crates of `:dep` lines, spelled as in paths.
    pub fn crates(&self) -> impl Iterator<Item = &str> {
        self.crates.iter().map(String::as_str)
    }

    /// Returns the source text of all items.
    pub fn text(&self) -> String {
        let all: Vec<&str> = self.named.values().chain(&self.unnamed).map(String::as_str).collect();
        all.join("\n")
    }
}

const HEAD: &str = "fn cell() {\n";

/// Returns the offset and text of each Rust segment of a cell.
fn rust(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for segment in segments(code) {
        let start = |text: &str| (text.as_ptr() as usize).saturating_sub(code.as_ptr() as usize);
        match segment {
            Segment::Rust(rust) => found.push((start(rust), rust)),
            Segment::Cell { body, .. } => {
                found.extend(rust_of_body(body).into_iter().map(|(at, rust)| (start(body) + at, rust)));
            }
            Segment::Line { .. } | Segment::Help { .. } => {}
        }
    }
    found
}

/// Returns the Rust segments of the body of a cell magic, which contains no other cell magic.
fn rust_of_body(body: &str) -> Vec<(usize, &str)> {
    let start = |text: &str| (text.as_ptr() as usize).saturating_sub(body.as_ptr() as usize);
    let rust = segments(body).into_iter().filter_map(|segment| match segment {
        Segment::Rust(rust) => Some((start(rust), rust)),
        _ => None,
    });
    rust.collect()
}

/// Tells whether there may be an item; most cells have none and need not be parsed.
fn may_define(code: &str) -> bool {
    const WORDS: &[&str] =
        &["const", "enum", "fn", "impl", "macro_rules", "mod", "static", "struct", "trait", "type", "union", "use"];
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| WORDS.contains(&word))
}

fn name(item: &ast::Item) -> Option<ast::Name> {
    match item {
        ast::Item::Const(it) => it.name(),
        ast::Item::Enum(it) => it.name(),
        ast::Item::Fn(it) => it.name(),
        ast::Item::MacroRules(it) => it.name(),
        ast::Item::MacroDef(it) => it.name(),
        ast::Item::Module(it) => it.name(),
        ast::Item::Static(it) => it.name(),
        ast::Item::Struct(it) => it.name(),
        ast::Item::Trait(it) => it.name(),
        ast::Item::TypeAlias(it) => it.name(),
        ast::Item::Union(it) => it.name(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(cells: &[&str]) -> Items {
        let mut items = Items::default();
        cells.iter().for_each(|cell| items.add(cell, None));
        items
    }

    #[test]
    fn new_definition_replaces_old_and_its_impls() {
        let both = items(&[
            "struct P { x: f64 }\nimpl P { fn a(&self) {} }\nlet p = 1;",
            ":dep rand\n/// Counts.\nfn count() -> i32 { 1 }\nuse std::fs;\ncount()",
            "struct P { y: f64 }",
            "use std::fs;",
        ]);
        assert_eq!(both.text(), "struct P { y: f64 }\n/// Counts.\nfn count() -> i32 { 1 }\nuse std::fs;");
    }

    #[test]
    fn item_under_cursor_is_skipped() {
        let code = "fn one() {}\nfn tw() {}\nuse std::co";
        let mut found = Items::default();
        found.add(code, code.find("tw").map(|at| at + 2));
        assert_eq!(found.text(), "fn one() {}");
    }

    #[test]
    fn items_of_mixed_cells_and_cell_magics_are_found() {
        assert_eq!(items(&["%who\nfn f() {}", "%%opt\nfn g() {}\n%who"]).text(), "fn f() {}\nfn g() {}");
        assert_eq!(items(&["let x = 1;", &"fn f() {".repeat(100_000)]), Items::default());
    }

    #[test]
    fn crates_of_dep_lines_are_listed() {
        let mut found = Items::default();
        found.add_crates(":dep rand = \"0.9\"\n  :dep serde-x = { version = \"1\" }\n:dep  time\n:depx y\n:dep \"a\"");
        assert_eq!(found.crates().collect::<Vec<_>>(), ["rand", "serde_x", "time"]);
    }
}
