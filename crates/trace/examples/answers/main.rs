//! `answers FOLDER [--memory SIZE] [--spill FOLDER] [--threads N] [--cache FOLDER]`: loads a trace within a memory budget, runs every analysis,
//! and prints a line of JSON per step: seconds, a digest of the answer, and the most memory meanwhile.
//!
//! Two runs with different budgets must print the same digests. `benches/memory` compares them.
#![allow(clippy::print_stdout)]

mod digest;
mod peaks;

use digest::Digest;
use peaks::Peaks;
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;
use std::time::Instant;
use trace::Questions;
use trace::analysis::CATALOG;
use trace::filter::Where;
use trace::polars::prelude::DataFrame;
use trace::{
    By, Cache, DeviceType, EventQuery, Execution, LoadOptions, SelectEvents, TraceAnalysis, TraceDiff, TraceSet,
};

const USAGE: &str = "usage: answers FOLDER [--memory SIZE] [--spill FOLDER] [--threads N] [--cache FOLDER]";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().filter(|path| !path.starts_with('-')).ok_or(USAGE)?;
    let (mut execution, mut options) = (Execution::new(), LoadOptions::default());
    while let Some(flag) = args.next() {
        let value = args.next().ok_or(USAGE)?;
        execution = match flag.as_str() {
            "--cache" => {
                options.cache = Some(Cache::open(value, 100 << 30)?);
                execution
            }
            "--memory" => execution.memory(trace::parse_size(&value).ok_or(USAGE)?),
            "--spill" => execution.spill_folder(value),
            "--threads" => execution.threads(value.parse()?),
            _ => return Err(USAGE.into()),
        };
    }
    execution.run(|| answers(&path, &options))
}

/// Runs all steps.
fn answers(path: &str, options: &LoadOptions) -> Outcome<()> {
    let peaks = Peaks::watch()?;
    let mut traces = None;
    step(&peaks, "load", |digest| {
        let loaded = TraceSet::load_with(path, options, &mut |_| ControlFlow::Continue(()))?;
        for info in loaded.info() {
            // The path is another in each run of a benchmark.
            digest.text(&format!("{} {} {} {:?}", info.rank, info.events, info.events_in_file, info.streams));
        }
        traces = Some(loaded);
        Ok(())
    })?;
    let traces = traces.ok_or("not loaded")?;
    step(&peaks, "columns", |digest| {
        for rank in traces.traces() {
            digest.number(rank.rank());
            digest.frame(&rank.events())?;
        }
        Ok(())
    })?;
    step(&peaks, "instants and counters", |digest| {
        for rank in traces.traces() {
            digest.frame(&rank.instants()?)?;
            digest.frame(&rank.counters()?)?;
        }
        Ok(())
    })?;
    let mut analysis = None;
    step(&peaks, "(rows in whole steps)", |_| {
        analysis = Some(TraceAnalysis::new(&traces)?);
        Ok(())
    })?;
    let analysis = analysis.ok_or("not prepared")?;
    let all = traces.ranks();
    for entry in CATALOG {
        step(&peaks, entry.name, |digest| {
            // The only positional parameter is a text: the name of an operator.
            let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
            let arguments: Map<String, Value> =
                positional.map(|parameter| (parameter.name.to_owned(), json!("aten::linear"))).collect();
            let answer = entry.ask(&analysis, arguments, Some(&all))?;
            digest.debug(&(&answer.figures, &answer.notes));
            // One after the other: tables that do not fit in memory are mapped from files.
            for table in answer.tables {
                digest.text(&table.part());
                digest.frame(&table.frame)?;
            }
            Ok(())
        })?;
    }
    drop(analysis);
    step(&peaks, "describe", |digest| {
        digest.debug(&traces.describe()?);
        Ok(())
    })?;
    let again = traces.with_label("again");
    let diff = || TraceDiff::new(&traces, &again).control_rank(&all).test_rank(&all);
    step(&peaks, "compare_traces", |digest| digest.frame(&diff().compare_traces()?))?;
    step(&peaks, "compare_traces --by rank", |digest| digest.frame(&diff().by(By::Rank).compare_traces()?))?;
    step(&peaks, "ops_diff", |digest| {
        digest.debug(&diff().device_type(DeviceType::GPU).ops_diff()?);
        Ok(())
    })?;
    step(&peaks, "events --where", |digest| {
        let annotations: Where = "cat = 'user_annotation'".parse()?;
        let found: DataFrame = EventQuery::new(&traces).ranks(&all).filter(annotations).run()?;
        digest.frame(&found)
    })?;
    Ok(())
}

/// Runs a step and prints its line.
fn step(peaks: &Peaks, name: &str, work: impl FnOnce(&mut Digest) -> Outcome<()>) -> Outcome<()> {
    peaks.reset();
    let start = Instant::now();
    let mut digest = Digest::default();
    let result = work(&mut digest);
    let seconds = start.elapsed().as_secs_f64();
    let outcome = match &result {
        Ok(()) => json!({ "digest": format!("{:016x}", digest.value()) }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    let most = peaks.most();
    println!("{}", json!({ "step": name, "seconds": seconds, "outcome": outcome, "peak": most }));
    // Without the trace there is nothing to do; a refused answer is a result.
    if name == "load" { result } else { Ok(()) }
}
