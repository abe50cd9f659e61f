//! Names of processes, devices, threads and streams, from the events of metadata of a file.

use super::builder::number;
use crate::read::{AnomalyCounts, Raw, RawEvent, Token, decode, each_member};
use serde::{Deserialize, Serialize};

/// The most names of a kind that are kept: a damaged file may name anything.
const MOST_NAMES: usize = 4_096;
/// The most characters of a name.
const LONGEST_NAME: usize = 256;

/// Names that a profiler gave to processes, devices, threads and streams, each the last one of its file. A device counts as a process,
/// its streams as threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackNames {
    /// Ascending by process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    processes: Vec<(i64, String)>,
    /// Ascending by process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<(i64, String)>,
    /// Ascending by process and thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    threads: Vec<((i64, i64), String)>,
}

impl TrackNames {
    /// Returns the name of a process: `python3`.
    pub fn process(&self, process: i64) -> Option<&str> {
        find(&self.processes, process)
    }

    /// Returns the label of a process or a device: `CPU`, `GPU 3`.
    pub fn label(&self, process: i64) -> Option<&str> {
        find(&self.labels, process)
    }

    /// Returns the name of a thread of a process, or of a stream of a device: `thread 40711 (python3)`, `stream 7`.
    pub fn thread(&self, process: i64, thread: i64) -> Option<&str> {
        find(&self.threads, (process, thread))
    }

    /// Whether nothing has a name.
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty() && self.labels.is_empty() && self.threads.is_empty()
    }

    /// Keeps the name in an event without a duration, if it has one.
    #[inline]
    pub(super) fn note(&mut self, event: &RawEvent<'_>) {
        if let Raw::Text(kind @ (b"process_name" | b"process_labels" | b"thread_name")) = event.name {
            self.insert(kind, event);
        }
    }

    #[cold]
    fn insert(&mut self, kind: &[u8], event: &RawEvent<'_>) {
        let argument: &[u8] = if kind == b"process_labels" { b"labels" } else { b"name" };
        let mut found = Raw::Null;
        each_member(event.args_text, |key, value| {
            if key == argument {
                found = value;
            }
        });
        let integer = |value| number(value, Token::integer, &mut AnomalyCounts::default());
        // A process may be a text: it has no lanes.
        let (Raw::Text(text), Some(process)) = (found, integer(event.pid)) else { return };
        let text = decode(text, &mut AnomalyCounts::default());
        let text: String = text.trim().chars().take(LONGEST_NAME).collect();
        match kind {
            b"process_name" => put(&mut self.processes, process, text),
            b"process_labels" => put(&mut self.labels, process, text),
            _ => {
                if let Some(thread) = integer(event.tid) {
                    put(&mut self.threads, (process, thread), text);
                }
            }
        }
    }

    /// Adds the names of a later part of the file, which count more.
    pub(super) fn append(&mut self, later: Self) {
        later.processes.into_iter().for_each(|(process, name)| put(&mut self.processes, process, name));
        later.labels.into_iter().for_each(|(process, name)| put(&mut self.labels, process, name));
        later.threads.into_iter().for_each(|(thread, name)| put(&mut self.threads, thread, name));
    }
}

fn find<K: Ord + Copy>(names: &[(K, String)], key: K) -> Option<&str> {
    let at = names.binary_search_by_key(&key, |(key, _)| *key).ok()?;
    Some(names[at].1.as_str()).filter(|name| !name.is_empty())
}

/// Sets a name; a new one only while there are not too many.
fn put<K: Ord + Copy>(names: &mut Vec<(K, String)>, key: K, name: String) {
    match names.binary_search_by_key(&key, |(key, _)| *key) {
        Ok(at) => names[at].1 = name,
        Err(at) if names.len() < MOST_NAMES => names.insert(at, (key, name)),
        Err(_) => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{RankInfo, TraceSet};
    use trace_testkit::TraceBuilder;

    fn info(trace: TraceBuilder) -> RankInfo {
        TraceSet::from_bytes(trace.json()).unwrap().rank(0).unwrap().info().clone()
    }

    #[test]
    fn names_of_the_profiler_are_kept() {
        let info = info(
            TraceBuilder::new()
                .raw(r#"{"ph": "M", "name": "process_name", "pid": 9, "tid": 0, "ts": 5, "args": {"name": "python3"}}"#)
                .raw(r#"{"name": "process_labels", "ph": "M", "pid": 3, "tid": 0, "args": {"labels": "GPU 3"}}"#)
                .raw(r#"{"ph": "M", "name": "thread_name", "pid": 9, "tid": 11, "args": {"name": "first"}}"#)
                .operator("a", 0..10)
                .raw(r#"{"ph": "M", "name": "thread_name", "pid": 9, "tid": 11, "args": {"name": "thread 11 (\u0041)"}}"#)
                .raw(r#"{"ph": "M", "name": "thread_name", "pid": 3, "tid": "7", "args": {"name": "stream 7 "}}"#)
                .raw(r#"{"ph": "M", "name": "thread_name", "pid": "Spans", "tid": 8, "args": {"name": "x"}}"#)
                .raw(r#"{"ph": "M", "name": "thread_name", "pid": 9, "tid": 12, "args": {"name": 5}}"#)
                .raw(r#"{"ph": "M", "name": "thread_name", "pid": 9, "tid": 13}"#)
                .raw(r#"{"ph": "M", "name": "thread_sort_index", "pid": 9, "tid": 14, "args": {"sort_index": 14}}"#)
                .raw(r#"{"ph": "X", "cat": "cpu_op", "name": "thread_name", "pid": 9, "tid": 15, "ts": 1, "dur": 2, "args": {"name": "x"}}"#),
        );
        let names = &info.track_names;
        assert_eq!((names.process(9), names.process(3), names.label(3)), (Some("python3"), None, Some("GPU 3")));
        assert_eq!((names.thread(9, 11), names.thread(3, 7)), (Some("thread 11 (A)"), Some("stream 7")));
        for thread in [8, 12, 13, 14, 15] {
            assert_eq!(names.thread(9, thread), None, "{thread}");
        }
        let text = serde_json::to_string(&info).unwrap();
        assert_eq!(serde_json::from_str::<RankInfo>(&text).unwrap(), info);
    }

    #[test]
    fn trace_without_names_has_none() {
        let info = info(TraceBuilder::new().operator("a", 0..10));
        assert!(info.track_names.is_empty());
        assert!(!serde_json::to_string(&info).unwrap().contains("track_names"));
    }

    #[test]
    fn names_without_end_are_bounded() {
        let mut names = TrackNames::default();
        for thread in 0..2 * MOST_NAMES as i64 {
            put(&mut names.threads, (1, thread), "x".to_owned());
        }
        put(&mut names.threads, (1, 5), "later".to_owned());
        assert_eq!((names.threads.len(), names.thread(1, 5)), (MOST_NAMES, Some("later")));
    }

    #[test]
    fn later_parts_of_a_file_count_more() {
        let of = |name: &str| TrackNames { threads: vec![((1, 2), name.to_owned())], ..TrackNames::default() };
        let mut names = of("first");
        names.append(of("last"));
        names.append(TrackNames { labels: vec![(1, "CPU".to_owned())], ..TrackNames::default() });
        assert_eq!((names.thread(1, 2), names.label(1)), (Some("last"), Some("CPU")));
    }
}
