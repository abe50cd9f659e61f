//! Causal graphs of loaded traces.

#![allow(clippy::unwrap_used)]
use super::answer::BoundWindow;
use super::critical_path;
use super::ranks::{Extent, Loaded, load};
use super::solve::on_graph;
use super::windows::windows;
use crate::{CriticalPath, Instance, TraceSet};
use causal::{BoundBy, Lag, Savings, Window};
use std::path::{Path, PathBuf};

/// The folders that hold trace files.
fn folders(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let is_trace = |path: &PathBuf| path.to_string_lossy().ends_with(".json.gz");
    if entries.iter().any(is_trace) {
        found.push(folder.to_owned());
    }
    entries.iter().filter(|path| path.is_dir()).for_each(|path| folders(path, found));
}

/// Calls `check` with each job of the shared traces and its folder. Returns how many there are; `None` without them.
fn every_job(mut check: impl FnMut(&Path, &TraceSet, &Loaded)) -> Option<usize> {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return None;
    };
    let mut all = Vec::new();
    folders(&Path::new(&shared).join("traces"), &mut all);
    let mut loaded = 0;
    for folder in all {
        let Ok(set) = TraceSet::load(&folder) else { continue };
        let job = load(&set, &set.ranks(), &CriticalPath::default(), Extent::Whole).unwrap();
        check(&folder, &set, &job);
        loaded += 1;
    }
    Some(loaded)
}

#[test]
fn every_shared_trace_is_replayed_exactly() {
    let loaded = every_job(|folder, set, job| {
        assert_eq!(job.graph.replay_error_ns(), 0, "{}", folder.display());
        for rank in 0..set.traces().len() as u32 {
            let Some(window) = job.graph.whole(rank) else { continue };
            let path = job.graph.path(&window);
            let sum: i64 = path.iter().map(causal::Segment::duration).sum();
            assert_eq!(sum, window.end - window.start, "{} {rank}", folder.display());
            let percent = |known: &[BoundBy]| {
                let of = path.iter().filter(|segment| known.contains(&segment.bound_by));
                of.map(causal::Segment::duration).sum::<i64>() * 100 / sum.max(1)
            };
            if folder.ends_with("trace_diff/test") {
                // Its launch queue is full nearly all the time.
                let gpu = [BoundBy::Compute, BoundBy::Memory, BoundBy::Communication, BoundBy::KernelKernelOverhead];
                assert!(percent(&gpu) > 90, "{path:?}");
            }
            if folder.parent().is_some_and(|parent| parent.ends_with("critical_path_sim")) {
                // Waiting for the other rank is no communication.
                assert!(percent(&[BoundBy::Communication]) < 8, "{}", folder.display());
                assert_eq!(percent(&[BoundBy::WaitingForRank]), 0, "{}", folder.display());
            }
        }
    });
    assert!(loaded.is_none_or(|loaded| loaded > 30), "{loaded:?} loaded");
}

/// The windows of all ranks of a job: their steps, and the whole recordings.
fn windows_of(job: &Loaded) -> Vec<Window> {
    let of = |annotation| asked(job, &CriticalPath { annotation, instance: Instance::All, ..CriticalPath::default() });
    [None, Some(String::new())].into_iter().flat_map(of).collect()
}

/// The windows of a question on all ranks of a job.
fn asked(job: &Loaded, query: &CriticalPath) -> Vec<Window> {
    let mut found = Vec::new();
    for (index, rank) in job.ranks.iter().enumerate() {
        let of_rank = windows(&rank.rows, rank.trace.rank(), query).unwrap();
        for chosen in of_rank.into_iter().flat_map(|of| of.windows) {
            found.push(on_graph(&job.graph, index, rank, &chosen).unwrap());
        }
    }
    found
}

#[test]
fn less_time_for_a_part_never_makes_a_window_longer() {
    let mut checked = 0;
    let loaded = every_job(|folder, _, job| {
        let windows = windows_of(job);
        let recorded: Vec<i64> = windows.iter().map(|window| window.end - window.start).collect();
        let name = |lag: &Lag| lag.event().map(|row| job.ranks[lag.rank as usize].rows.name(row as usize) % 5);
        let classes = BoundBy::ALL.map(|class| (Some(class), None));
        let parts = classes.into_iter().chain((0..5).map(|name| (None, Some(name))));
        for (class, part) in parts {
            let mut before = recorded.clone();
            for scale in [1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.0] {
                let takes = |lag: &Lag| class.map_or_else(|| name(lag) == part, |class| lag.bound_by == class);
                let factor = |lag: &Lag| if takes(lag) { scale } else { 1.0 };
                let after = Savings::of(&job.graph).windows(&windows, factor, &mut || Ok(())).unwrap();
                for ((window, before), after) in windows.iter().zip(&before).zip(&after) {
                    assert!(after <= before, "{} {window:?} {class:?} {part:?} x {scale}", folder.display());
                    assert!(scale != 1.0 || after == before, "{} {window:?}", folder.display());
                }
                checked += windows.len();
                before = after;
            }
        }
    });
    assert!(loaded.is_none() || checked > 1_000, "{checked}");
}

#[test]
fn graphs_of_windows_answer_as_those_of_whole_recordings() {
    let (mut compared, mut shorter) = (0, 0);
    let loaded = every_job(|folder, set, whole| {
        let ranks = set.ranks();
        for instance in [Instance::Usual, Instance::All, Instance::One(0)] {
            let query = CriticalPath { instance, ..CriticalPath::default() };
            // Some recordings have no step.
            let Ok(part) = load(set, &ranks, &query, Extent::Windows) else { continue };
            let windows = asked(whole, &query);
            assert_eq!(asked(&part, &query), windows, "{}", folder.display());
            for window in windows {
                let factor = |lag: &Lag| if lag.bound_by == BoundBy::LaunchOverhead { 0.0 } else { 0.5 };
                let of = |of: &Loaded| (of.graph.path(&window), of.graph.replay(&window, factor).path());
                assert_eq!(of(&part), of(whole), "{} {window:?}", folder.display());
                compared += 1;
            }
            shorter += usize::from(part.graph.points() * 2 < whole.graph.points());
        }
    });
    assert!(loaded.is_none() || compared > 100 && shorter > 10, "{compared} windows, {shorter} graphs below half");
}

#[test]
fn time_of_a_thread_is_python_only_where_something_is_open() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let ask = |folder: &str| {
        let set = TraceSet::load(Path::new(&shared).join("traces").join(folder)).unwrap();
        critical_path(&set, &CriticalPath { instance: Instance::All, ..CriticalPath::default() }).unwrap()
    };
    // Its collectives run on threads that have nothing else: the path is there while they run, and not before.
    for side in ["control", "test"] {
        let steps = ask(&format!("recorded_cpu/{side}"));
        assert!(steps.windows().len() >= 4);
        for window in steps.windows() {
            println!("{side} {}: {:?}", window.annotation(), window.summary());
            assert!(window.share(BoundBy::Cpu) > 40.0, "{side} {}: {:?}", window.annotation(), window.summary());
            assert!(window.share(BoundBy::NotRecorded) < 1.0, "{side} {}: {:?}", window.annotation(), window.summary());
        }
        let communicates = |window: &&BoundWindow| window.share(BoundBy::Communication) > 1.0;
        assert!(steps.windows().iter().filter(communicates).count() >= 2, "{side}");
    }
    // A thread that has only calls of the runtime: hardly any time between them is on a path.
    for window in ask("trace_diff/control").windows() {
        let of_calls = window.intervals.iter().filter(|part| part.tid == Some(-1_029_147_072));
        let unnamed: i64 = of_calls.filter(|part| part.event.is_none()).map(|part| part.end - part.start).sum();
        println!("{} {unnamed} {:?}", window.annotation(), window.summary());
        assert!(unnamed * 50 < window.duration_ns(), "{}: {unnamed}", window.annotation());
        assert!(window.share(BoundBy::NotRecorded) < 5.0, "{}: {:?}", window.annotation(), window.summary());
    }
}

impl BoundWindow {
    /// The share of a class, in percent.
    fn share(&self, class: BoundBy) -> f64 {
        let ns = self.summary().into_iter().find(|(known, _)| *known == class).map_or(0, |(_, ns)| ns);
        100.0 * ns as f64 / self.duration_ns() as f64
    }
}
