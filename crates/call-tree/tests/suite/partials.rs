//! Partial results of recordings: as bytes they are the same, and damaged bytes are refused or do no harm.

#![allow(clippy::expect_used)]

use crate::program::{Random, Recorder};
use crate::properties::random;
use crate::waiting::job;
use call_tree::{Labels, Partial, Portable, Reason, Recording, Reducer, explain, explain_partials};

fn reduced(recording: &Recording, labels: &Labels) -> Partial {
    // Without frames of modules, leaves keep their modules.
    let without_stacks = recording.events.len().is_multiple_of(2);
    let reducer = Reducer { keep_events: true, keep_communication: true, without_stacks };
    reducer.partial(recording, labels, |row| row % 3 == 0)
}

/// Recordings of random programs, and of a job whose ranks meet.
fn recordings(seed: u64, labels: &mut Labels) -> Vec<Recording> {
    let mut numbers = Random(seed);
    let (one, other) = (random(&mut numbers), random(&mut numbers));
    let (mut found, _) = Recorder::new(labels, seed).iteration(&one).iteration(&other).iteration(&one).finish();
    let mut all = vec![found.clone()];
    let gpu = found.events.iter().filter(|event| event.kind.is_gpu());
    let graph_nodes = gpu.map(|event| (event.row, i64::from(event.row) % 5)).collect();
    all.push(Recording { graph_nodes, ..found.clone() });
    let last = found.windows.remove(0);
    found.others.push((last, Reason::WarmUp));
    all.push(found.clone());
    found.windows.clear();
    found.others.clear();
    all.push(found.clone());
    found.events.retain(|event| !event.kind.is_gpu());
    all.push(found);
    all.extend(job(1, 30, labels));
    all
}

#[test]
fn bytes_hold_all_of_a_partial_result() {
    for seed in 0..100 {
        let mut labels = Labels::default();
        let all = recordings(seed, &mut labels);
        let known = format!("{labels:?}").len();
        for recording in &all {
            let partial = reduced(recording, &labels);
            let portable = Portable::of(partial.clone(), &labels);
            let bytes = postcard::to_allocvec(&portable).expect("numbers and texts");
            let received: Portable<Partial> = postcard::from_bytes(&bytes).expect("bytes of a partial result");
            let mut back = received.join(&mut labels);
            // Meetings are found when all recordings of a side are known.
            recording.meetings.iter().for_each(|&meeting| back.meet(meeting));
            assert_eq!(back, partial);
            // In another order of labels it is the same, too.
            let mut others = Labels::default();
            others.add(call_tree::Kind::Python, "first", "");
            let joined = portable.clone().join(&mut others);
            assert_eq!(postcard::to_allocvec(&Portable::of(joined, &others)).expect("numbers and texts"), bytes);
        }
        assert_eq!(format!("{labels:?}").len(), known, "every label was known");
    }
}

#[test]
fn partial_results_give_the_explanation_of_the_recordings() {
    let mut labels = Labels::default();
    let (control, test) = (job(1, 0, &mut labels), job(2, 30, &mut labels));
    let whole = explain(&control, &test, &labels);
    let side = |recordings: &[Recording]| -> Vec<Partial> {
        let reducer = Reducer { keep_communication: true, ..Reducer::default() };
        recordings.iter().map(|recording| reducer.partial(recording, &labels, |_| false)).collect()
    };
    let parts = explain_partials(side(&control), side(&test), &labels);
    assert_eq!(format!("{parts:?}"), format!("{whole:?}"));
}

#[test]
fn iterations_left_out_later_are_not_in_the_step() {
    let mut labels = Labels::default();
    let mut numbers = Random(7);
    let program = random(&mut numbers);
    let (recording, _) = Recorder::new(&mut labels, 7).iteration(&program).iteration(&program).finish();
    let mut later = reduced(&recording, &labels);
    let second = recording.windows[1];
    later.keep(Reason::AnotherRank, |iteration| iteration == second.iteration);
    let mut before = recording.clone();
    before.others.push((before.windows.remove(0), Reason::AnotherRank));
    assert_eq!(later.iterations().collect::<Vec<_>>(), [(second.iteration, second.end - second.start)]);
    assert_eq!(later.all_iterations().count(), 2);
    let before = reduced(&before, &labels);
    let explained = |one: &Partial| explain_partials(vec![one.clone()], vec![one.clone()], &labels);
    let (later, before) = (explained(&later), explained(&before));
    assert_eq!((&later.samples, later.coverage), (&before.samples, before.coverage));
    assert_eq!((&later.events, &later.chosen, &later.idle), (&before.events, &before.chosen, &before.idle));
    assert_eq!(later.regions, before.regions);
}

#[test]
fn damaged_bytes_are_refused_or_do_no_harm() {
    let (mut refused, mut read) = (0, 0);
    for seed in 0..60 {
        let mut labels = Labels::default();
        let all = recordings(seed, &mut labels);
        let mut numbers = Random(seed + 1_000);
        for recording in &all {
            let partial = reduced(recording, &labels);
            let bytes = postcard::to_allocvec(&Portable::of(partial, &labels)).expect("numbers and texts");
            for _ in 0..20 {
                let mut damaged = bytes.clone();
                match numbers.below(4) {
                    0 => damaged.truncate(numbers.below(bytes.len())),
                    1 => damaged.push(numbers.below(256) as u8),
                    _ => {
                        for _ in 0..=numbers.below(3) {
                            damaged[numbers.below(bytes.len())] = numbers.below(256) as u8;
                        }
                    }
                }
                let mut labels = Labels::default();
                match postcard::from_bytes::<Portable<Partial>>(&damaged) {
                    Err(_) => refused += 1,
                    Ok(one) => {
                        let mut one = one.join(&mut labels);
                        recording.meetings.iter().for_each(|&meeting| one.meet(meeting));
                        let other: Portable<Partial> = postcard::from_bytes(&bytes).expect("bytes of a partial result");
                        let other = other.join(&mut labels);
                        explain_partials(vec![one, other.clone()], vec![other], &labels);
                        read += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 100 && read > 100, "{refused} {read}");
}
