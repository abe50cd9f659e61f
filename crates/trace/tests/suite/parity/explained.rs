//! Explanations of every trace there is: all GPU time is accounted for, and parts add up to the step.

use super::goldens::{say, shared};
use regex::Regex;
use std::path::{Path, PathBuf};
use trace::polars::prelude::DataType;
use trace::{CriticalPath, Explain, Explanation, SelectEvents, TraceSet};
use trace_testkit::Random;

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
fn assert_adds_up(explained: &Explanation, sides: [&TraceSet; 2], label: &str) {
    let json = explained.to_json();
    let classes: f64 = explained.classes.iter().map(|class| class.delta_us).sum();
    let idle: f64 = explained.idle.iter().map(|idle| idle.delta_us).sum();
    let rows = explained.rows();
    let regions: f64 = rows.iter().map(|row| row.delta_us).sum();
    let near = |one: f64, other: f64, what: &str| {
        let scale = explained.step.control_us.abs().max(explained.step.test_us.abs()).max(1.0);
        assert!((one - other).abs() <= 1e-9 * scale, "{label}: {what}: {one} and {other}");
    };
    near(classes, explained.step.delta_us, "classes and step");
    near(regions + explained.unattributed.delta_us + idle, explained.step.delta_us, "regions, idle time and step");
    for (at, side) in ["control", "test"].into_iter().enumerate() {
        let coverage = &json["coverage"][side];
        let of = |name: &str| coverage[name].as_i64().unwrap();
        let left_out = coverage["left_out"].as_array().unwrap();
        let sum = |name: &str| left_out.iter().map(|out| out[name].as_i64().unwrap()).sum::<i64>();
        assert_eq!(of("recorded_gpu_ns"), of("selected_gpu_ns") + sum("gpu_ns"), "{label}");
        assert_eq!(of("recorded_gpu_events"), of("selected_gpu_events") + sum("gpu_events"), "{label}");
        let total = |region: &serde_json::Value| region[side]["gpu_total_ns"].as_i64().unwrap();
        let regions: i64 = json["regions"].as_array().unwrap().iter().map(total).sum();
        let (number, time) = gpu_work(sides[at]);
        if number > 0 {
            assert_eq!(regions, of("selected_gpu_ns"), "{label}");
        }
        assert_eq!((of("recorded_gpu_events") as u64, of("recorded_gpu_ns")), (number, time), "{label}");
    }
}

#[test]
fn every_trace_explains_itself_and_its_neighbour() {
    let Some(shared) = shared("explanations of every trace") else { return };
    let traces = traces(&shared.join("traces"));
    assert!(traces.len() >= 30, "only {} traces found", traces.len());
    for (at, (file, trace)) in traces.iter().enumerate() {
        let label = file.display().to_string();
        let explained = Explain::new(trace, trace).run().unwrap_or_else(|error| panic!("{label}: {error}"));
        assert_adds_up(&explained, [trace, trace], &label);
        assert_eq!(explained.step.delta_us, 0.0, "{label}");
        assert!(explained.rows().iter().all(|row| row.grade == "exact" && row.delta_us == 0.0), "{label}");
        let (_, other) = &traces[(at + 1) % traces.len()];
        let explained = Explain::new(trace, other).run().unwrap_or_else(|error| panic!("{label}: {error}"));
        assert_adds_up(&explained, [trace, other], &label);
        let mut random = Random::new(at as u64);
        for _ in 0..3 {
            assert_any_selection_adds_up(trace, other, &mut random, &label);
        }
        // Some iterations only, and another number of them on each side.
        let iterations = trace.iterations();
        if iterations.len() > 2 {
            let some: Vec<i64> = iterations.iter().copied().skip(1).step_by(2).collect();
            let explained = Explain::new(trace, trace).control_iteration(some).warmup(1).run().unwrap();
            assert_adds_up(&explained, [trace, trace], &label);
        }
    }
    say(&format!("explanations: {} traces with themselves and their neighbours add up", traces.len()));
}

/// Explains random iterations of two traces, by steps or by a random operator as the mark of iterations.
fn assert_any_selection_adds_up(control: &TraceSet, test: &TraceSet, random: &mut Random, label: &str) {
    let some = |random: &mut Random, numbers: &[i64]| -> Vec<i64> {
        let number = 1 + random.below(numbers.len());
        (0..number).map(|_| *random.of(numbers)).collect()
    };
    let mut explain = Explain::new(control, test);
    if random.below(3) == 0 {
        let name = operator(control, random);
        let Ok(marker) = Regex::new(&format!("^{}$", regex::escape(&name))) else { return };
        explain = Explain::new(control, control).marker(marker).warmup(random.below(2));
        // Of a call that occurs once, none is left without the first.
        if let Ok(explained) = explain.run() {
            assert_adds_up(&explained, [control, control], &format!("{label} by {name}"));
        }
        return;
    }
    let (ours, theirs) = (control.iterations(), test.iterations());
    if !ours.is_empty() && random.below(3) > 0 {
        explain = explain.control_iteration(some(random, &ours));
    }
    if !theirs.is_empty() && random.below(3) > 0 {
        explain = explain.test_iteration(some(random, &theirs));
    }
    let explained = explain.run().unwrap_or_else(|error| panic!("{label}: {error}"));
    assert_adds_up(&explained, [control, test], label);
    let left_out = &explained.to_json()["coverage"]["control"]["left_out"];
    let known =
        ["outside of the steps", "launched before the recording", "another iteration", "warm-up", "another rank"];
    let words = left_out.as_array().unwrap().iter().map(|out| out["why"].as_str().unwrap());
    assert!(words.into_iter().all(|word| known.contains(&word)), "{label}: {left_out}");
}

/// The name of a random host event; empty if there is none.
fn operator(trace: &TraceSet, random: &mut Random) -> String {
    let events = trace.traces()[0].events();
    let texts = |column: &str| events.column(column).unwrap().cast(&DataType::String).unwrap();
    let (names, cats) = (texts("name"), texts("cat"));
    let pairs = names.str().unwrap().iter().zip(cats.str().unwrap().iter());
    let operators: Vec<&str> = pairs.filter(|(_, cat)| *cat == Some("cpu_op")).filter_map(|(name, _)| name).collect();
    if operators.is_empty() { String::new() } else { (*random.of(&operators)).to_owned() }
}

#[test]
fn every_left_out_event_has_its_reason() {
    let Some(shared) = shared("reasons of left-out events") else { return };
    let trace = TraceSet::load(shared.join("traces/trace_diff/control/control.json.gz")).unwrap().with_label("t");
    let explained = Explain::new(&trace, &trace).warmup(1).control_iteration([1010, 1012]).run().unwrap();
    let json = explained.to_json();
    let words = |side: &str| -> Vec<String> {
        let left_out = json["coverage"][side]["left_out"].as_array().unwrap();
        left_out.iter().map(|out| out["why"].as_str().unwrap().to_owned()).collect()
    };
    assert!(words("control").contains(&"another iteration".to_owned()), "{:?}", words("control"));
    assert!(words("control").contains(&"warm-up".to_owned()) && words("test").contains(&"warm-up".to_owned()));
    assert!(!words("test").contains(&"another iteration".to_owned()), "{:?}", words("test"));
    assert_adds_up(&explained, [&trace, &trace], "trace_diff");
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
        let wide = rows.iter().filter(|row| row.name.ends_with(" more")).count();
        assert!(2 * wide < rows.len(), "{model}: the median region is wider than one kernel");
    }
}

/// Both paths are in regions, also that of an iteration that belongs to the warm-up.
#[test]
fn critical_paths_of_warm_up_are_in_regions() {
    let Some(shared) = shared("critical paths of warm-up") else { return };
    let run = |name: &str| TraceSet::load(shared.join("traces/recorded_runs").join(name)).unwrap().with_label(name);
    let change = CriticalPath::default().compare(&run("control-1"), &run("test-1")).unwrap();
    for side in [0, 1] {
        let total: i64 = change.regions.iter().map(|region| region.ns[side]).sum();
        let outside: i64 =
            change.regions.iter().filter(|region| region.region.is_none()).map(|region| region.ns[side]).sum();
        assert!(outside * 4 < total, "side {side}: {outside} of {total} ns are outside of regions");
    }
}
