//! Time and memory of causal graphs of growing recordings.
//!
//! `replay EVENTS threads|alone` records about EVENTS events of a rank and prints a row: events, points, causes, seconds to build,
//! for a replay and for a path, the peak of memory beyond the events, and the graph's own. *threads* has eight threads that launch
//! at once; *alone* one.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use causal::{Call, DeviceEvent, DeviceKind, Graph, HostEvent, HostKind, NONE, RankInput, Stream};
use std::time::Instant;

/// Records operators with two more inside them, of which the innermost launches a kernel; a synchronisation after each hundred.
fn record(events: usize, threads: usize) -> RankInput {
    let mut found = RankInput { streams: vec![Stream { device: 0, stream: 7 }], ..RankInput::default() };
    let operators = events / 5;
    found.host.reserve_exact(operators * 4 + operators / 100 + 1);
    found.device.reserve_exact(operators);
    let (mut gpu, mut clocks) = (0, vec![0_i64; threads]);
    for operator in 0..operators {
        let thread = operator % threads;
        let clock = clocks[thread];
        let mut host = |start, end, kind, correlation| {
            let row = found.host.len() as u32;
            found.host.push(HostEvent { start, end, thread: thread as u32, row, correlation, call_name: 0, kind });
        };
        host(clock, clock + 9_000, HostKind::Operator, NONE);
        host(clock + 1_000, clock + 8_000, HostKind::Operator, NONE);
        host(clock + 2_000, clock + 3_000, HostKind::Operator, NONE);
        host(clock + 3_500, clock + 7_500, HostKind::Call(Call::Other), operator as u32);
        let start = (clock + 10_000).max(gpu + 1_000);
        let end = start + 4_000 + (operator as i64 * 7_919) % 9_000;
        gpu = end;
        clocks[thread] = clock + 10_500;
        if operator % 100 == 99 {
            let end = gpu.max(clocks[thread]) + 3_000;
            host(clocks[thread], end, HostKind::Call(Call::StreamSync), NONE);
            clocks.fill(end + 1_000);
        }
        let row = (5 * operators + operator) as u32;
        let (kind, correlation) = (DeviceKind::Compute, operator as u32);
        found.device.push(DeviceEvent { start, end, stream: 0, row, correlation, kind, collective: NONE });
    }
    found
}

/// A field of `/proc/self/status` in bytes.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(events) = words.first().and_then(|events| events.parse::<usize>().ok()) else {
        eprintln!("usage: replay EVENTS threads|alone");
        std::process::exit(2);
    };
    let threads = if words.iter().any(|word| word == "threads") { 8 } else { 1 };
    let before = memory("VmRSS");
    let recording = record(events, threads);
    let count = recording.host.len() + recording.device.len();
    let start = Instant::now();
    let Ok(graph) = Graph::build(vec![recording], &mut || Ok(())) else { return };
    let build = start.elapsed().as_secs_f64();
    let (peak, own) = (memory("VmHWM").saturating_sub(before), memory("VmRSS").saturating_sub(before));
    let Some(window) = graph.whole(0) else { return };
    let start = Instant::now();
    let replay = graph.replay(&window, |lag| if lag.bound_by == causal::BoundBy::Compute { 0.5 } else { 1.0 });
    let replayed = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let segments = graph.path(&window).len();
    let saved = window.end - window.start - replay.length();
    let path = start.elapsed().as_secs_f64();
    println!(
        "| {} | {count} | {} | {} | {build:.3} s | {:.2} µs | {replayed:.4} s | {path:.4} s | {segments} | {:.0} B | {:.0} B |",
        words.get(1).map_or("alone", String::as_str),
        graph.points(),
        graph.causes_of_all(),
        build * 1e6 / count as f64,
        peak as f64 / count as f64,
        own as f64 / count as f64,
    );
    if saved < 0 || graph.replay_error_ns() != 0 {
        eprintln!("the replay is not exact");
        std::process::exit(1);
    }
}
