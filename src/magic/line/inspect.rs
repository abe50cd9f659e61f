//! Help for the word at the cursor.

use super::sql;
use crate::cell::{CursorPosition, magic_cursor};
use crate::magic::magics::find;
use crate::session::View;
use kernel_magic::usage::page;
use trace_view::Bundle;

/// Returns help for the magic line at byte `at` of the cell; for a Rust variable in the line, its type. `None` outside of
/// magic lines.
pub fn inspect(code: &str, at: usize, view: &View) -> Option<Bundle> {
    if let Some(page) = sql::inspect(code, at, view) {
        return Some(page);
    }
    let cursor = magic_cursor(code, at)?;
    if let CursorPosition::Argument { before, start, .. } = &cursor.position {
        let word: String = code[*start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_value = before.last().is_none_or(|word| word.as_flag().is_none());
        if let Some(variable) = view.variables.iter().find(|variable| is_value && variable.name == word) {
            return Some(Bundle::text(format!("{}: {}", variable.name, variable.type_name)));
        }
    }
    find(cursor.name).map(page)
}
