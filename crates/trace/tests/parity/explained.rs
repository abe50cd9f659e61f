//! Explanations of every trace there is: all GPU time is accounted for, and parts add up to the step.

use super::goldens::{say, shared};
use std::path::{Path, PathBuf};
use trace::polars::prelude::DataType;
use trace::{Explain, Explanation, TraceSet};

/// Every trace file, each as a trace of its own.
fn traces(folder: &Path) -> Vec<(PathBuf, TraceSet)> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.into_iter().filter_map(|file| Some((file.clone(), TraceSet::load(&file).ok()?.with_label("t")))).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "gz" || ending == "json") {
            found.push(path);
        }
    }
    found.sort();
}

/// Number and time of the kernels, copies and fills of a trace, counted in its frame.
fn gpu_work(trace: &TraceSet) -> (u64, i64) {
    let (mut number, mut time) = (0, 0);
    for rank in trace.traces() {
        let events = rank.events();
        let cats = events.column("cat").unwrap().cast(&DataType::String).unwrap();
        let durations = events.column("dur").unwrap().i64().unwrap().clone();
        for (cat, dur) in cats.str().unwrap().iter().zip(durations.iter()) {
            if matches!(cat, Some("kernel" | "Kernel" | "gpu_memset" | "Memset" | "gpu_memcpy" | "Memcpy")) {
                number += 1;
                time += dur.unwrap_or(0).max(0);
            }
        }
    }
    (number, time)
}

#[track_caller]
fn assert_adds_up(explained: &Explanation, sides: [&TraceSet; 2], place: &str) {
    let json = explained.to_json();
    let classes: f64 = explained.classes.iter().map(|class| class.delta_us).sum();
    let idle: f64 = explained.idle.iter().map(|idle| idle.delta_us).sum();
    let rows = explained.rows();
    let regions: f64 = rows.iter().map(|row| row.delta_us).sum();
    let near = |one: f64, other: f64, what: &str| {
        let scale = explained.step.control_us.abs().max(explained.step.test_us.abs()).max(1.0);
        assert!((one - other).abs() <= 1e-9 * scale, "{place}: {what}: {one} and {other}");
    };
    near(classes, explained.step.delta_us, "classes and step");
    near(regions + explained.unattributed.delta_us + idle, explained.step.delta_us, "regions, idle time and step");
    for (at, side) in ["control", "test"].into_iter().enumerate() {
        let coverage = &json["coverage"][side];
        let of = |name: &str| coverage[name].as_i64().unwrap();
        let left_out = coverage["left_out"].as_array().unwrap();
        let sum = |name: &str| left_out.iter().map(|out| out[name].as_i64().unwrap()).sum::<i64>();
        assert_eq!(of("recorded_gpu_ns"), of("selected_gpu_ns") + sum("gpu_ns"), "{place}");
        assert_eq!(of("recorded_gpu_events"), of("selected_gpu_events") + sum("gpu_events"), "{place}");
        let total = |region: &serde_json::Value| region[side]["gpu_total_ns"].as_i64().unwrap();
        let regions: i64 = json["regions"].as_array().unwrap().iter().map(total).sum();
        let (number, time) = gpu_work(sides[at]);
        if number > 0 {
            assert_eq!(regions, of("selected_gpu_ns"), "{place}");
        }
        assert_eq!((of("recorded_gpu_events") as u64, of("recorded_gpu_ns")), (number, time), "{place}");
    }
}

#[test]
fn every_trace_explains_itself_and_its_neighbour() {
    let Some(shared) = shared("explanations of every trace") else { return };
    let traces = traces(&shared.join("traces"));
    assert!(traces.len() >= 30, "only {} traces found", traces.len());
    for (at, (file, trace)) in traces.iter().enumerate() {
        let place = file.display().to_string();
        let explained = Explain::new(trace, trace).run().unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_adds_up(&explained, [trace, trace], &place);
        assert_eq!(explained.step.delta_us, 0.0, "{place}");
        assert!(explained.rows().iter().all(|row| row.grade == "exact" && row.delta_us == 0.0), "{place}");
        let (_, other) = &traces[(at + 1) % traces.len()];
        let explained = Explain::new(trace, other).run().unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_adds_up(&explained, [trace, other], &place);
        // Some iterations only, and another number of them on each side.
        let iterations = trace.iterations();
        if iterations.len() > 2 {
            let some: Vec<i64> = iterations.iter().copied().skip(1).step_by(2).collect();
            let explained = Explain::new(trace, trace).control_iteration(some).warmup(1).run().unwrap();
            assert_adds_up(&explained, [trace, trace], &place);
        }
    }
    say(&format!("explanations: {} traces with themselves and their neighbours add up", traces.len()));
}

#[test]
fn pairs_of_vendors_divide_as_the_design_says() {
    let Some(shared) = shared("explanations across vendors") else { return };
    let folder = shared.join("traces").join("tracelens_h100_mi300");
    // Step, compute, exposed copies, idle time: test − control, µs.
    for (model, expected) in [
        ("bert_small", [-418.780, 81.147, 0.164, -500.091]),
        ("qwen1.5_0.5b", [-4412.449, -4351.032, -202.289, 140.872]),
    ] {
        let load = |side: &str| TraceSet::load(folder.join(model).join(format!("{side}.json.gz"))).unwrap();
        let (control, test) = (load("control"), load("test"));
        let explained = Explain::new(&control, &test).run().unwrap();
        assert_adds_up(&explained, [&control, &test], model);
        let class = |name: &str| explained.classes.iter().find(|class| class.class == name).unwrap().delta_us;
        assert_eq!(class("exposed_communication"), 0.0, "{model}");
        let found = [explained.step.delta_us, class("compute"), class("exposed_copy"), class("idle")];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 0.0005, "{model}: {found} instead of {expected}");
        }
        let rows = explained.rows();
        for side in 0..2 {
            let all: f64 = rows.iter().map(|row| row.total_us[side]).sum();
            let alone = rows.iter().filter(|row| matches!(row.grade, "added" | "deleted"));
            let one_sided: f64 = alone.map(|row| row.total_us[side]).sum();
            assert!(one_sided <= 0.01 * all, "{model}: {one_sided} of {all} µs in one-sided regions");
        }
    }
}
