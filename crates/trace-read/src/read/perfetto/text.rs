//! Recording → JSON text, in the form in which Kineto writes it.

use super::event::{Event, Keys, Kind, UNFINISHED};
use super::flows::Flows;
use super::recording::Recording;
use super::strings::Symbol;
use crate::domain::EventKind;
use crate::read::source::Damage;
use serde_json::json;
use std::io::{Error, Read, Result, Write};

/// Bytes of text that are written at once.
const CHUNK: usize = 1 << 16;

/// Reader of the JSON text of a Perfetto trace, which it decodes whole with the first read.
pub(in crate::read) struct PerfettoText<R> {
    source: Option<R>,
    /// The rank in the name of the file.
    rank: Option<i64>,
    writer: Option<Writer>,
    text: Vec<u8>,
    /// How much of the text is read.
    at: usize,
}

impl<R: Read> PerfettoText<R> {
    /// Reads a trace from `source`; its file has this name.
    pub(in crate::read) fn new(source: R, file: &str) -> Self {
        Self { source: Some(source), rank: rank_in(file), writer: None, text: Vec::new(), at: 0 }
    }
}

impl<R: Read> Read for PerfettoText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if let Some(source) = self.source.take() {
            self.writer = Some(Writer::of(Recording::decode(source)?, self.rank, &mut self.text)?);
        }
        if self.at == self.text.len()
            && let Some(writer) = &mut self.writer
        {
            self.text.clear();
            self.at = 0;
            writer.more(&mut self.text)?;
        }
        let text = &self.text[self.at..];
        let length = text.len().min(buffer.len());
        buffer[..length].copy_from_slice(&text[..length]);
        self.at += length;
        Ok(length)
    }
}

/// Writer of the text of a recording.
struct Writer {
    recording: Recording,
    /// Process and thread of each lane.
    thread_ids: Vec<(String, String)>,
    /// Time that is zero in the text.
    base: i64,
    next: usize,
    is_first: bool,
    is_done: bool,
}

impl Writer {
    /// Writes what precedes the events.
    ///
    /// # Errors
    /// If there are no events: with the damage, or what the file is instead.
    fn of(mut recording: Recording, rank: Option<i64>, out: &mut Vec<u8>) -> Result<Self> {
        if recording.events.is_empty() {
            let packets = recording.packets;
            let nothing =
                || Error::from(Damage::Foreign(format!("no track event is in its {packets} Perfetto packets")));
            return Err(recording.damage.take().unwrap_or_else(nothing));
        }
        let inferred = infer_categories(&mut recording);
        let mut about = serde_json::Map::new();
        // The finder of ranks reads `"rank": N` anywhere in a text.
        about.extend(rank.map(|rank| ("rank".to_owned(), json!(rank))));
        for (key, count) in [
            ("categories inferred", inferred),
            ("slices without an end", recording.slices.without_end),
            ("ends without a slice", recording.slices.without_begin),
            ("times of unknown clocks", recording.clocks.unknown),
            ("malformed packets", recording.malformed.as_ref().map_or(0, |(count, _)| *count)),
        ] {
            if count > 0 {
                about.insert(key.to_owned(), json!(count));
            }
        }
        if let Some((_, first)) = &recording.malformed {
            about.insert("first malformed".to_owned(), json!(format!("{} at byte {}", first.what, first.offset)));
        }
        let about: Vec<String> = about.iter().map(|(key, value)| format!("{}: {value}", json!(key))).collect();
        write!(out, "{{\n\"perfetto\": {{{}}},\n", about.join(", "))?;
        let (base, real) = recording.clocks.base.unwrap_or((0, 0));
        if real != 0 {
            writeln!(out, "\"baseTimeNanoseconds\": {real},")?;
        }
        out.extend_from_slice(b"\"traceEvents\": [");
        let thread_ids = recording.tracks.thread_ids(&recording.strings);
        let mut writer = Self { recording, thread_ids, base, next: 0, is_first: true, is_done: false };
        writer.names(out)?;
        Ok(writer)
    }

    /// Writes the next part of the text; nothing at its end.
    ///
    /// # Errors
    /// The damage of the recording, after all of its text.
    fn more(&mut self, out: &mut Vec<u8>) -> Result<()> {
        while out.len() < CHUNK
            && let Some(event) = self.recording.events.get(self.next).copied()
        {
            self.next += 1;
            self.event(&event, out)?;
        }
        if self.next < self.recording.events.len() || !out.is_empty() && self.is_done {
            return Ok(());
        }
        if !self.is_done {
            self.is_done = true;
            self.arrows(out)?;
            out.extend_from_slice(b"\n]\n}\n");
            return Ok(());
        }
        match self.recording.damage.take() {
            Some(damage) => Err(damage),
            None => Ok(()),
        }
    }

    fn separate(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" });
    }

    /// Writes the names of processes and threads.
    fn names(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut lines = Vec::new();
        self.recording.tracks.each_name(&self.recording.strings, |pid, tid, name| {
            let kind = if tid.is_some() { "thread_name" } else { "process_name" };
            let tid = tid.unwrap_or_else(|| "0".to_owned());
            lines.push(format!(
                "{{\"ph\": \"M\", \"name\": \"{kind}\", \"pid\": {pid}, \"tid\": {tid}, \"args\": {{\"name\": {name}}}}}"
            ));
        });
        for line in lines {
            self.separate(out);
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Event, out: &mut Vec<u8>) -> Result<()> {
        if event.dur == UNFINISHED {
            return Ok(());
        }
        self.separate(out);
        let strings = &self.recording.strings;
        let (pid, tid) = &self.thread_ids[event.lane as usize];
        let (name, category) = (strings.json(event.name), strings.json(event.category));
        let ts = Micros(event.ts.saturating_sub(self.base));
        match event.kind {
            Kind::Slice => write!(
                out,
                "{{\"ph\": \"X\", \"cat\": {category}, \"name\": {name}, \"pid\": {pid}, \"tid\": {tid}, \"ts\": {ts}, \"dur\": {}",
                Micros(event.dur)
            )?,
            Kind::Instant => {
                write!(out, "{{\"ph\": \"i\", \"s\": \"t\", ")?;
                if event.category != Symbol::EMPTY {
                    write!(out, "\"cat\": {category}, ")?;
                }
                write!(out, "\"name\": {name}, \"pid\": {pid}, \"tid\": {tid}, \"ts\": {ts}")?;
            }
            Kind::Counter => write!(out, "{{\"ph\": \"C\", \"name\": {name}, \"pid\": {pid}, \"ts\": {ts}")?,
        }
        let args = self.recording.args.get(event.args);
        if !args.is_empty() {
            out.extend_from_slice(b", \"args\": {");
            out.extend_from_slice(args);
            out.push(b'}');
        }
        out.push(b'}');
        Ok(())
    }

    /// Writes the arrows.
    fn arrows(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let Flows { mut ends, mut stages, waits } = std::mem::take(&mut self.recording.flows);
        let events = &self.recording.events;
        let time = |event: u32| events.get(event as usize).map_or(0, |event| event.ts);
        ends.sort_unstable_by_key(|(id, event)| (*id, time(*event), *event));
        stages.sort_unstable();
        let mut arrows: Vec<(u64, u32, u32)> = Vec::new();
        for pair in ends.windows(2) {
            if let [(id, from), (other, to)] = pair
                && id == other
            {
                arrows.push((*id, *from, *to));
            }
        }
        let after = ends.last().map_or(0, |(id, _)| id.wrapping_add(1));
        for (at, (id, to)) in waits.into_iter().enumerate() {
            if let Ok(found) = stages.binary_search_by_key(&id, |(id, _)| *id) {
                arrows.push((after.wrapping_add(at as u64), stages[found].1, to));
            }
        }
        for (id, from, to) in arrows {
            for (phase, number, point) in [("s", from, ""), ("f", to, ", \"bp\": \"e\"")] {
                let Some(event) = self.recording.events.get(number as usize).copied() else { continue };
                self.separate(out);
                let (pid, tid) = &self.thread_ids[event.lane as usize];
                let ts = Micros(event.ts.saturating_sub(self.base));
                write!(
                    out,
                    "{{\"ph\": \"{phase}\", \"id\": {id}, \"pid\": {pid}, \"tid\": {tid}, \"ts\": {ts}, \"cat\": \"ac2g\", \"name\": \"ac2g\"{point}}}"
                )?;
            }
        }
        Ok(())
    }
}

/// A time of whole nanoseconds, written in µs with three decimals.
struct Micros(i64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, nanos) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:03}", nanos / 1000, nanos % 1000)
    }
}

/// Gives slices without a category the one that their arguments and names tell; returns how many there are.
fn infer_categories(recording: &mut Recording) -> u64 {
    let Recording { strings, events, tracks, .. } = recording;
    let mut inferred = 0;
    let thread_ids = tracks.thread_ids(strings);
    for event in events.iter_mut().filter(|event| event.kind == Kind::Slice && event.category == Symbol::EMPTY) {
        let (name, keys) = (strings.text(event.name), event.keys);
        let is_operator = || name.contains("::") || keys.has(Keys::OPERATOR);
        let category = match () {
            () if keys.has(Keys::GRID) => EventKind::KERNEL,
            () if keys.has(Keys::SYNC) => EventKind::SYNC,
            () if name.starts_with("Memcpy") && keys.has(Keys::BYTES) => EventKind::MEMCPY,
            () if name.starts_with("Memset") && keys.has(Keys::STREAM) => EventKind::MEMSET,
            () if keys.has(Keys::CALLBACK) && name.starts_with("cu") && !name.starts_with("cuda") => EventKind::DRIVER,
            () if keys.has(Keys::CALLBACK) || name.starts_with("cuda") || name.starts_with("hip") => EventKind::RUNTIME,
            () if keys.has(Keys::PYTHON) => EventKind::PYTHON,
            () if keys.has(Keys::STREAM) => EventKind::KERNEL,
            // The process of the profiler's own work, −1 without its sign.
            () if thread_ids.get(event.lane as usize).is_some_and(|(pid, _)| pid == "2147483647") => "overhead",
            () if is_operator() => EventKind::OPERATOR,
            () => EventKind::ANNOTATION,
        };
        event.category = strings.symbol(category);
        inferred += 1;
    }
    inferred
}

/// Returns the rank in the name of a file: `rank3.pftrace`, `trace_rank-3.pftrace.gz`.
fn rank_in(file: &str) -> Option<i64> {
    let name = file.rsplit('/').next()?.to_ascii_lowercase();
    let after = &name[name.rfind("rank")? + "rank".len()..];
    let digits = after.trim_start_matches(['-', '_', '.', '=', ' ']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod rank_tests {
    use super::rank_in;

    #[test]
    fn rank_is_read_from_the_name_of_the_file() {
        for (file, rank) in [
            ("/runs/rank3.pftrace", Some(3)),
            ("trace_rank-12.pftrace.gz", Some(12)),
            ("rank_0.pftrace", Some(0)),
            ("/rank5/worker.pftrace", None),
            ("frank.pftrace", None),
        ] {
            assert_eq!(rank_in(file), rank, "{file}");
        }
    }
}
