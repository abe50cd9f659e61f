//! Inspection of Rust: signature and documentation of the name at the cursor.

use super::bounded;
use super::complete::{find_module, word_start};
use super::frame_page;
use super::index::Type;
use super::index::{Index, cell_index_text};
use super::index::{Item, Kind};
use super::infer::Scope;
use super::infer::{Columns, FrameInference, is_frame};
use super::infer::{CursorContext, cursor_context};
use super::{column_names, engine_commands};
use crate::session::View;
use std::collections::BTreeSet;
use trace_view::Bundle;

/// MIME type of Markdown.
const MARKDOWN: &str = "text/markdown";

/// The method of a trace that returns its events.
const EVENTS: &str = "events";
/// Upper bound on signatures that are shown if the type of the receiver is unknown.
const MAX_SIGNATURES: usize = 3;

/// Returns the help page of the name at byte `cursor`, or of the function whose arguments contain the cursor.
pub fn inspect(code: &str, cursor: usize, view: &View) -> Option<Bundle> {
    bounded::run(code, cursor, |code, cursor, _| at(code, cursor, view)).flatten()
}

fn at(code: &str, cursor: usize, view: &View) -> Option<Bundle> {
    if let Some(command) = engine_commands::inspect(code, cursor) {
        return Some(command);
    }
    let defined = cell_index_text(code, cursor, view);
    let index = Index::with_cells(&defined);
    if let Some(column) = column(&index, code, cursor, view) {
        return Some(column);
    }
    let start = word_start(code, cursor);
    let end = code[start..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(code.len(), |at| start + at);
    at_word(&index, code, start, end, view).or_else(|| {
        let open = open_call(&code[..cursor])?;
        let end = code[..open].trim_end().trim_end_matches('!').len();
        at_word(&index, code, word_start(code, end), end, view)
    })
}

/// Returns the page of the column whose quoted name contains the cursor.
fn column(index: &Index<'_>, code: &str, cursor: usize, view: &View) -> Option<Bundle> {
    if !column_names::is_in_string(&code[..cursor]) {
        return None;
    }
    let scope = Scope::new(index, &view.variables, &code[..cursor]);
    let found = column_names::column_names_at(&code[..cursor], code, &scope, view)?;
    let rest = &code[found.start..];
    let name = &rest[..rest.find(['"', '\n'])?];
    let (name, dtype) = found.columns.iter().find(|(of, _)| of == name)?;
    Some(frame_page::column_page(name, dtype))
}

fn at_word(index: &Index<'_>, code: &str, start: usize, end: usize, view: &View) -> Option<Bundle> {
    let word = &code[start..end];
    if word.is_empty() {
        return None;
    }
    let scope = Scope::new(index, &view.variables, &code[..start]);
    let context = cursor_context(code, start);
    // `control.events()` is the table of a loaded trace: its columns come before what the method does.
    let events = match &context {
        CursorContext::Member { receiver } if word == EVENTS => view.events.get(receiver.trim()),
        _ => None,
    };
    let items: Vec<Item<'_>> = match context {
        CursorContext::NoName => return None,
        CursorContext::Member { receiver } => match scope.type_of(receiver) {
            Some(found) => {
                scope.index.member(&found.ty, found.origin, word).map(|(item, _)| item).into_iter().collect()
            }
            None => {
                let mut any = index.members_named(&|name| name == word);
                any.sort_by_key(|item| (item.origin, item.of));
                any
            }
        },
        CursorContext::Path { path } => match find_module(index, path) {
            Some(items) => items.iter().filter(|item| item.name == word).copied().collect(),
            None => {
                let found = index.members(&Type::parse(&path.replace("::<", "<")), index.origin_of(path));
                found.into_iter().map(|(item, _)| item).filter(|item| item.name == word).take(1).collect()
            }
        },
        CursorContext::Field { record } => {
            let fields = index.members(&Type::new(record), None).into_iter().map(|(item, _)| item);
            let mut found: Vec<Item<'_>> =
                fields.filter(|item| item.kind == Kind::Field && item.name == word).collect();
            if found.is_empty() {
                found = items_named(index, word);
            }
            found
        }
        CursorContext::Word => {
            if let Some(bundle) = variable(&scope, word, view) {
                return Some(bundle);
            }
            items_named(index, word)
        }
    };
    if let (Some(schema), Some(item)) = (events, items.first()) {
        let columns = frame_page::schema_page(Some(schema), &Columns::of(schema));
        return Some(columns_page(&item.signature(), &columns, &item.doc()));
    }
    items_page(&items)
}

/// Returns the page of a variable: its type, the columns of a frame, and the documentation of the type.
fn variable(scope: &Scope<'_>, word: &str, view: &View) -> Option<Bundle> {
    if scope.local_names().any(|name| name == word) {
        let ty = scope.type_of(word)?.ty;
        let frame = FrameInference::new(scope, view)
            .shape_of_text(word)
            .filter(|_| is_frame(&scope.index.expand_alias(ty.clone())));
        let columns = frame.map(|frame| frame_page::schema_page(None, &frame.input_columns()));
        return Some(variable_page(scope.index, &format!("{word}: {}", ty.head), &ty.head, columns));
    }
    let variable = view.variables.iter().find(|variable| variable.name == word)?;
    let head = Type::parse(&variable.type_name).head;
    let columns = view.frames.get(word).or_else(|| view.events.get(word));
    let columns = columns.map(|schema| frame_page::schema_page(Some(schema), &Columns::of(schema)));
    Some(variable_page(scope.index, &format!("{}: {}", variable.name, variable.type_name), &head, columns))
}

fn variable_page(index: &Index<'_>, line: &str, head: &str, columns: Option<String>) -> Bundle {
    let items = items_named(index, head);
    let declared = items.iter().find(|item| matches!(item.kind, Kind::Struct | Kind::Enum | Kind::Alias));
    let doc = declared.map(Item::doc).unwrap_or_default();
    match columns {
        Some(columns) => columns_page(line, &columns, &doc),
        None if doc.is_empty() => Bundle::text(line.to_owned()),
        None => signature_page(&[line.to_owned()], &doc),
    }
}

/// Returns the item of a name: one in scope, else any of the index.
fn items_named<'t>(index: &Index<'t>, word: &str) -> Vec<Item<'t>> {
    let mut items: Vec<Item<'t>> = index.in_scope().filter(|item| item.name == word).copied().collect();
    if items.is_empty() {
        items = index.items(word).copied().collect();
    }
    items.sort_by_key(|item| (item.origin, item.kind));
    items.truncate(1);
    items
}

/// Returns the offset of the innermost `(` that is open at the end of the text.
fn open_call(before: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' => return Some(at),
            ';' | '{' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the page of items of one name.
fn items_page(items: &[Item<'_>]) -> Option<Bundle> {
    let first = items.first()?;
    let mut seen = BTreeSet::new();
    let mut signatures = Vec::new();
    for item in items.iter().filter(|item| seen.insert((item.of, item.signature))).take(MAX_SIGNATURES) {
        if item.of.is_empty() {
            let signature = item.signature();
            signatures.push(if signature.is_empty() { format!("mod {}", item.name) } else { signature });
        } else {
            signatures.push(format!("{}: {}", item.of, item.signature()));
        }
    }
    let more = seen.len().saturating_sub(MAX_SIGNATURES);
    let mut doc = first.doc();
    if more > 0 {
        doc.push_str(&format!("\n\nAnd {more} more of this name on other types."));
    }
    if !first.origin.title().is_empty() {
        doc.push_str(&format!("\n\n({})", first.origin.title()));
    }
    Some(signature_page(&signatures, doc.trim()))
}

fn signature_page(signatures: &[String], doc: &str) -> Bundle {
    let signatures = signatures.join("\n");
    let doc = without_links(doc);
    let plain = format!("{signatures}\n\n{doc}");
    let markdown = format!("```rust\n{signatures}\n```\n\n{doc}");
    Bundle::text(plain).with(MARKDOWN, markdown.into())
}

/// Returns the page of a variable with its columns, whose names may contain any text.
fn columns_page(line: &str, columns: &str, doc: &str) -> Bundle {
    let doc = without_links(doc);
    let plain = format!("{line}\n{columns}\n\n{doc}");
    // A fence longer than any run of backticks in a name.
    let fence = "`".repeat(3.max(longest_run(columns) + 1));
    let markdown = format!("```rust\n{line}\n```\n\n{fence}text\n{columns}\n{fence}\n\n{doc}");
    Bundle::text(plain.trim_end()).with(MARKDOWN, markdown.into())
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c: char| c != '`').map(str::len).max().unwrap_or(0)
}

/// Replaces rustdoc's links to other items, which have no target here, by their text: [`x`] and [x](y).
fn without_links(doc: &str) -> String {
    let mut text = String::new();
    for line in doc.lines() {
        // `[x]: https://…`
        if line.starts_with('[') && line.contains("]: ") {
            continue;
        }
        let mut rest = line;
        while let Some(open) = rest.find("[`") {
            let Some(close) = rest[open..].find("`]").map(|at| open + at) else { break };
            text.push_str(&rest[..open]);
            text.push_str(&rest[open + 1..=close]);
            rest = &rest[close + 2..];
            if rest.starts_with('(') {
                rest = rest.find(')').map_or(rest, |end| &rest[end + 1..]);
            } else if rest.starts_with('[') {
                rest = rest.find(']').map_or(rest, |end| &rest[end + 1..]);
            }
        }
        text.push_str(rest);
        text.push('\n');
    }
    text.trim_end().to_owned()
}
