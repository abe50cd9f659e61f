//! Causal graphs of loaded traces.

#![allow(clippy::unwrap_used)]
use super::job::Job;
use crate::{Compat, TraceSet};
use causal::BoundBy;
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

#[test]
fn every_shared_trace_is_replayed_exactly() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let mut all = Vec::new();
    folders(&Path::new(&shared).join("traces"), &mut all);
    let mut loaded = 0;
    for folder in all {
        let Ok(set) = TraceSet::load(&folder) else { continue };
        let traces: Vec<_> = set.traces().iter().collect();
        let job = Job::of(&traces, Compat::Exact, |_| false).unwrap();
        assert_eq!(job.graph.replay_error_ns(), 0, "{}", folder.display());
        for rank in 0..traces.len() as u32 {
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
        loaded += 1;
    }
    assert!(loaded > 30, "{loaded} loaded");
}
