//! Without compatibility: exact times, and every trace equals itself.

use super::goldens::{load_exact, say, shared, text};
use std::path::{Path, PathBuf};
use trace::{DeviceType, Error, SelectEvents, TraceDiff, TraceSet};

#[test]
fn every_trace_loads_and_equals_itself() {
    let Some(shared) = shared("every trace") else { return };
    let mut files = Vec::new();
    collect(&shared.join("traces"), &mut files);
    let mut compared = 0;
    for file in &files {
        let trace = match TraceSet::load(file) {
            Ok(trace) => trace,
            // Answers that lie beside traces.
            Err(Error::NoTraceEvents { .. }) => continue,
            Err(error) => panic!("{}: {error}", file.display()),
        };
        compared += 1;
        for device in DeviceType::EACH {
            let diff = TraceDiff::new(&trace, &trace).device_type(device);
            let df = diff.compare_traces().unwrap();
            let answer = diff.ops_diff().unwrap();
            let changed = [answer.added, answer.deleted, answer.increased, answer.decreased].concat();
            assert_eq!(changed, Vec::<String>::new(), "{}", file.display());
            assert_eq!(answer.unchanged.len(), df.height(), "{}", file.display());
            let differences = df.column("diff_duration").unwrap().f64().unwrap().iter().flatten().map(f64::abs);
            assert_eq!(differences.sum::<f64>(), 0.0, "{}", file.display());
            assert!(device == DeviceType::GPU || df.height() > 0, "{}", file.display());
        }
    }
    say(&format!("every trace: {compared} of {} files are traces, load and equal themselves", files.len()));
    assert!(compared >= 20, "only {compared} traces found");
}

#[test]
fn kernels_on_amds_default_stream_have_an_iteration() {
    let Some(shared) = shared("AMD") else { return };
    let trace = load_exact(&shared, "amd_trace");
    let df = TraceDiff::new(&trace, &trace).device_type(DeviceType::GPU).compare_traces().unwrap();
    let hta = super::goldens::load(&shared, "amd_trace");
    let lost = TraceDiff::new(&hta, &hta).device_type(DeviceType::GPU).compare_traces().unwrap();
    assert!(df.height() > lost.height(), "{} and {}", df.height(), lost.height());
}

/// The sums of ts and dur, computed again from the text with 128-bit integers.
#[test]
fn sums_of_times_are_exact_to_the_nanosecond() {
    let Some(shared) = shared("exact times") else { return };
    for name in ["nccl_parser_config", "amd_trace", "trace_filter", "recorded_cpu/control", "trace_diff/control"] {
        let folder = shared.join("traces").join(name);
        let mut files = Vec::new();
        collect(&folder, &mut files);
        for file in files {
            let (rows, ts, dur) = sums_of_text(&text(&file));
            let trace = TraceSet::load(&file).unwrap();
            let events = trace.traces()[0].events();
            let sum = |column: &str| -> i128 {
                events.column(column).unwrap().i64().unwrap().iter().flatten().map(i128::from).sum()
            };
            assert_eq!((events.height(), sum("ts"), sum("dur")), (rows, ts, dur), "{}", file.display());
            say(&format!("exact times {name}: {rows} rows, Σts {ts} ns, Σdur {dur} ns"));
        }
    }
}

/// Rows, and the sums of start and duration in nanoseconds, told from the text alone: a complete event has a `dur`, a
/// `cat` other than Trace and a `ts`; Kineto writes each key once per event.
fn sums_of_text(text: &str) -> (usize, i128, i128) {
    let (mut rows, mut ts, mut dur) = (0, 0, 0);
    let events = &text[text.find("\"traceEvents\"").unwrap()..];
    for event in objects(events) {
        let head = &event[..event.find("\"args\"").unwrap_or(event.len())];
        let (Some(length), Some(cat)) = (value(head, "dur"), value(head, "cat")) else { continue };
        if cat == "\"Trace\"" {
            continue;
        }
        rows += 1;
        ts += nanos(value(head, "ts").unwrap());
        dur += nanos(length);
    }
    (rows, ts, dur)
}

/// The objects of the list, by counting braces outside of texts.
fn objects(list: &str) -> Vec<&str> {
    let (mut objects, mut depth, mut start, mut in_text, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, byte) in list.bytes().enumerate() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_text = at > 13,
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    objects.push(&list[start..=at]);
                }
                if depth < 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    objects
}

fn value<'t>(object: &'t str, key: &str) -> Option<&'t str> {
    let after = &object[object.find(&format!("\"{key}\":"))? + key.len() + 3..];
    Some(after[..after.find([',', '}', '\n'])?].trim())
}

fn nanos(micros: &str) -> i128 {
    let (whole, fraction) = micros.split_once('.').unwrap_or((micros, ""));
    assert!(fraction.len() <= 3, "{micros}");
    format!("{whole}{fraction:0<3}").parse().unwrap()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "gz" || ending == "json") {
            files.push(path);
        }
    }
    files.sort();
}
