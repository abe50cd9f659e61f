//! The distance of HTA's path from the truth, beside ours: on simulated jobs whose truth is known, and on recorded traces.

#[path = "../../../hta-rules/tests/suite/compressed.rs"]
mod compressed;
#[path = "../../../hta-rules/tests/suite/loaded.rs"]
mod loaded;

use crate::load::{job, shared};
use crate::simulated::{errors, truth};
use hta_rules::critical_path::{Edge, EdgeKind, Frame, Graph, Options, Share, Window};
use loaded::{Loaded, load, load_all};
use serde_json::Value;

/// HTA's graph of a window of a rank.
fn graph(rank: &Loaded, window: Window) -> Graph {
    Graph::of(rank, &Options::of(window)).unwrap()
}

/// HTA's path of an instance of an annotation: percent of the window that it covers, and of the path by what bounds it.
fn path(rank: &Loaded, annotation: &str, instance: usize) -> (f64, Vec<(&'static str, f64)>) {
    let window = Window::Instances { annotation: annotation.to_owned(), first: instance, last: instance };
    let graph = graph(rank, window);
    let rows = graph.breakdown(rank, &graph.path());
    let length: i64 = rows.iter().map(|row| row.duration).sum();
    let shares = Share::of(&rows).iter().map(|share| (share.bound_by.word(), share.percent)).collect();
    (length as f64 * 100.0 / (graph.span.end.unwrap() - graph.span.start) as f64, shares)
}

/// The class of the truth to which an edge belongs, and the name of its event; nothing for edges without time.
fn class<'r>(rank: &'r Loaded, edge: &Edge) -> Option<(&'static str, &'r str)> {
    let event = edge.event.and_then(|event| rank.position(event)).map(|position| rank.row(position));
    let name = event.map_or("", |row| rank.text(row.name));
    let class = match (edge.kind, event) {
        (EdgeKind::KernelLaunchDelay, _) => "launch",
        (EdgeKind::KernelKernelDelay, _) => "gpu_gap",
        (EdgeKind::Operator, Some(row)) => match rank.text(row.cat) {
            "cuda_runtime" | "cuda_driver" => "runtime",
            "kernel" if name.starts_with("nccl") => "comm",
            "kernel" => "gpu",
            cat if cat.starts_with("gpu_") => "gpu_copy",
            _ => "cpu",
        },
        _ => return None,
    };
    Some((class, name))
}

/// How far HTA's longest path of the whole job is from the truth of each change, in percent of the job's time.
fn hta_errors(ranks: &[Loaded], truth: &Value) -> Vec<f64> {
    let graphs: Vec<Graph> = ranks.iter().map(|rank| graph(rank, Window::Whole)).collect();
    let longest = |change: Option<&Value>| {
        let of_rank = |(rank, graph): (&Loaded, &Graph)| {
            let factor = |edge: &Edge| match (change, class(rank, edge)) {
                (Some(change), Some((class, name))) => {
                    let is_class = change["classes"].as_array().unwrap().iter().any(|of| of == class);
                    let is_named = name.starts_with(change["name_starts_with"].as_str().unwrap());
                    if is_class && is_named { change["factor"].as_f64().unwrap() } else { 1.0 }
                }
                _ => 1.0,
            };
            graph.path_with(|edge| edge.search_weight as f64 * factor(edge)).length
        };
        ranks.iter().zip(&graphs).map(of_rank).fold(0.0, f64::max)
    };
    let (before, whole) = (longest(None), truth["base"]["job_end_ns"].as_f64().unwrap());
    let error = |change: &Value| {
        let saved = before - longest(Some(change));
        (saved - change["saved_job_ns"].as_f64().unwrap()).abs() / whole * 100.0
    };
    truth["what_if"].as_array().unwrap().iter().map(error).collect()
}

fn mean_and_worst(errors: &[f64]) -> [f64; 2] {
    [errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max)]
}

#[test]
fn changes_are_predicted_where_htas_path_is_far_off() {
    let Some(shared) = shared() else { return };
    println!("| job | HTA, mean | worst | ours, mean | worst |");
    for (name, hta_mean, hta_worst) in [
        ("shared1", 3.3, 10.3),
        ("shared1_nosync", 13.7, 46.5),
        ("shared1_amd", 11.5, 46.0),
        ("shared2", 14.3, 33.7),
        ("shared2_nosync", 10.7, 28.6),
        ("shared2_amd", 10.7, 28.6),
    ] {
        let (truth, folder) = (truth(&shared, name), shared.join("traces/critical_path_sim").join(name));
        let job = job(&folder);
        let [mean, worst] = mean_and_worst(&errors(&job, &job.graph(), &truth));
        let hta = mean_and_worst(&hta_errors(&load_all(&folder, true), &truth));
        println!("| {name} | {:.1} | {:.1} | {mean:.2} | {worst:.2} |", hta[0], hta[1]);
        assert!((hta[0] - hta_mean).abs() < 0.1 && (hta[1] - hta_worst).abs() < 0.1, "{name} {hta:?}");
        assert!(mean <= 0.5 && worst <= 2.0, "{name} {mean} {worst}");
    }
}

#[test]
fn htas_paths_of_steps_are_as_wrong_as_described() {
    let Some(shared) = shared() else { return };
    // Really bound: shared1 by the GPU (74 %), shared2 by the CPU (70 %).
    for (name, covered, expected) in [
        ("shared1", 70.4, &[("gpu_compute_bound", 86.7), ("gpu_communication_bound", 7.7), ("cpu_bound", 1.0)][..]),
        ("shared1_amd", 123.7, &[("cpu_bound", 63.1), ("gpu_compute_bound", 31.0)]),
        ("shared2", 83.8, &[("gpu_communication_bound", 57.9), ("gpu_compute_bound", 36.3)]),
    ] {
        let ranks = load(&shared.join("traces/critical_path_sim").join(name), true);
        let (percent, shares) = path(&ranks[0], "ProfilerStep", 1);
        println!("| {name} | {percent:.1} | {shares:.1?} |");
        assert!((percent - covered).abs() < 0.1, "{name} {percent}");
        let share = |word: &str| shares.iter().find(|share| share.0 == word).map_or(0.0, |share| share.1);
        assert!(expected.iter().all(|(word, percent)| (share(word) - percent).abs() < 0.1), "{name} {shares:?}");
    }
    for (folder, annotation, covered) in [
        ("trace_diff/control", "ProfilerStep", 52.0),
        ("trace_diff/test", "ProfilerStep", 56.2),
        ("trace_filter", "ProfilerStep", 49.6),
        ("trace_compare/base", "ProfilerStep", 57.0),
        ("nccl_parser_config", "ProfilerStep", 85.8),
        ("critical_path/alexnet", "[param|pytorch.model.alex_net|0|0|0|measure|forward]", 98.9),
    ] {
        let folder_of = shared.join("traces").join(folder);
        let (percent, shares) = path(&load(&folder_of, true)[0], annotation, 0);
        println!("| {folder} | {percent:.1} | {shares:.1?} |");
        assert!((percent - covered).abs() < 0.1, "{folder} {percent}");
        // One cause has nearly all of it.
        let largest = shares.iter().map(|share| share.1).fold(0.0, f64::max);
        assert!(largest > if folder == "trace_diff/control" { 70.0 } else { 95.0 }, "{folder} {shares:?}");
        // Ours covers the recording to the nanosecond.
        let job = job(&folder_of);
        let graph = job.graph();
        let window = graph.whole(0).unwrap();
        let sum: i64 = graph.path(&window).iter().map(causal::Segment::duration).sum();
        assert_eq!((sum, graph.replay_error_ns()), (window.end - window.start, 0), "{folder}");
    }
}
