//! Flame graphs of traces written by hand, and of all shared ones.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use trace::{FlameGraph, FlameQuery, FlameTime, SelectEvents, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

fn builder() -> TraceBuilder {
    TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::linear", 2..50)
        .operator("aten::addmm; <b>", 3..40)
        .runtime("cudaLaunchKernel", 4, 5..9)
        .kernel("gemm", Stream(7), 12..42)
        .correlation(4)
        .kernel("lost", Stream(7), 50..60)
        .step(2, 100..300)
        .operator("aten::linear", 110..150)
        .operator("crosses the end of the step", 290..310)
        .thread(2)
        .operator("autograd::engine", 55..90)
}

fn load(builder: &TraceBuilder, label: &str) -> TraceSet {
    TraceSet::from_bytes(builder.json()).unwrap().with_label(label)
}

/// The stacks with time of their own.
fn stacks(flame: &FlameGraph) -> BTreeMap<String, i64> {
    read_folded(&written(|out| flame.write_folded(out)))
}

#[test]
fn main_thread_is_as_wide_as_the_step() {
    let flame = FlameQuery::new(load(&builder(), "control")).time(FlameTime::Cpu).run().unwrap();
    // Two steps of 100 and 200 µs.
    assert_eq!(flame.step_ns(), [150_000]);
    let found = stacks(&flame);
    assert_eq!(found["main thread;ProfilerStep;aten::linear"], 25_500);
    assert_eq!(found["main thread;ProfilerStep;crosses the end of the step"], 5_000);
    assert_eq!(found["backward thread;autograd::engine"], 17_500);
    let of_main = found.iter().filter(|(stack, _)| stack.starts_with("main")).map(|(_, own)| *own).sum::<i64>();
    assert_eq!((of_main, flame.total_ns()), (150_000, [167_500, 0]));
}

#[test]
fn gpu_time_is_below_the_launch() {
    let flame = FlameQuery::new(load(&builder(), "control")).time(FlameTime::Gpu).iterations(1).run().unwrap();
    let found = stacks(&flame);
    let expected = [
        ("(launch not recorded);lost".to_owned(), 10_000),
        ("ProfilerStep;aten::linear;aten::addmm: <b>;cudaLaunchKernel;gemm".to_owned(), 30_000),
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn attributed_time_adds_up_to_the_step() {
    let flame = FlameQuery::new(load(&builder(), "control")).run().unwrap();
    assert_eq!((flame.step_ns()[0], flame.total_ns()), (150_000, [150_000, 0]));
    assert!(stacks(&flame).keys().any(|stack| stack.starts_with("(idle);")));
}

#[test]
fn vanished_stacks_are_shown() {
    let (control, test) = (load(&builder(), "control"), load(&TraceBuilder::new().step(1, 0..100), "test"));
    let flame = FlameQuery::compare(&control, &test).time(FlameTime::Cpu).run().unwrap();
    assert_eq!(flame.total_ns(), [167_500, 100_000]);
    let output = flame.to_json();
    // The axis ends with the mean of both, as the title says, not with their sum.
    assert_eq!((flame.width_ns(), &output["width"]), (133_750, &serde_json::json!(133_750)));
    assert!(flame.summary().ends_with("widths are the mean of both sides, 134 µs in all"), "{}", flame.summary());
    assert_eq!(flame.picture().span, (0.0, 133_750.0));
    let columns = output["layouts"]["left-heavy"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["parent", "depth", "name", "start", "dur", "self", "count", "control", "test", "change"]);
    assert!(output["names"].as_array().unwrap().iter().any(|name| name == "aten::addmm; <b>"));
    assert!(flame.bundle(trace_render::lanes).data.contains_key("image/png"));
}

/// Reads folded stacks again: their sum, and the times by stack.
fn read_folded(text: &str) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let (stack, time) = line.rsplit_once(' ').unwrap();
        *found.entry(stack.to_owned()).or_default() += time.parse::<i64>().unwrap();
    }
    found
}

/// Reads a file of speedscope again: the times by stack of its first profile.
fn read_speedscope(text: &str) -> BTreeMap<String, i64> {
    let file: serde_json::Value = serde_json::from_str(text).unwrap();
    let frames: Vec<&str> =
        file["shared"]["frames"].as_array().unwrap().iter().map(|frame| frame["name"].as_str().unwrap()).collect();
    let profile = &file["profiles"][0];
    let (samples, weights) = (profile["samples"].as_array().unwrap(), profile["weights"].as_array().unwrap());
    assert_eq!((samples.len(), profile["unit"].as_str()), (weights.len(), Some("nanoseconds")));
    assert_eq!(
        weights.iter().map(|weight| weight.as_i64().unwrap()).sum::<i64>(),
        profile["endValue"].as_i64().unwrap()
    );
    let mut found = BTreeMap::new();
    for (sample, weight) in samples.iter().zip(weights) {
        let names: Vec<String> =
            sample.as_array().unwrap().iter().map(|frame| folded(frames[frame.as_u64().unwrap() as usize])).collect();
        *found.entry(names.join(";")).or_default() += weight.as_i64().unwrap();
    }
    found
}

fn written(write: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A name as it is in a folded stack.
fn folded(name: &str) -> String {
    name.replace(';', ":").chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Checks that both files have the same stacks, with all time.
fn check_files(flame: &FlameGraph) {
    let stacks = stacks(flame);
    assert_eq!(stacks.values().sum::<i64>(), flame.total_ns()[0]);
    assert_eq!(read_speedscope(&written(|out| flame.write_speedscope(out))), stacks);
}

#[test]
fn files_are_read_again() {
    let flame = FlameQuery::new(load(&builder(), "control")).time(FlameTime::Cpu).run().unwrap();
    let folded = written(|out| flame.write_folded(out));
    assert!(
        folded.contains("main thread;ProfilerStep;aten::linear;aten::addmm: <b>;cudaLaunchKernel 2000\n"),
        "{folded}"
    );
    check_files(&flame);
    let two = FlameQuery::compare(load(&builder(), "a"), load(&builder(), "b")).run().unwrap();
    assert!(written(|out| two.write_folded(out)).lines().all(|line| {
        let mut times = line.rsplit(' ');
        times.next().unwrap() == times.next().unwrap()
    }));
}

#[test]
fn widths_add_up_on_all_shared_traces() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let traces = std::path::Path::new(&shared).join("traces");
    let mut folders: Vec<std::path::PathBuf> = Vec::new();
    let mut open = vec![traces];
    while let Some(folder) = open.pop() {
        let entries: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        // Two files without ranks in one folder are two traces.
        let files = entries.iter().filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.ends_with(".json") || name.ends_with(".json.gz")
        });
        folders.extend(files.cloned());
        open.extend(entries.into_iter().filter(|path| path.is_dir()));
    }
    let mut checked = 0;
    for file in folders.iter().filter(|file| std::fs::metadata(file).unwrap().len() < 40_000_000) {
        let Ok(set) = TraceSet::load(file) else { continue };
        for time in [FlameTime::Attributed, FlameTime::Cpu, FlameTime::Gpu] {
            let flame = FlameQuery::new(&set).time(time).run().unwrap();
            if time == FlameTime::Attributed {
                assert_eq!(flame.total_ns(), [flame.step_ns()[0], 0], "{}", file.display());
            }
            if time == FlameTime::Cpu && set.has_profiler_steps() {
                let of_main = stacks(&flame).into_iter().filter(|(stack, _)| stack.starts_with("main thread"));
                assert_eq!(of_main.map(|(_, own)| own).sum::<i64>(), flame.step_ns()[0], "{}", file.display());
            }
            check_files(&flame);
            assert!(flame.to_json().to_string().len() < 310_000);
        }
        checked += 1;
    }
    assert!(checked > 40, "{checked}");
}
