//! `history`: what was typed in this session, for the arrow keys of a console.

use super::reply::{content, or_default};
use crate::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};

/// Cells remembered, at most.
const ENTRIES: usize = 10_000;

/// The number of this session. Clients may also ask for session 0, which is the one that runs.
const SESSION: i64 = 1;

/// What was typed.
#[derive(Default)]
pub(super) struct History {
    entries: VecDeque<Entry>,
}

struct Entry {
    line: usize,
    input: String,
    /// The plain text of the cell's value.
    output: Option<String>,
}

/// The protocol crate's type insists on fields that clients leave out or send as null.
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
    /// Remembers a cell that starts to run.
    pub(super) fn add(&mut self, line: usize, input: &str) {
        self.entries.push_back(Entry { line, input: input.to_owned(), output: None });
        if self.entries.len() > ENTRIES {
            self.entries.pop_front();
        }
    }

    /// Remembers the value of the cell that was added last.
    pub(super) fn set_output(&mut self, line: usize, output: Option<String>) {
        if let Some(entry) = self.entries.back_mut().filter(|entry| entry.line == line) {
            entry.output = output;
        }
    }

    /// The reply.
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
            .map(|Entry { line, input, output }| match request.output {
                true => json!([SESSION, line, [input, output]]),
                false => json!([SESSION, line, input]),
            })
            .collect();
        Ok(json!({"status": "ok", "history": rows}))
    }

    /// Lines `start..stop`; a negative number counts from the end, no `stop` or 0 means to the end.
    fn range(&self, request: &Request) -> Vec<&Entry> {
        if ![0, SESSION].contains(&request.session) {
            return Vec::new();
        }
        let end = self.entries.back().map_or(0, |entry| entry.line as i64) + 1;
        let from_end = |line: i64| if line < 0 { end + line } else { line };
        let start = from_end(request.start);
        let stop = request.stop.filter(|stop| *stop != 0).map_or(end, from_end);
        self.entries.iter().filter(|entry| (start..stop).contains(&(entry.line as i64))).collect()
    }

    /// The last `n` cells whose whole text matches the pattern; with `unique`, of equal texts the newest.
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

/// The last `n`, all without `n`.
fn last(mut entries: Vec<&Entry>, n: Option<i64>) -> Vec<&Entry> {
    let n = n.map_or(entries.len(), |n| usize::try_from(n).unwrap_or_default());
    entries.split_off(entries.len().saturating_sub(n))
}

/// Whether all of `text` matches a pattern in which `*` is any text and `?` any character.
fn matches(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    // Where to take up again when a guess for the length of the last `*` was wrong.
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
    fn tail() {
        assert_eq!(lines(json!({"hist_access_type": "tail", "n": 2, "output": false, "raw": true})), [3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "tail", "n": null})), [1, 2, 3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "tail", "n": -1})), [0; 0]);
    }

    #[test]
    fn range() {
        assert_eq!(lines(json!({"hist_access_type": "range", "session": 0, "start": 2, "stop": 4})), [2, 3]);
        assert_eq!(lines(json!({"hist_access_type": "range", "session": 1, "start": -2, "stop": null})), [3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "range", "session": -1, "start": 1})), [0; 0]);
    }

    #[test]
    fn search() {
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "*a*"})), [1, 2, 3, 4]);
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "a"})), [2, 4]);
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "?", "unique": true})), [4]);
        assert_eq!(lines(json!({"hist_access_type": "search", "pattern": "*a*t*", "n": 1})), [3]);
    }

    #[test]
    fn output_is_told_when_asked_for() {
        let mut history = History::default();
        history.add(1, "1");
        history.set_output(1, Some("one".to_owned()));
        history.add(2, "2");
        let reply = history.reply(json!({"hist_access_type": "tail", "output": true})).unwrap();
        assert_eq!(reply["history"], json!([[1, 1, ["1", "one"]], [1, 2, ["2", null]]]));
    }
}
