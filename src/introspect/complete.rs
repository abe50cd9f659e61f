//! What could be typed next in Rust.

use super::bounded;
use super::candidate::{Candidate, Completion};
use super::index::Type;
use super::index::{CELL, Index, cell_index_text};
use super::index::{Item, Kind, Origin};
use super::infer::Scope;
use super::infer::{Typed, typed};
use super::{column_names, engine_commands};
use crate::session::View;
use std::collections::BTreeSet;

/// No list is longer.
const MOST: usize = 300;

/// The words of the language.
const KEYWORDS: &[&str] = &[
    "async", "await", "break", "const", "continue", "else", "enum", "false", "fn", "for", "if", "impl", "in", "let",
    "loop", "match", "move", "mut", "pub", "return", "self", "static", "struct", "trait", "true", "type", "unsafe",
    "use", "where", "while",
];

/// The types of the language.
const TYPES: &[&str] =
    &["bool", "char", "f32", "f64", "i16", "i32", "i64", "i8", "isize", "str", "u16", "u32", "u64", "u8", "usize"];

/// What could stand at byte `cursor`.
pub(crate) fn complete(code: &str, cursor: usize, view: &View) -> Completion {
    bounded::reach(code, cursor, |code, cursor, before| {
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
    if let Some(column_names::Typed { start, mut columns }) = column_names::at(before, code, &scope, view) {
        columns.retain(|(name, _)| name.starts_with(&before[start..]));
        columns.truncate(MOST);
        let column = |(text, signature)| Candidate { text, kind: "column", signature };
        return Completion { start, items: columns.into_iter().map(column).collect() };
    }
    let word = &code[start..cursor];
    let mut items = fitting(&scope, code, start, &|name| name.starts_with(word), word, view);
    if items.is_empty() && !word.is_empty() {
        let lower = word.to_lowercase();
        items = fitting(&scope, code, start, &|name| name.to_lowercase().starts_with(&lower), word, view);
    }
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(item.text.clone()));
    items.truncate(MOST);
    Completion { start, items }
}

/// Whether a name may stand there.
type Fits<'a> = &'a dyn Fn(&str) -> bool;

/// What could stand in place of `word`, which starts at byte `start`.
fn fitting(scope: &Scope<'_>, code: &str, start: usize, fits: Fits<'_>, word: &str, view: &View) -> Vec<Candidate> {
    let (index, before) = (scope.index, &code[..start]);
    match typed(code, start) {
        _ if word.starts_with(|first: char| first.is_ascii_digit()) => Vec::new(),
        Typed::Nothing => Vec::new(),
        Typed::Member { receiver } => members(scope, receiver, fits, word),
        Typed::Path { path } => inside(index, path, fits),
        Typed::Field { record } => {
            let mut fields = index.members(&Type::new(record), None);
            fields.retain(|(item, _)| item.kind == Kind::Field && fits(item.name));
            let fields = fields.iter().map(|(item, _)| Candidate::from(item));
            fields.chain(words(scope, fits, word, view)).collect()
        }
        Typed::Word => match use_list(before) {
            Some(path) => inside(index, path, fits),
            None => words(scope, fits, word, view),
        },
    }
}

impl From<&Item<'_>> for Candidate {
    fn from(item: &Item<'_>) -> Self {
        let bang = if item.kind == Kind::Macro { "!" } else { "" };
        Self { text: format!("{}{bang}", item.name), kind: item.kind.word(), signature: item.signature() }
    }
}

/// Behind a dot: the members of the type, or, of a type that cannot be told, whatever has a method of this start.
fn members(scope: &Scope<'_>, receiver: &str, fits: Fits<'_>, word: &str) -> Vec<Candidate> {
    let index = scope.index;
    let found = scope.type_of(receiver).map(|found| index.members(&found.ty, found.near)).unwrap_or_default();
    let known: Vec<Item<'_>> =
        found.into_iter().map(|(item, _)| item).filter(|item| item.kind.is_behind_a_dot()).collect();
    if !known.is_empty() {
        return known.iter().filter(|item| fits(item.name)).map(Candidate::from).collect();
    }
    let mut any = if word.is_empty() {
        let everyday = ["TraceSet", "DataFrame", "LazyFrame", "Series", "Expr"];
        everyday.iter().flat_map(|name| index.members(&Type::new(name), None)).map(|(item, _)| item).collect()
    } else {
        index.everywhere(fits)
    };
    any.retain(|item| item.kind.is_behind_a_dot());
    any.sort_by_key(|item| (item.origin, item.weight(), item.name));
    any.iter().map(Candidate::from).collect()
}

/// Behind `path::`: what stands in a module, or what a type has.
fn inside(index: &Index<'_>, path: &str, fits: Fits<'_>) -> Vec<Candidate> {
    if let Some(items) = module(index, path) {
        let mut items: Vec<&Item<'_>> = items.iter().filter(|item| fits(item.name)).collect();
        items.sort_by_key(|item| (item.weight() > 1, item.name));
        return items.into_iter().map(Candidate::from).collect();
    }
    let ty = Type::parse(&path.replace("::<", "<"));
    let mut found = index.members(&ty, index.origin_of(path));
    // Nobody calls by path what a trait or another type lends.
    let own = |item: &Item<'_>| item.kind != Kind::Method || Type::parse(item.of).head == ty.head;
    found.retain(|(item, _)| fits(item.name) && item.kind != Kind::Field && own(item));
    // What needs no value comes first; the order by closeness stays.
    found.sort_by_key(|(item, _)| item.kind == Kind::Method);
    found.iter().map(|(item, _)| Candidate::from(item)).collect()
}

/// What stands in the module of this path, also of one that lies in a crate which everyone has in scope.
pub(super) fn module<'a>(index: &'a Index<'_>, path: &str) -> Option<&'a [Item<'a>]> {
    let path: String = path.split_whitespace().collect();
    let path = imported(index, &path);
    let path = match path.strip_prefix("core").or_else(|| path.strip_prefix("alloc")) {
        Some(rest) if rest.is_empty() || rest.starts_with("::") => format!("std{rest}"),
        _ => path,
    };
    index.module(&path).or_else(|| {
        [CELL, "polars::prelude", "std", "trace"].iter().find_map(|above| index.module(&format!("{above}::{path}")))
    })
}

/// The path with what its first part stands for: an import, or the crate of the cells.
fn imported(index: &Index<'_>, path: &str) -> String {
    let (first, rest) = path.split_at(path.find("::").unwrap_or(path.len()));
    let whole = match first {
        "crate" | "self" => CELL,
        first => index.imports().find(|(name, _)| *name == first).map_or(first, |(_, path)| path),
    };
    format!("{whole}{rest}")
}

/// The path of a `use path::{` that is open at the end of the text.
fn use_list(before: &str) -> Option<&str> {
    let open = before.rfind('{')?;
    if before[open..].contains(['}', ';']) {
        return None;
    }
    let path = before[..open].trim_end().strip_suffix("::")?;
    let start = path.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).map_or(0, |at| at + 1);
    path[..start].trim_end().ends_with("use").then(|| &path[start..])
}

/// A word of its own: variables and traces, then what everyone has in scope.
fn words(scope: &Scope<'_>, fits: Fits<'_>, word: &str, view: &View) -> Vec<Candidate> {
    let index = scope.index;
    let mut own: Vec<Candidate> = Vec::new();
    for label in view.labels.iter().filter(|label| fits(label)) {
        own.push(Candidate { text: label.clone(), kind: "trace", signature: "TraceSet".to_owned() });
    }
    for variable in view.variables.iter().filter(|variable| fits(&variable.name)) {
        let (text, signature) = (variable.name.clone(), variable.type_name.clone());
        own.push(Candidate { text, kind: "instance", signature });
    }
    if word.is_empty() {
        own.sort_by(|a, b| a.text.cmp(&b.text));
        return own;
    }
    let locals = scope.local_names().filter(|name| fits(name));
    own.extend(locals.map(|name| Candidate { text: name.to_owned(), kind: "instance", signature: String::new() }));
    own.sort_by(|a, b| a.text.cmp(&b.text));
    let plain = |text: &&str, kind| Candidate { text: (*text).to_owned(), kind, signature: String::new() };
    own.extend(KEYWORDS.iter().filter(|name| fits(name)).map(|name| plain(name, "keyword")));
    own.extend(imports(index, fits));
    let mut items: Vec<&Item<'_>> = index.in_scope().filter(|item| fits(item.name)).collect();
    // Modules of preludes are parts of other crates.
    let is_own = |item: &Item<'_>| item.origin == Origin::Cell;
    items.sort_by_key(|item| (item.kind == Kind::Module, !is_own(item), item.weight(), item.origin, item.name));
    let (modules, items): (Vec<&Item<'_>>, Vec<&Item<'_>>) =
        items.into_iter().partition(|item| item.kind == Kind::Module);
    own.extend(items.into_iter().map(Candidate::from));
    own.extend(TYPES.iter().filter(|name| fits(name)).map(|name| plain(name, "type")));
    let crates = ["trace", "polars", "plotly", "serde_json", "tokio", "std"];
    let brought = view.items.crates();
    own.extend(crates.into_iter().chain(brought).filter(|name| fits(name)).map(|name| plain(&name, "module")));
    own.extend(modules.into_iter().map(Candidate::from));
    own
}

/// What cells import.
fn imports(index: &Index<'_>, fits: Fits<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (name, path) in index.imports().filter(|(name, _)| fits(name)) {
        let (above, last) = path.rsplit_once("::").unwrap_or(("", path));
        let items = module(index, above).into_iter().flatten();
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

/// Where the identifier starts that ends at `cursor`.
pub(crate) fn word_start(code: &str, cursor: usize) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    code[..cursor].rfind(|c| !word(c)).map_or(0, |at| at + code[at..].chars().next().map_or(0, char::len_utf8))
}
