//! The simulated jobs, asked as a user does, against what really limited them.

#![allow(clippy::unwrap_used)]
use super::critical_path;
use crate::{CriticalPath, Instance, TimeChange, TraceSet};
use causal::BoundBy;
use std::collections::BTreeMap;
use std::path::Path;

/// The class of the truth to which a class of time belongs.
fn class(bound_by: BoundBy) -> &'static str {
    match bound_by {
        BoundBy::Cpu | BoundBy::DataLoading => "cpu",
        // The simulation has one class for all time between events.
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

/// A change of the truth as one of ours.
fn change(of: &serde_json::Value) -> TimeChange {
    let of_class = |class: &serde_json::Value| match class.as_str().unwrap() {
        "cpu" => r#"bound_by = "cpu_bound" or bound_by = "data_loading""#,
        "python" => r#"bound_by = "python" or bound_by = "not_recorded""#,
        "runtime" => r#"bound_by = "cuda_runtime""#,
        "launch" => r#"bound_by = "gpu_kernel_launch_overhead""#,
        "gpu" => r#"bound_by = "gpu_compute_bound""#,
        "comm" => r#"bound_by = "gpu_communication_bound""#,
        other => unreachable!("{other}"),
    };
    let classes: Vec<&str> = of["classes"].as_array().unwrap().iter().map(of_class).collect();
    let (start, factor) = (of["name_starts_with"].as_str().unwrap(), of["factor"].as_f64().unwrap());
    let start = start.replace('(', "[(]").replace(')', "[)]");
    let condition = match start.as_str() {
        "" => classes.join(" or "),
        start => format!("({}) and name ~ \"^{start}\"", classes.join(" or ")),
    };
    format!("{condition} x {factor}").parse().unwrap()
}

fn truth(shared: &Path, job: &str) -> serde_json::Value {
    let path = shared.join("golden/critical_path_sim").join(&job[..7]).join("truth.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn simulated_jobs_are_answered_as_they_were_computed() {
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let shared = Path::new(&shared);
    for job in ["shared1", "shared1_nosync", "shared1_amd", "shared2", "shared2_nosync", "shared2_amd"] {
        let truth = truth(shared, job);
        let set = TraceSet::load(shared.join("traces/critical_path_sim").join(job)).unwrap();
        let all = CriticalPath { ranks: Some(vec![0, 1]), instance: Instance::All, ..CriticalPath::default() };
        let steps = critical_path(&set, &all).unwrap();
        assert_eq!(steps.replay_error_ns(), 0);
        let mut known: Vec<_> = truth["paths"].as_array().unwrap().iter().collect();
        known.retain(|path| path["step"] != "whole job");
        assert_eq!(steps.windows().len(), known.len());
        for (window, path) in steps.windows().iter().zip(known) {
            assert_eq!(path["step"].as_str().unwrap(), window.annotation());
            let mut points: BTreeMap<&str, f64> = BTreeMap::new();
            let whole = window.duration_ns() as f64 / 100.0;
            for (of, ns) in window.summary() {
                *points.entry(class(of)).or_default() += ns as f64 / whole;
            }
            for (of, ns) in path["by_class_ns"].as_object().unwrap() {
                let of = if of == "gpu_wait" { "gpu_gap" } else { of };
                *points.entry(of).or_default() -= ns.as_f64().unwrap() / whole;
            }
            assert!(points.values().all(|points| points.abs() <= 2.0), "{job} {} {points:?}", window.annotation());
        }
        let changes = truth["what_if"].as_array().unwrap();
        let (annotation, ranks) = (Some(String::new()), Some(vec![0, 1]));
        let query = CriticalPath {
            ranks,
            annotation,
            changes: changes.iter().map(change).collect(),
            ..CriticalPath::default()
        };
        let answer = critical_path(&set, &query).unwrap();
        let whole = truth["base"]["job_end_ns"].as_f64().unwrap() / 100.0;
        let rows = answer.what_if_rows().iter().zip(changes);
        let errors: Vec<f64> = rows
            .map(|(row, of)| (row.saved_ns() as f64 - of["saved_job_ns"].as_f64().unwrap()).abs() / whole)
            .collect();
        assert_eq!(errors.len(), changes.len());
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        println!("{job}: {mean:.3} % on average, {:.2} % at worst", errors.iter().copied().fold(0.0, f64::max));
        assert!(mean <= 0.5 && errors.iter().all(|error| *error <= 2.0), "{job} {errors:?}");
    }
}
