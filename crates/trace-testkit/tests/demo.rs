//! The demo pair is what its documentation says, and the files in the repository are the generator's.

#![allow(clippy::unwrap_used)]

use flate2::read::MultiGzDecoder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use trace_testkit::demo::{COUNT_CHANGES, DURATION_CHANGES, Device, Event, ITERATIONS, Phase, Side, events, json};

/// Count and nanoseconds by iteration, device and name.
type Totals = BTreeMap<(u64, Device, String), (u64, u64)>;

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for side in Side::BOTH {
        assert_eq!(json(side), json(side));
    }
}

#[test]
fn the_files_of_the_notebooks_are_what_the_generator_writes() {
    for side in Side::BOTH {
        let file = data().join(side.folder()).join(side.file_name());
        let packed = std::fs::read(&file).unwrap();
        assert!(packed.len() < 300_000, "{} has {} bytes", file.display(), packed.len());
        let mut text = String::new();
        MultiGzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
        assert!(
            text == json(side),
            "{}: run `cargo run --release -p trace-testkit --bin demo_data -- notebooks/data`",
            file.display()
        );
    }
}

#[test]
fn counts_differ_as_documented_and_nowhere_else_in_every_iteration() {
    let (control, test) = (totals(Side::Control), totals(Side::Test));
    let documented: BTreeSet<_> = COUNT_CHANGES
        .iter()
        .map(|change| (change.device, change.name.to_owned(), change.control, change.test))
        .collect();
    assert_eq!(documented.len(), COUNT_CHANGES.len(), "a change is listed twice");
    for iteration in ITERATIONS {
        let names: BTreeSet<_> = control.keys().chain(test.keys()).filter(|key| key.0 == iteration).collect();
        let found: BTreeSet<_> = names
            .into_iter()
            .map(|key| {
                let count = |side: &Totals| side.get(key).map_or(0, |total| total.0);
                (key.1, key.2.clone(), count(&control), count(&test))
            })
            .filter(|change| change.2 != change.3)
            .collect();
        assert_eq!(found, documented, "iteration {iteration}");
    }
}

#[test]
fn durations_differ_as_documented_in_every_iteration() {
    let (control, test) = (totals(Side::Control), totals(Side::Test));
    for change in DURATION_CHANGES {
        for iteration in ITERATIONS {
            let key = (iteration, change.device, change.name.to_owned());
            let ((before, from), (after, to)) = (control[&key], test[&key]);
            assert_eq!(before, after, "{} is seen equally often", change.name);
            let factor = to as f64 / from as f64;
            assert!((change.least..=change.greatest).contains(&factor), "{} {iteration}: {factor}", change.name);
        }
    }
}

#[test]
fn the_documentation_lists_every_change() {
    let text = std::fs::read_to_string(data().join("README.md")).unwrap();
    for change in COUNT_CHANGES {
        let device = if change.device == Device::Cpu { "CPU" } else { "GPU" };
        let row = format!("| {device} | `{}` | {} | {} |", change.name, change.control, change.test);
        assert!(text.contains(&row), "notebooks/data/README.md lacks\n{row}");
    }
    for change in DURATION_CHANGES {
        assert!(text.contains(change.name), "notebooks/data/README.md lacks {}", change.name);
    }
}

#[test]
fn work_on_the_device_is_called_first_and_a_stream_does_one_thing_at_a_time() {
    for side in Side::BOTH {
        let events = events(side);
        let calls: BTreeMap<u64, &Event> = events
            .iter()
            .filter(|event| event.category == "cuda_runtime")
            .filter_map(|event| Some((event.correlation?, event)))
            .collect();
        let mut work: Vec<&Event> = events.iter().filter(|event| event.stream.is_some()).collect();
        work.sort_by_key(|event| event.start);
        let mut busy_until = BTreeMap::new();
        for event in work {
            let call = calls[&event.correlation.unwrap()];
            assert!(event.start > call.start, "{} starts before its call", event.name);
            let end = busy_until.insert(event.stream.unwrap(), event.start + event.duration);
            assert!(end.is_none_or(|end| end <= event.start), "{} overlaps its predecessor", event.name);
        }
        assert_eq!(busy_until.into_keys().collect::<Vec<_>>(), [7, 20, 21, 22]);
    }
}

#[test]
fn all_reduce_overlaps_the_backward_pass() {
    for side in Side::BOTH {
        let events = events(side);
        let on = |stream: u64| events.iter().filter(move |event| event.stream == Some(stream));
        let overlapped = on(20)
            .filter(|reduce| {
                on(7).any(|kernel| {
                    kernel.start < reduce.start + reduce.duration && reduce.start < kernel.start + kernel.duration
                })
            })
            .count();
        assert!(overlapped >= ITERATIONS.count(), "{overlapped} all-reduces overlap compute");
    }
}

fn totals(side: Side) -> Totals {
    let events = events(side);
    let steps: Vec<(u64, u64, u64)> = events
        .iter()
        .filter_map(|event| {
            let iteration = event.name.strip_prefix("ProfilerStep#")?.parse().unwrap();
            Some((iteration, event.start, event.start + event.duration))
        })
        .collect();
    assert_eq!(steps.iter().map(|step| step.0).collect::<Vec<_>>(), ITERATIONS.collect::<Vec<_>>());
    let step_at = |time: u64| steps.iter().find(|step| (step.1..step.2).contains(&time)).map(|step| step.0);
    let called: BTreeMap<u64, u64> = events
        .iter()
        .filter(|event| event.stream.is_none())
        .filter_map(|event| Some((event.correlation?, event.start)))
        .collect();
    let mut totals = Totals::new();
    for event in events.iter().filter(|event| event.phase == Phase::Complete && !event.name.starts_with("ProfilerStep"))
    {
        // Work on the device belongs to the step of its call.
        let (device, time) = match event.stream {
            Some(_) => (Device::Gpu, called[&event.correlation.unwrap()]),
            None => (Device::Cpu, event.start),
        };
        let Some(iteration) = step_at(time) else { continue };
        let total = totals.entry((iteration, device, event.name.to_string())).or_default();
        total.0 += 1;
        total.1 += event.duration;
    }
    totals
}

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../notebooks/data")
}
