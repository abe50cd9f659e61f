//! Loads a trace and prints rows, seconds, CPU seconds, peak memory, and a digest of the columns, which tells whether two
//! readers parsed the same trace.
#![allow(clippy::print_stdout)]

mod digest;
mod limits;
mod process;
mod serde_reader;

use digest::{digest, sum};
use process::{cpu_seconds, peak_bytes};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use trace::TraceSet;
use trace::write::arrow;

const USAGE: &str = "usage: load FILE|FOLDER|SAVED [--json [--no-digest]] [--save SAVED]
       load FILE --gunzip-only|--scan-only|--serde

  --json         one line of JSON in place of the report
  --no-digest    leave out the digest, which takes longer than some loads
  --save FOLDER  save the frames as Arrow, for the next run
  --gunzip-only  only decompress the text
  --scan-only    decompress it and look for quotes and brackets, 64 bytes at a time
  --serde        the same columns by serde_json

The last three print one line of JSON. RAYON_NUM_THREADS=1 loads on one thread, decompression excepted.
cpu_s is that of the process from its start to the end of the load, peak_rss_bytes its most memory until then.";

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().filter(|path| !path.starts_with('-')).ok_or(USAGE)?;
    let (mut as_json, mut with_digest, mut save) = (false, true, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => as_json = true,
            "--no-digest" => with_digest = false,
            "--save" => save = Some(args.next().ok_or(USAGE)?),
            "--gunzip-only" => {
                return timed(|| Ok(json!({ "json_bytes": limits::decompress(&path)? })));
            }
            "--scan-only" => {
                return timed(|| {
                    let (bytes, found) = limits::scan(&path)?;
                    Ok(json!({ "json_bytes": bytes, "quotes_and_brackets": found }))
                });
            }
            "--serde" => {
                return timed(|| {
                    let mut text = Vec::new();
                    limits::text(&path)?.read_to_end(&mut text)?;
                    Ok(json!({ "json_bytes": text.len(), "events": serde_reader::read(&text)?.rows() }))
                });
            }
            _ => return Err(USAGE.into()),
        }
    }
    let start = Instant::now();
    let traces = if Path::new(&path).join("trace.json").exists() || path.ends_with(".arrow") {
        arrow::map(&path)?
    } else {
        TraceSet::load(&path)?
    };
    let used = used(start);
    if as_json {
        println!("{}", report(&traces, used, with_digest)?);
    } else {
        print(&traces, &used)?;
    }
    if let Some(file) = save {
        let start = Instant::now();
        arrow::save(&traces, &file)?;
        println!("saved in     {:.4} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Resources that the process has used.
fn used(start: Instant) -> Value {
    json!({ "wall_s": start.elapsed().as_secs_f64(), "cpu_s": cpu_seconds(), "peak_rss_bytes": peak_bytes() })
}

/// Runs `work` and prints its result and its cost.
fn timed(work: impl FnOnce() -> Result<Value>) -> Result<()> {
    let start = Instant::now();
    let mut found = work()?;
    merge(&mut found, used(start));
    println!("{found}");
    Ok(())
}

/// One line for a benchmark.
fn report(traces: &TraceSet, used: Value, with_digest: bool) -> Result<Value> {
    let bytes = traces.memory_bytes();
    let events = traces.event_count();
    let in_files: u64 = traces.info().iter().map(|info| info.events_in_file).sum();
    let mut report = json!({
        "events": events,
        "events_in_files": in_files,
        "ranks": traces.ranks(),
        "columns_bytes": bytes,
        "bytes_per_event": bytes as f64 / events as f64,
        "warnings": traces.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if with_digest {
        merge(&mut report, json!({ "digest": digest(traces)? }));
    }
    merge(&mut report, used);
    Ok(report)
}

fn merge(report: &mut Value, more: Value) {
    if let (Some(report), Value::Object(more)) = (report.as_object_mut(), more) {
        report.extend(more);
    }
}

/// The report for a reader.
fn print(traces: &TraceSet, used: &Value) -> Result<()> {
    println!("rows         {}", traces.event_count());
    println!("seconds      {:.4}", used["wall_s"].as_f64().unwrap_or_default());
    if let Some(cpu) = used["cpu_s"].as_f64() {
        println!("cpu seconds  {cpu:.2}");
    }
    if let Some(peak) = used["peak_rss_bytes"].as_u64() {
        println!("peak memory  {:.1} MB", peak as f64 / 1e6);
    }
    println!("columns      {:.1} MB", traces.memory_bytes() as f64 / 1e6);
    for warning in traces.warnings() {
        println!("warning      {warning}");
    }
    for trace in traces.traces() {
        println!("rank {}, {} rows", trace.rank(), trace.events().height());
        for column in trace.events().columns() {
            let there = column.len() - column.null_count();
            let bytes = column.as_materialized_series().estimated_size() as f64 / 1e6;
            println!("  {:<36} {there} values, {bytes:.1} MB, sum {}", column.name(), sum(column)?);
        }
    }
    Ok(())
}
