//! Round trips of exports, and what an export refuses to write.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::error::{ExportReason, ImportReason};
use crate::parquet::manifest::{self, Manifest};
use crate::parquet::names::part_file;
use crate::parquet::part::PART_ROWS;
use crate::{Compat, Error, LoadOptions, ParserConfig, TraceSet, Warning};
use polars::prelude::{Column, DataFrame, IntoColumn, NamedFrom, Series};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};

fn load(path: &Path, options: &LoadOptions) -> crate::Result<TraceSet> {
    TraceSet::load_with(path, options, &mut |_| ControlFlow::Continue(()))
}

fn with_all_args() -> LoadOptions {
    LoadOptions { parser_config: Some("all".parse::<ParserConfig>().unwrap()), ..LoadOptions::default() }
}

pub(super) fn assert_same(ours: &TraceSet, read: &TraceSet) {
    assert_eq!((read.label(), read.compat(), read.ranks()), (ours.label(), ours.compat(), ours.ranks()));
    assert_eq!(read.warnings(), ours.warnings());
    assert_eq!(read.info(), ours.info());
    for (ours, read) in ours.traces().iter().zip(read.traces()) {
        assert_same_rows(&ours.events(), &read.events());
        for table in [crate::Trace::instants, crate::Trace::counters] {
            match (table(ours), table(read)) {
                (Ok(ours), Ok(read)) => assert_same_rows(&ours, &read),
                (Err(_), read) => assert!(read.is_err()),
                (Ok(_), Err(error)) => panic!("{error}"),
            }
        }
    }
}

/// Asserts equal columns, types, rows in order, and bits of numbers.
fn assert_same_rows(ours: &DataFrame, read: &DataFrame) {
    assert_eq!(ours.schema(), read.schema());
    assert!(ours.equals_missing(read), "{ours:?}\n{read:?}");
    let bits = |column: &Column| -> Vec<Option<u64>> {
        column.f64().unwrap().iter().map(|value| value.map(f64::to_bits)).collect()
    };
    for (ours, read) in ours.columns().iter().zip(read.columns()) {
        if ours.dtype().is_float() {
            assert_eq!(bits(ours), bits(read), "{}", ours.name());
        }
        assert_eq!(read.n_chunks(), 1);
    }
}

/// Exports to a new folder, loads it, and asserts that nothing changed.
fn assert_round_trip(ours: &TraceSet) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("lake");
    let written = export(ours, &lake).unwrap();
    assert_eq!((written.ranks, written.events), (ours.ranks().len(), ours.event_count() as u64));
    assert_same(ours, &TraceSet::load(&lake).unwrap());
    (folder, lake)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Two ranks with different columns, types, warnings and metadata.
pub(super) fn two_ranks() -> (TempDir, TraceSet) {
    let folder = tempfile::tempdir().unwrap();
    let first = TraceBuilder::new()
        .metadata("traceName", "\"x\"")
        .metadata("ratio", "0.30000000000000004")
        .step(1, 0..100)
        .operator("aten::mm", 10..20)
        .arg("Input Dims", "[[2, 3]]")
        .runtime("cudaLaunchKernel", 4, 12..14)
        .kernel("void gemm<float>(int)", Stream(7), 30..50)
        .correlation(4)
        .memcpy("Memcpy HtoD", Stream(7), 1 << 40, 60..70)
        .raw(r#"{"ph": "i", "name": "mark", "ts": 3, "s": "g", "args": {"Addr": -1, "other": "é"}}"#)
        .raw(r#"{"ph": "C", "name": "queue", "ts": 4, "args": {"length": 4, "share": 0.1}}"#);
    let second = TraceBuilder::new()
        .rank(1)
        .step(1, 0..100)
        .operator("aten::add", 10..20)
        .kernel("k", Stream(1 << 40), 30..50)
        .correlation(1 << 40)
        .raw(r#"{"ph": "X", "cat": "cpu_op", "name": "backwards", "ts": 50, "dur": -7, "args": {"Input Dims": 5}}"#)
        .raw(r#"{"ph": "X", "cat": "cpu_op", "name": "nan", "ts": 60, "dur": 1, "args": {"correlation": NaN}}"#);
    fs::write(folder.path().join("0.json"), first.json()).unwrap();
    fs::write(folder.path().join("1.json"), second.json()).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap().with_label("monday");
    (folder, traces)
}

#[test]
fn shared_traces_return_exactly() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else { return };
    let shared = Path::new(&shared).join("traces");
    let mut seen = 0;
    for name in ["trace_diff/control", "nccl_parser_config", "amd_trace", "triton_example", "cpu_only", "call_stack"] {
        for options in [LoadOptions::default(), with_all_args(), LoadOptions { compat: Compat::Hta, ..with_all_args() }]
        {
            if let Ok(traces) = load(&shared.join(name), &options) {
                assert_round_trip(&traces);
                seen += 1;
            }
        }
    }
    assert!(seen >= 12, "{seen} traces");
}

#[test]
fn mixed_types_and_negative_durations_return_exactly() {
    let (_folder, traces) = two_ranks();
    assert_eq!(traces.rank(0).unwrap().events().column("correlation").unwrap().dtype().to_string(), "i64");
    assert!(!traces.warnings().is_empty());
    let (_lake, lake) = assert_round_trip(&traces);
    assert_eq!(names(&lake), ["rank=0", "rank=1", manifest::FILE]);
    assert_eq!(names(&lake.join("rank=1")), ["part-00000.parquet"]);
    // Both the folder and the manifest in it are the trace.
    assert_same(&traces, &TraceSet::load(lake.join(manifest::FILE)).unwrap());
}

#[test]
fn unusual_texts_and_numbers_return_exactly() {
    let texts =
        ["", " ", "ü∑\u{1f980}", "\0", "a\0b", "line\nbreak", "null", "NaN", &"x".repeat(300_000), "rank=1", "../x"];
    let mut builder = TraceBuilder::new().step(1, 0..1_000);
    for (at, text) in (0_i64..).zip(texts) {
        let quoted = serde_json::to_string(text).unwrap();
        builder = builder.operator(text, at..at + 1).arg("Collective name", &quoted);
    }
    let traces = TraceSet::from_bytes(builder.json()).unwrap();
    let rank = &traces.traces()[0];
    let floats = [-0.0, 0.0, f64::MIN_POSITIVE, f64::MAX, 0.1 + 0.2, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let mut events = rank.events();
    let rows = events.height();
    let floats: Vec<Option<f64>> = (0..rows).map(|row| floats.get(row).copied()).collect();
    events.with_column(Series::new("memory_bw_gbps".into(), floats).into_column()).unwrap();
    let extremes: Vec<i64> = (0..rows).map(|row| if row % 2 == 0 { i64::MIN } else { i64::MAX }).collect();
    events.with_column(Series::new("bytes".into(), extremes).into_column()).unwrap();
    let empty = Column::full_null("python_id".into(), rows, &polars::prelude::DataType::Int32);
    events.with_column(empty).unwrap();
    let no_text = Column::full_null("msg_dtype".into(), rows, events.column("name").unwrap().dtype());
    events.with_column(no_text).unwrap();
    let unusual = TraceSet::of("unusual", Compat::Exact, vec![rank.with_events(events)], Vec::new());
    assert_round_trip(&unusual);
}

/// A rank of more rows than a part has, in chunks of many sizes.
fn large() -> TraceSet {
    let (_folder, traces) = two_ranks();
    let rank = &traces.traces()[0];
    let small = rank.events();
    let mut events = small.clone();
    while events.height() < PART_ROWS {
        events = events.vstack(&events).unwrap();
    }
    events = small.vstack(&events).unwrap().slice(0, PART_ROWS + 3);
    let rows = events.height();
    events.with_column(Series::new("index".into(), (0..rows as i32).rev().collect::<Vec<_>>()).into_column()).unwrap();
    let mut info = rank.info().clone();
    info.events = rows;
    TraceSet::of("large", Compat::Hta, vec![crate::Trace::in_memory(info, events)], Vec::new())
}

#[test]
fn many_rows_are_divided_and_return_in_order() {
    let (_lake, lake) = assert_round_trip(&large());
    assert_eq!(names(&lake.join("rank=0")), ["part-00000.parquet", "part-00001.parquet"]);
}

#[test]
fn selected_ranks_are_written_and_read() {
    let (_folder, traces) = two_ranks();
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("lake");
    let only = |ranks: &[i64]| ExportOptions { ranks: Some(ranks.to_vec()), ..ExportOptions::default() };
    export_with(&traces, &lake, &only(&[1]), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(names(&lake), ["rank=1", manifest::FILE]);
    let read = TraceSet::load(&lake).unwrap();
    assert_eq!((read.ranks(), read.warnings()), (vec![1], traces.warnings()));
    let unknown = export_with(&traces, folder.path().join("x"), &only(&[1, 7]), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(unknown, Err(Error::UnknownRank { rank: 7, .. })));
    assert_eq!(names(folder.path()), ["lake"]);

    let all = folder.path().join("all");
    export(&traces, &all).unwrap();
    let ranks = |ranks: &[i64]| LoadOptions { ranks: Some(ranks.to_vec()), ..LoadOptions::default() };
    // Only the folder of the requested rank is read.
    fs::remove_file(all.join(part_file(1, 0))).unwrap();
    let first = load(&all, &ranks(&[0, 5])).unwrap();
    assert_same_rows(&traces.traces()[0].events(), &first.traces()[0].events());
    let missing = Warning::MissingRanks { label: "monday".into(), missing: vec![5], available: vec![0, 1] };
    assert_eq!(first.warnings(), [missing], "the warnings about rank 1 are left out");
    assert!(matches!(load(&all, &ranks(&[7])), Err(Error::NoSuchRanks { available, .. }) if available == [0, 1]));
}

#[test]
fn options_that_an_export_cannot_follow_are_refused() {
    let (_folder, traces) = two_ranks();
    let (_lake, lake) = assert_round_trip(&traces);
    let hta = LoadOptions { compat: Compat::Hta, ..LoadOptions::default() };
    for (options, expected) in [(hta, ImportReason::Compat), (with_all_args(), ImportReason::Columns)] {
        let error = load(&lake, &options).unwrap_err();
        assert!(matches!(&error, Error::NotAnExport { reason, .. } if *reason == expected), "{error}");
        assert!(error.to_string().contains("load the JSON files"), "{error}");
    }
    let labelled = LoadOptions { label: Some("tuesday".into()), strict: true, ..LoadOptions::default() };
    assert_eq!(load(&lake, &labelled).unwrap().label(), "tuesday");
}

#[test]
fn existing_folders_are_kept() {
    let (_folder, traces) = two_ranks();
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("lake");
    let overwrite = ExportOptions { overwrite: true, ..ExportOptions::default() };
    let again = |path: &Path| export_with(&traces, path, &overwrite, &mut |_| ControlFlow::Continue(()));
    let reason = |result: crate::Result<Exported>| match result.unwrap_err() {
        Error::NotExported { reason, .. } => reason,
        error => panic!("{error}"),
    };
    fs::create_dir(&lake).unwrap();
    export(&traces, &lake).unwrap();
    assert!(matches!(reason(export(&traces, &lake)), ExportReason::Exists));
    let others = traces.rank(1).unwrap();
    let only_one = TraceSet::of("one", Compat::Exact, vec![others], Vec::new());
    export_with(&only_one, &lake, &overwrite, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(names(&lake), ["rank=1", manifest::FILE]);

    // Whatever else the folder holds is not ours to remove.
    fs::write(lake.join("notes.txt"), "mine").unwrap();
    assert!(matches!(reason(again(&lake)), ExportReason::Foreign { holds } if holds == "notes.txt"));
    let foreign = folder.path().join("foreign");
    fs::create_dir_all(foreign.join("rank=0")).unwrap();
    assert!(matches!(reason(again(&foreign)), ExportReason::Foreign { .. }));
    fs::write(foreign.join(manifest::FILE), "{}").unwrap();
    assert!(matches!(reason(again(&foreign)), ExportReason::Foreign { .. }));
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(matches!(reason(again(&file)), ExportReason::NotAFolder));
    assert!(matches!(reason(again(&file.join("lake"))), ExportReason::Io(_)));
    assert!(matches!(reason(again(&folder.path().join("no/lake"))), ExportReason::NoParent { .. }));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(names(folder.path()), ["file", "foreign", "lake"], "no temporary folder stays");
}

#[test]
fn links_are_followed_and_never_replaced() {
    let (_folder, traces) = two_ranks();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("lake", path("link")).unwrap();
    export(&traces, path("link")).unwrap();
    assert!(path("lake").join(manifest::FILE).is_file());
    let overwrite = ExportOptions { overwrite: true, ..ExportOptions::default() };
    export_with(&traces, path("link"), &overwrite, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    assert_same(&traces, &TraceSet::load(path("link")).unwrap());
    // A rank behind a link is not overwritten.
    fs::rename(path("lake").join("rank=1"), path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(path("elsewhere"), path("lake").join("rank=1")).unwrap();
    assert_same(&traces, &TraceSet::load(path("lake")).unwrap());
    assert!(export_with(&traces, path("lake"), &overwrite, &mut |_| ControlFlow::Continue(())).is_err());
    assert_eq!(names(folder.path()), ["elsewhere", "lake", "link"]);
}

#[test]
fn cancelled_export_leaves_nothing() {
    let large = large();
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("lake");
    let by_token = crate::CancellationToken::new(|| true).run(|| export(&large, &lake));
    assert!(matches!(by_token, Err(Error::Interrupted)));
    let by_caller = export_with(&large, &lake, &ExportOptions::default(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(by_caller, Err(Error::Interrupted)), "{by_caller:?}");
    // The thread that writes may end a moment later.
    let start = Instant::now();
    while !names(folder.path()).is_empty() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn two_exports_at_once_do_not_mix() {
    let (_folder, traces) = two_ranks();
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("lake");
    let results: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| export(&traces, &lake).is_ok())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|ok| **ok).count(), 1, "{results:?}");
    assert_same(&traces, &TraceSet::load(&lake).unwrap());
    assert_eq!(names(folder.path()), ["lake"]);
}

#[test]
fn exports_of_equal_traces_are_equal_bytes() {
    let (_folder, traces) = two_ranks();
    let folder = tempfile::tempdir().unwrap();
    export(&traces, folder.path().join("one")).unwrap();
    // Another order of texts in the table of this process.
    TraceSet::from_bytes(TraceBuilder::new().step(1, 0..10).operator("aten::other", 1..2).json()).unwrap();
    export(&TraceSet::load(folder.path().join("one")).unwrap(), folder.path().join("other")).unwrap();
    for file in [manifest::FILE.to_owned(), part_file(0, 0), part_file(1, 0)] {
        let bytes = |name: &str| fs::read(folder.path().join(name).join(&file)).unwrap();
        assert!(bytes("one") == bytes("other"), "{file}");
    }
}

#[test]
fn manifest_is_json_that_names_columns_and_parts() {
    let (_folder, traces) = two_ranks();
    let (_lake, lake) = assert_round_trip(&traces);
    let text = fs::read(lake.join(manifest::FILE)).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!((&json["tracebook_export"], &json["label"]), (&2.into(), &"monday".into()));
    let rank = &json["ranks"][1];
    assert_eq!((&rank["info"]["rank"], &rank["parts"][0]["file"]), (&1.into(), &"rank=1/part-00000.parquet".into()));
    assert_eq!((&rank["columns"][3]["name"], &rank["columns"][3]["type"]), (&"ts".into(), &"int64".into()));
    assert_eq!(rank["columns"][1]["type"], "text");
    let read = Manifest::parse(&text).unwrap();
    assert_eq!(read.ranks[1].parts[0].rows, traces.traces()[1].info().events);
}

#[test]
fn instants_and_counters_return_without_their_trace_files() {
    let (folder, traces) = two_ranks();
    let (instants, counters) = (traces.instants().unwrap(), traces.counters().unwrap());
    assert_eq!((instants.height(), counters.height()), (1, 2));
    let (_lake, lake) = assert_round_trip(&traces);
    let files = ["counters-00000.parquet", "instants-00000.parquet", "part-00000.parquet"];
    assert_eq!(names(&lake.join("rank=0")), files);
    let not_yet_read = TraceSet::load(folder.path()).unwrap();
    drop(folder);
    let read = TraceSet::load(&lake).unwrap();
    assert_same_rows(&instants, &read.instants().unwrap());
    assert_same_rows(&counters, &read.counters().unwrap());
    // The export of an export is the same; one of a trace whose files are gone has events only, and says so.
    let again = lake.with_file_name("again");
    assert_eq!(export(&TraceSet::load(&lake).unwrap(), &again).unwrap().without_tables, 0);
    for file in files {
        let bytes = |lake: &Path| fs::read(lake.join("rank=0").join(file)).unwrap();
        assert!(bytes(&lake) == bytes(&again), "{file}");
    }
    let events = lake.with_file_name("events");
    let written = export(&not_yet_read, &events).unwrap();
    assert_eq!((written.without_tables, written.files), (2, 2));
    assert!(TraceSet::load(&events).unwrap().instants().unwrap_err().to_string().contains("does not exist any more"));
    // A damaged table is refused, and events are read nevertheless.
    let file = lake.join("rank=0").join(files[1]);
    let mut bytes = fs::read(&file).unwrap();
    bytes[20] ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = TraceSet::load(&lake).unwrap();
    assert!(matches!(damaged.instants(), Err(Error::NotAnExport { reason: ImportReason::Checksum, .. })));
}
