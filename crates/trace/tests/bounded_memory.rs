//! A job of many ranks within a memory budget: the same answers as without one, and never more memory. A process of its own, whose
//! peak nothing else raises.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use trace::Questions;
use trace::analysis::CATALOG;
use trace::polars::prelude::{Column, DataFrame};
use trace::{By, Error, Execution, HtaCriticalPath, SelectEvents, TraceAnalysis, TraceDiff, TraceSet};
use trace_testkit::{Job, Large};

const RANKS: u64 = 64;
/// Bytes of JSON in all, and the budget besides what the process holds before it does anything: columns of some ranks do not fit,
/// nor do answers besides them.
const JSON: u64 = 100_000_000;
const ROOM: u64 = 72 << 20;
/// Analyses that read arguments from trace files again, for which a budget that ranks fill leaves no room: they are refused then.
const READ_AGAIN: [&str; 4] = ["collectives", "kernels", "roofline", "validate"];

fn job(folder: &Path) {
    let job = Job::of(RANKS, JSON, 1);
    for rank in 0..RANKS {
        job.write(rank, fs::File::create(folder.join(Job::file_name(rank))).unwrap()).unwrap();
    }
}

/// Returns each answer as text, and the most memory meanwhile.
fn answers(folder: &Path, has_files: bool) -> Vec<(String, String, u64)> {
    let mut found = Vec::new();
    let mut keep = |name: &str, answer: String| found.push((name.to_owned(), answer, peak()));
    let traces = TraceSet::load(folder).unwrap();
    assert_eq!(!traces.stored_ranks().is_empty(), has_files);
    keep("load", format!("{traces:?} {:?}", traces.warnings()));
    let mut columns = String::new();
    for rank in traces.traces() {
        let _ = write!(columns, "{} ", sums(&rank.events()));
        let _ = write!(columns, "{} {}", sums(&rank.instants().unwrap()), sums(&rank.counters().unwrap()));
    }
    keep("columns", columns);
    let analysis = TraceAnalysis::new(&traces).unwrap();
    let all = traces.ranks();
    for entry in CATALOG.iter().filter(|entry| !READ_AGAIN.contains(&entry.name)) {
        let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
        let arguments = positional.map(|parameter| (parameter.name.to_owned(), "aten::linear".into())).collect();
        let answer = entry.ask(&analysis, arguments, Some(&all)).unwrap();
        let mut text = format!("{:?} {:?} {:?}", answer.figures, answer.heat_maps, answer.notes);
        // One after the other: those that do not fit in memory are mapped.
        for table in answer.tables {
            let _ = write!(text, "{} {}", table.part(), sums(&table.frame));
        }
        keep(entry.name, text);
    }
    keep("describe", format!("{:?}", traces.describe().unwrap()));
    let again = traces.with_label("again");
    let diff = TraceDiff::new(&traces, &again).control_rank(&all).test_rank(&all).by(By::Rank);
    keep("compare_traces", sums(&diff.compare_traces().unwrap()));
    found
}

/// Returns the sum of each column of numbers, the distinct values of each of texts, and the nulls of all.
fn sums(frame: &DataFrame) -> String {
    let column = |column: &Column| {
        let content = match column.dtype() {
            dtype if dtype.is_numeric() => format!("{:?}", column.sum_reduce().unwrap().value()),
            _ => format!("{:?}", column.n_unique().unwrap()),
        };
        format!("{} {} {content}", column.name(), column.null_count())
    };
    format!("{} {:?}", frame.height(), frame.columns().iter().map(column).collect::<Vec<_>>())
}

/// Returns a line of the process's status, in bytes.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

/// Returns the most resident memory since the last call, in bytes.
fn peak() -> u64 {
    let peak = status("VmHWM:");
    // Without support by the system, it is that of the process so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak
}

/// The room for HTA's graph: all four complete steps, of which it needs 240 bytes an event, do not fit; one does.
const ROOM_OF_A_WINDOW: u64 = 16 << 20;

/// Asserts that HTA's critical path of a window beyond the budget is refused before it is computed, with a fix that works.
fn a_window_beyond_the_budget_is_refused() {
    let mut json = Vec::new();
    Large { bytes: 60_000_000, seed: 1, rank: 0 }.write(&mut json).unwrap();
    let traces = TraceSet::from_bytes(&json).unwrap();
    drop(json);
    let analysis = TraceAnalysis::new(&traces).unwrap();
    let ask = |annotation: &str, room: u64| {
        let query = HtaCriticalPath { annotation: annotation.to_owned(), ..HtaCriticalPath::default() };
        let budget = status("VmRSS:") + room;
        Execution::new().memory(budget).run(|| analysis.critical_path_analysis(&query).map(drop))
    };
    peak();
    let before = status("VmRSS:");
    let refused = ask("", ROOM_OF_A_WINDOW).unwrap_err();
    let grown = peak().saturating_sub(before);
    let Error::MemoryBudget { need, .. } = refused else { panic!("{refused}") };
    assert!(need > ROOM_OF_A_WINDOW && need / 240 < traces.event_count() as u64, "{need}");
    assert!(grown < ROOM_OF_A_WINDOW, "{grown} bytes more");
    let text = refused.to_string();
    assert!(text.contains("answer critical_path as HTA does") && text.contains("choose a shorter window"), "{text}");
    assert!(ask("ProfilerStep", ROOM_OF_A_WINDOW).is_ok(), "one instance is what the message advises");
    assert!(ask("", u64::MAX >> 1).is_ok());
}

#[test]
fn answers_within_a_budget_are_the_same_and_stay_in_it() {
    let (folder, spill) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    job(folder.path());
    let budget = status("VmRSS:") + ROOM;
    peak();
    let bounded = Execution::new().memory(budget).spill_folder(spill.path()).run(|| answers(folder.path(), true));
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0, "files go with traces and answers");
    let held = |most: u64| format!("held {} MiB of {} MiB", most >> 20, budget >> 20);
    let above: Vec<String> =
        bounded.iter().filter(|step| step.2 > budget).map(|step| format!("{} {}", step.0, held(step.2))).collect();
    assert!(above.is_empty(), "{above:?}");
    let free = Execution::new().memory(u64::MAX).run(|| answers(folder.path(), false));
    for ((name, bounded, _), (_, free, _)) in bounded.iter().zip(&free) {
        assert_eq!(bounded, free, "{name}");
    }
    let most = free.iter().map(|step| step.2).max().unwrap_or(0);
    assert!(most > budget, "without a budget, it {}: the budget bounds nothing", held(most));
    assert_eq!(bounded.len(), free.len());
    drop((bounded, free));
    // Here, since another test of this process would change what is left of a budget.
    a_window_beyond_the_budget_is_refused();
}
