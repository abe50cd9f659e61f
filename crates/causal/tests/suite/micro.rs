//! Traces of a few events that show one rule each.

use crate::load::{Job, job, shared};
use causal::{BoundBy, Graph, Segment, Window};
use std::path::Path;

fn load(shared: &Path, name: &str) -> (Job, Graph) {
    let job = job(&shared.join("traces/critical_path_micro").join(name));
    let graph = job.graph();
    assert_eq!(graph.replay_error_ns(), 0, "{name}");
    (job, graph)
}

/// What bounds a window: words with µs, neighbours of one word and event joined.
fn bounds(job: &Job, path: &[Segment]) -> String {
    let mut all: Vec<(String, i64)> = Vec::new();
    for segment in path {
        let name = segment.event.map_or("", |row| job.name(segment.rank, row));
        let word = match segment.bound_by {
            BoundBy::Python => "python",
            BoundBy::NotRecorded => "not recorded",
            BoundBy::LaunchOverhead => "launch",
            BoundBy::KernelKernelOverhead => "gap",
            BoundBy::Synchronization => "sync",
            BoundBy::Unexplained => "unexplained",
            BoundBy::DataLoading => "loading",
            _ => name,
        };
        match all.last_mut() {
            Some(last) if last.0 == word => last.1 += segment.duration(),
            _ => all.push((word.to_owned(), segment.duration())),
        }
    }
    let words: Vec<String> = all.iter().map(|(word, ns)| format!("{word} {}", *ns as f64 / 1000.0)).collect();
    words.join(", ")
}

#[test]
fn micro_traces_are_bound_by_what_really_limits_them() {
    let Some(shared) = shared() else { return };
    for (name, expected) in CASES {
        let (job, graph) = load(&shared, name);
        let window = graph.whole(0).unwrap();
        assert_eq!(bounds(&job, &graph.path(&window)), *expected, "{name}");
    }
}

const CASES: &[(&str, &str)] = &[
    ("lock", "not recorded 5, aten::b 15, cudaLaunchKernel 60, aten::b 10, launch 25, kc 20"),
    (
        "blocking_memcpy",
        "aten::a 10, launch 20, ka 500, gap 1, Memcpy DtoH (Device -> Pageable) 5, sync 14, aten::item 5, cudaStreamSynchronize 15, aten::item 10",
    ),
    ("gap", "aten::a 50, not recorded 950, aten::b 10, cudaLaunchKernel 10, aten::b 30, not recorded 1950, aten::c 1"),
    ("gap1500", "aten::a 10, launch 60, k1 20, gap 10, unexplained 1489, k2 20, gap 10, unexplained 1490, k3 20"),
    (
        "burst",
        "aten::a 5, cudaLaunchKernel 10, aten::a 2, cudaLaunchKernel 10, aten::a 2, cudaLaunchKernel 10, aten::a 2, cudaLaunchKernel 10, aten::a 9, not recorded 40, aten::b 600, cudaLaunchKernel 10, aten::b 90",
    ),
    ("graph", "aten::a 10, launch 20, k1 500, gap 10, k2 400, gap 10, k3 300, gap 1, k4 20"),
    (
        "triton",
        "aten::a 50, not recorded 50, triton_poi_fused_add_0 10, launch 15, triton_poi_fused_add_0 500, gap 1, triton_red_fused_1 50",
    ),
    (
        "fwd_bwd",
        "python 10, aten::a 10, cudaLaunchKernel 10, aten::a 60, python 20, autograd::engine::evaluate_function: A 10, cudaLaunchKernel 10, autograd::engine::evaluate_function: A 60, python 10, aten::opt 5, launch 10, k3 60",
    ),
    ("multi_wait", "aten::a 10, launch 20, k1 900, gap 2, k7 100"),
    ("stream_sync", "aten::a 10, launch 15, k1 400, sync 10, not recorded 5, aten::b 400"),
    ("context_sync", "aten::a 10, launch 15, k1 500, sync 5, not recorded 10, aten::b 40"),
    ("event_sync", "aten::a 10, launch 15, k1 500, gap 2, k2 300"),
    (
        "event_sync_late",
        "aten::a 10, cudaLaunchKernel 10, aten::a 2, cudaEventRecord 3, aten::a 35, not recorded 40, aten::m 400, not recorded 10, cudaEventSynchronize 5, not recorded 45, aten::b 40",
    ),
    ("two_devices", "aten::a 10, launch 15, k1 900, gap 2, k4 100"),
    (
        "crossing",
        "aten::a 10, cudaLaunchKernel 10, aten::a 10, cudaLaunchKernel 10, aten::a 110, aten::c 60, aten::d 20, aten::c 15, aten::e 50",
    ),
    (
        "data_loading",
        "enumerate(DataLoader)#next 20, aten::stack 50, enumerate(DataLoader)#next 230, not recorded 10, aten::a 10, cudaLaunchKernel 10, aten::a 40, not recorded 10, aten::b 100",
    ),
    ("ties", "aten::leaf 50, aten::leaf2 50, cudaLaunchKernel 50, launch 50, k2b 50"),
    (
        "sub_us",
        "aten::a 10.2, aten::b 5.3, aten::a 0.6, aten::c 0.5, aten::a 13.9, cudaLaunchKernel 10.4, aten::a 0.3, cudaLaunchKernel 3.5, aten::a 55.3, not recorded 0.4, aten::d 30.2",
    ),
];

#[test]
fn a_window_waits_for_a_kernel_that_was_launched_before_it() {
    let Some(shared) = shared() else { return };
    let (job, graph) = load(&shared, "pipelined");
    let event = job.ranks[0].host.iter().find(|event| job.name(0, event.row) == "S#2").unwrap();
    let window = Window { rank: 0, thread: Some(event.thread), start: event.start, end: event.end };
    assert_eq!(bounds(&job, &graph.path(&window)), "k1 215, gap 5, k4 50, sync 10, python 10, aten::z 20");
}
