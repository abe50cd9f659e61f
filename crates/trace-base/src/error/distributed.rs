//! Reasons for which ranks on other machines, or in other processes, give no answer.

/// Why ranks that an engine reads give no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DistributedReason {
    /// The events of a rank are needed here, and an engine reads them elsewhere.
    #[error(
        "cannot use the events of rank {rank} here: {engine} reads them from {uri}; load the rank here: \
         %trace_load {uri} --rank {rank} --as rank_{rank}"
    )]
    EventsElsewhere {
        /// The rank.
        rank: i64,
        /// Where the trace is.
        uri: String,
        /// The engine.
        engine: String,
    },
    /// The engine could not do the work.
    #[error("{engine}: {reason}")]
    Engine {
        /// The engine.
        engine: String,
        /// Why, with the fix.
        reason: String,
    },
    /// A task was planned by another build.
    #[error(
        "cannot run a task of another build: this program is {own}, the plan is of {planned}; use one build for the notebook and all nodes"
    )]
    OtherBuild {
        /// The build of this program.
        own: String,
        /// The build that planned.
        planned: String,
    },
    /// A task does not make sense.
    #[error("cannot run the task: {reason}")]
    Plan {
        /// Why.
        reason: String,
    },
    /// A file is not what it was when the trace was loaded.
    #[error("cannot use {uri}: it changed after the trace was loaded; load the trace again")]
    Changed {
        /// The file.
        uri: String,
    },
    /// The merged partial result is too large to be sent.
    #[error(
        "cannot answer {question}: the partial result of its ranks takes {}, and at most {} are sent; ask fewer ranks with --rank",
        trace_view::format::bytes(*.bytes),
        trace_view::format::bytes(*.most)
    )]
    TooLarge {
        /// The question.
        question: String,
        /// Bytes of the partial result.
        bytes: u64,
        /// The most that is sent.
        most: u64,
    },
    /// Ranks that were read when the trace was loaded cannot be read now.
    #[error(
        "cannot answer {question}: {file} was read when the trace was loaded, and cannot be read now: {reason}{}; load the trace again{}",
        others(*.more),
        log_text(.log)
    )]
    Lost {
        /// The question.
        question: String,
        /// The first of the files.
        file: String,
        /// Why it cannot be read.
        reason: String,
        /// How many more files cannot be read.
        more: usize,
        /// The last lines that its task wrote; may be empty.
        log: String,
    },
    /// Not one file of the trace could be read.
    #[error("cannot load {uri}: none of its files could be read; {file}: {reason}{}", log_text(.log))]
    NoneRead {
        /// Where the trace is.
        uri: String,
        /// The first of the files.
        file: String,
        /// Why it cannot be read.
        reason: String,
        /// The last lines that its task wrote; may be empty.
        log: String,
    },
    /// A file was not read, since it has other content; what it says of it.
    #[error("{0}")]
    Skipped(String),
}

fn others(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (and {more} more)") }
}

/// Returns the end of the log of a task, on lines of its own.
fn log_text(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("\nThe end of the log of its task:\n{log}") }
}
