//! Parts of messages: positions, free space, memory, what exists near a missing path.

use super::PathHint;
use crate::domain::MEMORY_VARIABLE;
use trace_view::format::{bytes, list, numbers};

/// Formats free space: `, the disk has 1 MiB left`.
fn free_text(free: Option<u64>) -> String {
    free.map_or_else(String::new, |free| format!(", the disk has {} left", bytes(free)))
}

/// Formats names that there are: `; there are aten::mm, aten::add`.
pub(super) fn near(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; the regions with the largest change are {}", list(names)) }
}

/// Formats missing ranks: `no rank 7`, `none of the ranks 7, 8`.
pub(super) fn none_of(wanted: &[i64]) -> String {
    match wanted {
        [rank] => format!("no rank {rank}"),
        ranks => format!("none of the ranks {}", numbers(ranks)),
    }
}

/// Returns what a JSON object without `traceEvents` is, judged by its keys, and how to get a trace.
pub(super) fn without_events(keys: &[String]) -> &'static str {
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

/// Formats a position: `line 3, column 7 (byte 120)`.
pub(super) fn position_text(position: &Option<(usize, usize)>, byte: &u64) -> String {
    match position {
        Some((line, column)) => format!("line {line}, column {column} (byte {byte})"),
        None => format!("byte {byte} of the JSON text"),
    }
}

/// Formats the text on a line of its own, with a mark below the offsets `at`.
pub(super) fn marked(text: &str, at: &std::ops::Range<usize>) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let chars = |bytes: std::ops::Range<usize>| text.get(bytes).unwrap_or_default().chars().count();
    let (before, marks) = (chars(0..at.start), chars(at.clone()).max(1));
    format!("  {line}\n  {}{}", " ".repeat(before), "^".repeat(marks))
}

/// Formats why a task is refused that needs so much memory, where so much is held of so much, and how to go on.
pub(super) fn memory_refusal([need, held, budget]: [u64; 3], fix: &str) -> String {
    let (why, enough) = (memory_text(need, held, budget), enough(need, held, budget));
    format!("{why}; {fix}, drop other traces, or set {MEMORY_VARIABLE}={enough} before the program starts")
}

/// Formats what space a file needs, and how to go on.
pub(super) fn space_refusal(need: u64, free: Option<u64>) -> String {
    let free = free_text(free);
    format!("it needs {}{free}; free space there, give more memory, or load fewer ranks", bytes(need))
}

/// Formats the names of folders: `; it holds the folders monday, tuesday`. Empty if there are none.
pub(super) fn within(folders: &[String]) -> String {
    if folders.is_empty() { String::new() } else { format!("; it holds the folders {}", list(folders)) }
}

/// Formats what exists near a missing path: ` (looked for in /tmp; data holds: monday, tuesday)`.
pub(super) fn hint_text(hint: &PathHint) -> String {
    let (looked_in, folder, holds) = match hint {
        PathHint::Address(fix) => return format!("; {fix}"),
        PathHint::Nearest { looked_in, folder, holds } => (looked_in, folder, holds),
    };
    let holds = if holds.is_empty() { "is empty".to_owned() } else { format!("holds: {}", list(holds)) };
    match (looked_in, folder) {
        (Some(from), Some(folder)) => {
            format!(" (looked for in {}; {} {holds})", from.display(), folder.display())
        }
        (Some(from), None) => format!(" (looked for in {}, which {holds})", from.display()),
        (None, Some(folder)) => format!(" ({} {holds})", folder.display()),
        (None, None) => String::new(),
    }
}

/// Formats why a task is refused: `it needs 80 MiB more, and the process holds 240 MiB of its memory budget of 300 MiB`.
fn memory_text(need: u64, held: u64, budget: u64) -> String {
    let holds = format!("the process holds {} of its memory budget of {}", bytes(held), bytes(budget));
    if need == 0 { holds } else { format!("it needs about {} more, and {holds}", bytes(need)) }
}

/// Returns a value of the memory variable that leaves the refused task room to spare.
fn enough(need: u64, held: u64, budget: u64) -> String {
    let twice = held.saturating_add(need).max(budget).saturating_mul(2);
    format!("{}G", twice.div_ceil(1 << 30))
}

/// Formats why an aligned tree has no modules.
pub(super) fn without_modules(control: &str, test: &str, ignored: bool) -> String {
    if ignored {
        "only one side was recorded with frames of Python, so they are ignored on both".to_owned()
    } else {
        format!("neither \"{control}\" nor \"{test}\" has an event `nn.Module: …`")
    }
}
