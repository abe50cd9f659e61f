//! Variables of the notebook that a cell moves: frames, columns and traces are reference-counted, so a clone of them stays; others are
//! named.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The file in the run's folder with the variables that the cell moves.
const FILE: &str = "moved.json";

/// The most compilations of one cell for clones of what it moves: the compiler names one move of a variable at a time.
const MOST_CLONES: usize = 8;

/// The start of evcxr's statement that keeps a variable.
const STORED: &str = "evcxr_variable_store.put_variable::<";

/// Types whose clone shares the data.
const SHARED: &[&str] = &[
    "DataFrame",
    "LazyFrame",
    "Series",
    "Column",
    "ChunkedArray",
    "Expr",
    "TraceSet",
    "Trace",
    "LabeledTrace",
    "SqlTables",
    "Arc",
    "Rc",
];

/// What rustc and we write behind a variable.
const CLONE: &str = ".clone()";

/// Starts of the closures that evcxr puts around a cell.
const WRAPPERS: &[&str] =
    &["AssertUnwindSafe(||{", "let _ = (|| -> std::result::Result", "block_on_cell(async", "block_on(async"];

/// The most characters of the text that moves a variable.
const MOST_CHARS: usize = 60;

/// A variable that a cell moves although the notebook keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    name: String,
    type_name: String,
    /// What moves it, each with what is to be written into the source: byte ranges and texts.
    clones: Vec<(usize, usize, String)>,
    by: MovedBy,
}

/// What moved a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::engine) struct MovedBy {
    /// The text of the cell: `eat(rows)`.
    pub(in crate::engine) text: String,
    /// The same text with a clone in place of the variable, if it can be written so.
    pub(in crate::engine) instead: Option<String>,
}

impl MovedBy {
    /// Returns the note for the cell that moved the variable `name`.
    pub(in crate::engine) fn note(&self, name: &str) -> String {
        format!("`{name}` was moved by `{}`: later cells do not have it{}\n", self.text, self.advice(name))
    }

    /// Returns the hint for a later cell that names the variable.
    pub(in crate::engine) fn hint(&self, name: &str) -> String {
        if self.is_drop() {
            return format!("`{name}` was dropped in an earlier cell; run the cell that made it again");
        }
        format!("`{name}` was moved by `{}` in an earlier cell{}", self.text, self.advice(name))
    }

    fn advice(&self, name: &str) -> String {
        match &self.instead {
            Some(instead) => format!("; `{instead}` keeps it"),
            None => format!("; move a clone: `let copy = {name}.clone();`"),
        }
    }

    /// Whether the user asked for the end of the variable.
    pub(in crate::engine) fn is_drop(&self) -> bool {
        self.text.starts_with("drop(") || self.text.contains("::drop(")
    }
}

/// Returns, once, the variables that the last cell moved, and what moved each.
pub(in crate::engine) fn take(run_folder: &Path) -> BTreeMap<String, MovedBy> {
    let file = run_folder.join(FILE);
    let read = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let _ = std::fs::remove_file(file);
    read.unwrap_or_default()
}

/// Compiles a cell, and again with clones of what it moves, as long as nothing but moves is wrong. `source` is the file of its source.
///
/// # Errors
/// The messages of the compiler on the cell as the user wrote it, but for clones that were of use.
pub(in crate::engine) fn with_clones_compiled<T>(
    source: &Path,
    run_folder: &Path,
    mut compile: impl FnMut() -> Result<T, String>,
) -> Result<T, String> {
    let mut compiled = compile();
    for _ in 0..MOST_CLONES {
        let Err(messages) = &compiled else { break };
        let Ok(text) = std::fs::read_to_string(source) else { break };
        let Some(cloned) = with_clones(&text, messages, run_folder) else { break };
        if std::fs::write(source, cloned).is_err() {
            break;
        }
        let again = compile();
        if again.as_ref().err().is_some_and(|messages| !are_all(messages)) {
            break;
        }
        compiled = again;
    }
    compiled
}

/// Returns the source of a cell with clones where it moves variables whose clone shares the data, by the messages of a failed
/// compilation; `None` if there is nothing to clone. Notes all moved variables for [`take`]. Keeps the number of every line.
fn with_clones(source: &str, messages: &str, run_folder: &Path) -> Option<String> {
    let moves = moves(messages);
    if moves.is_empty() {
        return None;
    }
    let (shared, gone): (Vec<_>, Vec<_>) =
        moves.into_iter().partition(|it| !it.clones.is_empty() && is_shared(&it.type_name) && !it.by.is_drop());
    if !gone.is_empty() {
        let mut noted = take(run_folder);
        noted.extend(gone.into_iter().map(|it| (it.name, it.by)));
        let _ = std::fs::write(run_folder.join(FILE), serde_json::to_vec(&noted).unwrap_or_default());
    }
    let mut edits: Vec<(usize, usize, String)> = shared.into_iter().flat_map(|it| it.clones).collect();
    edits.sort();
    edits.dedup();
    let mut source = source.to_owned();
    for (from, to, text) in edits.iter().rev() {
        source.get(*from..*to)?;
        source.replace_range(from..to, text);
    }
    (!edits.is_empty()).then_some(source)
}

/// Returns the messages without advice on moves of variables that the notebook keeps: evcxr takes advice on an item of an earlier cell
/// for an error there.
pub(in crate::engine) fn without_advice(messages: String) -> String {
    if !messages.contains("\"E0382\"") {
        return messages;
    }
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(mut json) if line.contains("\"E0382\"") => {
            let message = if json["message"].is_object() { &mut json["message"] } else { &mut json };
            if of_message(message).is_some() {
                message["children"] = Value::Array(Vec::new());
            }
            json.to_string()
        }
        _ => line.to_owned(),
    };
    messages.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether all errors in messages are moves of variables that the notebook keeps.
fn are_all(messages: &str) -> bool {
    let lines = messages.lines().filter(|line| line.contains("\"level\":\"error\""));
    let errors = lines.filter(|line| !line.contains("\"message\":\"aborting due to")).count();
    errors > 0 && errors == moves(messages).len()
}

/// Whether the clone of a value shares its data; `type_name` as the compiler writes it.
fn is_shared(type_name: &str) -> bool {
    let path = type_name.split('<').next().unwrap_or(type_name);
    SHARED.contains(&path.rsplit("::").next().unwrap_or(path))
}

/// Parses rustc's messages, one JSON object per line: the moves that fail because a variable is to be kept.
fn moves(messages: &str) -> Vec<Move> {
    let lines = messages.lines().filter(|line| line.contains("\"E0382\""));
    let parsed = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed.filter_map(|json| of_message(if json["message"].is_object() { &json["message"] } else { &json })).collect()
}

fn of_message(message: &Value) -> Option<Move> {
    let spans = || message["spans"].as_array().into_iter().flatten();
    let label = |span: &Value| span["label"].as_str().unwrap_or_default().to_owned();
    let primary = spans().find(|span| span["is_primary"] == true)?;
    let (_, stored) = primary["text"][0]["text"].as_str()?.split_once(STORED)?;
    let name = stored.split_once("stringify!(")?.1.split(')').next()?.to_owned();
    let type_name = spans().find_map(|span| {
        let label = label(span);
        Some(label.split_once("` has type `")?.1.split_once("`, which does not implement")?.0.to_owned())
    });
    let into = spans().find(|span| label(span).contains("moved into closure") || label(span).contains("moved here"));
    let is_wrapped = into.is_some_and(|span| {
        let line = span["text"][0]["text"].as_str().unwrap_or_default();
        WRAPPERS.iter().any(|wrapper| line.contains(wrapper))
    });
    let mut clones = Vec::new();
    let moved = if is_wrapped {
        let used = spans().find(|span| label(span).contains("moved due to use in"))?;
        let range = LineRange::of(used);
        // A clone that is there already did not help: a closure of the cell takes the variable.
        if range.marked() == name && !range.text(range.to, range.line.len()).starts_with(CLONE) {
            clones.extend(range.byte_end.map(|at| (at, at, CLONE.to_owned())));
        }
        used
    } else {
        clones.extend(suggested_clones(message));
        spans().find(|span| label(span).contains("moved"))?
    };
    let by = LineRange::of(moved).moved_by(&label(moved), &name);
    Some(Move { name, type_name: type_name.unwrap_or_default(), clones, by })
}

/// Returns the clones that rustc suggests where values are moved.
fn suggested_clones(message: &Value) -> Vec<(usize, usize, String)> {
    let children = message["children"].as_array().into_iter().flatten();
    let spans = children.flat_map(|child| child["spans"].as_array().into_iter().flatten());
    let replaced = |span: &Value| {
        let at = |key: &str| span[key].as_u64().and_then(|at| usize::try_from(at).ok());
        let text =
            span["suggested_replacement"].as_str().filter(|text| text.ends_with(CLONE) && !text.contains('\n'))?;
        Some((at("byte_start")?, at("byte_end")?, text.to_owned()))
    };
    spans.filter_map(replaced).collect()
}

/// A range of a line of the source.
struct LineRange {
    line: Vec<char>,
    from: usize,
    to: usize,
    byte_end: Option<usize>,
}

impl LineRange {
    fn of(span: &Value) -> Self {
        let line: Vec<char> = span["text"][0]["text"].as_str().unwrap_or_default().chars().collect();
        let number = |value: &Value| value.as_u64().and_then(|at| usize::try_from(at).ok());
        let column = |key: &str| number(&span["text"][0][key]).unwrap_or(1).saturating_sub(1).min(line.len());
        let (from, to) = (column("highlight_start"), column("highlight_end"));
        Self { from, to: to.max(from), line, byte_end: number(&span["byte_end"]) }
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.line[from..to].iter().collect()
    }

    fn marked(&self) -> String {
        self.text(self.from, self.to)
    }

    /// Whether a closure of the cell takes the variable.
    fn is_in_closure(&self) -> bool {
        self.text(0, self.from).rsplit(';').next().is_some_and(|before| before.contains("move |"))
    }

    /// Returns what moves the variable `name` here.
    fn moved_by(&self, label: &str, name: &str) -> MovedBy {
        let marked = self.marked();
        let is_call = label.contains("method call");
        let behind = self.text(self.to, self.line.len());
        let (text, instead) = if label.contains("into closure") || behind.starts_with(CLONE) || self.is_in_closure() {
            ("move ||".to_owned(), None)
        } else if is_call || self.line.get(self.to) == Some(&'.') {
            let end = self.end_of_call(if is_call { self.from } else { self.to + 1 });
            let call = self.text(if is_call { self.from } else { self.to + 1 }, end);
            (format!("{name}.{call}"), Some(format!("{name}.clone().{call}")))
        } else if label.contains("into_iter") || self.text(0, self.from).ends_with(" in ") {
            (format!("for … in {name}"), Some(format!("for … in &{name}")))
        } else {
            let (start, end) = around(&self.line, self.from, self.to);
            let (before, behind) = (self.text(start, self.from), self.text(self.to, end));
            (format!("{before}{marked}{behind}"), Some(format!("{before}{marked}{CLONE}{behind}")))
        };
        let short = |text: String| {
            let is_long = text.chars().count() > MOST_CHARS;
            if is_long { text.chars().take(MOST_CHARS - 1).chain(['…']).collect() } else { text }
        };
        let instead = instead.filter(|text| text.chars().count() <= MOST_CHARS + CLONE.len());
        MovedBy { text: short(text), instead }
    }

    /// Returns the end of the method call that begins at `from`.
    fn end_of_call(&self, from: usize) -> usize {
        let mut depth = 0;
        let end = (from..self.line.len()).find(|&at| {
            let is_end = depth == 0 && !(self.line[at].is_alphanumeric() || "_:<>(".contains(self.line[at]));
            depth += i32::from(self.line[at] == '(') - i32::from(self.line[at] == ')');
            is_end || (depth == 0 && self.line[at] == ')')
        });
        end.map_or(self.line.len(), |at| at + usize::from(self.line[at] == ')'))
    }
}

/// Returns the range of the call, or else of the statement, around a range of a line.
fn around(line: &[char], from: usize, to: usize) -> (usize, usize) {
    let mut depth = 0;
    let opening = (0..from).rev().find(|&at| {
        match line[at] {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' | '[' | '{' => return true,
            ';' if depth == 0 => return true,
            _ => {}
        }
        false
    });
    let is_path = |c: char| c.is_alphanumeric() || "_:.!<>".contains(c);
    match opening {
        Some(at) if line[at] == '(' || line[at] == '[' => {
            let start = (0..at).rev().find(|&before| !is_path(line[before])).map_or(0, |before| before + 1);
            let mut depth = 0;
            let end = (at..line.len()).find(|&behind| {
                depth += i32::from(matches!(line[behind], '(' | '[')) - i32::from(matches!(line[behind], ')' | ']'));
                depth == 0
            });
            (start, end.map_or(line.len(), |end| end + 1))
        }
        _ => {
            let start = opening.map_or(0, |at| at + 1);
            let blank = line[start..from].iter().take_while(|c| c.is_whitespace()).count();
            let end = (to..line.len()).find(|&at| line[at] == ';' || line[at] == '}').unwrap_or(line.len());
            (start + blank, end)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    const STORE: &str = "evcxr_variable_store.put_variable::<T>(stringify!(df), df);";

    /// A span of rustc's around `marked` in `line`, which begins at the byte 100 of the source.
    fn span(line: &str, marked: &str, label: &str, is_primary: bool) -> Value {
        let from = line.find(marked).unwrap();
        let to = from + marked.len();
        json!({
            "is_primary": is_primary, "label": label, "byte_start": 100 + from, "byte_end": 100 + to,
            "text": [{"text": line, "highlight_start": from + 1, "highlight_end": to + 1}],
        })
    }

    fn message(spans: &[Value], children: Value) -> Value {
        let stored = span(STORE, "df)", "value used here after move", true);
        let has_type =
            "move occurs because `df` has type `polars::prelude::DataFrame`, which does not implement the `Copy` trait";
        let of_type = span("let df = load;", "df", has_type, false);
        let spans: Vec<&Value> = spans.iter().chain([&stored, &of_type]).collect();
        json!({"level": "error", "message": "use of moved value: `df`", "code": {"code": "E0382"}, "spans": spans, "children": children})
    }

    #[test]
    fn what_moves_a_variable_is_named_with_what_keeps_it() {
        for (line, marked, label, text, instead) in [
            ("let n = eat(1, df) + 2;", "df", "value moved here", "eat(1, df)", Some("eat(1, df.clone())")),
            ("let m = vec![df, x];", "df", "value moved here", "vec![df, x]", Some("vec![df.clone(), x]")),
            ("f(); let other = df; g()", "df", "value moved here", "let other = df", Some("let other = df.clone()")),
            (
                "df.lazy().collect()?",
                "lazy()",
                "`df` moved due to this method call",
                "df.lazy()",
                Some("df.clone().lazy()"),
            ),
            (
                "for x in df { f(x) }",
                "df",
                "`df` moved due to this implicit call to `.into_iter()`",
                "for … in df",
                Some("for … in &df"),
            ),
            ("let f = move || df.height();", "move ||", "value moved into closure here", "move ||", None),
        ] {
            let json = message(&[span(line, marked, label, false)], json!([]));
            let found = of_message(&json).unwrap();
            assert_eq!((found.by.text.as_str(), found.by.instead.as_deref()), (text, instead), "{line}");
            assert!(found.name == "df" && is_shared(&found.type_name), "{found:?}");
        }
    }

    #[test]
    fn clones_are_written_where_the_cell_moves() {
        let folder = tempfile::tempdir().unwrap();
        let line = "let n = eat(df); f(drop(df));";
        let source = format!("{}{line}", " ".repeat(100));
        let wrapper = span("  std::panic::AssertUnwindSafe(||{", "||", "value moved into closure here", false);
        let used = span(line, "df", "variable moved due to use in closure", false);
        let json = message(&[wrapper, used], json!([])).to_string();
        let cloned = with_clones(&source, &json, folder.path()).unwrap();
        assert_eq!(cloned.trim_start(), "let n = eat(df.clone()); f(drop(df));");
        assert!(take(folder.path()).is_empty());
        // rustc's own advice, outside of the closures around a cell.
        let advice = json!([{"spans": [{"byte_start": 114, "byte_end": 114, "suggested_replacement": ".clone()"}]}]);
        let json = message(&[span(line, "df", "value moved here", false)], advice).to_string();
        assert_eq!(with_clones(&source, &json, folder.path()).unwrap(), cloned);
        assert!(are_all(&json) && !are_all(&json.replace("E0382", "E0308")));
        assert!(!without_advice(json).contains("suggested_replacement"));
    }

    #[test]
    fn dropped_variables_and_those_without_shared_data_are_noted() {
        let folder = tempfile::tempdir().unwrap();
        for (line, type_name) in [("drop(df)", "DataFrame"), ("eat(df)", "Vec<DataFrame>")] {
            let wrapper = span("  std::panic::AssertUnwindSafe(||{", "||", "value moved into closure here", false);
            let used = span(line, "df", "variable moved due to use in closure", false);
            let json =
                message(&[wrapper, used], json!([])).to_string().replace("polars::prelude::DataFrame", type_name);
            assert_eq!(with_clones("", &json, folder.path()), None, "{line}");
            assert_eq!(take(folder.path())["df"].text, line);
        }
    }
}
