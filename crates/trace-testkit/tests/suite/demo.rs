//! The demo data match their documentation, and the files in the repository match the generator.

#![allow(clippy::unwrap_used)]

use flate2::read::MultiGzDecoder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use trace_testkit::bound::{self, BoundJob};
use trace_testkit::demo::{
    COUNT_CHANGES, DURATION_CHANGES, Device, Event, ITERATIONS, PIECES, Phase, QUEUE, Run, events, json,
};
use trace_testkit::server::{self, ServerRun};

/// Returns count and total nanoseconds by iteration, device and name.
type Totals = BTreeMap<(u64, Device, String), (u64, u64)>;

#[test]
fn same_seed_gives_same_bytes() {
    for run in Run::PAIR {
        assert_eq!(json(run), json(run));
    }
}

#[test]
fn notebook_data_is_what_generator_writes() {
    for run in Run::PAIR.into_iter().chain(Run::JOB).chain(Run::SYNCHRONIZED) {
        let file = data().join(run.folder()).join(run.file_name());
        let packed = std::fs::read(&file).unwrap();
        assert!(packed.len() < 300_000, "{} has {} bytes", file.display(), packed.len());
        let mut text = String::new();
        MultiGzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
        assert!(
            text == json(run),
            "{}: run `cargo run --release -p trace-testkit --bin demo_data -- notebooks/data`",
            file.display()
        );
    }
    for job in BoundJob::PAIR {
        for rank in 0..bound::RANKS {
            let file = data().join(job.folder()).join(format!("rank-{rank}.json.gz"));
            let mut text = String::new();
            MultiGzDecoder::new(std::fs::read(&file).unwrap().as_slice()).read_to_string(&mut text).unwrap();
            assert!(text == bound::json(job, rank), "{}: run `make demo-data`", file.display());
        }
    }
    for run in ServerRun::PAIR {
        for rank in 0..server::RANKS {
            let file = data().join(run.folder()).join(format!("rank-{rank}.json.gz"));
            let mut text = String::new();
            MultiGzDecoder::new(std::fs::read(&file).unwrap().as_slice()).read_to_string(&mut text).unwrap();
            assert!(text == server::json(run, rank), "{}: run `make demo-data`", file.display());
        }
    }
}

#[test]
fn counts_differ_exactly_as_documented() {
    let (control, test) = (totals(Run::Control), totals(Run::Test));
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
                let count = |run: &Totals| run.get(key).map_or(0, |total| total.0);
                (key.1, key.2.clone(), count(&control), count(&test))
            })
            .filter(|change| change.2 != change.3)
            .collect();
        assert_eq!(found, documented, "iteration {iteration}");
    }
}

#[test]
fn durations_differ_as_documented() {
    let (control, test) = (totals(Run::Control), totals(Run::Test));
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
fn documentation_lists_every_change() {
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
fn launch_precedes_kernel_and_streams_are_serial() {
    for run in Run::PAIR.into_iter().chain(Run::JOB).chain(Run::SYNCHRONIZED) {
        let events = events(run);
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
    for run in Run::PAIR {
        let events = events(run);
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

#[test]
fn all_reduce_ends_at_same_time_on_all_ranks() {
    let ends = Run::JOB.map(|run| {
        let events = events(run);
        let reduces = all_reduces(&events);
        assert_eq!(reduces.len(), 4 * ITERATIONS.count());
        reduces.iter().map(|reduce| reduce.start + reduce.duration).collect::<Vec<_>>()
    });
    assert!(ends.iter().all(|other| *other == ends[0]), "{ends:?}");
}

#[test]
fn ranks_wait_for_slow_gpu_unless_another_is_late() {
    let waited = Run::JOB.map(|run| {
        let events = events(run);
        ITERATIONS.map(|iteration| nanos(&all_reduces(&events), &events, iteration)).collect::<Vec<_>>()
    });
    for (index, iteration) in ITERATIONS.enumerate() {
        let shortest = (0..4).min_by_key(|&rank| waited[rank as usize][index]).unwrap();
        let late = match iteration {
            1011 => Run::STALLED.0,
            // The weights are averaged after this iteration's exchange, which delays the next one.
            1013 => Run::AVERAGING.0,
            _ => Run::THROTTLED,
        };
        assert_eq!(shortest, late, "{iteration}");
    }
}

#[test]
fn queue_is_full_only_where_weights_are_averaged() {
    for run in Run::JOB {
        let events = events(run);
        let longest = longest_queue(&events, 7);
        let pieces = events.iter().filter(|event| event.name.contains("lerp_scalar_kernel")).count();
        if run.rank() == Run::AVERAGING.0 {
            assert_eq!((longest, pieces as u64), (QUEUE as i64 + 1, PIECES));
            let average = events.iter().find(|event| event.name == "## average ##").unwrap();
            assert_eq!(iteration_of(&events, average.start), Some(Run::AVERAGING.1));
        } else {
            assert!(longest < 100 && pieces == 0, "rank {}: {longest}", run.rank());
        }
    }
}

#[test]
fn one_launch_waits_for_module_and_one_for_queue() {
    let slow = |run| {
        let events = events(run);
        let launches = events.iter().filter(|event| event.name == "cudaLaunchKernel" && event.duration > 50_000);
        launches.map(|launch| (iteration_of(&events, launch.start).unwrap(), launch.duration)).collect::<Vec<_>>()
    };
    assert_eq!(slow(Run::Job(Run::LOADING.0)), [(Run::LOADING.1, 870_000)]);
    let held = slow(Run::Job(Run::AVERAGING.0));
    assert!(held.len() == 1 && held[0].0 == Run::AVERAGING.1 && held[0].1 > 1_000_000, "{held:?}");
    assert_eq!((slow(Run::Job(2)), slow(Run::Job(3))), (vec![], vec![]));
}

#[test]
fn data_loader_stalls_once() {
    for run in Run::JOB {
        let events = events(run);
        for load in events.iter().filter(|event| event.name.starts_with("enumerate(DataLoader)")) {
            let stalled = (run.rank(), iteration_of(&events, load.start).unwrap()) == Run::STALLED;
            assert_eq!(load.duration > 5_000_000, stalled);
        }
    }
}

#[test]
fn waiting_run_computes_less_and_takes_longer() {
    let [ahead, waiting] = Run::SYNCHRONIZED.map(totals);
    let [before, after] = Run::SYNCHRONIZED.map(events);
    let is_loader = |name: &str| name.starts_with("enumerate(DataLoader)");
    let on_gpu = |totals: &Totals, at| {
        totals.iter().filter(|(key, _)| key.0 == at && key.1 == Device::Gpu).map(|(_, total)| total.1).sum::<u64>()
    };
    let count = |totals: &Totals, at, name: &str| {
        totals.iter().filter(|(key, _)| key.0 == at && key.2.contains(name)).map(|(_, total)| total.0).sum::<u64>()
    };
    let loading = |totals: &Totals, at| totals.iter().find(|(key, _)| key.0 == at && is_loader(&key.2)).unwrap().1.1;
    for at in ITERATIONS {
        assert!(on_gpu(&waiting, at) + 2_500_000 < on_gpu(&ahead, at), "iteration {at} computes less");
        assert!(loading(&waiting, at).abs_diff(loading(&ahead, at)) < 600_000, "the data loader takes as long");
        let of = |name: &str| (count(&ahead, at, name), count(&waiting, at, name));
        assert_eq!(of("aten::addmm"), (12, 8), "one of three equal blocks is gone");
        assert_eq!((of("aten::native_dropout_backward"), of("triton_poi_fused_add")), ((6, 4), (0, 4)));
        assert_eq!((of("cudaStreamSynchronize"), of("cudaEventSynchronize")), ((0, 1), (1, 1)));
    }
    let length = |events: &[Event]| {
        let steps = events.iter().filter(|event| event.name.starts_with("ProfilerStep#"));
        steps.map(|step| step.duration).sum::<u64>() / ITERATIONS.count() as u64
    };
    let (before, after) = (length(&before), length(&after));
    assert!(
        (13_100_000..13_300_000).contains(&before) && (14_050_000..14_200_000).contains(&after),
        "{before} {after}"
    );
}

fn all_reduces(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.stream == Some(20)).collect()
}

/// Returns the total duration of the work that was called in the iteration.
fn nanos(work: &[&Event], events: &[Event], iteration: u64) -> u64 {
    let called: BTreeMap<u64, u64> = events
        .iter()
        .filter(|event| event.category == "cuda_runtime")
        .filter_map(|event| Some((event.correlation?, event.start)))
        .collect();
    let of = |event: &&&Event| iteration_of(events, called[&event.correlation.unwrap()]) == Some(iteration);
    work.iter().filter(of).map(|event| event.duration).sum()
}

fn iteration_of(events: &[Event], time: u64) -> Option<u64> {
    let step = events.iter().find(|event| {
        event.name.starts_with("ProfilerStep#") && (event.start..event.start + event.duration).contains(&time)
    })?;
    step.name.strip_prefix("ProfilerStep#")?.parse().ok()
}

/// Returns the largest number of launches of a stream that had not started.
fn longest_queue(events: &[Event], stream: u64) -> i64 {
    let started: BTreeMap<u64, u64> = events
        .iter()
        .filter(|event| event.stream == Some(stream))
        .filter_map(|event| Some((event.correlation?, event.start)))
        .collect();
    let mut changes: Vec<(u64, i64)> = events
        .iter()
        .filter(|event| event.category == "cuda_runtime")
        .filter_map(|event| Some((event.start, *started.get(&event.correlation?)?)))
        .flat_map(|(called, started)| [(called, 1), (started, -1)])
        .collect();
    changes.sort_unstable();
    let queue = changes.iter().scan(0, |queue, change| {
        *queue += change.1;
        Some(*queue)
    });
    queue.max().unwrap_or_default()
}

fn totals(run: Run) -> Totals {
    let events = events(run);
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
        // Device work belongs to the step of its call.
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
