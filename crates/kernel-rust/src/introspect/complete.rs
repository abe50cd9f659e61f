//! Completion of Rust.

use super::bounded;
use super::candidate::{Candidate, Completion};
use super::index::Type;
use super::index::{CELL_CRATE, Index, cell_index_text};
use super::index::{Item, Kind, Origin};
use super::infer::Scope;
use super::infer::{CursorContext, cursor_context};
use super::{column_names, engine_commands};
use crate::session::View;
use std::collections::BTreeSet;

/// Upper bound on the number of candidates.
const MAX_CANDIDATES: usize = 300;

/// Keywords of Rust.
const KEYWORDS: &[&str] = &[
    "async", "await", "break", "const", "continue", "else", "enum", "false", "fn", "for", "if", "impl", "in", "let",
    "loop", "match", "move", "mut", "pub", "return", "self", "static", "struct", "trait", "true", "type", "unsafe",
    "use", "where", "while",
];

/// Primitive types of Rust.
const TYPES: &[&str] =
    &["bool", "char", "f32", "f64", "i16", "i32", "i64", "i8", "isize", "str", "u16", "u32", "u64", "u8", "usize"];

/// Returns candidates for the word at byte `cursor`.
pub fn complete(code: &str, cursor: usize, view: &View) -> Completion {
    bounded::run(code, cursor, |code, cursor, before| {
        let mut found = at(code, cursor, view);
        found.start += before;
        found
    })
    .unwrap_or(Completion { start: cursor, items: Vec::new() })
}

fn at(code: &str, cursor: usize, view: &View) -> Completion {
    let before = &code[..cursor];
    if let Some(found) = engine_commands::complete(before) {
        return found;
    }
    let defined = cell_index_text(code, cursor, view);
    let index = Index::with_cells(&defined);
    let start = word_start(code, cursor);
    let scope = Scope::new(&index, &view.variables, &code[..start]);
    if let Some(column_names::ColumnCompletion { start, mut columns }) =
        column_names::column_names_at(before, code, &scope, view)
    {
        columns.retain(|(name, _)| name.starts_with(&before[start..]));
        columns.truncate(MAX_CANDIDATES);
        let column = |(text, signature)| Candidate { text, kind: "column", signature };
        return Completion { start, items: columns.into_iter().map(column).collect() };
    }
    let word = &code[start..cursor];
    let mut items = candidates(&scope, code, start, &|name| name.starts_with(word), word, view);
    if items.is_empty() && !word.is_empty() {
        let lower = word.to_lowercase();
        items = candidates(&scope, code, start, &|name| name.to_lowercase().starts_with(&lower), word, view);
    }
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(item.text.clone()));
    items.truncate(MAX_CANDIDATES);
    Completion { start, items }
}

/// Selects names of candidates.
type NameFilter<'a> = &'a dyn Fn(&str) -> bool;

/// Returns candidates for `word`, which starts at byte `start`.
fn candidates(
    scope: &Scope<'_>,
    code: &str,
    start: usize,
    matches: NameFilter<'_>,
    word: &str,
    view: &View,
) -> Vec<Candidate> {
    let (index, before) = (scope.index, &code[..start]);
    match cursor_context(code, start) {
        _ if word.starts_with(|first: char| first.is_ascii_digit()) => Vec::new(),
        CursorContext::NoName => Vec::new(),
        CursorContext::Member { receiver } => member_candidates(scope, receiver, matches, word),
        CursorContext::Path { path } => path_candidates(index, path, matches),
        CursorContext::Field { record } => {
            let mut fields = index.members(&Type::new(record), None);
            fields.retain(|(item, _)| item.kind == Kind::Field && matches(item.name));
            let fields = fields.iter().map(|(item, _)| Candidate::from(item));
            fields.chain(word_candidates(scope, matches, word, view)).collect()
        }
        CursorContext::Word => match use_list(before) {
            Some(path) => path_candidates(index, path, matches),
            None => word_candidates(scope, matches, word, view),
        },
    }
}

impl From<&Item<'_>> for Candidate {
    fn from(item: &Item<'_>) -> Self {
        let bang = if item.kind == Kind::Macro { "!" } else { "" };
        Self { text: format!("{}{bang}", item.name), kind: item.kind.jupyter_name(), signature: item.signature() }
    }
}

/// Returns candidates after a dot: members of the receiver's type. If that type is unknown: methods of any type.
fn member_candidates(scope: &Scope<'_>, receiver: &str, matches: NameFilter<'_>, word: &str) -> Vec<Candidate> {
    let index = scope.index;
    let found = scope.type_of(receiver).map(|found| index.members(&found.ty, found.origin)).unwrap_or_default();
    let known: Vec<Item<'_>> =
        found.into_iter().map(|(item, _)| item).filter(|item| item.kind.needs_receiver()).collect();
    if !known.is_empty() {
        return known.iter().filter(|item| matches(item.name)).map(Candidate::from).collect();
    }
    let mut any = if word.is_empty() {
        let common = ["TraceSet", "DataFrame", "LazyFrame", "Series", "Expr"];
        common.iter().flat_map(|name| index.members(&Type::new(name), None)).map(|(item, _)| item).collect()
    } else {
        index.members_named(matches)
    };
    any.retain(|item| item.kind.needs_receiver());
    any.sort_by_key(|item| (item.origin, item.weight(), item.name));
    any.iter().map(Candidate::from).collect()
}

/// Returns candidates after `path::`: items of a module, or members of a type.
fn path_candidates(index: &Index<'_>, path: &str, matches: NameFilter<'_>) -> Vec<Candidate> {
    if let Some(items) = find_module(index, path) {
        let mut items: Vec<&Item<'_>> = items.iter().filter(|item| matches(item.name)).collect();
        items.sort_by_key(|item| (item.weight() > 1, item.name));
        return items.into_iter().map(Candidate::from).collect();
    }
    let ty = Type::parse(&path.replace("::<", "<"));
    let mut found = index.members(&ty, index.origin_of(path));
    // Methods of traits and of `Deref` targets are not called by path.
    let own = |item: &Item<'_>| item.kind != Kind::Method || Type::parse(item.of).head == ty.head;
    found.retain(|(item, _)| matches(item.name) && item.kind != Kind::Field && own(item));
    // Stable sort: methods come last.
    found.sort_by_key(|(item, _)| item.kind == Kind::Method);
    found.iter().map(|(item, _)| Candidate::from(item)).collect()
}

/// Returns the items of a module. The path may start at a crate, an import, or a module of a crate in scope.
pub(super) fn find_module<'a>(index: &'a Index<'_>, path: &str) -> Option<&'a [Item<'a>]> {
    let path: String = path.split_whitespace().collect();
    let path = resolve_import(index, &path);
    let path = match path.strip_prefix("core").or_else(|| path.strip_prefix("alloc")) {
        Some(rest) if rest.is_empty() || rest.starts_with("::") => format!("std{rest}"),
        _ => path,
    };
    index.module(&path).or_else(|| {
        [CELL_CRATE, "polars::prelude", "std", "trace"]
            .iter()
            .find_map(|above| index.module(&format!("{above}::{path}")))
    })
}

/// Replaces the first segment of a path if it is an import, or `crate` or `self`.
fn resolve_import(index: &Index<'_>, path: &str) -> String {
    let (first, rest) = path.split_at(path.find("::").unwrap_or(path.len()));
    let whole = match first {
        "crate" | "self" => CELL_CRATE,
        first => index.imports().find(|(name, _)| *name == first).map_or(first, |(_, path)| path),
    };
    format!("{whole}{rest}")
}

/// Returns the path of a `use path::{` that is open at the end of the text.
fn use_list(before: &str) -> Option<&str> {
    let open = before.rfind('{')?;
    if before[open..].contains(['}', ';']) {
        return None;
    }
    let path = before[..open].trim_end().strip_suffix("::")?;
    let start = path.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).map_or(0, |at| at + 1);
    path[..start].trim_end().ends_with("use").then(|| &path[start..])
}

/// Returns candidates for a name without a path: variables and traces, then keywords and items in scope.
fn word_candidates(scope: &Scope<'_>, matches: NameFilter<'_>, word: &str, view: &View) -> Vec<Candidate> {
    let index = scope.index;
    let mut own: Vec<Candidate> = Vec::new();
    for label in view.labels.iter().filter(|label| matches(label)) {
        own.push(Candidate { text: label.clone(), kind: "trace", signature: "TraceSet".to_owned() });
    }
    for variable in view.variables.iter().filter(|variable| matches(&variable.name)) {
        let (text, signature) = (variable.name.clone(), variable.type_name.clone());
        own.push(Candidate { text, kind: "instance", signature });
    }
    if word.is_empty() {
        own.sort_by(|a, b| a.text.cmp(&b.text));
        return own;
    }
    let locals = scope.local_names().filter(|name| matches(name));
    own.extend(locals.map(|name| Candidate { text: name.to_owned(), kind: "instance", signature: String::new() }));
    own.sort_by(|a, b| a.text.cmp(&b.text));
    let plain = |text: &&str, kind| Candidate { text: (*text).to_owned(), kind, signature: String::new() };
    own.extend(KEYWORDS.iter().filter(|name| matches(name)).map(|name| plain(name, "keyword")));
    own.extend(import_candidates(index, matches));
    let mut items: Vec<&Item<'_>> = index.in_scope().filter(|item| matches(item.name)).collect();
    // Modules come last, since those of the preludes are parts of other crates.
    let is_own = |item: &Item<'_>| item.origin == Origin::Cell;
    items.sort_by_key(|item| (item.kind == Kind::Module, !is_own(item), item.weight(), item.origin, item.name));
    let (modules, items): (Vec<&Item<'_>>, Vec<&Item<'_>>) =
        items.into_iter().partition(|item| item.kind == Kind::Module);
    own.extend(items.into_iter().map(Candidate::from));
    own.extend(TYPES.iter().filter(|name| matches(name)).map(|name| plain(name, "type")));
    let crates = ["trace", "polars", "plotly", "serde_json", "tokio", "std"];
    let added = view.items.crates();
    own.extend(crates.into_iter().chain(added).filter(|name| matches(name)).map(|name| plain(&name, "module")));
    own.extend(modules.into_iter().map(Candidate::from));
    own
}

/// Returns the imports of cells.
fn import_candidates(index: &Index<'_>, matches: NameFilter<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (name, path) in index.imports().filter(|(name, _)| matches(name)) {
        let (above, last) = path.rsplit_once("::").unwrap_or(("", path));
        let items = find_module(index, above).into_iter().flatten();
        let known = items.filter(|item| item.name == last).min_by_key(|item| item.kind);
        found.push(match known {
            Some(item) => {
                Candidate { text: Candidate::from(item).text.replacen(last, name, 1), ..Candidate::from(item) }
            }
            None => Candidate { text: name.to_owned(), kind: "module", signature: path.to_owned() },
        });
    }
    found
}

/// Returns the start of the identifier that ends at `cursor`.
pub(crate) fn word_start(code: &str, cursor: usize) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    code[..cursor].rfind(|c| !word(c)).map_or(0, |at| at + code[at..].chars().next().map_or(0, char::len_utf8))
}
