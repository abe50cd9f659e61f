//! Edit of a trace copy that keeps chosen events, with the names of their processes and threads, and arrows of which both ends
//! remain: a small file for a viewer.

use super::{TraceCopy, TraceEdit};
use crate::read::{EventSink, Meter, RawEvent, Token, object_members, open_file, read_ahead, read_events};
use crate::{Error, Result, Trace};
use hashbrown::{HashMap, HashSet};
use polars::prelude::{DataFrame, DataType};
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

type Fast<K, V> = HashMap<K, V, foldhash::fast::FixedState>;
type FastSet<K> = HashSet<K, foldhash::fast::FixedState>;

/// Process and thread, as the file writes them.
type ThreadKey = (Vec<u8>, Vec<u8>);

/// Category and id of an arrow.
type ArrowId = (Vec<u8>, Vec<u8>);

/// What a copy keeps.
#[derive(Debug, Default)]
struct Trim {
    /// Positions in `traceEvents`.
    selected: FastSet<i64>,
    /// Begins and ends of the kept events of a thread, in the order of their begins; each end is the latest so far.
    spans: Fast<ThreadKey, Vec<(i64, i64)>>,
    processes: FastSet<Vec<u8>>,
    /// From the first begin to the last end.
    window: Option<(i64, i64)>,
    /// Arrows of which all ends are in kept events.
    arrows: FastSet<ArrowId>,
}

/// The members of an event that decide whether it is kept.
#[derive(Default)]
struct Members<'a> {
    phase: &'a [u8],
    name: &'a [u8],
    cat: &'a [u8],
    id: &'a [u8],
    thread: ThreadKey,
    ts: Option<i64>,
    dur: Option<i64>,
}

impl<'a> Members<'a> {
    fn of(text: &'a [u8]) -> Option<Self> {
        let mut members = Self::default();
        for (key, value) in object_members(text)? {
            let time = || Token::of(value).nanos().ok();
            match key {
                b"ph" => members.phase = value,
                b"name" => members.name = value,
                b"cat" => members.cat = value,
                b"id" => members.id = value,
                b"pid" => members.thread.0 = value.to_vec(),
                b"tid" => members.thread.1 = value.to_vec(),
                b"ts" => members.ts = time(),
                b"dur" => members.dur = time(),
                _ => {}
            }
        }
        Some(members)
    }

    fn is_arrow(&self) -> bool {
        matches!(self.phase, b"\"s\"" | b"\"t\"" | b"\"f\"")
    }

    fn arrow(&self) -> ArrowId {
        (self.cat.to_vec(), self.id.to_vec())
    }
}

impl TraceCopy {
    /// Returns a copy of a rank's file with these of its events: rows of [`Trace::events`] with their column `index`. Metadata of
    /// their processes and threads stays, instants and counters between the first and the last of them, and arrows of which
    /// both ends are in one of them. Reads the file once.
    ///
    /// # Errors
    /// If the rank was not loaded from a file, or it cannot be read.
    pub fn trimmed(rank: &Trace, events: &DataFrame, target: &Path) -> Result<Self> {
        let info = rank.info();
        let no_source = || Error::NoSource { rank: info.rank, path: (&info.file).into() };
        let source = info.source.as_ref().ok_or_else(no_source)?.path.clone();
        let index = events.column("index")?.cast(&DataType::Int64)?;
        let selected = index.i64()?.iter().flatten().collect();
        let mut scan = Scan { trim: Trim { selected, ..Trim::default() }, ends: Vec::new() };
        let meter = Meter::default();
        let reader = open_file(&source, &meter)?;
        read_ahead(reader, |ahead| read_events(ahead, &info.file, &mut scan))?;
        let edit = Arc::new(scan.finish());
        Ok(Self { rank: info.rank, source, target: target.to_owned(), events: info.events_in_file, edit })
    }
}

/// The first pass over the file: where the kept events are, and the ends of arrows.
struct Scan {
    trim: Trim,
    ends: Vec<(ArrowId, ThreadKey, i64)>,
}

impl Scan {
    fn finish(self) -> Trim {
        let Self { mut trim, ends } = self;
        for spans in trim.spans.values_mut() {
            spans.sort_unstable();
            let mut latest = i64::MIN;
            for (_, end) in spans {
                latest = latest.max(*end);
                *end = latest;
            }
        }
        let mut whole: Fast<ArrowId, (u32, bool)> = Fast::default();
        for (arrow, thread, ts) in ends {
            let is_covered = trim.covers(&thread, ts);
            let (count, all) = whole.entry(arrow).or_insert((0, true));
            (*count, *all) = (*count + 1, *all && is_covered);
        }
        trim.arrows =
            whole.into_iter().filter(|(_, (count, all))| *count > 1 && *all).map(|(arrow, _)| arrow).collect();
        trim
    }
}

impl EventSink for Scan {
    fn slot(&mut self, _: &[u8]) -> Option<u16> {
        None
    }

    fn restart(&mut self) {
        self.ends.clear();
        self.trim = Trim { selected: std::mem::take(&mut self.trim.selected), ..Trim::default() };
    }

    fn event(&mut self, _: &RawEvent<'_>) {}

    fn event_text(&mut self, index: i64, text: &[u8]) {
        let Some(members) = Members::of(text) else { return };
        let Some(ts) = members.ts else { return };
        if self.trim.selected.contains(&index) {
            let end = ts.saturating_add(members.dur.unwrap_or(0).max(0));
            let (first, last) = self.trim.window.unwrap_or((ts, end));
            self.trim.window = Some((first.min(ts), last.max(end)));
            self.trim.processes.insert(members.thread.0.clone());
            self.trim.spans.entry(members.thread).or_default().push((ts, end));
        } else if members.is_arrow() {
            self.ends.push((members.arrow(), members.thread, ts));
        }
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        if crate::exec::checkpoint::interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Trim {
    /// Whether a kept event of this thread runs at this time.
    fn covers(&self, thread: &ThreadKey, ts: i64) -> bool {
        let Some(spans) = self.spans.get(thread) else { return false };
        let before = spans.partition_point(|(begin, _)| *begin <= ts);
        before.checked_sub(1).is_some_and(|last| spans[last].1 >= ts)
    }
}

impl TraceEdit for Trim {
    fn omits(&self, index: i64, text: &[u8]) -> bool {
        if self.selected.contains(&index) {
            return false;
        }
        let Some(members) = Members::of(text) else { return true };
        match members.phase {
            b"\"X\"" => true,
            b"\"M\"" if members.name.starts_with(b"\"thread_") => !self.spans.contains_key(&members.thread),
            b"\"M\"" => !self.processes.contains(&members.thread.0),
            _ if members.is_arrow() => !self.arrows.contains(&members.arrow()),
            _ => !members.ts.zip(self.window).is_some_and(|(ts, (first, last))| first <= ts && ts <= last),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use polars::prelude::{IntoLazy, col, lit};
    use serde_json::json;
    use trace_testkit::{Stream, TraceBuilder};

    /// Returns the problems of a JSON trace by the rules of the format: an event has a phase, places and times; arrows have two
    /// ends, each in an event of its thread; every thread has a name if any has.
    fn problems(trace: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        let events = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
        let holds = |end: &Value| {
            slices.iter().any(|slice| {
                let (begin, dur) = (slice["ts"].as_f64().unwrap(), slice["dur"].as_f64().unwrap());
                let ts = end["ts"].as_f64().unwrap();
                slice["pid"] == end["pid"] && slice["tid"] == end["tid"] && begin <= ts && ts <= begin + dur
            })
        };
        for event in events {
            let phase = event["ph"].as_str().unwrap_or("");
            let has = |keys: &[&str]| keys.iter().all(|key| !event[*key].is_null());
            let is_valid = match phase {
                "X" => has(&["name", "pid", "tid", "ts", "dur"]) && event["dur"].as_f64().is_some_and(|dur| dur >= 0.0),
                "M" => has(&["name", "pid", "args"]),
                "s" | "f" => {
                    let other = if phase == "s" { "f" } else { "s" };
                    let ends = events.iter().filter(|end| end["ph"] == other && end["id"] == event["id"]);
                    has(&["id", "pid", "tid", "ts", "cat"]) && ends.count() == 1 && holds(event)
                }
                "i" | "C" => has(&["name", "pid", "ts"]),
                _ => false,
            };
            if !is_valid {
                problems.push(event.to_string());
            }
        }
        problems
    }

    fn arrow(phase: &str, id: i64, pid: i64, tid: i64, ts: i64) -> String {
        json!({"ph": phase, "id": id, "pid": pid, "tid": tid, "ts": ts, "cat": "ac2g", "name": "ac2g", "bp": "e"})
            .to_string()
    }

    #[test]
    fn copy_keeps_chosen_events_their_names_and_whole_arrows() {
        let mut trace = TraceBuilder::new().metadata("deviceProperties", "[{\"id\": 0}]");
        for (name, pid, tid) in
            [("thread_name", 100, 1), ("thread_name", 0, 7), ("thread_name", 0, 9), ("process_name", 0, 0)]
        {
            trace =
                trace.raw(&json!({"ph": "M", "name": name, "pid": pid, "tid": tid, "args": {"name": "x"}}).to_string());
        }
        trace = trace.step(1, 0..100).operator("aten::mm", 5..50);
        trace = trace.runtime("cudaLaunchKernel", 17, 10..20).kernel("k", Stream(7), 30..60).correlation(17);
        trace = trace.runtime("cudaLaunchKernel", 18, 22..26).kernel("other", Stream(9), 300..360).correlation(18);
        for (phase, id, pid, tid, ts) in
            [("s", 17, 100, 1, 10), ("f", 17, 0, 7, 30), ("s", 18, 100, 1, 22), ("f", 18, 0, 9, 300)]
        {
            trace = trace.raw(&arrow(phase, id, pid, tid, ts));
        }
        for ts in [40, 900] {
            trace =
                trace.raw(&json!({"ph": "i", "s": "t", "name": "mark", "pid": 100, "tid": 1, "ts": ts}).to_string());
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.json"), trace.json()).unwrap();
        let traces = TraceSet::load(folder.path().join("a.json")).unwrap();
        let rank = &traces.traces()[0];
        let chosen = rank.events().lazy().filter(col("ts").lt(lit(100_000)));
        let target = folder.path().join("b.json");
        let copied = TraceCopy::trimmed(rank, &chosen.collect().unwrap(), &target).unwrap().save().unwrap();
        let copy: Value = serde_json::from_slice(&std::fs::read(&target).unwrap()).unwrap();
        assert_eq!(problems(&copy), [""; 0]);
        let of = |key: &str, value: &str| {
            copy["traceEvents"].as_array().unwrap().iter().filter(|event| event[key] == value).count()
        };
        assert_eq!((of("ph", "X"), of("ph", "s"), of("ph", "f"), of("name", "mark")), (5, 1, 1, 1));
        // Not the name of stream 9, of which nothing is left.
        assert_eq!((of("name", "thread_name"), of("name", "process_name")), (2, 1));
        assert_eq!((copied.events, copied.added), (11, 0));
        assert_eq!(copy["deviceProperties"][0]["id"], 0);
        let again = TraceSet::load(&target).unwrap();
        assert_eq!((again.ranks(), again.event_count()), (vec![0], 5));
    }

    #[test]
    fn rank_without_a_file_is_refused() {
        let traces = TraceSet::from_bytes(TraceBuilder::new().operator("a", 0..1).json()).unwrap();
        let rank = &traces.traces()[0];
        let error = TraceCopy::trimmed(rank, &rank.events(), Path::new("b.json")).unwrap_err();
        assert!(matches!(error, Error::NoSource { .. }), "{error}");
    }
}
