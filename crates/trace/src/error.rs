//! What can go wrong with a trace.

use std::path::PathBuf;
use trace_view::format::{list, numbered, numbers, ranges};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong with a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at the path.
    #[error("{}: no such file or folder{hint}", .path.display())]
    NoSuchPath {
        /// The path as it was given.
        path: PathBuf,
        /// What there is instead, ready to be appended; may be empty.
        hint: String,
    },
    /// What is at the path cannot be read as a file: a named pipe, a device.
    #[error("invalid path {}: it is {kind}; expected {expected}", .path.display())]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
        /// What can be read.
        expected: &'static str,
    },
    /// The operating system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder without a trace file.
    #[error("no trace file found in {} (a trace file ends in .json or .gz){}", .path.display(), within(.folders))]
    NoTraceFiles {
        /// The folder.
        path: PathBuf,
        /// The folders in it, by name: one of them may have been meant.
        folders: Vec<String>,
    },
    /// The file holds something else.
    #[error("{file} is not a trace: {reason}")]
    NotATrace {
        /// The file.
        file: String,
        /// What is there instead.
        reason: String,
    },
    /// The file is not JSON by the letter, and that was asked for.
    #[error("{file} is not valid JSON: {reason} at {}; without strict, what is whole is kept", where_in(.place, .byte))]
    NotStrictJson {
        /// The file.
        file: String,
        /// What serde_json, or the decompression, says.
        reason: String,
        /// Line, and byte within the line, both from 1; `None` if the bytes themselves could not be unpacked.
        place: Option<(usize, usize)>,
        /// The byte of the unpacked text, from 0.
        byte: u64,
    },
    /// JSON, but without the list of events.
    #[error("{file} has no `traceEvents` (its keys: {}); {}", list(.keys), without_events(.keys))]
    NoTraceEvents {
        /// The file.
        file: String,
        /// The keys it has.
        keys: Vec<String>,
    },
    /// A trace in which nothing can be analysed.
    #[error("{file} holds no event to analyse: {reason}")]
    NoEvents {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// What was asked for takes more memory than the process may hold.
    #[error(
        "cannot {task}: {}; {fix}, let other traces go, or set {}={} before the program starts",
        crate::exec::memory::refusal(*.need, *.held, *.budget), crate::MEMORY_VARIABLE, crate::exec::memory::enough(*.need, *.held, *.budget)
    )]
    MemoryBudget {
        /// What was asked for: `load rank-0.json.gz`, `answer idle_time_breakdown`.
        task: String,
        /// An estimate of what it needs on top, in bytes; 0 if more is held than may be before it begins.
        need: u64,
        /// What the process holds, in bytes.
        held: u64,
        /// What it may hold, in bytes.
        budget: u64,
        /// What else helps.
        fix: &'static str,
    },
    /// The memory budget is no size.
    #[error("{}=\"{value}\" is no size; write 8G, 500M or a number of bytes", crate::MEMORY_VARIABLE)]
    MemorySetting {
        /// What the variable holds.
        value: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// None of the ranks that were asked for.
    #[error("trace \"{label}\" has {} (has {})", none_of(.wanted), numbers(.available))]
    NoSuchRanks {
        /// The trace.
        label: String,
        /// The ranks that were asked for.
        wanted: Vec<i64>,
        /// The ranks there are, ascending.
        available: Vec<i64>,
    },
    /// No such rank.
    #[error("trace \"{label}\" has no rank {rank} (has {})", numbers(.available))]
    UnknownRank {
        /// The trace.
        label: String,
        /// The rank that was asked for.
        rank: i64,
        /// The ranks there are.
        available: Vec<i64>,
    },
    /// No such stream on any of the ranks that are looked at.
    #[error("trace \"{label}\" has no stream {stream} on {} (has {})", numbered("rank", .ranks), ranges(.available))]
    UnknownStream {
        /// The trace.
        label: String,
        /// The stream that was asked for.
        stream: i64,
        /// The ranks that were looked at.
        ranks: Vec<i64>,
        /// The streams there are on them, ascending.
        available: Vec<i64>,
    },
    /// An empty list of ranks.
    #[error("no rank of trace \"{label}\" is selected (has {})", numbers(.available))]
    NoRankSelected {
        /// The trace.
        label: String,
        /// The ranks there are.
        available: Vec<i64>,
    },
    /// No such iteration.
    #[error("trace \"{label}\" has no iteration {iteration} (has {})", numbers(.available))]
    UnknownIteration {
        /// The trace.
        label: String,
        /// The iteration that was asked for.
        iteration: i64,
        /// The iterations there are.
        available: Vec<i64>,
    },
    /// An iteration was asked of a trace without ProfilerStep.
    #[error(
        "trace \"{label}\" has no iteration {iteration}: it has no ProfilerStep, so its whole window counts as the one iteration; leave the iteration out"
    )]
    NoIterations {
        /// The trace.
        label: String,
        /// The iteration that was asked for.
        iteration: i64,
    },
    /// An empty list of iterations.
    #[error("no iteration of trace \"{label}\" is selected (has {})", numbers(.available))]
    NoIterationSelected {
        /// The trace.
        label: String,
        /// The iterations there are.
        available: Vec<i64>,
    },
    /// The last profiler step was asked for, which is left out by default.
    #[error(
        "iteration {iteration} of trace \"{label}\" is a last profiler step, which is left out since it is usually cut off; include_last_profiler_step (--include-last-profiler-step) keeps it (otherwise there are {})", numbers(.available)
    )]
    LastIteration {
        /// The trace.
        label: String,
        /// The iteration that was asked for.
        iteration: i64,
        /// The iterations there are without it.
        available: Vec<i64>,
    },
    /// A copy of a trace whose file is gone.
    #[error("rank {rank} was loaded from {}, which is not there (any more); a copy of the trace needs it", .path.display())]
    NoSource {
        /// The rank.
        rank: i64,
        /// The file it was loaded from.
        path: PathBuf,
    },
    /// A copy of a trace whose file is another by now.
    #[error("{} had {then} events when it was loaded and has {now} now; load it again", .path.display())]
    ChangedSource {
        /// The file.
        path: PathBuf,
        /// Events when it was loaded.
        then: u64,
        /// Events now.
        now: u64,
    },
    /// A copy of a trace over a trace that is loaded.
    #[error("{} is the trace itself; a copy needs another name", .path.display())]
    OwnSource {
        /// The file.
        path: PathBuf,
    },
    /// A word that is no device type.
    #[error("`{given}` is no device type; say CPU, GPU or ALL")]
    UnknownDeviceType {
        /// The word.
        given: String,
    },
    /// A word that is no argument of events and no group of them.
    #[error(
        "`{given}` is no argument of events; arguments are called `cpu_op::input_dims`, groups `input_shape` (ParserConfig::show_available_args lists them; in a notebook %parser_args does)"
    )]
    UnknownArg {
        /// The word.
        given: String,
    },
    /// A text that is no version.
    #[error("`{given}` is no version; one is written 1.0.0")]
    NotAVersion {
        /// The text.
        given: String,
    },
    /// A version before the first.
    #[error("there is no version {given} of the table of arguments; the first is 1.0.0")]
    UnknownVersion {
        /// The version.
        given: String,
    },
    /// A word that is no compatibility mode.
    #[error("`{given}` is no compatibility mode; say exact or hta")]
    UnknownCompat {
        /// The word.
        given: String,
    },
    /// A frame that is no result of `compare_traces`.
    #[error(
        "this frame cannot be drawn as a comparison: {reason}; pass the result of compare_traces, sorted or filtered as you like"
    )]
    NotAComparison {
        /// What is missing.
        reason: String,
    },
    /// A frame that is no table of events.
    #[error("this frame is no table of events: {reason}")]
    NotEvents {
        /// What is missing.
        reason: String,
    },
    /// An Arrow file that this library did not write, or not completely.
    #[error("{} is not a trace saved by this version: {reason}", .path.display())]
    NotASavedTrace {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A filter that makes no sense.
    #[error("{reason}")]
    WrongFilter {
        /// What is wrong.
        reason: String,
    },
    /// A text that is no expression of the language of [`Where`](crate::filter::Where), or does not fit the events.
    #[error("{reason}\n{}", marked(.text, .at))]
    BadWhere {
        /// The text.
        text: String,
        /// The place, in bytes.
        at: std::ops::Range<usize>,
        /// What is wrong.
        reason: String,
    },
    /// A parameter of a question that does not exist or makes no sense.
    #[error("{question}: {reason}")]
    WrongParameter {
        /// The question.
        question: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The data frame library refused.
    #[error(transparent)]
    Polars(#[from] polars::prelude::PolarsError),
}

/// `no rank 7`, `none of the ranks 7, 8`
fn none_of(wanted: &[i64]) -> String {
    match wanted {
        [rank] => format!("no rank {rank}"),
        ranks => format!("none of the ranks {}", numbers(ranks)),
    }
}

/// What a JSON object without `traceEvents` may be, by its keys, and what to do about it.
fn without_events(keys: &[String]) -> &'static str {
    let has = |key: &str| keys.iter().any(|other| other == key);
    if has("ph") && has("ts") {
        return "these are the keys of one event: if every line is an event (JSON lines), `jq -s .` makes the list of them \
                that a trace is";
    }
    if has("nodes") && has("schema") {
        return "this is an execution trace (ExecutionTraceObserver), which has no times; load the trace that \
                export_chrome_trace wrote";
    }
    "a trace of torch.profiler has one; load what export_chrome_trace or tensorboard_trace_handler wrote"
}

/// `line 3, column 7 (byte 120)`
fn where_in(place: &Option<(usize, usize)>, byte: &u64) -> String {
    match place {
        Some((line, column)) => format!("line {line}, column {column} (byte {byte})"),
        None => format!("byte {byte} of the JSON text"),
    }
}

/// The text on a line of its own, and below it a mark under the place.
fn marked(text: &str, at: &std::ops::Range<usize>) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let chars = |bytes: std::ops::Range<usize>| text.get(bytes).unwrap_or_default().chars().count();
    let (before, marks) = (chars(0..at.start), chars(at.clone()).max(1));
    format!("  {line}\n  {}{}", " ".repeat(before), "^".repeat(marks))
}

/// `; it holds the folders monday, tuesday`, or nothing.
fn within(folders: &[String]) -> String {
    if folders.is_empty() { String::new() } else { format!("; it holds the folders {}", list(folders)) }
}
