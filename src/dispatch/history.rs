//! `history_request`: cells of this session and of earlier ones, for the arrow keys of a console.

use super::history_file::{self, HistoryFile};
use super::reply::{content, or_default};
use crate::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::io::ErrorKind;
use std::path::PathBuf;

/// Upper bound on remembered cells.
const MAX_ENTRIES: usize = 10_000;

/// Cells, oldest first.
pub(super) struct History {
    entries: VecDeque<Entry>,
    /// Number of this session. In requests, session 0 is this session, too.
    session: i64,
    /// Keeps cells for later sessions.
    file: Option<HistoryFile>,
}

impl Default for History {
    fn default() -> Self {
        Self { entries: VecDeque::new(), session: 1, file: None }
    }
}

struct Entry {
    session: i64,
    line: usize,
    input: String,
    /// Plain text of the cell's value; `None` for cells of earlier sessions.
    output: Option<String>,
}

/// Content of the request. The protocol crate's type requires fields that clients leave out or send as null.
#[derive(Deserialize)]
struct Request {
    hist_access_type: String,
    #[serde(default, deserialize_with = "or_default")]
    output: bool,
    #[serde(default, deserialize_with = "or_default")]
    session: i64,
    #[serde(default, deserialize_with = "or_default")]
    start: i64,
    stop: Option<i64>,
    n: Option<i64>,
    pattern: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    unique: bool,
}

impl History {
    /// Opens the history of a new session; if the file cannot be opened, it holds this session only.
    pub(super) fn open() -> Self {
        history_file::path().map_or_else(Self::default, Self::open_at)
    }

    fn open_at(path: PathBuf) -> Self {
        match HistoryFile::open(path) {
            Ok((file, cells)) => {
                let surplus = cells.len().saturating_sub(MAX_ENTRIES);
                let entry = |cell: history_file::PastCell| {
                    let history_file::PastCell { session, line, input } = cell;
                    Entry { session, line, input, output: None }
                };
                let entries = cells.into_iter().skip(surplus).map(entry).collect();
                Self { entries, session: file.session(), file: Some(file) }
            }
            Err(error) => {
                tracing::warn!("cannot open the history file: {error}; history is kept for this session only");
                Self::default()
            }
        }
    }

    /// Adds a cell that starts to run.
    pub(super) fn add(&mut self, line: usize, input: &str) {
        self.entries.push_back(Entry { session: self.session, line, input: input.to_owned(), output: None });
        if self.entries.len() > MAX_ENTRIES {
            self.entries.pop_front();
        }
        if let Some(Err(error)) = self.file.as_ref().map(|file| file.add(line, input)) {
            tracing::warn!("cannot add a cell to the history file: {error}");
            // A busy lock is free again soon; a full disk or a missing folder is not retried.
            if error.kind() != ErrorKind::WouldBlock {
                self.file = None;
            }
        }
    }

    /// Sets the value of the last added cell, if that is cell `line`.
    pub(super) fn set_output(&mut self, line: usize, output: Option<String>) {
        if let Some(entry) = self.entries.back_mut().filter(|entry| (entry.session, entry.line) == (self.session, line))
        {
            entry.output = output;
        }
    }

    /// Returns the content of the reply.
    pub(super) fn reply(&self, request: Value) -> Result<Value, Failure> {
        let request: Request = content(request)?;
        let found = match request.hist_access_type.as_str() {
            "tail" => last(self.entries.iter().collect(), request.n),
            "range" => self.range(&request),
            "search" => self.search(&request),
            other => return Err(Failure::new("ProtocolError", format!("unknown hist_access_type `{other}`"))),
        };
        let rows: Vec<Value> = found
            .into_iter()
            .map(|Entry { session, line, input, output }| match request.output {
                true => json!([session, line, [input, output]]),
                false => json!([session, line, input]),
            })
            .collect();
        Ok(json!({"status": "ok", "history": rows}))
    }

    /// Returns lines `start..stop` of a session. A negative line counts from the end; `stop` 0 or absent is the end. Session 0
    /// is this session, and a negative number counts back from it.
    fn range(&self, request: &Request) -> Vec<&Entry> {
        let session = if request.session > 0 { request.session } else { self.session.saturating_add(request.session) };
        let of_session = || self.entries.iter().filter(move |entry| entry.session == session);
        let end = of_session().next_back().map_or(0, |entry| entry.line as i64) + 1;
        let from_end = |line: i64| if line < 0 { end.saturating_add(line) } else { line };
        let start = from_end(request.start);
        let stop = request.stop.filter(|stop| *stop != 0).map_or(end, from_end);
        of_session().filter(|entry| (start..stop).contains(&(entry.line as i64))).collect()
    }

    /// Returns the last `n` cells whose whole text matches the pattern; with `unique`, only the newest of equal texts.
    fn search(&self, request: &Request) -> Vec<&Entry> {
        let pattern: Vec<char> = request.pattern.as_deref().unwrap_or("*").chars().collect();
        let matching = self.entries.iter().filter(|entry| matches(&pattern, &entry.input));
        let mut found: Vec<&Entry> = if request.unique {
            let mut seen = BTreeSet::new();
            matching.rev().filter(|entry| seen.insert(entry.input.as_str())).collect()
        } else {
            matching.rev().collect()
        };
        found.reverse();
        last(found, request.n)
    }
}

/// Returns the last `n` entries; all if `n` is `None`.
fn last(mut entries: Vec<&Entry>, n: Option<i64>) -> Vec<&Entry> {
    let n = n.map_or(entries.len(), |n| usize::try_from(n).unwrap_or_default());
    entries.split_off(entries.len().saturating_sub(n))
}

/// Whether the whole text matches a pattern in which `*` is any text and `?` any character.
fn matches(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    // Backtracking point: the pattern after the last `*`, and the start of the text tried for it.
    let mut retry = None;
    let (mut at, mut next) = (0, 0);
    while next < text.len() {
        match pattern.get(at) {
            Some('*') => {
                retry = Some((at + 1, next));
                at += 1;
            }
            Some(one) if *one == '?' || *one == text[next] => {
                at += 1;
                next += 1;
            }
            _ => match retry {
                Some((after_star, start)) => {
                    retry = Some((after_star, start + 1));
                    (at, next) = (after_star, start + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lines(request: Value) -> Vec<i64> {
        let mut history = History::default();
        for (line, input) in [(1, "let a = 1;"), (2, "a"), (3, "%trace_list"), (4, "a")] {
            history.add(line, input);
            history.set_output(line, Some(line.to_string()));
        }
        let reply = history.reply(request).unwrap();
        reply["history"].as_array().unwrap().iter().map(|row| row[1].as_i64().unwrap()).collect()
    }

    #[test]
    fn tail_returns_the_last_cells() {
        assert_eq!(lines(json!({"hist_access_type": "tail", "n": 2, "output": false, "raw": true})), [3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "tail", "n": null})), [1, 2, 3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "tail", "n": -1})), [0; 0]);
    }

    #[test]
    fn range_returns_lines_of_one_session() {
        assert_eq!(lines(json!({"hist_access_type": "range", "session": 0, "start": 2, "stop": 4})), [2, 3]);
        assert_eq!(lines(json!({"hist_access_type": "range", "session": 1, "start": -2, "stop": null})), [3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "range", "session": -1, "start": 1})), [0; 0]);
    }

    #[test]
    fn search_matches_patterns() {
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "*a*"})), [1, 2, 3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "a"})), [2, 4]);
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "?", "unique": true})), [4]);
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "*a*t*", "n": 1})), [3]);
    }

    #[test]
    fn output_is_returned_if_requested() {
        let mut history = History::default();
        history.add(1, "1");
        history.set_output(1, Some("one".to_owned()));
        history.add(2, "2");
        let reply = history.reply(json!({"hist_access_type": "tail", "output": true})).unwrap();
        assert_eq!(reply["history"], json!([[1, 1, ["1", "one"]], [1, 2, ["2", null]]]));
    }

    fn rows(history: &History, request: Value) -> Vec<(i64, i64)> {
        let reply = history.reply(request).unwrap();
        let number = |value: &Value| value.as_i64().unwrap();
        reply["history"].as_array().unwrap().iter().map(|row| (number(&row[0]), number(&row[1]))).collect()
    }

    #[test]
    fn earlier_sessions_keep_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        for _ in 0..2 {
            let mut earlier = History::open_at(path.clone());
            earlier.add(1, "a");
            earlier.set_output(1, Some("A".to_owned()));
            earlier.add(2, "b");
        }
        let mut history = History::open_at(path);
        // Line 2 exists in earlier sessions only.
        history.set_output(2, Some("wrong".to_owned()));
        history.add(1, "c");
        assert_eq!(rows(&history, json!({"hist_access_type": "tail", "n": 3})), [(2, 1), (2, 2), (3, 1)]);
        assert_eq!(rows(&history, json!({"hist_access_type": "range", "session": 0, "start": 0})), [(3, 1)]);
        assert_eq!(rows(&history, json!({"hist_access_type": "range", "session": -1, "start": -1})), [(2, 2)]);
        assert_eq!(rows(&history, json!({"hist_access_type": "range", "session": 1, "start": 1, "stop": 2})), [(1, 1)]);
        assert_eq!(rows(&history, json!({"hist_access_type": "range", "session": i64::MIN, "start": i64::MIN})), []);
        assert_eq!(rows(&history, json!({"hist_access_type": "search", "pattern": "a"})), [(1, 1), (2, 1)]);
        assert_eq!(
            rows(&history, json!({"hist_access_type": "search", "pattern": "*", "unique": true})),
            [(2, 1), (2, 2), (3, 1)]
        );
        let reply = history.reply(json!({"hist_access_type": "tail", "n": 2, "output": true})).unwrap();
        assert_eq!(reply["history"], json!([[2, 2, ["b", null]], [3, 1, ["c", null]]]));
    }

    #[test]
    fn history_without_a_file_holds_the_session() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let mut history = History::open_at(folder.path().join("file/history.jsonl"));
        history.add(1, "a");
        assert_eq!(rows(&history, json!({"hist_access_type": "tail"})), [(1, 1)]);
    }
}
