//! Builder of traces, as the JSON text of Kineto.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;

/// A GPU stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream(pub i64);

/// Builds a trace event by event, in file order; `json()` returns its text.
///
/// Times are whole µs, or nanoseconds after [`nanos`](Self::nanos) (written as Kineto does: µs with three decimals).
///
/// ```
/// use trace_testkit::{Stream, TraceBuilder};
///
/// let json = TraceBuilder::new()
///     .step(1, 0..100)
///     .operator("aten::mm", 10..40)
///     .runtime("cudaLaunchKernel", 17, 20..25)
///     .kernel("gemm", Stream(7), 50..90)
///     .correlation(17)
///     .json();
/// assert!(json.contains("ProfilerStep#1"));
/// ```
#[derive(Debug, Clone)]
pub struct TraceBuilder {
    rank: Option<i64>,
    nanos: bool,
    thread: i64,
    metadata: Vec<(String, String)>,
    events: Vec<Event>,
}

#[derive(Debug, Clone)]
enum Event {
    /// A complete event: the text before its arguments, and the arguments.
    Complete { head: String, args: Vec<(String, String)> },
    /// Any text.
    Raw(String),
}

impl Default for TraceBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TraceBuilder {
    /// Creates an empty trace of rank 0.
    pub fn new() -> Self {
        Self { rank: Some(0), nanos: false, thread: 1, metadata: Vec::new(), events: Vec::new() }
    }

    /// Sets the rank in `distributedInfo`.
    pub fn rank(mut self, rank: i64) -> Self {
        self.rank = Some(rank);
        self
    }

    /// Omits `distributedInfo`.
    pub fn without_rank(mut self) -> Self {
        self.rank = None;
        self
    }

    /// Reads the ranges of later events as nanoseconds.
    pub fn nanos(mut self) -> Self {
        self.nanos = true;
        self
    }

    /// Sets the thread of later CPU events.
    pub fn thread(mut self, tid: i64) -> Self {
        self.thread = tid;
        self
    }

    /// Adds a top-level key; `value` is JSON.
    pub fn metadata(mut self, key: &str, value: &str) -> Self {
        self.metadata.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Adds a CPU operator.
    pub fn operator(self, name: &str, span: Range<i64>) -> Self {
        let thread = self.thread;
        self.complete("cpu_op", name, 100, thread, span)
    }

    /// Adds a user annotation on the CPU.
    pub fn annotation(self, name: &str, span: Range<i64>) -> Self {
        let thread = self.thread;
        self.complete("user_annotation", name, 100, thread, span)
    }

    /// Adds the annotation `ProfilerStep#number`.
    pub fn step(self, number: i64, span: Range<i64>) -> Self {
        self.annotation(&format!("ProfilerStep#{number}"), span)
    }

    /// Adds a runtime call with its correlation id.
    pub fn runtime(self, name: &str, correlation: i64, span: Range<i64>) -> Self {
        let thread = self.thread;
        self.complete("cuda_runtime", name, 100, thread, span).correlation(correlation)
    }

    /// Adds a kernel on a stream; [`correlation`](Self::correlation) links it to its launch.
    pub fn kernel(self, name: &str, stream: Stream, span: Range<i64>) -> Self {
        self.on_stream("kernel", name, stream, span)
    }

    /// Adds a copy on a stream.
    pub fn memcpy(self, name: &str, stream: Stream, bytes: i64, span: Range<i64>) -> Self {
        self.on_stream("gpu_memcpy", name, stream, span).arg("bytes", &bytes.to_string())
    }

    /// Adds a complete event of any category, process and thread.
    pub fn complete(mut self, cat: &str, name: &str, pid: i64, tid: i64, span: Range<i64>) -> Self {
        let (ts, dur) = (self.time(span.start), self.time(span.end - span.start));
        let head = format!(
            r#""ph": "X", "cat": {}, "name": {}, "pid": {pid}, "tid": {tid}, "ts": {ts}, "dur": {dur}"#,
            quoted(cat),
            quoted(name)
        );
        self.events.push(Event::Complete { head, args: Vec::new() });
        self
    }

    /// Sets the correlation id of the last event.
    pub fn correlation(self, id: i64) -> Self {
        self.arg("correlation", &id.to_string())
    }

    /// Adds an argument to the last event; `value` is JSON.
    ///
    /// # Panics
    /// If there is no event, or the last one is raw.
    pub fn arg(mut self, key: &str, value: &str) -> Self {
        match self.events.last_mut() {
            Some(Event::Complete { args, .. }) => args.push((key.to_owned(), value.to_owned())),
            _ => panic!("cannot add an argument: the last entry is not an event"),
        }
        self
    }

    /// Adds an entry of `traceEvents` as it is.
    pub fn raw(mut self, text: &str) -> Self {
        self.events.push(Event::Raw(text.to_owned()));
        self
    }

    /// Returns the text of the trace.
    pub fn json(&self) -> String {
        let mut text = String::from("{\n  \"schemaVersion\": 1,\n");
        if let Some(rank) = self.rank {
            let _ = writeln!(
                text,
                "  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": 8}},"
            );
        }
        for (key, value) in &self.metadata {
            let _ = writeln!(text, "  {}: {value},", quoted(key));
        }
        text.push_str("  \"traceEvents\": [");
        for (position, event) in self.events.iter().enumerate() {
            text.push_str(if position == 0 { "\n  " } else { ",\n  " });
            match event {
                Event::Raw(raw) => text.push_str(raw),
                Event::Complete { head, args } if args.is_empty() => {
                    let _ = write!(text, "{{{head}}}");
                }
                Event::Complete { head, args } => {
                    let args: Vec<String> =
                        args.iter().map(|(key, value)| format!("{}: {value}", quoted(key))).collect();
                    let _ = write!(text, "{{{head}, \"args\": {{{}}}}}", args.join(", "));
                }
            }
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    /// Returns the text, gzip-compressed.
    pub fn gzip(&self) -> Vec<u8> {
        gzip(self.json().as_bytes())
    }

    fn on_stream(self, cat: &str, name: &str, stream: Stream, span: Range<i64>) -> Self {
        self.complete(cat, name, 0, stream.0, span).arg("stream", &stream.0.to_string())
    }

    fn time(&self, value: i64) -> String {
        if !self.nanos {
            return value.to_string();
        }
        let sign = if value < 0 { "-" } else { "" };
        let value = value.unsigned_abs();
        format!("{sign}{}.{:03}", value / 1000, value % 1000)
    }
}

/// Compresses bytes as one gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_else(|error| panic!("gzip into memory cannot fail: {error}"))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
