//! Tests of tables that are read when first wanted: kept, stacked, and refused when the file is another.
#![allow(clippy::unwrap_used)]

use super::{Files, TableLocation};
use crate::frame::tables::Tables;
use crate::{CancellationToken, Error, Trace, TraceSet};
use polars::prelude::DataType;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use trace_base::Execution;
use trace_testkit::TraceBuilder;

const COUNTER: &str = r#"{"ph": "C", "name": "queue", "ts": 1, "args": {"length": 4}}"#;

fn rank(number: i64, marks: usize) -> TraceBuilder {
    let marks = (0..marks).map(|at| format!(r#"{{"ph": "i", "name": "mark {at}", "ts": {at}, "s": "g"}}"#));
    let builder = TraceBuilder::new().rank(number).step(1, 0..10).operator("aten::mm", 1..2);
    marks.fold(builder, |builder, mark| builder.raw(&mark))
}

fn load(path: &Path) -> Trace {
    TraceSet::load(path).unwrap().traces()[0].clone()
}

fn message(trace: &Trace) -> String {
    trace.instants().unwrap_err().to_string()
}

#[test]
fn tables_of_all_ranks_are_stacked_with_a_leading_rank() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.json.gz"), rank(7, 3).gzip()).unwrap();
    fs::write(folder.path().join("a.json"), rank(2, 2).raw(COUNTER).json()).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    let instants = traces.instants().unwrap();
    assert_eq!(instants.get_column_names()[..3], ["rank", "index", "name"]);
    let ranks: Vec<i64> = instants.column("rank").unwrap().i64().unwrap().iter().flatten().collect();
    assert_eq!(ranks, [2, 2, 7, 7, 7]);
    let names = instants.column("name").unwrap().cast(&DataType::String).unwrap();
    assert_eq!(names.str().unwrap().get(4), Some("mark 2"));
    let counters = traces.counters().unwrap();
    assert_eq!((counters.height(), counters.width()), (1, 10));
    assert_eq!(traces.rank(7).unwrap().counters().unwrap().height(), 0);
}

#[test]
fn tables_are_read_once_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    fs::write(&path, rank(0, 2).raw(COUNTER).json()).unwrap();
    let trace = load(&path);
    let clone = trace.clone();
    assert_eq!(trace.instants().unwrap().height(), 2);
    fs::remove_file(&path).unwrap();
    // Both tables come from one pass, and clones share them.
    assert_eq!((clone.instants().unwrap().height(), clone.counters().unwrap().height()), (2, 1));
}

#[test]
fn changed_or_missing_file_is_named_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    fs::write(&path, rank(0, 2).json()).unwrap();
    let trace = load(&path);
    fs::write(&path, rank(0, 3).json()).unwrap();
    let expected = format!(
        "cannot read the instants of rank 0: {} has changed since it was loaded; load it again",
        path.display()
    );
    assert_eq!(message(&trace), expected);
    fs::remove_file(&path).unwrap();
    let expected = format!(
        "cannot read the instants of rank 0: {} does not exist any more; put it back, or load the trace from where it is now",
        path.display()
    );
    assert_eq!(message(&trace), expected);
    // Back again with its size and time: the content may be another one.
    let modified = trace.info().source.as_ref().unwrap().modified as u64;
    let file = fs::File::create(&path).unwrap();
    fs::write(&path, rank(0, 2).json()).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_nanos(modified)).unwrap();
    assert!(message(&trace).contains("has changed since it was loaded; load it again"));
}

#[test]
fn file_of_same_size_and_time_with_other_events_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let text = rank(0, 2).json();
    fs::write(&path, &text).unwrap();
    let trace = load(&path);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let last = text.rfind(r#"{"ph": "i""#).unwrap();
    let (comma, end) = (text[..last].rfind(',').unwrap(), last + text[last..].find('}').unwrap() + 1);
    let shorter = format!("{}{}{}", &text[..comma], " ".repeat(end - comma), &text[end..]);
    assert_eq!(shorter.len(), text.len());
    fs::write(&path, &shorter).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(load(&path).info().events_in_file + 1, trace.info().events_in_file);
    assert!(message(&trace).contains("a.json has changed since it was loaded"));
}

#[test]
fn trace_from_bytes_has_no_file_to_read_again() {
    let trace = TraceSet::from_bytes(rank(4, 1).json()).unwrap().traces()[0].clone();
    assert!(trace.info().source.is_none());
    assert_eq!(
        message(&trace),
        "cannot read the instants of rank 4: it was loaded from bytes or a pipe, which cannot be read again; load it from a file"
    );
    assert!(matches!(trace.counters(), Err(Error::NoTable { table: "counters", rank: 4, .. })));
}

#[test]
fn cancelled_reading_ends_and_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    fs::write(&path, rank(0, 50_000).json()).unwrap();
    let trace = load(&path);
    let cancelled = CancellationToken::new(|| true).run(|| trace.instants());
    // A short file may be read before the request is seen.
    assert!(matches!(cancelled, Err(Error::Interrupted)) || cancelled.unwrap().height() == 50_000);
    assert_eq!(trace.instants().unwrap().height(), 50_000);
}

#[test]
fn tables_that_do_not_fit_are_in_files_that_end_with_their_rank() {
    let (folder, spill) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.json");
    fs::write(&path, rank(3, 2000).raw(COUNTER).json()).unwrap();
    let trace = load(&path);
    let [instants, counters] = [trace.instants().unwrap(), trace.counters().unwrap()];
    let tables = || Tables { instants: instants.clone(), counters: counters.clone() };
    let files = Files { parent: Some(spill.path().into()), folder: OnceLock::new() };
    let names = || {
        let folders = fs::read_dir(spill.path()).unwrap().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap()).flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".arrow")).collect::<Vec<_>>()
    };
    let retained = Execution::new().memory(u64::MAX).run(|| files.keep(&trace, tables())).unwrap();
    assert!(matches!(retained.instants, TableLocation::Memory(_)) && names().is_empty());
    // Half of one byte is exceeded; few rows stay in memory all the same.
    let retained = Execution::new().memory(1).run(|| files.keep(&trace, tables())).unwrap();
    assert!(matches!((&retained.instants, &retained.counters), (TableLocation::File(..), TableLocation::Memory(_))));
    assert_eq!(names(), ["rank-0003.instants.arrow"]);
    let mapped = retained.instants.frame().unwrap();
    assert_eq!(mapped.schema(), instants.schema());
    assert!(mapped.equals_missing(&instants));
    drop((mapped, retained));
    assert!(names().is_empty());
}
