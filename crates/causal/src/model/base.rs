//! Lags that a recording does not show everywhere, estimated from where it does.

use super::number::RankDraft;
use crate::input::event::{Call, DeviceKind, HostKind, NONE};

/// Where no sample is, in ns: from a launch to its kernel, between kernels.
const LATENCY: i64 = 5_000;
const GAP: i64 = 1_000;

/// Lags of the kernels of a rank, in ns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    /// From the begin of a call to what it starts, by class.
    latency: [i64; CLASSES],
    /// From the end of a kernel to the start of the next one on its stream; within a graph.
    gap: [i64; 2],
    /// From the end of a kernel to the start of one on a stream that was told to wait for it.
    wait: i64,
}

/// Longer lags are not usual, whatever the samples say, in ns: launches, and what follows on the GPU.
const LONGEST_LATENCY: i64 = 50_000;
const LONGEST_GAP: i64 = 10_000;

/// Classes of launches: kernels, copies and fills, graphs.
const CLASSES: usize = 3;

impl Base {
    /// Estimates the lags of a rank: the latency from launches into idle streams, the gap from kernels that were launched long
    /// before the stream was free. `held` are the kernels that were told to wait, each with the one that they wait for.
    pub(crate) fn of(rank: &RankDraft, held: &[(u32, u32)]) -> Self {
        let count = rank.kernels.event.len();
        let mut source: Vec<u32> = vec![NONE; count];
        for &(kernel, of) in held {
            let known = source[kernel as usize];
            if known == NONE || rank.kernel(known).end < rank.kernel(of).end {
                source[kernel as usize] = of;
            }
        }
        let mut latencies: [Vec<i64>; CLASSES] = Default::default();
        let kernels = || 0..count as u32;
        let is_held = |kernel: u32| source[kernel as usize] != NONE;
        for kernel in kernels().filter(|&kernel| !is_in_graph(rank, kernel) && !is_held(kernel)) {
            let Some(launch) = rank.launch(kernel) else { continue };
            let begin = rank.events.host[launch as usize].start;
            let is_idle = rank.previous(kernel).is_none_or(|before| rank.kernel(before).end <= begin);
            let start = rank.kernel(kernel).start;
            if is_idle && start >= begin {
                latencies[class(rank, kernel)].push(start - begin);
            }
        }
        let latencies = latencies.map(|mut samples| usual(&mut samples));
        let any = latencies.iter().flatten().min().copied().unwrap_or(LATENCY);
        let latency = latencies.map(|latency| latency.unwrap_or(any).min(LONGEST_LATENCY));
        let mut gaps: [Vec<i64>; 2] = Default::default();
        let mut waits = Vec::new();
        for kernel in kernels() {
            let start = rank.kernel(kernel).start;
            let ready = rank.launch(kernel).map(|launch| {
                let begin = rank.events.host[launch as usize].start;
                begin.saturating_add(latency[class(rank, kernel)].saturating_mul(2))
            });
            let is_in_graph = is_in_graph(rank, kernel);
            let free = rank.previous(kernel).map(|before| rank.kernel(before).end);
            match source[kernel as usize] {
                NONE => {
                    let Some(free) = free else { continue };
                    let is_ready = is_in_graph || ready.is_some_and(|ready| ready <= free);
                    if is_ready && start >= free {
                        gaps[usize::from(is_in_graph)].push(start - free);
                    }
                }
                source => {
                    let end = rank.kernel(source).end;
                    let is_last = free.is_none_or(|free| free < end) && ready.is_some_and(|ready| ready <= end);
                    if is_last && start >= end {
                        waits.push(start - end);
                    }
                }
            }
        }
        let gap = gaps.map(|mut samples| usual(&mut samples).unwrap_or(GAP).min(LONGEST_GAP));
        Self { latency, gap, wait: usual(&mut waits).unwrap_or(gap[0]).min(LONGEST_GAP) }
    }

    /// From the end of a kernel to the start of one that was told to wait for it.
    pub(crate) fn wait(&self) -> i64 {
        self.wait
    }

    /// From the begin of the launch of a kernel to its start.
    pub(crate) fn latency(&self, rank: &RankDraft, kernel: u32) -> i64 {
        self.latency[class(rank, kernel)]
    }

    /// From the end of the kernel before a kernel to its start.
    pub(crate) fn gap(&self, rank: &RankDraft, kernel: u32) -> i64 {
        self.gap[usize::from(is_in_graph(rank, kernel))]
    }
}

/// Tells whether a kernel follows others of its graph.
pub(crate) fn is_in_graph(rank: &RankDraft, kernel: u32) -> bool {
    rank.kernels.follows[kernel as usize] != NONE
}

fn class(rank: &RankDraft, kernel: u32) -> usize {
    let call = rank.launch(kernel).map(|launch| rank.host[launch as usize].1);
    match (call, rank.kernel(kernel).kind) {
        (Some(HostKind::Call(Call::GraphLaunch)), _) => 2,
        (_, DeviceKind::Memory) => 1,
        _ => 0,
    }
}

/// A usual sample, a little below the middle: what else was waited for makes samples longer, not shorter.
pub(crate) fn usual(samples: &mut [i64]) -> Option<i64> {
    let at = samples.len() * 2 / 5;
    (!samples.is_empty()).then(|| *samples.select_nth_unstable(at).1)
}
