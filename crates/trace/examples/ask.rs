//! `ask FILE [TIMES,TIMES…] [NAME]`: runs every analysis of the catalog, call graphs and HTA's critical path on a trace repeated TIMES
//! times in sequence (by default 1, 4 and 16), or those whose name contains NAME. Prints milliseconds, best of three, nanoseconds per
//! event, and the additional bytes of memory per event at the peak, which `BYTES_PER_ROW` must cover. For exact bytes the allocator must
//! return freed memory: `MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=65536`.
//!
//! The first line is the preparation of every analysis: the rows without the last profiler step (`TraceAnalysis::new`).
#![allow(clippy::print_stdout)]

use flate2::read::MultiGzDecoder;
use serde_json::{Map, Value, json};
use std::io::Read;
use std::time::Instant;
use trace::analysis::CATALOG;
use trace::{CallGraph, Compat, HtaCriticalPath, TraceAnalysis, TraceSet};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: ask FILE [TIMES,TIMES…] [NAME]")?;
    let times = args.next().unwrap_or_else(|| "1,4,16".to_owned());
    let times: Vec<i64> = times.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let only = args.next().unwrap_or_default();
    let trace: Value = serde_json::from_str(&text(&path)?)?;
    println!("{:<34} {:>9} {:>10} {:>10} {:>10}", "question", "events", "ms", "ns/event", "B/event");
    for times in times {
        let traces = TraceSet::from_bytes(repeated(&trace, times)?)?;
        let events = traces.event_count();
        let tell = |name: &str, (ms, bytes): (f64, u64)| {
            let events_f = events as f64;
            println!(
                "{name:<34} {events:>9} {ms:>10.2} {:>10.1} {:>10.1}",
                ms * 1e6 / events_f,
                bytes as f64 / events_f
            );
        };
        tell("(rows in whole steps)", best(|| TraceAnalysis::new(&traces).map(drop))?);
        let analysis = TraceAnalysis::new(&traces)?;
        for (name, compat) in [("call_graph", Compat::Exact), ("call_graph as HTA", Compat::Hta)] {
            let query = CallGraph { compat: Some(compat), ..CallGraph::default() };
            if name.contains(&only) {
                tell(name, best(|| analysis.call_graph(&query).map(drop))?);
            }
        }
        if "critical_path as HTA".contains(&only) {
            let whole = HtaCriticalPath::default();
            tell("critical_path as HTA", best(|| analysis.critical_path_analysis(&whole).map(drop))?);
        }
        for entry in CATALOG.iter().filter(|entry| entry.name.contains(&only)) {
            // The only positional parameter is a text: the name of an operator.
            let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
            let arguments: Map<String, Value> =
                positional.map(|parameter| (parameter.name.to_owned(), json!("aten::linear"))).collect();
            tell(entry.name, best(|| entry.ask(&analysis, arguments.clone(), None).map(drop))?);
        }
    }
    Ok(())
}

/// Returns the milliseconds of the fastest of three runs, and the additional bytes of memory at the peak.
fn best(mut work: impl FnMut() -> trace::Result<()>) -> Outcome<(f64, u64)> {
    let mut fastest = f64::INFINITY;
    // Resets the peak; without support by the system, no bytes are reported.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = status("VmRSS:");
    for _ in 0..3 {
        let start = Instant::now();
        work()?;
        fastest = fastest.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok((fastest, status("VmHWM:").saturating_sub(before)))
}

/// Returns a line of /proc/self/status in bytes; 0 if it is missing.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) << 10
}

fn text(path: &str) -> Outcome<String> {
    let bytes = std::fs::read(path)?;
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text)?;
    } else {
        text = String::from_utf8(bytes)?;
    }
    Ok(text)
}

/// Returns the trace repeated in sequence, each copy with its own steps and correlation ids.
fn repeated(trace: &Value, times: i64) -> Outcome<Vec<u8>> {
    let events = trace["traceEvents"].as_array().ok_or("no traceEvents")?;
    let timed = || events.iter().filter(|event| event["dur"].is_number());
    let start = timed().filter_map(|event| event["ts"].as_f64()).fold(f64::INFINITY, f64::min);
    let end = timed().filter_map(|event| Some(event["ts"].as_f64()? + event["dur"].as_f64()?)).fold(start, f64::max);
    let number = |name: &str| name.strip_prefix("ProfilerStep#")?.parse::<i64>().ok();
    let steps: Vec<i64> = events.iter().filter_map(|event| number(event["name"].as_str()?)).collect();
    let steps_apart = steps.iter().max().zip(steps.iter().min()).map_or(0, |(last, first)| last - first + 1);
    let ids_apart = events.iter().filter_map(|event| event["args"]["correlation"].as_i64()).max().unwrap_or(0) + 1;
    let mut out = Vec::new();
    out.extend(b"{\"traceEvents\": [");
    for time in 0..times {
        for (index, event) in events.iter().enumerate() {
            if time > 0 || index > 0 {
                out.extend(b",\n");
            }
            let mut event = event.clone();
            match &event["ts"] {
                Value::Number(ts) if ts.is_f64() => {
                    event["ts"] = json!(ts.as_f64().unwrap_or(0.0) + time as f64 * (end - start + 1e3).ceil());
                }
                Value::Number(ts) => {
                    event["ts"] = json!(ts.as_i64().unwrap_or(0) + time * (end - start + 1e3).ceil() as i64);
                }
                _ => {}
            }
            if let Some(step) = event["name"].as_str().and_then(number) {
                event["name"] = json!(format!("ProfilerStep#{}", step + time * steps_apart));
            }
            if let Some(id) = event["args"]["correlation"].as_i64().filter(|id| *id >= 0) {
                event["args"]["correlation"] = json!(id + time * ids_apart);
            }
            serde_json::to_writer(&mut out, &event)?;
        }
    }
    out.extend(b"]}");
    Ok(out)
}
