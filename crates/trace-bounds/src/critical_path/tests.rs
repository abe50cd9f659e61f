//! Critical paths of hand-made traces, whose answers follow by hand, and of the micro traces.

use super::critical_path;
use crate::{CriticalPath, CriticalPathAnswer, Error, Instance, TimeChange, TraceSet};
use causal::BoundBy;
use std::path::PathBuf;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::Part;

/// Three steps of 200 µs. In each an operator of 60 µs launches a kernel of 100 µs, for which the step waits; then 20 µs of Python.
fn synchronised() -> TraceSet {
    let mut trace = TraceBuilder::new();
    for (number, at) in [(3, 0), (4, 200), (5, 400)] {
        let id = 10 * number;
        trace = trace
            .step(number, at..at + 200)
            .operator("aten::mm", at..at + 60)
            .runtime("cudaLaunchKernel", id, at + 40..at + 50)
            .kernel("gemm", Stream(7), at + 50..at + 150)
            .correlation(id)
            .runtime("cudaDeviceSynchronize", id + 1, at + 60..at + 160)
            .operator("aten::add", at + 170..at + 190);
    }
    TraceSet::from_bytes(trace.json()).unwrap().with_label("job")
}

fn ask(query: CriticalPath) -> CriticalPathAnswer {
    critical_path(&synchronised(), &query).unwrap()
}

fn change(text: &str) -> TimeChange {
    text.parse().unwrap()
}

/// Intervals follow each other, and add up to the window; so do names. The replay is exact.
fn assert_closed(answer: &CriticalPathAnswer) {
    assert_eq!(answer.replay_error_ns(), 0);
    for window in answer.windows() {
        let sum: i64 = window.summary().iter().map(|(_, ns)| ns).sum();
        assert_eq!(sum, window.duration_ns(), "{}", window.annotation());
        let names: i64 = window.names.iter().map(|row| row.duration_ns).sum();
        assert_eq!(names, window.duration_ns());
        assert!(window.intervals.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
    let frame = answer.summary().unwrap();
    let us: f64 = frame.column("duration").unwrap().f64().unwrap().iter().flatten().sum();
    let whole: i64 = answer.windows().iter().map(|window| window.duration_ns()).sum();
    assert!((us * 1e3 - whole as f64).abs() < 1e-3, "{us} {whole}");
}

fn of(answer: &CriticalPathAnswer, class: BoundBy) -> i64 {
    answer.shares().iter().find(|(known, _)| *known == class).map_or(0, |(_, ns)| *ns)
}

#[test]
fn the_second_step_is_explained_interval_by_interval() {
    let answer = ask(CriticalPath::default());
    assert_closed(&answer);
    let [window] = answer.windows() else { panic!("{:?}", answer.windows()) };
    assert_eq!(
        (window.annotation(), window.instances(), window.duration_ns()),
        ("ProfilerStep#4", Some((1, 1)), 200_000)
    );
    assert_eq!(of(&answer, BoundBy::Compute), 100_000);
    // Waking, 10 µs of Python, the operator, 10 µs of Python.
    assert_eq!((of(&answer, BoundBy::Synchronization), of(&answer, BoundBy::Python)), (10_000, 20_000));
    assert_eq!(of(&answer, BoundBy::Cpu), 60_000);
    assert_eq!(answer.diagnosis(), "GPU-bound");
    let path = answer.path().unwrap();
    assert_eq!(path.height(), window.intervals.len());
    let name = |column: &str, row: usize| path.column(column).unwrap().str().unwrap().get(row).map(str::to_owned);
    let kernel = (0..path.height()).find(|&row| name("name", row).as_deref() == Some("gemm")).unwrap();
    assert_eq!(name("operator", kernel).as_deref(), Some("aten::mm"));
    assert_eq!(path.column("stream").unwrap().i64().unwrap().get(kernel), Some(7));
    let text = answer.sentences();
    assert!(
        text.starts_with("Rank 0 of job, ProfilerStep#4 (instance 1, of 3 from 0), 200 µs, is GPU-bound"),
        "{text}"
    );
    assert!(text.contains("gemm twice as fast, −50.0 µs (25.0 %)"), "{text}");
}

#[test]
fn instances_are_chosen_by_number_range_and_all() {
    let steps = |instance| {
        let answer = ask(CriticalPath { instance, ..CriticalPath::default() });
        assert_closed(&answer);
        answer
            .windows()
            .iter()
            .map(|window| (window.start_ns() / 1_000, window.duration_ns() / 1_000))
            .collect::<Vec<_>>()
    };
    assert_eq!(steps(Instance::One(0)), [(0, 200)]);
    assert_eq!(steps(Instance::Range(0, 2)), [(0, 600)]);
    assert_eq!(steps(Instance::All), [(0, 200), (200, 200), (400, 200)]);
    let whole = ask(CriticalPath { annotation: Some(String::new()), ..CriticalPath::default() });
    assert_closed(&whole);
    assert_eq!((whole.windows()[0].annotation(), whole.windows()[0].instances()), ("", None));
}

#[test]
fn recording_without_steps_proposes_windows() {
    let step = |trace: TraceBuilder, at: i64| {
        trace
            .complete("python_function", "nn.Module: Llama_0", 100, 1, at..at + 80)
            .runtime("cudaLaunchKernel", at + 1, at + 10..at + 15)
            .kernel("gemm", Stream(7), at + 20..at + 60)
            .correlation(at + 1)
    };
    let trace = [0, 100, 200].into_iter().fold(TraceBuilder::new(), step);
    let traces = TraceSet::from_bytes(trace.json()).unwrap();
    let notes = |query: CriticalPath| critical_path(&traces, &query).unwrap().notes;
    let proposal = "No ProfilerStep is recorded, so the whole recording is one window; --annotation 'nn.Module: Llama_0' takes the 3 \
                    calls of nn.Module: Llama_0 as windows.";
    assert!(notes(CriticalPath::default()).iter().any(|note| note == proposal));
    // It does what it says.
    let annotation = Some("nn.Module: Llama_0".to_owned());
    let all = CriticalPath { annotation, instance: Instance::All, ..CriticalPath::default() };
    assert_eq!(critical_path(&traces, &all).unwrap().windows().len(), 3);
    assert!(!notes(all).iter().any(|note| note.contains("ProfilerStep")));
}

#[test]
fn wrong_windows_and_changes_have_messages_with_a_fix() {
    let fails = |query: CriticalPath| critical_path(&synchronised(), &query).unwrap_err().to_string();
    let none = CriticalPath::default;
    assert_eq!(
        fails(CriticalPath { instance: Instance::One(7), ..none() }),
        "rank 0 has no instance 7 of `ProfilerStep`: it has 3 instances, numbered from 0 in order of time"
    );
    let unknown = fails(CriticalPath { annotation: Some("step".to_owned()), ..none() });
    assert!(
        unknown.starts_with("trace \"job\" has no annotation whose name contains `step` (it has ProfilerStep#3,"),
        "{unknown}"
    );
    assert!(fails(CriticalPath { ranks: Some(vec![9]), ..none() }).contains("has no rank 9"));
    assert!(fails(CriticalPath { ranks: Some(Vec::new()), ..none() }).contains("no rank"));
    let column = fails(CriticalPath { changes: vec![change("nam ~ gemm x 0.5")], ..none() });
    assert!(column.starts_with("unknown column `nam`; did you mean `name`?") && column.contains("\n  ^^^"), "{column}");
    assert!(matches!(
        ask(none()).edges(),
        Err(Error::CriticalPath(crate::error::CriticalPathReason::EdgesNotRetained))
    ));
}

#[test]
fn changes_are_tried_alone_and_together() {
    let changes = ["name ~ gemm x 0.5", "bound_by = python x 0", "name = nothing x 0"].map(change).to_vec();
    let answer = ask(CriticalPath { changes, instance: Instance::One(1), ..CriticalPath::default() });
    let rows: Vec<(&str, i64, bool)> =
        answer.what_if_rows().iter().map(|row| (row.change.as_str(), row.saved_ns() / 1_000, row.matches)).collect();
    assert_eq!(
        rows,
        [
            ("name ~ gemm x 0.5", 50, true),
            ("bound_by = python x 0", 20, true),
            ("name = nothing x 0", 0, false),
            ("all together", 70, true),
        ]
    );
    assert_eq!(answer.what_if_rows()[0].before_ns, 200_000);
    let frame = answer.what_if().unwrap();
    assert_eq!(frame.column("percent").unwrap().f64().unwrap().get(0), Some(25.0));
    let text = answer.sentences();
    assert!(
        text.contains("What if name ~ gemm x 0.5: the step is 50.0 µs shorter (25.0 %), 200 µs → 150 µs"),
        "{text}"
    );
    assert!(text.contains("nothing meets the condition"), "{text}");
}

#[test]
fn savings_of_names_are_those_of_their_change() {
    let answer = ask(CriticalPath::default());
    for row in answer.windows()[0].names.iter().filter(|row| row.name.is_some()) {
        let (class, name) = (row.bound_by.word(), answer.name(row.name).unwrap());
        let halved = change(&format!("bound_by = {class} and name = \"{name}\" x 0.5"));
        let free = halved.with_factor(0.0).unwrap();
        let tried = ask(CriticalPath { changes: vec![halved, free], ..CriticalPath::default() });
        let saved: Vec<i64> = tried.what_if_rows().iter().take(2).map(|row| row.saved_ns()).collect();
        assert_eq!(row.saved_ns.map(|saved| saved.to_vec()), Some(saved), "{class} {name}");
    }
}

#[test]
fn proposals_can_be_copied_and_tried() {
    let proposed = ask(CriticalPath { proposals: 3, top: 0, ..CriticalPath::default() });
    let rows = proposed.what_if_rows();
    assert_eq!(rows.len(), 3);
    assert!(rows.windows(2).all(|pair| pair[0].saved_ns() >= pair[1].saved_ns()));
    for row in rows {
        let tried = ask(CriticalPath { changes: vec![change(&row.change)], ..CriticalPath::default() });
        assert_eq!(tried.what_if_rows()[0].after_ns, row.after_ns, "{}", row.change);
    }
}

#[test]
fn a_sweep_passes_through_the_recorded_step() {
    let changes = vec![change("name ~ gemm x 0.5")];
    let answer = ask(CriticalPath { changes, sweep: true, ..CriticalPath::default() });
    let figure = answer.sweep_figure().unwrap();
    let trace_view::Points::Numbers(factors) = &figure.series[0].x else { panic!("{figure:?}") };
    let at = |factor: f64| figure.series[0].y[factors.iter().position(|known| *known == factor).unwrap()];
    assert_eq!((at(1.0), at(0.5)), (200.0, 150.0));
    assert!(figure.series[0].y.windows(2).all(|pair| pair[0] <= pair[1]), "more time makes no step shorter");
}

#[test]
fn the_document_has_the_fields_of_its_version() {
    let changes = vec![change("name ~ gemm x 0.5")];
    let json = ask(CriticalPath { changes, instance: Instance::All, ..CriticalPath::default() }).to_json();
    assert_eq!((&json["version"], &json["replay_error_ns"]), (&1.into(), &0.into()));
    let windows = json["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 3);
    for (number, window) in windows.iter().enumerate() {
        assert_eq!((window["rank"].as_u64(), window["instance"].as_u64()), (Some(0), Some(number as u64)));
        let sum: i64 =
            window["summary"].as_array().unwrap().iter().map(|row| row["duration_ns"].as_i64().unwrap()).sum();
        assert_eq!(Some(sum), window["duration_ns"].as_i64());
        assert!(window["by_name"][0]["saved_if_free_ns"].is_i64(), "{window}");
    }
    assert_eq!(json["what_if"][0]["saved_ns"].as_i64(), Some(50_000));
}

#[test]
fn the_page_has_sentences_figures_and_tables() {
    let one = ask(CriticalPath { edges: true, ..CriticalPath::default() });
    let report = one.report(15).unwrap();
    let tables = report.parts.iter().filter(|part| matches!(part, Part::Table(_))).count();
    let figures = report.parts.iter().filter(|part| matches!(part, Part::Figure(_))).count();
    assert_eq!((tables, figures), (4, 1), "summary, by_name, path, edges; lanes");
    let lanes = one.path_figure(&one.windows()[0]).unwrap();
    assert_eq!(lanes.y.names.len(), 2, "a thread and a stream: {:?}", lanes.y.names);
    assert!(one.edges().unwrap().column("binding").unwrap().bool().unwrap().any());
    let all = ask(CriticalPath { instance: Instance::All, ..CriticalPath::default() });
    assert_eq!(all.figure().series[0].y.len(), 3);
    assert!(!trace_render::bundles(&report).is_empty());
}

#[test]
fn a_trace_without_work_has_no_path() {
    let empty = TraceSet::from_bytes(TraceBuilder::new().complete("Trace", "PyTorch Profiler (0)", 1, 1, 0..10).json());
    let Ok(empty) = empty else { return };
    let message = critical_path(&empty, &CriticalPath::default()).unwrap_err().to_string();
    assert!(message.contains("has no "), "{message}");
}

/// The folder of a micro trace.
fn micro(case: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("TRACEBOOK_SHARED")?;
    Some(PathBuf::from(shared).join("traces/critical_path_micro").join(case))
}

#[test]
fn micro_traces_are_bound_by_what_they_say() {
    if micro("gap").is_none() {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    }
    let whole = |case: &str| {
        let traces = TraceSet::load(micro(case).unwrap()).unwrap();
        let query = CriticalPath { annotation: Some(String::new()), ..CriticalPath::default() };
        let answer = critical_path(&traces, &query).unwrap();
        assert_closed(&answer);
        answer
    };
    // As their README says, in µs.
    let gap = whole("gap");
    assert_eq!((gap.windows()[0].duration_ns(), of(&gap, BoundBy::NotRecorded)), (3_001_000, 2_900_000));
    let copy = whole("blocking_memcpy");
    assert_eq!(of(&copy, BoundBy::Compute), 500_000);
    let late = whole("event_sync_late");
    assert_eq!(of(&late, BoundBy::Compute), 0, "the CPU alone");
    let lock = whole("lock");
    assert_eq!(lock.windows()[0].duration_ns(), 135_000);
    assert_eq!(of(&lock, BoundBy::Compute), 20_000, "kernel kc");
    let devices = whole("two_devices");
    assert_eq!(of(&devices, BoundBy::Compute), 1_000_000, "k1 and k4 on device 0");
    let waits = whole("multi_wait");
    assert_eq!(waits.windows()[0].duration_ns(), 1_032_000);
    let loading = whole("data_loading");
    assert_eq!(of(&loading, BoundBy::DataLoading), 300_000, "300 of loading, what it calls included");
    for case in ["gap1500", "burst", "graph", "triton", "fwd_bwd", "crossing", "ties", "sub_us", "context_sync"] {
        whole(case);
    }
}
