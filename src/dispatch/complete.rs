//! `complete`: what could be typed next. Answered from the view of the notebook, also while a cell runs.

use super::position::{to_byte, to_points};
use super::reply::{content, or_default, typed};
use crate::Failure;
use crate::magic;
use crate::session::View;
use jupyter_protocol::{CompleteReply, ReplyStatus};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A text and the cursor in it, as `complete` and `inspect` are told.
#[derive(Deserialize)]
pub(super) struct Request {
    pub(super) code: String,
    /// Without it, the end of the text.
    #[serde(default, deserialize_with = "or_default")]
    cursor_pos: Option<usize>,
}

impl Request {
    /// Where the cursor is, in bytes.
    pub(super) fn cursor(&self) -> usize {
        to_byte(&self.code, self.cursor_pos.unwrap_or(usize::MAX))
    }
}

/// The reply.
pub(super) fn reply(request: Value, view: &View) -> Result<Value, Failure> {
    let request: Request = content(request)?;
    let (cursor, code) = (request.cursor(), request.code);
    let (start, end, items) = match magic::complete(&code, cursor, view) {
        Some(found) => {
            let items = found.items.into_iter().map(|item| (item.text, item.kind.as_str())).collect();
            (found.start, found.end, items)
        }
        None => names(&code, cursor, view),
    };
    let (cursor_start, cursor_end) = (to_points(&code, start), to_points(&code, end));
    // JupyterLab shows the types when they are told this way.
    let types: Vec<Value> = items
        .iter()
        .map(|(text, kind)| json!({"text": text, "type": kind, "start": cursor_start, "end": cursor_end}))
        .collect();
    Ok(typed(&CompleteReply {
        matches: items.into_iter().map(|(text, _)| text).collect(),
        cursor_start,
        cursor_end,
        metadata: Map::from_iter([("_jupyter_types_experimental".to_owned(), Value::Array(types))]),
        status: ReplyStatus::Ok,
        error: None,
    }))
}

/// In Rust: the variables of the notebook, loaded traces among them; column names inside `col("…")`.
fn names(code: &str, cursor: usize, view: &View) -> (usize, usize, Vec<(String, &'static str)>) {
    let start = word_start(code, cursor);
    let (before, word) = (&code[..start], &code[start..cursor]);
    let fits = |name: &str| name.starts_with(word);
    if let Some(quote) = open_column(&code[..cursor]) {
        let typed = &code[quote..cursor];
        let mut columns: Vec<&String> = view.columns.iter().flat_map(|(_, columns)| columns).collect();
        columns.retain(|column| column.starts_with(typed));
        columns.sort();
        columns.dedup();
        return (quote, cursor, columns.into_iter().map(|column| (column.clone(), "column")).collect());
    }
    // Behind a dot or a path stands a member, not a variable.
    if before.ends_with(['.', ':', '"', '\'']) || word.starts_with(|first: char| first.is_ascii_digit()) {
        return (start, cursor, Vec::new());
    }
    let mut items: Vec<(String, &'static str)> =
        view.labels.iter().filter(|label| fits(label)).map(|label| (label.clone(), "trace")).collect();
    for variable in view.variables.iter().filter(|variable| fits(&variable.name)) {
        if !items.iter().any(|(name, _)| *name == variable.name) {
            items.push((variable.name.clone(), "instance"));
        }
    }
    items.sort();
    (start, cursor, items)
}

/// Where the identifier starts that ends at `cursor`.
pub(super) fn word_start(code: &str, cursor: usize) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    code[..cursor].rfind(|c| !word(c)).map_or(0, |at| at + code[at..].chars().next().map_or(0, char::len_utf8))
}

/// The start of the text in an unclosed `col("`.
fn open_column(before: &str) -> Option<usize> {
    let quote = before.rfind('"')?;
    let call = before[..quote].trim_end().strip_suffix('(')?.trim_end();
    call[word_start(call, call.len())..].starts_with("col").then_some(quote + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::Variable;

    fn view() -> View {
        let variable = |name: &str| Variable { name: name.to_owned(), type_name: "i32".to_owned() };
        View {
            labels: vec!["control".to_owned()],
            variables: vec![variable("control"), variable("counts"), variable("other")],
            columns: vec![("df".to_owned(), vec!["name".to_owned(), "diff_counts".to_owned()])],
        }
    }

    fn complete(code: &str, cursor_pos: Option<usize>) -> (Vec<String>, u64, u64) {
        let reply = reply(json!({"code": code, "cursor_pos": cursor_pos}), &view()).unwrap();
        let matches = serde_json::from_value(reply["matches"].clone()).unwrap();
        (matches, reply["cursor_start"].as_u64().unwrap(), reply["cursor_end"].as_u64().unwrap())
    }

    #[test]
    fn variables_and_traces() {
        assert_eq!(complete("co", None), (vec!["control".to_owned(), "counts".to_owned()], 0, 2));
        assert_eq!(complete("f(ot)", Some(4)), (vec!["other".to_owned()], 2, 4));
        assert_eq!(complete("x.co", None).0, [""; 0]);
    }

    #[test]
    fn positions_are_code_points() {
        assert_eq!(complete("\"𝒳é\" + ot", None), (vec!["other".to_owned()], 7, 9));
        assert_eq!(complete("", Some(99)).1, 0);
    }

    #[test]
    fn columns_inside_col() {
        assert_eq!(complete("df.select([col(\"di", None), (vec!["diff_counts".to_owned()], 16, 18));
        assert_eq!(complete("f(\"di", None).0, [""; 0]);
    }
}
