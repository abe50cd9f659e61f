//! The jobs whose truth is known.

use crate::load::{Job, job, read, shared};
use causal::{BoundBy, Graph, HostKind, Lag, Window};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The steps of the ranks.
pub(crate) fn steps(job: &Job) -> Vec<Window> {
    let mut steps = Vec::new();
    for (rank, events) in (0..).zip(&job.ranks) {
        for event in &events.host {
            if event.kind == HostKind::Annotation && job.name(rank, event.row).starts_with("ProfilerStep#") {
                let thread = Some(event.thread);
                steps.push(Window { rank, thread, start: event.start, end: event.end });
            }
        }
    }
    steps
}

/// The class of the truth to which a lag belongs.
fn class(bound_by: BoundBy) -> &'static str {
    match bound_by {
        BoundBy::Cpu | BoundBy::DataLoading => "cpu",
        BoundBy::Python | BoundBy::NotRecorded => "python",
        BoundBy::CudaRuntime => "runtime",
        BoundBy::LaunchOverhead => "launch",
        BoundBy::Compute => "gpu",
        BoundBy::Communication => "comm",
        BoundBy::Memory => "gpu_copy",
        BoundBy::KernelKernelOverhead => "gpu_gap",
        BoundBy::Synchronization => "wake",
        BoundBy::WaitingForRank | BoundBy::Unexplained => "unknown",
    }
}

/// Shares of a window by class, in ns.
pub(crate) fn shares(graph: &Graph, window: &Window) -> BTreeMap<&'static str, i64> {
    let mut shares = BTreeMap::new();
    let path = graph.path(window);
    assert_eq!(path.first().map(|segment| segment.start), Some(window.start));
    assert_eq!(path.last().map(|segment| segment.end), Some(window.end));
    assert!(path.windows(2).all(|two| two[0].end == two[1].start));
    for segment in path {
        *shares.entry(class(segment.bound_by)).or_default() += segment.duration();
    }
    shares
}

/// The factor of a change of the truth.
pub(crate) fn factor(job: &Job, change: &Value, lag: &Lag) -> f64 {
    let classes = change["classes"].as_array().unwrap();
    let start = change["name_starts_with"].as_str().unwrap();
    let is_class = classes.iter().any(|of| of == class(lag.bound_by));
    let is_named = start.is_empty() || lag.own_event().is_some_and(|row| job.name(lag.rank, row).starts_with(start));
    if is_class && is_named { change["factor"].as_f64().unwrap() } else { 1.0 }
}

/// How far what each change of the truth saves is from it, in percent of the job's time.
pub(crate) fn errors(job: &Job, graph: &Graph, truth: &Value) -> Vec<f64> {
    let ranks = 0..job.ranks.len() as u32;
    let windows: Vec<Window> = ranks.map(|rank| graph.whole(rank).unwrap()).collect();
    let end = |factor: &dyn Fn(&Lag) -> f64| {
        windows.iter().map(|window| graph.replay(window, factor).bounds().1).max().unwrap()
    };
    let before = end(&|_| 1.0);
    let whole = truth["base"]["job_end_ns"].as_f64().unwrap();
    let error = |change: &Value| {
        let saved = before - end(&|lag| factor(job, change, lag));
        (saved - change["saved_job_ns"].as_i64().unwrap()).abs() as f64 / whole * 100.0
    };
    truth["what_if"].as_array().unwrap().iter().map(error).collect()
}

/// The truth of a job; its three forms have the same.
pub(crate) fn truth(shared: &Path, job: &str) -> Value {
    read(&shared.join("golden/critical_path_sim").join(&job[..7]).join("truth.json"))
}

#[test]
fn simulated_jobs_are_explained_and_predicted() {
    let Some(shared) = shared() else { return };
    for name in ["shared1", "shared1_nosync", "shared1_amd", "shared2", "shared2_nosync", "shared2_amd"] {
        let job = job(&shared.join("traces/critical_path_sim").join(name));
        let truth = truth(&shared, name);
        let graph = job.graph();
        assert_eq!(graph.replay_error_ns(), 0);
        println!("{name} {:?}", graph.left_out());
        let mut worst_share = 0.0_f64;
        let paths = truth["paths"].as_array().unwrap().iter().filter(|path| path["step"] != "whole job");
        for (window, path) in steps(&job).iter().zip(paths) {
            let found = shares(&graph, window);
            let mut expected: BTreeMap<&str, i64> = BTreeMap::new();
            for (class, ns) in path["by_class_ns"].as_object().unwrap() {
                let class = if class == "gpu_wait" { "gpu_gap" } else { class };
                *expected.entry(class).or_default() += ns.as_i64().unwrap();
            }
            let whole = (window.end - window.start) as f64;
            let classes = found.keys().chain(expected.keys()).copied();
            let mut worst = 0.0_f64;
            for class in classes {
                let both = [found.get(class), expected.get(class)].map(|ns| ns.copied().unwrap_or(0) as f64);
                worst = worst.max((both[0] - both[1]).abs() / whole * 100.0);
            }
            if worst > 1.0 {
                println!("  {} {found:?} {expected:?}", path["step"]);
            }
            worst_share = worst_share.max(worst);
        }
        let errors = errors(&job, &graph, &truth);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let worst = errors.iter().copied().fold(0.0, f64::max);
        println!(
            "{name}: shares within {worst_share:.2} points, what-if {mean:.3} % on average, {worst:.2} % at worst"
        );
        assert!(worst_share <= 2.0 && worst <= 2.0 && mean <= 0.5, "{name}");
    }
}
