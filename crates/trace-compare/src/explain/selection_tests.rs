//! Random selections of ranks and iterations of every shared trace: what was recorded is accounted for, to the ns.

use super::gpu_rows::device_work;
use crate::diff::DistinctRuns;
use crate::frame::IntColumn;
use crate::{Explain, Explanation, LabeledTrace, SelectEvents, TraceSet};
use call_tree::{Change, Class, Mean};
use std::path::{Path, PathBuf};
use trace_testkit::Random;

/// Checks I1 to I3 on the numbers themselves.
fn check(explained: &Explanation, sides: [&[LabeledTrace]; 2], what: &str) {
    let found = &explained.found;
    let frames: Vec<_> = explained.events().unwrap().map(Result::unwrap).collect();
    let mut frames = frames.iter();
    for (side, runs) in sides.into_iter().enumerate() {
        let of = |change: Change| -> Mean { if side == 0 { change.control } else { change.test } };
        let (mut selected, mut selected_events, mut recorded, mut nowhere) = (0, 0, (0, 0), 0);
        let mut regions = vec![(0, 0); found.regions.len()];
        for run in runs {
            for trace in run.trace().traces() {
                // I1: each GPU event of the rank once, in a region or left out.
                let frame = frames.next().unwrap();
                let dur = IntColumn::of(frame, "dur").unwrap();
                let (attributed, region) =
                    (IntColumn::of(frame, "attributed_ns").unwrap(), IntColumn::of(frame, "region").unwrap());
                let work = device_work(trace, run.trace().compat()).unwrap();
                let (mut ns, mut events) = (0, 0);
                for row in 0..frame.height() {
                    let length = run.trace().compat().counted(dur.get(row).unwrap_or(0)).max(0);
                    (ns, events) = (ns + length, events + 1);
                    let Some(region) = region.get(row) else {
                        nowhere += attributed.get(row).unwrap();
                        continue;
                    };
                    (selected, selected_events) = (selected + length, selected_events + 1);
                    let sums = &mut regions[region as usize];
                    *sums = (sums.0 + length, sums.1 + attributed.get(row).unwrap());
                }
                assert_eq!((ns, events), work, "{what}: rank {}", trace.rank());
                recorded = (recorded.0 + ns, recorded.1 + events);
            }
        }
        for events in &found.events[side] {
            assert!(events.is_sorted_by(|one, other| one.row < other.row), "{what}");
        }
        // I2: recorded is selected and left out, and selected is the regions.
        let coverage = found.coverage[side];
        assert_eq!((coverage.recorded_ns, coverage.recorded), recorded, "{what}");
        assert_eq!((coverage.selected_ns, coverage.selected), (selected, selected_events), "{what}");
        assert_eq!(coverage.recorded_ns, coverage.selected_ns + coverage.left_out_ns, "{what}");
        assert_eq!(coverage.recorded, coverage.selected + coverage.left_out, "{what}");
        if found.samples[side].iter().all(|sample| sample.has_gpu) {
            for (region, sums) in found.regions.iter().zip(regions) {
                assert_eq!((of(region.ns).total, of(region.attributed_ns).total), sums, "{what}");
            }
            assert_eq!(of(found.unattributed_ns).total, nowhere, "{what}");
        }
        // I3 of each sample, and of their sum.
        for sample in &found.samples[side] {
            assert_eq!(sample.classes_ns.iter().sum::<i64>() + sample.idle_ns, sample.step_ns, "{what}");
        }
        let classes: i64 = found.classes.iter().map(|(_, change)| of(*change).total).sum();
        assert_eq!(classes + of(found.idle_ns).total, of(found.step_ns).total, "{what}");
        let idle: i64 = found.idle.iter().map(|(_, change)| of(*change).total).sum();
        assert_eq!(idle, of(found.idle_ns).total, "{what}");
        let attributed: i64 = found.regions.iter().map(|region| of(region.attributed_ns).total).sum();
        assert_eq!(attributed + of(found.unattributed_ns).total, classes, "{what}");
        let exposed: i64 = found.communication.iter().map(|(_, change)| of(*change).total).sum();
        assert_eq!(exposed, of(found.classes[Class::Communication as usize].1).total, "{what}");
    }
    // The deltas are those of means, without rounding.
    let classes: i128 = found.classes.iter().map(|(_, change)| change.numerator()).sum();
    assert_eq!(classes + found.idle_ns.numerator(), found.step_ns.numerator(), "{what}");
    let regions: i128 = found.regions.iter().map(|region| region.attributed_ns.numerator()).sum();
    assert_eq!(regions + found.unattributed_ns.numerator(), classes, "{what}");
}

/// Some of the numbers, at least one; `None` for all of them, and if there are none.
fn some(numbers: &[i64], random: &mut Random) -> Option<Vec<i64>> {
    if numbers.is_empty() || random.below(4) == 0 {
        return None;
    }
    let mut picked: Vec<i64> = numbers.iter().copied().filter(|_| random.below(2) == 0).collect();
    if picked.is_empty() {
        picked.push(*random.of(numbers));
    }
    Some(picked)
}

/// A random selection of two sides, and whether it is the same of both. It may select nothing: the first iterations are left out, and
/// others are asked for.
fn selected(control: &[LabeledTrace], test: &[LabeledTrace], random: &mut Random) -> (Explain, bool) {
    let mut explain = Explain::of_runs(control.to_vec(), test.to_vec()).keep_events();
    // Every run of a side has these.
    let common = |runs: &[LabeledTrace], of: &dyn Fn(&LabeledTrace) -> Vec<i64>| -> Vec<i64> {
        of(&runs[0]).into_iter().filter(|number| runs.iter().all(|run| of(run).contains(number))).collect()
    };
    let ranks = |runs: &[LabeledTrace]| common(runs, &LabeledTrace::ranks);
    let iterations = |runs: &[LabeledTrace]| common(runs, &LabeledTrace::iterations);
    let picked_ranks = [control, test].map(|side| some(&ranks(side), random));
    let picked_iterations = [control, test].map(|side| some(&iterations(side), random));
    let same = picked_ranks[0] == picked_ranks[1] && picked_iterations[0] == picked_iterations[1];
    let ([control_ranks, test_ranks], [control_iterations, test_iterations]) = (picked_ranks, picked_iterations);
    if let Some(ranks) = control_ranks {
        explain = explain.control_rank(ranks);
    }
    if let Some(ranks) = test_ranks {
        explain = explain.test_rank(ranks);
    }
    if let Some(iterations) = control_iterations {
        explain = explain.control_iteration(iterations);
    }
    if let Some(iterations) = test_iterations {
        explain = explain.test_iteration(iterations);
    }
    explain = explain.warmup(random.below(5) / 3);
    (if random.below(3) == 0 { explain.slowest_rank() } else { explain }, same)
}

/// The folders that hold trace files, and the files of folders whose files are of several jobs.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_trace = |path: &&PathBuf| path.to_str().is_some_and(|name| name.ends_with(".json") || name.ends_with(".gz"));
    let mut found: Vec<PathBuf> = files.iter().filter(is_trace).cloned().collect();
    if found.len() > 1 && found.iter().all(|file| file.to_string_lossy().contains("rank-")) {
        found = vec![folder.to_owned()];
    }
    found.extend(folders.iter().flat_map(|folder| traces(folder)));
    found.sort();
    found
}

#[test]
fn random_selections_of_shared_traces_add_up() {
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED") else {
        eprintln!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let mut random = Random::new(18);
    let (mut checked, mut refused) = (0, 0);
    let mut before: Option<LabeledTrace> = None;
    for path in traces(&Path::new(&shared).join("traces")) {
        let Ok(trace) = TraceSet::load(&path) else { continue };
        let trace = LabeledTrace::from(trace);
        let times =
            if trace.trace().traces().iter().map(|rank| rank.info().events).sum::<usize>() > 20_000 { 1 } else { 4 };
        for _ in 0..times {
            // With itself, with the trace before, and two runs against one.
            let other = before.clone().unwrap_or_else(|| trace.clone());
            let (control, test) = match random.below(4) {
                0 => (vec![trace.clone()], vec![trace.clone()]),
                1 => (vec![other.clone(), trace.clone()], vec![trace.clone()]),
                2 => (vec![trace.clone()], vec![trace.clone(), other.clone()]),
                _ => (vec![other.clone()], vec![trace.clone()]),
            };
            let (explain, same_selection) = selected(&control, &test, &mut random);
            match explain.run() {
                Ok(explained) => {
                    // A run that is a copy of another counts once.
                    let [control, test] = DistinctRuns::of([&control, &test], same_selection).unwrap().sides;
                    check(&explained, [&control, &test], &format!("{} {explain:?}", path.display()));
                    checked += 1;
                }
                Err(error) => {
                    assert!(matches!(error, crate::Error::NoIterationLeft { .. }), "{}: {error}", path.display());
                    refused += 1;
                }
            }
        }
        before = Some(trace);
    }
    assert!(checked > 100 && refused < checked / 4, "{checked} {refused}");
}
