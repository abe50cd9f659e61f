//! Events of a trace, and the trace file.

use super::run::Run;
use std::borrow::Cow;
use std::fmt::Write;

/// The kind of an event, with its letter in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// `X`: a complete event, with a start and a duration.
    Complete,
    /// `s`: the start of the arrow with this id.
    FlowStart(u64),
    /// `f`: the end of the arrow with this id.
    FlowEnd(u64),
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The kind.
    pub phase: Phase,
    /// The category, `cpu_op`.
    pub category: &'static str,
    /// The name, `aten::mm`.
    pub name: Cow<'static, str>,
    /// The process; of GPU work the device.
    pub process: u64,
    /// The thread; of GPU work the stream.
    pub thread: u64,
    /// The start, in nanoseconds.
    pub start: u64,
    /// The duration, in nanoseconds.
    pub duration: u64,
    /// The stream of GPU work.
    pub stream: Option<u64>,
    /// The id that links a runtime call to its GPU work.
    pub correlation: Option<u64>,
    /// The text between the braces of `args`.
    pub args: String,
}

/// Builder of the text between the braces of `args`.
#[derive(Default)]
pub(super) struct Args(String);

impl Args {
    /// Adds an entry; `value` is written as it is.
    pub(super) fn with(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        let comma = if self.0.is_empty() { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(self.0, "{comma}\"{key}\": {value}");
        self
    }

    /// Adds an entry with a text.
    pub(super) fn with_text(self, key: &str, value: &str) -> Self {
        self.with(key, format_args!("\"{}\"", escaped(value)))
    }

    /// Appends the entries of another builder.
    pub(super) fn joined(mut first: Self, second: Self) -> Self {
        if !first.0.is_empty() && !second.0.is_empty() {
            first.0.push_str(", ");
        }
        first.0.push_str(&second.0);
        first
    }

    /// Returns the text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Returns the trace file of a run.
pub(super) fn trace_file(run: Run, events: &[Event]) -> String {
    let mut out = String::new();
    head(&mut out, run);
    out.push_str("  \"traceEvents\": [\n");
    for event in events {
        write_event(&mut out, event);
    }
    metadata(&mut out, run, events);
    tail(&mut out, run, events);
    out
}

fn head(out: &mut String, run: Run) {
    out.push_str("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n");
    for device in 0..4 {
        let comma = if device < 3 { "," } else { "" };
        let _ = writeln!(
            out,
            "    {{\"id\": {device}, \"name\": \"Simulated GPU 80GB\", \"totalGlobalMem\": 85899345920, \"computeMajor\": 8, \
             \"computeMinor\": 0, \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048, \"regsPerBlock\": 65536, \
             \"warpSize\": 32, \"sharedMemPerBlock\": 49152, \"numSms\": 108, \"regsPerMultiprocessor\": 65536, \
             \"sharedMemPerBlockOptin\": 166912, \"sharedMemPerMultiprocessor\": 167936}}{comma}"
        );
    }
    let _ = writeln!(
        out,
        "  ],\n  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": 4, \"pg_count\": 1, \"pg_config\": \
         [{{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": 4, \
         \"ranks\": [0, 1, 2, 3]}}], \"nccl_version\": \"2.21.5\"}},",
        run.rank()
    );
    out.push_str(
        "  \"record_shapes\": 1, \"profile_memory\": 0, \"with_stack\": 0, \"with_flops\": 0, \"with_modules\": 0,\n",
    );
    out.push_str("  \"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": 1767225600000000000,\n");
}

fn write_event(out: &mut String, event: &Event) {
    let Event { category, process, thread, .. } = event;
    let name = escaped(&event.name);
    let start = Micros(event.start);
    let _ = match event.phase {
        Phase::Complete => writeln!(
            out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"pid\": {process}, \"tid\": {thread},\n    \
             \"ts\": {start}, \"dur\": {},\n    \"args\": {{\n      {}\n    }}\n  }},",
            Micros(event.duration),
            event.args,
        ),
        Phase::FlowStart(id) => writeln!(
            out,
            "  {{\n    \"ph\": \"s\", \"id\": {id}, \"pid\": {process}, \"tid\": {thread}, \"ts\": {start},\n    \
             \"cat\": \"{category}\", \"name\": \"{name}\"\n  }},"
        ),
        Phase::FlowEnd(id) => writeln!(
            out,
            "  {{\n    \"ph\": \"f\", \"id\": {id}, \"pid\": {process}, \"tid\": {thread}, \"ts\": {start},\n    \
             \"cat\": \"{category}\", \"name\": \"{name}\", \"bp\": \"e\"\n  }},"
        ),
    };
}

/// Writes the names of processes, threads and streams, for timeline viewers.
fn metadata(out: &mut String, run: Run, events: &[Event]) {
    let start = Micros(run.start());
    let process = run.process();
    let device = run.rank();
    let mut meta = |kind: &str, process: u64, thread: u64, key: &str, value: &str| {
        let _ = writeln!(
            out,
            "  {{\n    \"name\": \"{kind}\", \"ph\": \"M\", \"ts\": {start}, \"pid\": {process}, \"tid\": {thread},\n    \
             \"args\": {{\n      \"{key}\": {value}\n    }}\n  }},"
        );
    };
    meta("process_name", process, 0, "name", "\"python3\"");
    meta("process_labels", process, 0, "labels", "\"CPU\"");
    meta("process_sort_index", process, 0, "sort_index", &process.to_string());
    meta("process_name", device, 0, "name", "\"python3\"");
    meta("process_labels", device, 0, "labels", &format!("\"GPU {device}\""));
    meta("process_sort_index", device, 0, "sort_index", &(5_000_000 + device).to_string());
    let mut rows: Vec<(u64, u64, bool)> =
        events.iter().map(|event| (event.process, event.thread, event.process == device)).collect();
    rows.sort_unstable();
    rows.dedup();
    for (process, thread, is_stream) in rows {
        let name = if is_stream { format!("\"stream {thread} \"") } else { format!("\"thread {thread} (python3)\"") };
        meta("thread_name", process, thread, "name", &name);
        meta("thread_sort_index", process, thread, "sort_index", &thread.to_string());
    }
}

fn tail(out: &mut String, run: Run, events: &[Event]) {
    let start = run.start();
    let end = events.iter().map(|event| event.start + event.duration).max().unwrap_or(start);
    let _ = writeln!(
        out,
        "  {{\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": {ts}, \"dur\": {dur},\n    \"pid\": \"Spans\", \"tid\": \"PyTorch \
         Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {{\n      \"Op count\": 0\n    }}\n  }},\n  {{\n    \
         \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"Traces\", \"tid\": \"Trace \
         PyTorch Profiler\", \"ts\": {ts}\n  }},\n  {{\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \
         \"pid\": \"\", \"tid\": \"\", \"ts\": {stop}\n  }}\n  ],\n  \"traceName\": \"{name}\"\n}}",
        ts = Micros(start),
        dur = Micros(end - start),
        stop = Micros(end),
        name = run.file_name().trim_end_matches(".gz"),
    );
}

/// Nanoseconds, formatted as microseconds with three decimals.
struct Micros(u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
