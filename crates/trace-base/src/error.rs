//! Errors of the library, and typed reasons for those that have several.

mod beside;
mod critical_path;
mod details;
mod distributed;
mod explain;
mod export;
mod file;
mod filter;
mod frame;
mod parameter;
mod storage;
mod versioned_file;

pub use {beside::*, critical_path::*, distributed::*, explain::*, export::*, file::*, filter::*};
pub use {frame::*, parameter::*, storage::*, versioned_file::*};

use crate::domain::{CACHE_VARIABLE, MEMORY_VARIABLE, ProposedMarker, UnknownCompat, or_by_markers};
use details::{hint_text, marked, memory_refusal, near, none_of, position_text, space_refusal, within, without_events};
use std::path::PathBuf;
use trace_view::format::{list, numbered, numbers, ranges};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing exists at the path.
    #[error("{}: no such file or folder{}", .path.display(), hint_text(.hint))]
    NoSuchPath {
        /// The path as it was given.
        path: PathBuf,
        /// What there is instead.
        hint: PathHint,
    },
    /// The path is neither a file nor a folder: a named pipe, a device.
    #[error("invalid path {}: it is {kind}; expected {expected}", .path.display())]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
        /// What can be read.
        expected: &'static str,
    },
    /// The operating system refused. The message contains its reason, so that no source is linked.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason of the operating system.
        error: std::io::Error,
    },
    /// An address cannot be read: it is invalid, or storage refuses.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A folder or an archive without a trace file, or an archive with several folders of them.
    #[error("no trace file found in {} (a trace file ends in .json, .pftrace, .gz or .zst){}", .path.display(), within(.folders))]
    NoTraceFiles {
        /// The folder.
        path: PathBuf,
        /// The names of its folders: one of them may have been meant.
        folders: Vec<String>,
    },
    /// The file has another content.
    #[error("{file} is not a trace: {reason}")]
    NotATrace {
        /// The file.
        file: String,
        /// Why.
        reason: NotATraceReason,
    },
    /// A strict load found a file that is not valid JSON.
    #[error("{file} is not valid JSON: {reason} at {}; load without strict to keep its whole events", position_text(.position, .byte))]
    NotStrictJson {
        /// The file.
        file: String,
        /// What serde_json, or the decompression, reports.
        reason: StrictJsonReason,
        /// Line, and byte within the line, both from 1; `None` if the file could not be decompressed.
        position: Option<(usize, usize)>,
        /// The offset in the decompressed text, in bytes.
        byte: u64,
    },
    /// The file is JSON, but has no list of events.
    #[error("{file} has no `traceEvents` (its keys: {}); {}", list(.keys), without_events(.keys))]
    NoTraceEvents {
        /// The file.
        file: String,
        /// The keys it has.
        keys: Vec<String>,
    },
    /// The trace has nothing to analyse.
    #[error("{file} has no events to analyse: {reason}")]
    NoEvents {
        /// The file.
        file: String,
        /// Why.
        reason: NoEventsReason,
    },
    /// A task needs more memory than the process may hold.
    #[error("cannot {task}: {}", memory_refusal([*.need, *.held, *.budget], .fix))]
    MemoryBudget {
        /// The task: `load rank-0.json.gz`, `answer idle_time_breakdown`.
        task: String,
        /// An estimate of the additional memory it needs, in bytes; 0 if the budget is exceeded before it begins.
        need: u64,
        /// Memory that the process holds, in bytes.
        held: u64,
        /// Memory that it may hold, in bytes.
        budget: u64,
        /// Another fix.
        fix: &'static str,
    },
    /// A statement of SQL cannot run.
    #[error("{0}")]
    Sql(Box<dyn std::error::Error + Send + Sync>),
    /// The variable of the memory budget is not a size.
    #[error("invalid {MEMORY_VARIABLE}=\"{value}\": expected 8G, 500M or a number of bytes")]
    MemorySetting {
        /// The value of the variable.
        value: String,
    },
    /// There is no folder for ranks that do not fit in memory.
    #[error("cannot keep ranks in {}: {reason}; choose a folder on a disk, give more memory, or load fewer ranks", .folder.display())]
    NoSpillFolder {
        /// The folder.
        folder: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// The disk has no space for a rank that does not fit in memory.
    #[error("cannot keep rank {rank} in {}: {reason}; {}", .folder.display(), space_refusal(*.need, *.free))]
    NoSpace {
        /// The rank.
        rank: i64,
        /// The folder.
        folder: PathBuf,
        /// The size of the file, in bytes.
        need: u64,
        /// Free bytes on the disk, if known.
        free: Option<u64>,
        /// The reason of the operating system.
        reason: String,
    },
    /// The answer of this analysis does not fit in memory, and the analysis has no other place for it.
    #[error(
        "cannot answer {0}: its list of events does not fit the memory budget; choose fewer ranks, or give more memory"
    )]
    NoAnswerFiles(&'static str),
    /// The caller cancelled the call.
    #[error("interrupted")]
    Interrupted,
    /// None of the requested ranks exists.
    #[error("trace \"{label}\" has {} (has {})", none_of(.wanted), numbers(.available))]
    NoSuchRanks {
        /// The trace.
        label: String,
        /// The requested ranks.
        wanted: Vec<i64>,
        /// The ranks of the trace, ascending.
        available: Vec<i64>,
    },
    /// A requested rank does not exist.
    #[error("trace \"{label}\" has no rank {rank} (has {})", numbers(.available))]
    UnknownRank {
        /// The trace.
        label: String,
        /// The requested rank.
        rank: i64,
        /// The ranks of the trace.
        available: Vec<i64>,
    },
    /// None of the selected ranks has the stream.
    #[error("trace \"{label}\" has no stream {stream} on {} (has {})", numbered("rank", .ranks), ranges(.available))]
    UnknownStream {
        /// The trace.
        label: String,
        /// The requested stream.
        stream: i64,
        /// The selected ranks.
        ranks: Vec<i64>,
        /// Their streams, ascending.
        available: Vec<i64>,
    },
    /// The list of ranks is empty.
    #[error("no rank of trace \"{label}\" is selected (has {})", numbers(.available))]
    NoRankSelected {
        /// The trace.
        label: String,
        /// The ranks of the trace.
        available: Vec<i64>,
    },
    /// A requested iteration does not exist.
    #[error("trace \"{label}\" has no iteration {iteration} (has {})", numbers(.available))]
    UnknownIteration {
        /// The trace.
        label: String,
        /// The requested iteration.
        iteration: i64,
        /// The iterations of the trace.
        available: Vec<i64>,
    },
    /// An iteration of a trace without ProfilerStep was requested.
    #[error("trace \"{label}\" has no iteration {iteration}: it has no ProfilerStep, so the whole trace counts as one iteration; omit the iteration{}", or_by_markers(.calls))]
    NoIterations {
        /// The trace.
        label: String,
        /// The requested iteration.
        iteration: i64,
        /// Calls that would divide it.
        calls: Vec<ProposedMarker>,
    },
    /// No event of the trace matches the marker of iterations.
    #[error(
        "trace \"{label}\" has no annotation, operator, module or kernel that matches the marker `{marker}`; %events {label} --where 'cat = \"user_annotation\"' lists annotations"
    )]
    NoMarker {
        /// The trace.
        label: String,
        /// The regular expression.
        marker: String,
    },
    /// All iterations of a rank were left out as warm-up, or are not among those selected.
    #[error("no iteration of trace \"{label}\" is left without the first {warmup} of each rank (has {})", numbers(.available))]
    NoIterationLeft {
        /// The trace.
        label: String,
        /// First iterations that were left out.
        warmup: usize,
        /// The iterations of the trace.
        available: Vec<i64>,
    },
    /// The list of iterations is empty.
    #[error("no iteration of trace \"{label}\" is selected (has {})", numbers(.available))]
    NoIterationSelected {
        /// The trace.
        label: String,
        /// The iterations of the trace.
        available: Vec<i64>,
    },
    /// The last profiler step was requested, which is excluded by default.
    #[error(
        "iteration {iteration} of trace \"{label}\" is the last profiler step, which is excluded because it is usually incomplete; include it with include_last_profiler_step (--include-last-profiler-step), or choose from {}", numbers(.available)
    )]
    LastIteration {
        /// The trace.
        label: String,
        /// The requested iteration.
        iteration: i64,
        /// The iterations without it.
        available: Vec<i64>,
    },
    /// The file from which a rank was loaded does not exist any more, so that it cannot be copied.
    #[error("cannot copy rank {rank}: its source {} does not exist", .path.display())]
    NoSource {
        /// The rank.
        rank: i64,
        /// The file from which it was loaded.
        path: PathBuf,
    },
    /// The file from which a rank was loaded has changed, so that it cannot be copied.
    #[error("cannot copy {}: it had {then} events when it was loaded and has {now} now; load it again", .path.display())]
    ChangedSource {
        /// The file.
        path: PathBuf,
        /// Events when it was loaded.
        then: u64,
        /// Events now.
        now: u64,
    },
    /// A table that is read from a rank's file when it is first wanted cannot be read.
    #[error("cannot read the {table} of rank {rank}: {reason}")]
    NoTable {
        /// The table: `instants`, `counters`.
        table: &'static str,
        /// The rank.
        rank: i64,
        /// Why.
        reason: SourceReason,
    },
    /// The target of a copy is the source of a loaded trace.
    #[error("cannot overwrite {}: it is the source of the trace; choose another name", .path.display())]
    OwnSource {
        /// The file.
        path: PathBuf,
    },
    /// A file that PyTorch writes beside traces cannot be read, or does not fit the trace.
    #[error(transparent)]
    Beside(#[from] BesideError),
    /// The word is not a device type.
    #[error("unknown device type `{word}`: expected CPU, GPU or ALL")]
    UnknownDeviceType {
        /// The word.
        word: String,
    },
    /// The word names no groups of a comparison.
    #[error("unknown group `{word}`: expected rank or iteration")]
    UnknownGroup {
        /// The word.
        word: String,
    },
    /// The word is neither an argument of events nor a group of them.
    #[error(
        "unknown argument `{word}`: expected an argument such as `cpu_op::input_dims` or a group such as `input_shape` (ParserConfig::show_available_args lists them; in a notebook %parser_args does)"
    )]
    UnknownArg {
        /// The word.
        word: String,
    },
    /// The text is not a version.
    #[error("invalid version `{text}`: expected a version such as 1.0.0")]
    NotAVersion {
        /// The text.
        text: String,
    },
    /// The version is older than the first one.
    #[error("unknown version `{version}` of the table of arguments: expected 1.0.0 or later")]
    UnknownVersion {
        /// The version.
        version: String,
    },
    /// The word is not a compatibility mode.
    #[error(transparent)]
    UnknownCompat(#[from] UnknownCompat),
    /// The frame is not a result of `compare_traces`.
    #[error(
        "cannot draw this frame as a comparison: {reason}; pass the result of compare_traces, sorted or filtered as you like"
    )]
    NotAComparison {
        /// Why.
        reason: FrameReason,
    },
    /// The frame is not a table of events.
    #[error("invalid table of events: {reason}")]
    NotEvents {
        /// Why.
        reason: FrameReason,
    },
    /// A file that `write::arrow` did not write, or not completely.
    #[error("cannot map {}: {reason}; save it again with this version of the library", .path.display())]
    NotASavedFile {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: SavedFileReason,
    },
    /// The file of a rank is not what it was when the trace was loaded.
    #[error("cannot use {}: {reason}; load it again", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: UnusableReason,
    },
    /// The folder of the cache cannot be used.
    #[error("cannot use the cache {}: {reason}; set {CACHE_VARIABLE} to another folder, or to off", .folder.display())]
    NoCache {
        /// The folder.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// A trace cannot be exported to this folder.
    #[error("cannot export to {}: {reason}", .path.display())]
    NotExported {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: ExportReason,
    },
    /// A folder or file of `write::parquet` that cannot be loaded.
    #[error("cannot load {}: {reason}", .path.display())]
    NotAnExport {
        /// The folder, or the file in it that is the cause.
        path: PathBuf,
        /// Why.
        reason: ImportReason,
    },
    /// The filter cannot be used.
    #[error("{reason}")]
    WrongFilter {
        /// Why.
        reason: FilterReason,
    },
    /// The text is not an expression of `Where`, or does not fit the events.
    #[error("{reason}\n{}", marked(.text, .at))]
    BadWhere {
        /// The text.
        text: String,
        /// The offsets of the error, in bytes.
        at: std::ops::Range<usize>,
        /// Why.
        reason: WhereReason,
    },
    /// A small file that is kept for the user cannot be used: accepted changes, baselines.
    #[error("cannot use the {what} of {}: {reason}", .path.display())]
    VersionedFile {
        /// What it holds.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        reason: VersionedFileReason,
    },
    /// No region of either side has the name of a limit, or of a change to accept.
    #[error("no call or kernel is named `{name}`{}", near(.regions))]
    UnknownRegion {
        /// The name.
        name: String,
        /// Names that there are, the nearest or largest first.
        regions: Vec<String>,
    },
    /// A parameter of an analysis is unknown or has an invalid value.
    #[error("{analysis}: {reason}")]
    WrongParameter {
        /// The analysis.
        analysis: &'static str,
        /// Why.
        reason: ParameterReason,
    },
    /// The bytes are not the partial result that they should be: damaged, of another version, question or parameters.
    #[error(
        "cannot read the partial result of {question}: {reason}; compute it again with this version and these parameters"
    )]
    WrongState {
        /// The question whose partial result is needed.
        question: String,
        /// Why.
        reason: String,
    },
    /// The samples of a comparison cannot be compared.
    #[error("cannot compare the samples: {0}")]
    Statistics(#[from] statistics::Error),
    /// An explanation, or a comparison of runs, cannot answer what was asked.
    #[error(transparent)]
    Explain(#[from] ExplainReason),
    /// No critical path is found.
    #[error(transparent)]
    CriticalPath(#[from] CriticalPathReason),
    /// Ranks that an engine reads give no answer.
    #[error(transparent)]
    Distributed(#[from] DistributedReason),
    /// The data frame library refused.
    #[error(transparent)]
    Polars(#[from] polars_error::PolarsError),
}
