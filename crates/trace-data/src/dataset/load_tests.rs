//! Tests of loading: files and folders, ranks, progress, cancellation.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Compat;
use crate::Warning;
use polars::prelude::DataType;
use std::fs;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Part, Present};

fn rank(number: i64) -> TraceBuilder {
    TraceBuilder::new().rank(number).step(1, 0..10).operator("aten::mm", number..number + 1)
}

fn never(_: &LoadProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn folder_gives_its_ranks_in_order_with_one_symbol_table() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json.gz"), rank(10).memcpy("Memcpy HtoD", Stream(7), 8, 3..4).gzip()).unwrap();
    fs::write(folder.path().join("b.json"), rank(2).operator("aten::add", 5..6).arg("Input Dims", "[[1]]").json())
        .unwrap();
    fs::write(folder.path().join("notes.txt"), "no trace").unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    assert_eq!(traces.ranks(), [2, 10]);
    assert_eq!(traces.warnings(), []);
    assert_eq!(traces.event_count(), 6);
    let events = traces.events();
    assert_eq!(events.get_column_names()[..2], ["rank", "index"]);
    let ranks: Vec<i64> = events.column("rank").unwrap().i64().unwrap().iter().flatten().collect();
    assert_eq!(ranks, [2, 2, 2, 10, 10, 10]);
    // A column that a rank lacks is null there.
    let bytes: Vec<Option<i64>> = events.column("bytes").unwrap().i64().unwrap().iter().collect();
    assert_eq!(bytes, [None, None, None, None, None, Some(8)]);
    assert_eq!(events.column("input_dims").unwrap().null_count(), 5);
    assert_eq!(
        events.column("name").unwrap().dtype(),
        traces.rank(2).unwrap().events().column("name").unwrap().dtype()
    );
}

#[test]
fn ids_are_64_bit_in_all_ranks_if_one_needs_it() {
    let folder = tempfile::tempdir().unwrap();
    let long = i64::from(i32::MAX) + 1;
    let path = |rank: i64| folder.path().join(format!("{rank}.json"));
    let trace =
        |number, id| rank(number).runtime("cudaLaunchKernel", id, 3..4).kernel("k", Stream(7), 5..6).correlation(id);
    fs::write(path(0), trace(0, 5).json()).unwrap();
    fs::write(path(1), trace(1, long).json()).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    for (number, id) in [(0, 5), (1, long)] {
        let events = traces.rank(number).unwrap().events();
        assert_eq!(events.column("correlation").unwrap().dtype(), &DataType::Int64);
        assert_eq!(events.column("stream").unwrap().dtype(), &DataType::Int32);
        let ids: Vec<i64> = events.column("correlation").unwrap().i64().unwrap().iter().flatten().collect();
        assert_eq!(ids, [id, id]);
        assert_eq!(events.column("index_correlation").unwrap().null_count(), events.height() - 2);
    }
    assert_eq!(traces.events().height(), traces.event_count());
}

#[test]
fn unknown_rank_lists_the_ranks_of_the_trace() {
    let traces = TraceSet::from_bytes(rank(3).json()).unwrap().with_label("monday");
    assert_eq!(traces.rank(3).unwrap().rank(), 3);
    let error = traces.rank(0).unwrap_err();
    assert_eq!(error.to_string(), "trace \"monday\" has no rank 0 (has 3)");
}

#[test]
fn missing_requested_rank_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    for number in [0, 1, 3] {
        fs::write(folder.path().join(format!("{number}.json")), rank(number).json()).unwrap();
    }
    let load = |ranks: &[i64]| {
        let options =
            LoadOptions { ranks: Some(ranks.to_vec()), label: Some("job".to_owned()), ..LoadOptions::default() };
        TraceSet::load_with(folder.path(), &options, &mut |_| ControlFlow::Continue(())).unwrap()
    };
    let traces = load(&[9, 3, 7, 9]);
    assert_eq!(traces.ranks(), [3]);
    let texts: Vec<String> = traces.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["trace \"job\" has no ranks 7, 9 (has 0, 1, 3)"]);
    assert!(load(&[3, 0]).warnings().is_empty());
}

#[test]
fn second_file_of_a_rank_replaces_the_first_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("1.json"), rank(0).operator("only here", 0..1).json()).unwrap();
    fs::write(folder.path().join("2.json"), rank(0).json()).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    assert_eq!(traces.event_count(), 2);
    let [warning @ Warning::SameRank { rank: 0, retained, dropped }] = traces.warnings() else {
        panic!("{:?}", traces.warnings())
    };
    assert!(retained.ends_with("2.json") && dropped.ends_with("1.json"), "{warning}");
    let shown = traces.present();
    assert_eq!(shown.parts.len(), 2);
    assert!(matches!(&shown.parts[1], Part::Warning(text) if *text == warning.to_string()));
}

#[test]
fn rank_comes_from_distributed_info_else_text_else_zero() {
    let event = r#"{"cat": "c", "name": "a", "ts": 0, "dur": 1, "args": {"rank": 7}}"#;
    let compact = event.replace(' ', "");
    for (text, expected, warned) in [
        (format!(r#"{{"traceEvents":[{event}],"distributedInfo":{{"rank":3}}}}"#), 3, false),
        (format!(r#"{{"traceEvents":[{event}]}}"#), 7, false),
        (format!(r#"{{"traceEvents":[{compact}]}}"#), 0, true),
        (format!(r#"{{"distributedInfo":{{"rank":"x"}},"traceEvents":[{compact}]}}"#), 0, true),
    ] {
        let traces = TraceSet::from_bytes(&text).unwrap();
        assert_eq!(traces.ranks(), [expected], "{text}");
        assert_eq!(traces.warnings().iter().any(|warning| matches!(warning, Warning::NoRank { .. })), warned, "{text}");
    }
}

#[test]
fn folder_may_contain_other_json_but_needs_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let error = TraceSet::load(folder.path()).unwrap_err();
    assert!(matches!(error, Error::NoTraceFiles { .. }), "{error}");
    fs::write(folder.path().join("config.json"), r#"{"lr": 1}"#).unwrap();
    let error = TraceSet::load(folder.path()).unwrap_err();
    assert!(matches!(error, Error::NoTraceEvents { .. }), "{error}");
    fs::write(folder.path().join("rank0.json"), rank(0).json()).unwrap();
    let traces = TraceSet::load(folder.path()).unwrap();
    let [Warning::SkippedFile { file, reason }] = traces.warnings() else { panic!("{:?}", traces.warnings()) };
    assert!(file.ends_with("config.json") && reason.contains("its keys: lr"), "{file}: {reason}");
}

#[test]
fn only_requested_ranks_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..4 {
        fs::write(folder.path().join(format!("{number}.json")), rank(number).json()).unwrap();
    }
    let options =
        |ranks: Vec<i64>| LoadOptions { ranks: Some(ranks), label: Some("some".into()), ..LoadOptions::default() };
    let traces = TraceSet::load_with(folder.path(), &options(vec![3, 1]), &mut never).unwrap();
    assert_eq!((traces.ranks(), traces.label()), (vec![1, 3], "some"));
    let error = TraceSet::load_with(folder.path(), &options(vec![8, 9]), &mut never).unwrap_err();
    assert_eq!(error.to_string(), "trace \"some\" has none of the ranks 8, 9 (has 0, 1, 2, 3)");
    let error = TraceSet::load_with(folder.path(), &options(vec![7]), &mut never).unwrap_err();
    assert_eq!(error.to_string(), "trace \"some\" has no rank 7 (has 0, 1, 2, 3)");
    let file = folder.path().join("2.json");
    let error = TraceSet::load_with(file, &options(vec![7]), &mut never).unwrap_err();
    assert_eq!(error.to_string(), "trace \"some\" has no rank 7 (has 2)");
}

#[test]
fn progress_ends_at_all_bytes_and_break_cancels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pt.trace.json");
    fs::write(&path, rank(0).json()).unwrap();
    let mut last = LoadProgress::default();
    let traces = TraceSet::load_with(&path, &LoadOptions::default(), &mut |progress| {
        last = progress.clone();
        ControlFlow::Continue(())
    });
    assert_eq!(traces.unwrap().label(), "run");
    assert_eq!(last.bytes_read, last.bytes_total);
    assert_eq!((last.events, last.files_done, last.files_total), (2, 1, 1));
    let stopped = TraceSet::load_with(&path, &LoadOptions::default(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped.unwrap_err(), Error::Interrupted));
}

#[test]
fn cancelled_load_stops_reading() {
    let meter = Meter::default();
    meter.stop.store(true, Ordering::Relaxed);
    let bytes = rank(0).json();
    let wanted = LoadOptions::default().wanted().unwrap();
    let options = LoadOptions::default();
    let placement = Placement::here().unwrap();
    let loader = FileLoader { options: &options, wanted: &wanted, meter: &meter, placement: &placement };
    let stopped = loader.load("x", None, |sink, _| read_events(open_bytes(bytes.as_bytes(), &meter)?, "x", sink), || 0);
    assert!(stopped.is_err());
}

#[test]
fn compat_parses_its_names() {
    assert_eq!("HTA".parse::<Compat>().unwrap(), Compat::Hta);
    assert_eq!("exact".parse::<Compat>().unwrap(), Compat::Exact);
    assert_eq!(
        "exakt".parse::<Compat>().unwrap_err().to_string(),
        "unknown compatibility mode `exakt`: expected exact or hta"
    );
}

#[test]
fn strict_load_refuses_the_first_invalid_file() {
    let folder = tempfile::tempdir().unwrap();
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    fs::write(folder.path().join("a.json.gz"), rank(0).gzip()).unwrap();
    fs::write(folder.path().join("notes.json"), "{\"no\": \"trace\"}").unwrap();
    let mut last = LoadProgress::default();
    let traces = TraceSet::load_with(folder.path(), &strict, &mut |progress| {
        last = progress.clone();
        ControlFlow::Continue(())
    });
    assert_eq!(traces.unwrap().ranks(), [0]);
    assert_eq!((last.bytes_read, last.files_done), (last.bytes_total, 2));
    let on_disk: u64 = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(last.bytes_total, on_disk, "bytes read twice count once");

    let broken = folder.path().join("b.json");
    fs::write(&broken, rank(1).json().replace("\"dur\"", "\"dur\" NaN,")).unwrap();
    let error = TraceSet::load_with(folder.path(), &strict, &mut never).unwrap_err();
    assert!(matches!(&error, Error::NotStrictJson { file, .. } if file.ends_with("b.json")), "{error}");
    // The rank of that file is not requested.
    fs::write(&broken, rank(1).json().replace("]}", ",]}")).unwrap();
    let only = LoadOptions { ranks: Some(vec![0]), ..strict.clone() };
    assert_eq!(TraceSet::load_with(folder.path(), &only, &mut never).unwrap().ranks(), [0]);

    let gzip = rank(0).gzip();
    let error = TraceSet::from_bytes_with(&gzip[..gzip.len() - 9], &strict).unwrap_err();
    assert!(error.to_string().contains("the gzip data ends early at byte"), "{error}");
}

/// Returns the path of the read end of a pipe, as a shell passes it for `<(zcat FILE)`.
#[cfg(target_os = "linux")]
fn path_of(pipe: &std::io::PipeReader) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/dev/fd/{}", pipe.as_raw_fd()))
}

#[cfg(target_os = "linux")]
#[test]
fn shell_pipe_is_read_once_and_refused_by_strict_loads() {
    let (pipe, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, &rank(3).gzip()).unwrap();
    drop(writer);
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let error = TraceSet::load_with(path_of(&pipe), &strict, &mut never).unwrap_err().to_string();
    assert!(error.ends_with("it is a pipe, and strict loading reads twice; expected a file or a folder"), "{error}");
    assert_eq!(TraceSet::load(path_of(&pipe)).unwrap().ranks(), [3]);
}

#[cfg(target_os = "linux")]
#[test]
fn blocked_load_is_abandoned_when_cancelled() {
    let (pipe, writer) = std::io::pipe().unwrap();
    // More often than a pool has threads.
    for _ in 0..=rayon::current_num_threads() {
        let mut reports = 0;
        let loaded = TraceSet::load_with(path_of(&pipe), &LoadOptions::default(), &mut |_| {
            reports += 1;
            if reports > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(loaded.unwrap_err(), Error::Interrupted));
    }
    // Other loads do not wait for it.
    assert_eq!(TraceSet::load("../../notebooks/data/job").unwrap().ranks(), [0, 1, 2, 3]);
    drop(writer);
}

#[cfg(unix)]
#[test]
fn named_pipes_and_devices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.json");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let error = TraceSet::load(&path).unwrap_err().to_string();
    let kind = "it is a named pipe, which blocks until a program writes to it";
    let expected = "expected a file or a folder, or a pipe of the shell such as <(zcat FILE)";
    assert_eq!(error, format!("invalid path {}: {kind}; {expected}", path.display()));
    // In a folder it is skipped.
    assert!(matches!(TraceSet::load(folder.path()), Err(Error::NoTraceFiles { .. })));
    let error = TraceSet::load("/dev/null").unwrap_err().to_string();
    assert!(error.starts_with("invalid path /dev/null: it is a device; expected a file"), "{error}");
}

#[test]
fn file_that_changes_while_it_is_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let (meter, options, placement) = (Meter::default(), LoadOptions::default(), Placement::here().unwrap());
    let wanted = options.wanted().unwrap();
    let loader = FileLoader { options: &options, wanted: &wanted, meter: &meter, placement: &placement };
    let load = |change: &dyn Fn()| {
        let loaded = loader.load(
            "a.json",
            SourceFile::of(&Input::local(path.clone())),
            |sink, budget| {
                let outcome =
                    read_events(budget.limit(open_input(&Input::local(path.clone()), &meter)?), "a.json", sink);
                std::thread::sleep(std::time::Duration::from_millis(20));
                change();
                outcome
            },
            || 0,
        );
        loaded.map(|_| ())
    };
    let text = trace_testkit::TraceBuilder::new().step(1, 0..10).operator("aten::mm", 1..2).json();
    std::fs::write(&path, &text).unwrap();
    load(&|| ()).unwrap();
    let restored = || {
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::write(&path, text.replace("aten::mm", "aten::xx")).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    };
    for change in [&restored as &dyn Fn(), &|| std::fs::write(&path, "{}").unwrap()] {
        let error = load(change).unwrap_err().to_string();
        assert!(error.ends_with("a.json: it changed while it was read; load it again"), "{error}");
    }
    // One that is removed was read whole.
    std::fs::write(&path, &text).unwrap();
    load(&|| std::fs::remove_file(&path).unwrap()).unwrap();
}

#[test]
fn events_without_a_row_are_counted_in_warnings() {
    let json = r#"{"distributedInfo": {"rank": 0}, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "whole", "pid": 1, "tid": 1, "ts": 0, "dur": 2},
        {"ph": "X", "cat": "cpu_op", "name": "endless", "pid": 1, "tid": 1, "ts": 3},
        {"name": "late phase, far behind", "cat": "cpu_op", "ts": 3, "args": {"a": "x"}, "ph" : "X"},
        {"ph":"X","name":"no category","pid":1,"tid":1,"ts":4,"dur":1},
        {"ph": "B", "cat": "a", "name": "pair", "pid": 1, "tid": 1, "ts": 5},
        {"ph": "E", "cat": "a", "name": "pair", "pid": 1, "tid": 1, "ts": 6},
        {"ph": "i", "cat": "a", "name": "instant", "pid": 1, "tid": 1, "ts": 6, "args": {"ph": "X"}},
        {"ph": "s", "id": 7, "pid": 1, "tid": 1, "ts": 7, "cat": "ac2g", "name": "ac2g"}
    ]}"#;
    let traces = TraceSet::from_bytes(json).unwrap();
    assert_eq!(traces.event_count(), 1);
    let warnings: Vec<(u64, &str)> = traces
        .warnings()
        .iter()
        .filter_map(|warning| match warning {
            Warning::Anomalies { what, count, .. } => Some((*count, what.as_str())),
            _ => None,
        })
        .collect();
    let [(2, duration), (1, category), (2, ends)] = warnings[..] else { panic!("{warnings:?}") };
    assert!(duration.contains("without `dur`") && category.contains("without `cat`"), "{warnings:?}");
    assert!(ends.starts_with("a begin or an end"), "{ends}");
}

#[test]
fn several_devices_of_a_rank_are_said() {
    let json = |device: i64| {
        format!(
            r#"{{"distributedInfo": {{"rank": 0}}, "traceEvents": [
            {{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 0, "dur": 2, "args": {{"stream": 7}}}},
            {{"ph": "X", "cat": "cuda_runtime", "name": "r", "pid": 9, "tid": 7, "ts": 0, "dur": 2, "args": {{"stream": 7}}}},
            {{"ph": "X", "cat": "kernel", "name": "b", "pid": {device}, "tid": 7, "ts": 1, "dur": 2, "args": {{"stream": 7}}}}]}}"#
        )
    };
    let devices = |device| {
        let traces = TraceSet::from_bytes(json(device)).unwrap();
        traces.warnings().iter().find_map(|warning| match warning {
            Warning::SeveralDevices { devices, .. } => Some(devices.clone()),
            _ => None,
        })
    };
    assert_eq!(devices(0), None);
    assert_eq!(devices(3), Some(vec![0, 3]));
}
