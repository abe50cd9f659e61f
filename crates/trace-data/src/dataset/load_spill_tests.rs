//! Tests of loads that do not fit in memory: the same trace, in files that go with it.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::exec::memory::Budget;
use crate::{Compat, ParserConfig, frame_schema};
use polars::prelude::{ChunkAgg, DataType};
use std::fs;
use std::panic::AssertUnwindSafe;
use trace_base::Execution;
use trace_testkit::{Stream, TraceBuilder};

fn never(_: &LoadProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Loads with at most `columns` bytes of columns in memory; the others are in a folder within `parent`.
fn load(path: &Path, options: &LoadOptions, columns: u64, parent: &Path) -> Result<TraceSet> {
    let placement = Placement::new(Budget::of(u64::MAX), columns, Some(parent.into()));
    load_within(path, options, placement, &mut never)
}

/// Writes ranks whose columns differ in names and types: `mine` holds integers, texts, and numbers with a fraction.
fn mixed_ranks(folder: &Path) {
    for rank in 0..6 {
        let long = if rank == 3 { i64::from(i32::MAX) + 7 } else { 7 };
        let mut trace = TraceBuilder::new().rank(rank).step(1, 0..100).operator(&format!("only on {rank}"), 5..6);
        trace = trace.runtime("cudaLaunchKernel", long, 10..12).kernel("gemm", Stream(7), 20..30).correlation(long);
        trace = match rank {
            0 => trace.operator("aten::mm", 40..41).arg("mine", "12"),
            1 => trace.operator("aten::mm", 40..41).arg("mine", "\"a text\""),
            2 => trace.operator("aten::mm", 40..41).arg("mine", "1.5").arg("number", "2.5"),
            4 => trace.operator("aten::mm", 40..41).arg("number", "3"),
            _ => trace,
        };
        fs::write(folder.join(format!("rank-{rank}.json")), trace.json()).unwrap();
    }
}

fn all_args() -> LoadOptions {
    let all = ParserConfig::get_default_cfg().set_parse_all_args(true);
    LoadOptions { parser_config: Some(all), ..LoadOptions::default() }
}

/// Asserts that both are the same trace in every respect but the place of the events.
fn assert_same(memory: &TraceSet, stored: &TraceSet) {
    assert_eq!(stored.stored_ranks(), memory.ranks());
    assert_eq!((stored.memory_bytes(), memory.stored_bytes()), (0, 0));
    assert!(stored.stored_bytes() > 0 && memory.stored_ranks().is_empty());
    assert_eq!(
        (stored.label(), stored.compat(), stored.iterations()),
        (memory.label(), memory.compat(), memory.iterations())
    );
    assert_eq!((stored.info(), stored.warnings()), (memory.info(), memory.warnings()));
    for (memory, stored) in memory.traces().iter().zip(stored.traces()) {
        assert_eq!(memory.columns(), stored.columns());
        assert_eq!(memory.events().schema(), stored.events().schema());
        assert!(memory.events().equals_missing(&stored.events()), "{:?}\n{:?}", memory.events(), stored.events());
        assert!(memory.decoded().unwrap().equals_missing(&stored.decoded().unwrap()));
    }
    assert_eq!(stored.events_schema(), memory.events_schema());
    assert_eq!(stored.events_schema(), frame_schema(&stored.events()));
    assert!(memory.events().equals_missing(&stored.events()));
    assert!(memory.events().equals_missing(&stored.lazy_events().unwrap().collect().unwrap()));
    assert_eq!(stored.negative_durations(), memory.negative_durations());
    let names = |traces: &TraceSet| {
        let mut names: Vec<_> =
            traces.memory_by_column(None).unwrap().into_iter().map(|column| (column.name, column.values)).collect();
        names.sort();
        names
    };
    assert_eq!(names(stored), names(memory));
}

#[test]
fn trace_in_files_equals_the_trace_in_memory() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let hta = LoadOptions { compat: Compat::Hta, ..LoadOptions::default() };
    let data = |name: &str| Path::new("../../notebooks/data").join(name);
    for (path, options) in [
        (folder.path().to_owned(), all_args()),
        (folder.path().to_owned(), LoadOptions::default()),
        (data("job"), LoadOptions::default()),
        (data("job"), hta),
        (data("control"), LoadOptions { ranks: Some(vec![1, 3, 99]), ..LoadOptions::default() }),
    ] {
        let memory = TraceSet::load_with(&path, &options, &mut never).unwrap();
        assert_same(&memory, &load(&path, &options, 0, parent.path()).unwrap());
        let folder = tempfile::tempdir().unwrap();
        assert_same(&memory, &memory.stored_in(folder.path()).unwrap());
    }
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "the files went with the traces");
}

#[test]
fn exports_of_and_to_files_equal_those_in_memory() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let memory = TraceSet::load_with(folder.path(), &all_args(), &mut never).unwrap();
    let stored = load(folder.path(), &all_args(), 0, parent.path()).unwrap();
    let lake = |name: &str| parent.path().join(name);
    crate::write::parquet::export(&memory, lake("memory")).unwrap();
    crate::write::parquet::export(&stored, lake("stored")).unwrap();
    for file in ["rank=2/part-00000.parquet", "tracebook.json"] {
        assert!(fs::read(lake("memory").join(file)).unwrap() == fs::read(lake("stored").join(file)).unwrap(), "{file}");
    }
    assert_same(&memory, &load(&lake("stored"), &LoadOptions::default(), 0, parent.path()).unwrap());
    assert!(TraceSet::load(lake("stored")).unwrap().stored_ranks().is_empty());
}

#[test]
fn types_of_stored_ranks_are_common() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let stored = load(folder.path(), &all_args(), 0, parent.path()).unwrap();
    let dtype = |name: &str| stored.rank(0).unwrap().events().column(name).map(|column| column.dtype().clone());
    assert!(dtype("mine").unwrap().is_categorical());
    assert_eq!(dtype("correlation").unwrap(), DataType::Int64);
    assert!(dtype("number").is_err());
    let events = stored.rank(4).unwrap().events();
    assert_eq!(events.column("number").unwrap().f64().unwrap().sum(), Some(3.0));
}

#[test]
fn columns_stay_in_memory_up_to_the_bound() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let all = TraceSet::load(folder.path()).unwrap();
    let bound = all.memory_bytes() as u64 / 2;
    let some = load(folder.path(), &LoadOptions::default(), bound, parent.path()).unwrap();
    assert!((1..6).contains(&some.stored_ranks().len()), "{:?}", some.stored_ranks());
    assert!(some.memory_bytes() as u64 <= bound && some.stored_bytes() > 0);
    assert!(some.events().equals_missing(&all.events()));
}

#[test]
fn files_are_removed_with_the_last_rank() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    // A second file of rank 0 replaces the first.
    fs::copy(folder.path().join("rank-0.json"), folder.path().join("rank-00.json")).unwrap();
    let stored = load(folder.path(), &LoadOptions::default(), 0, parent.path()).unwrap();
    let spilled = fs::read_dir(parent.path()).unwrap().next().unwrap().unwrap().path();
    let files = || {
        fs::read_dir(&spilled)
            .map_or(0, |files| files.filter(|file| file.as_ref().unwrap().path().extension().is_some()).count())
    };
    assert_eq!((files(), stored.ranks().len()), (6, 6));
    let (two, renamed) = (stored.rank(2).unwrap(), stored.with_label("other"));
    drop(stored);
    assert_eq!(files(), 6);
    drop(renamed);
    assert_eq!(files(), 1);
    assert_eq!(two.events().height(), two.info().events);
    let frame = two.events();
    drop(two);
    assert!(!spilled.exists());
    assert!(frame.column("name").unwrap().null_count() == 0, "mapped pages stay");
}

#[test]
fn cancelled_load_leaves_no_file() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let placement = Placement::new(Budget::of(u64::MAX), 0, Some(parent.path().into()));
    let stopped = load_within(folder.path(), &LoadOptions::default(), placement, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    for _ in 0..6000 {
        if fs::read_dir(parent.path()).unwrap().count() == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{:?}", fs::read_dir(parent.path()).unwrap().collect::<Vec<_>>());
}

#[test]
fn failed_load_leaves_no_file() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    fs::write(folder.path().join("rank-9.json"), "{\"traceEvents\": [{]}").unwrap();
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    assert!(matches!(load(folder.path(), &strict, 0, parent.path()), Err(Error::NotStrictJson { .. })));
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn ranks_that_did_not_fit_beside_others_are_loaded_alone() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let files = Inputs::of(folder.path()).unwrap().files;
    let (options, monitor) = (LoadOptions::default(), Monitor::default());
    let placement = Placement::new(Budget::of(u64::MAX), u64::MAX, Some(parent.path().into()));
    let wanted = options.wanted().unwrap();
    let loader = FileLoader { options: &options, wanted: &wanted, meter: &monitor.meter, placement: &placement };
    monitor.begin(0, files.len());
    let mut results = monitor.load(&files, loader, 2).unwrap();
    let refused = Error::MemoryBudget { task: String::new(), need: 0, held: 0, budget: 0, fix: "" };
    results[3].1 = Err(refused);
    let results = monitor.load_again(results, &files, loader, 2).unwrap();
    assert_eq!(monitor.files_done.load(Ordering::Relaxed), files.len());
    let traces = assemble("x", &options, true, results).unwrap();
    assert_eq!(traces.stored_ranks(), [0, 1, 2, 4, 5], "the others made room");
    assert!(traces.events().equals_missing(&TraceSet::load(folder.path()).unwrap().events()));
}

#[test]
fn reading_waits_for_memory_unless_nothing_is_read() {
    let placement = Placement::new(Budget::of(0), 0, None);
    let file = Path::new("rank-0.json");
    let first = placement.admit(file, 1 << 30, || false).unwrap();
    assert!(placement.admit(file, 1, || true).is_none(), "cancelled while it waits");
    std::thread::scope(|scope| {
        let second = scope.spawn(|| placement.admit(file, 1, || false).is_some());
        drop(first);
        assert!(second.join().unwrap());
    });
    let enough = Placement::new(Budget::of(u64::MAX), 0, None);
    let permits: Vec<_> = (0..9).map(|_| enough.admit(file, 1 << 40, || true).unwrap()).collect();
    assert_eq!(permits.len(), 9);
}

#[test]
fn columns_leave_room_to_work_on_the_largest_rank() {
    let (folder, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    // Nothing is left beside the columns: one rank stays in memory, since mapping it would save nothing.
    let placement = Placement::new(Budget::of(0), u64::MAX, Some(parent.path().into()));
    let permit = placement.admit(Path::new("rank-0.json"), 1, || true).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    let stored: Vec<bool> = traces
        .traces()
        .iter()
        .map(|trace| permit.retain(trace.clone(), Compat::Exact, &[]).unwrap().is_stored())
        .collect();
    assert_eq!(stored, [false, true, true, true, true, true]);
}

#[test]
fn questions_keep_the_memory_of_the_load() {
    let folder = tempfile::tempdir().unwrap();
    mixed_ranks(folder.path());
    let within = |bytes: u64| Execution::new().memory(bytes);
    let traces = within(1 << 40).run(|| TraceSet::load(folder.path())).unwrap();
    assert_eq!(traces.budget().unwrap(), Budget::of(1 << 40));
    assert_eq!(traces.with_label("other").budget().unwrap(), Budget::of(1 << 40));
    // Of two bounds the smaller one holds.
    assert_eq!(within(1 << 39).run(|| traces.budget()).unwrap(), Budget::of(1 << 39));
    assert_eq!(within(1 << 41).run(|| traces.budget()).unwrap(), Budget::of(1 << 40));
}

#[test]
fn events_of_ranks_in_files_must_fit_together() {
    let (folder, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mixed_ranks(folder.path());
    let stored = TraceSet::load(folder.path()).unwrap().stored_in(target.path()).unwrap();
    assert_eq!(stored.events().height(), stored.event_count());
    let refused = std::panic::catch_unwind(AssertUnwindSafe(|| Execution::new().memory(1).run(|| stored.events())));
    let message = refused.unwrap_err().downcast::<String>().unwrap();
    assert!(message.starts_with("cannot return the events of all ranks: it needs about "), "{message}");
    assert!(message.contains("scan them with `lazy_events()`"), "{message}");
}
