//! Comparison of the demo pair: it finds what was changed.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use trace::prelude::*;
use trace_testkit::demo::{self, COUNT_CHANGES, DURATION_CHANGES, Device, ITERATIONS};

#[test]
fn each_side_has_its_rank_and_the_profiled_iterations() {
    for run in demo::Run::PAIR {
        let trace = load(run);
        assert_eq!(trace.ranks(), [run.rank() as i64]);
        assert_eq!(trace.iterations(), ITERATIONS.map(|iteration| iteration as i64).collect::<Vec<_>>());
        assert_eq!(trace.info()[0].streams, [7, 20, 21, 22]);
        assert!(trace.warnings().is_empty(), "{:?}", trace.warnings());
    }
}

#[test]
fn the_comparison_finds_every_change_of_counts_and_no_other() {
    for iteration in ITERATIONS {
        for (device, device_type) in DEVICES {
            let expected: BTreeMap<_, _> = COUNT_CHANGES
                .iter()
                .filter(|change| change.device == device)
                .map(|change| (change.name.to_owned(), (change.control as i64, change.test as i64)))
                .collect();
            let found: BTreeMap<_, _> = rows(iteration as i64, device_type)
                .into_iter()
                .filter(|row| row.control != row.test)
                .map(|row| (row.name, (row.control, row.test)))
                .collect();
            assert_eq!(found, expected, "{device_type} {iteration}");
        }
    }
}

#[test]
fn the_five_groups_follow_from_the_counts() {
    for (device, device_type) in DEVICES {
        let ops = compared(1010, device_type).ops_diff().unwrap();
        let group = |belongs: fn(u64, u64) -> bool| -> BTreeSet<String> {
            let changes = COUNT_CHANGES.iter().filter(|change| change.device == device);
            changes.filter(|change| belongs(change.control, change.test)).map(|change| change.name.to_owned()).collect()
        };
        let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        assert_eq!(set(&ops.added), group(|control, _| control == 0));
        assert_eq!(set(&ops.deleted), group(|_, test| test == 0));
        assert_eq!(set(&ops.increased), group(|control, test| 0 < control && control < test));
        assert_eq!(set(&ops.decreased), group(|control, test| 0 < test && test < control));
        assert!(!ops.unchanged.is_empty());
    }
}

#[test]
fn the_comparison_finds_every_change_of_durations() {
    for iteration in ITERATIONS {
        for change in DURATION_CHANGES {
            let device_type = DEVICES.iter().find(|(device, _)| *device == change.device).unwrap().1;
            let row = rows(iteration as i64, device_type).into_iter().find(|row| row.name == change.name).unwrap();
            let factor = row.test_duration / row.control_duration;
            assert!((change.least..=change.greatest).contains(&factor), "{} {iteration}: {factor}", change.name);
        }
    }
}

const DEVICES: [(Device, DeviceType); 2] = [(Device::Cpu, DeviceType::CPU), (Device::Gpu, DeviceType::GPU)];

struct Row {
    name: String,
    control: i64,
    test: i64,
    control_duration: f64,
    test_duration: f64,
}

/// The rows of a comparison, without the iteration's own, whose name says which it is.
fn rows(iteration: i64, device_type: DeviceType) -> Vec<Row> {
    let df = compared(iteration, device_type).compare_traces().unwrap();
    let count = |name: &str, row| df.column(name).unwrap().i64().unwrap().get(row).unwrap();
    let duration = |name: &str, row| df.column(name).unwrap().f64().unwrap().get(row).unwrap();
    (0..df.height())
        .map(|row| Row {
            name: df.column("name").unwrap().str().unwrap().get(row).unwrap().to_owned(),
            control: count("control_counts", row),
            test: count("test_counts", row),
            control_duration: duration("control_total_duration", row),
            test_duration: duration("test_total_duration", row),
        })
        .filter(|row| !row.name.starts_with("ProfilerStep"))
        .collect()
}

fn compared(iteration: i64, device_type: DeviceType) -> TraceDiff {
    TraceDiff::new(load(demo::Run::Control), load(demo::Run::Test))
        .control_iteration(iteration)
        .test_iteration(iteration)
        .device_type(device_type)
}

fn load(run: demo::Run) -> TraceSet {
    TraceSet::from_bytes(demo::json(run)).unwrap().with_label(run.folder())
}

#[test]
fn the_overview_of_the_job_equals_what_its_rows_say() {
    let folder = tempfile::tempdir().unwrap();
    for run in demo::Run::JOB {
        std::fs::write(folder.path().join(format!("{}.json", run.rank())), demo::json(run)).unwrap();
    }
    let job = TraceSet::load(folder.path()).unwrap();
    let page = job.describe().unwrap();
    assert_eq!(page.world_size, Some(4));
    assert_eq!(page.findings, []);
    assert_eq!(page.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let iterations: Vec<i64> = page.iterations.iter().map(|step| step.iteration).collect();
    assert_eq!(iterations, job.iterations());
    for (summary, trace) in page.ranks.iter().zip(job.traces()) {
        let events = trace.decoded().unwrap();
        let text = |name: &str| events.column(name).unwrap().str().unwrap().clone();
        let int = |name: &str| events.column(name).unwrap().i64().unwrap().clone();
        let (cat, ts, end) = (text("cat"), int("ts"), int("end"));
        let mut work: Vec<(i64, i64)> = (0..events.height())
            .filter(|&row| ["kernel", "gpu_memcpy", "gpu_memset"].contains(&cat.get(row).unwrap()))
            .map(|row| (ts.get(row).unwrap(), end.get(row).unwrap()))
            .collect();
        work.sort_unstable();
        let (mut busy, mut reached) = (0, i64::MIN);
        for &(from, to) in &work {
            busy += (to - from.max(reached)).max(0);
            reached = reached.max(to);
        }
        let device = summary.device.unwrap();
        assert_eq!((device.busy_ns, device.span_ns), (busy, reached - work[0].0));
        assert_eq!(device.busy_ns + device.idle_ns, device.span_ns);
    }
    let kernels: u64 = page.kernels.iter().map(|kernel| kernel.count).sum();
    assert!(kernels > 1_000 && page.operators.len() > 10, "{kernels} kernels, {} operators", page.operators.len());
}
