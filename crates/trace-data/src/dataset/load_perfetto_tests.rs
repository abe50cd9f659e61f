//! Tests of Perfetto traces: the frame of the JSON of the same recording, and files that are cut or damaged.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Trace;
use crate::frame::columns::{INDEX, INDEX_CORRELATION, INDEX_FORWARD};
use flate2::read::MultiGzDecoder;
use polars::prelude::*;
use std::fs;
use std::io::Read;
use trace_testkit::{Layout, Random, Stream, TraceBuilder, gzip, pftrace};

fn loaded(bytes: &[u8]) -> TraceSet {
    from_bytes(bytes, &LoadOptions::default()).unwrap()
}

/// Returns the events with positions in place of indices: the JSON has flows and metadata between them, which have none here.
fn rows(traces: &TraceSet) -> DataFrame {
    let events = traces.events();
    let index: Vec<i64> =
        events.column(INDEX).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().iter().flatten().collect();
    let position = |at: i64| index.binary_search(&at).map_or(at.min(0), |position| position as i64 + 1);
    let mut names: Vec<&str> = events.get_column_names().iter().map(|name| name.as_str()).collect();
    names.sort_unstable();
    let columns = names.into_iter().filter(|name| !["rank", INDEX].contains(name)).map(|name| {
        let column = events.column(name).unwrap();
        if ![INDEX_CORRELATION, INDEX_FORWARD].contains(&name) {
            return column.clone();
        }
        let column = column.cast(&DataType::Int64).unwrap();
        let positions: Int64Chunked = column.i64().unwrap().iter().map(|at| at.map(position)).collect();
        positions.with_name(name.into()).into_column()
    });
    DataFrame::new(events.height(), columns.collect()).unwrap()
}

/// Refuses two frames that differ, with the first column that does.
fn assert_same(one: &DataFrame, other: &DataFrame, what: &str) {
    assert_eq!(one.get_column_names(), other.get_column_names(), "{what}");
    assert_eq!(one.height(), other.height(), "{what}");
    for (a, b) in one.columns().iter().zip(other.columns()) {
        if let (Ok(a), Ok(b)) = (a.f64(), b.f64()) {
            // The generator reads floats of the JSON with an error in their last bit.
            let is_near = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-15 * a.abs(),
                (a, b) => a == b,
            };
            assert!(a.iter().zip(b.iter()).all(is_near), "{what}: {}", a.name());
            continue;
        }
        let cast = |column: &Column| match column.dtype() {
            DataType::Categorical(..) => column.cast(&DataType::String).unwrap(),
            _ => column.clone(),
        };
        assert!(cast(a).equals_missing(&cast(b)), "{what}: {}\n{a:?}\n{b:?}", a.name());
    }
}

/// Returns the text of a trace of this repository or of the shared ones, if they are there.
fn recorded() -> Vec<(String, String)> {
    let read = |path: &str| {
        let bytes = fs::read(path).ok()?;
        let mut text = String::new();
        match bytes.starts_with(&[0x1f, 0x8b]) {
            true => MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).ok()?,
            false => (&bytes[..]).read_to_string(&mut text).ok()?,
        };
        Some((path.to_owned(), text))
    };
    let shared = std::env::var("TRACEBOOK_SHARED").unwrap_or_else(|_| "../../../shared".to_owned());
    let data = ["../../notebooks/data/control"].map(str::to_owned);
    let of_shared =
        ["amd_trace", "trace_compare/control", "triton_example", "critical_path/alexnet", "recorded_cpu/test"];
    let folders = data.into_iter().chain(of_shared.map(|name| format!("{shared}/traces/{name}")));
    folders
        .filter_map(|folder| {
            let mut files: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|file| file.path()).collect();
            files.sort();
            files.iter().find_map(|file| read(&file.to_string_lossy()).filter(|(_, text)| text.contains("traceEvents")))
        })
        .collect()
}

#[test]
fn columns_give_the_frame_of_the_json() {
    let all = recorded();
    assert!(!all.is_empty());
    for (file, text) in all {
        let json = loaded(text.as_bytes());
        let perfetto = loaded(&gzip(&pftrace(&text, Layout::Columns)));
        assert_same(&rows(&json), &rows(&perfetto), &file);
        let (json, perfetto) = (&json.traces()[0], &perfetto.traces()[0]);
        assert_eq!(json.info().iterations, perfetto.info().iterations, "{file}");
        assert_eq!(json.info().device_type, perfetto.info().device_type, "{file}");
    }
}

#[test]
fn timed_slices_give_the_frame_of_the_json_in_the_order_of_time() {
    for (file, text) in recorded() {
        let (json, perfetto) = (rows(&loaded(text.as_bytes())), rows(&loaded(&pftrace(&text, Layout::Timed))));
        let sorted = |frame: &DataFrame| {
            let frame = frame.drop_many([INDEX_CORRELATION, INDEX_FORWARD]);
            let by = ["ts", "dur", "pid", "tid", "name", "correlation", "external_id"];
            let by: Vec<Expr> = by
                .into_iter()
                .filter(|name| frame.column(name).is_ok())
                .map(|name| col(name).cast(DataType::String))
                .collect();
            frame.lazy().sort_by_exprs(by, SortMultipleOptions::default().with_maintain_order(true)).collect().unwrap()
        };
        assert_same(&sorted(&json), &sorted(&perfetto), &file);
    }
}

#[test]
fn render_stages_give_the_work_of_the_gpu() {
    for (file, text) in recorded() {
        let (json, perfetto) = (loaded(text.as_bytes()), loaded(&pftrace(&text, Layout::Stages)));
        let of_gpu = |traces: &TraceSet| {
            let names = ["name", "cat", "ts", "dur", "pid", "tid", "stream", "correlation"];
            let is_work = col("cat")
                .cast(DataType::String)
                .is_in(lit(Series::new("".into(), ["kernel", "gpu_memcpy", "gpu_memset"])).implode(true), false);
            let columns: Vec<Expr> = names
                .into_iter()
                .map(|name| {
                    col(name).cast(if ["name", "cat"].contains(&name) { DataType::String } else { DataType::Int64 })
                })
                .collect();
            traces.events().lazy().filter(is_work).select(columns).collect().unwrap()
        };
        let (of_json, of_perfetto) = (of_gpu(&json), of_gpu(&perfetto));
        assert_eq!(json.event_count(), perfetto.event_count(), "{file}");
        assert_same(&of_json, &of_perfetto, &file);
    }
}

/// Returns a trace with instants, counters, nested arguments and hostile names.
fn builder() -> TraceBuilder {
    let mut trace =
        TraceBuilder::new().nanos().metadata("baseTimeNanoseconds", "1700000000000000000").step(1, 0..90_000);
    for at in 0..20 {
        trace = trace
            .operator("aten::mm \"<b>\u{1}", at * 100..at * 100 + 90)
            .arg("Input Dims", "[[2, 3], [3, 4]]")
            .arg("Sequence number", "7");
        trace = trace.runtime("cudaLaunchKernel", at, at * 100 + 10..at * 100 + 20);
        // One after the other without a gap, and every fifth within the one before it.
        trace = trace
            .kernel("gemm", Stream(7), at * 100 + 500..at * 100 + 600 + at % 5 * 30)
            .correlation(at)
            .arg("grid", "[1, 2, 3]");
    }
    trace
        .raw(r#"{"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "pid": 100, "tid": 1, "ts": 0.5, "args": {"Bytes": 64, "Total Allocated": 100}}"#)
        .raw(r#"{"ph": "C", "name": "queue", "pid": 100, "ts": 1.5, "args": {"a": 1, "b": 2.5}}"#)
}

#[test]
fn instants_counters_and_what_is_lacking() {
    let folder = tempfile::tempdir().unwrap();
    let json = builder().json();
    fs::write(folder.path().join("a.json"), &json).unwrap();
    let json_tables = TraceSet::load(folder.path().join("a.json")).unwrap();
    for layout in [Layout::Columns, Layout::Timed] {
        let path = folder.path().join("rank5.pftrace.gz");
        fs::write(&path, gzip(&pftrace(&json, layout))).unwrap();
        let traces = TraceSet::load(&path).unwrap();
        assert_eq!((traces.ranks(), traces.label()), (vec![5], "rank5"));
        let warnings: Vec<String> = traces.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0]
                .ends_with("it has no metadata (rank, size of the job, devices, versions); rank 5 is that of its name"),
            "{warnings:?}"
        );
        for table in [Trace::instants, Trace::counters] {
            let (of_json, of_perfetto) =
                (table(&json_tables.traces()[0]).unwrap(), table(&traces.traces()[0]).unwrap());
            let shown = |frame: &DataFrame| frame.drop("index").unwrap();
            assert_same(&shown(&of_json), &shown(&of_perfetto), "tables");
        }
        let strict = LoadOptions { strict: true, ..LoadOptions::default() };
        assert_eq!(from_bytes(&pftrace(&json, layout), &strict).unwrap().event_count(), traces.event_count());
    }
}

#[test]
fn overlapping_kernels_keep_their_durations() {
    let json = builder().json();
    let expected = rows(&loaded(json.as_bytes()));
    assert_same(&expected, &rows(&loaded(&pftrace(&json, Layout::Columns))), "columns");
}

#[test]
fn categories_that_are_missing_are_inferred_and_said() {
    let json = builder().kernel("k", Stream(7), 0..9).arg("grid", "[1, 1, 1]").json();
    // Without the interned categories, as the first files of PyTorch.
    let bytes = pftrace(&json.replace("\"cat\"", "\"no\""), Layout::Columns);
    let traces = loaded(&bytes);
    let of = |name: &str| {
        let events = traces.events().lazy().filter(col("name").cast(DataType::String).eq(lit(name))).collect().unwrap();
        events.column("cat").unwrap().cast(&DataType::String).unwrap().str().unwrap().get(0).unwrap().to_owned()
    };
    assert_eq!([of("gemm"), of("ProfilerStep#1"), of("aten::mm \"<b>\u{1}")], ["kernel", "user_annotation", "cpu_op"]);
    assert!(traces.warnings()[0].to_string().contains("events had no category"), "{:?}", traces.warnings());
}

#[test]
fn truncated_file_keeps_what_precedes_and_names_the_byte() {
    let json = builder().json();
    let whole = pftrace(&json, Layout::Timed);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.pftrace");
    let mut counts = Vec::new();
    for length in (whole.len() / 3..whole.len()).step_by(211) {
        fs::write(&path, &whole[..length]).unwrap();
        match TraceSet::load(&path) {
            Ok(traces) => {
                counts.push(traces.event_count());
                let text: String = traces.warnings().iter().map(ToString::to_string).collect();
                let is_reported =
                    text.contains("cut.pftrace: the Perfetto data is damaged (it ends inside the packet that begins");
                // Cut between two packets, only the ends of slices are missing.
                assert!(is_reported || text.contains("events have no end"), "{text}");
            }
            Err(error) => assert!(error.to_string().contains("cut.pftrace"), "{error}"),
        }
    }
    assert!(counts.is_sorted() && counts.last() > counts.first(), "{counts:?}");
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let error = from_bytes(&whole[..whole.len() - 1], &strict).unwrap_err().to_string();
    assert!(error.contains("it ends inside the packet that begins at byte"), "{error}");
}

#[test]
fn mutated_files_never_panic_and_are_named() {
    let json = builder().json();
    let mut random = Random::new(11);
    for layout in [Layout::Columns, Layout::Timed, Layout::Stages] {
        let whole = pftrace(&json, layout);
        for round in 0..400 {
            let mut bytes = whole.clone();
            for _ in 0..1 + round % 5 {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            let options = LoadOptions { label: Some("mutant".to_owned()), ..LoadOptions::default() };
            if let Err(error) = from_bytes(&bytes, &options) {
                assert!(error.to_string().contains("mutant"), "{error}");
            }
        }
    }
}

#[test]
fn files_without_track_events_are_refused() {
    // A clock snapshot alone, as Android writes many of.
    let message = from_bytes(b"\n\x06\x40\x01\x32\x02\x0a\x00", &LoadOptions::default()).unwrap_err().to_string();
    assert!(message.contains("no track event is in its 1 Perfetto packets"), "{message}");
}
