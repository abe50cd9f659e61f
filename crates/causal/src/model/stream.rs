//! GPU events in the order of their streams, and the calls that started them.

use crate::input::event::{Call, DeviceEvent, HostEvent, HostKind, NONE};

/// The GPU events of a rank, stream by stream. A kernel, in this module and those that use it, is any GPU event; its number is
/// its place here.
#[derive(Debug, Default)]
pub(crate) struct Kernels {
    /// By kernel its place among the GPU events.
    pub(crate) event: Vec<u32>,
    /// By kernel the CPU event that started it; [`NONE`] if it is not in the trace.
    pub(crate) launch: Vec<u32>,
    /// By kernel of a graph, but the first one, the kernel of the graph that it follows on another stream or its own; else [`NONE`].
    pub(crate) follows: Vec<u32>,
    /// By kernel the latest time at which it can have been put into its stream: streams keep the order. Empty once waits are found.
    pub(crate) queued: Vec<i64>,
    /// By stream its first kernel, and one past the last kernel of all.
    pub(crate) first: Vec<u32>,
}

impl Kernels {
    /// Puts GPU events into the order of their streams, and finds the calls that started them.
    pub(crate) fn of(host: &[HostEvent], device: &[DeviceEvent], streams: usize) -> Self {
        let mut event: Vec<u32> = (0..device.len() as u32).collect();
        let of = |at: u32| &device[at as usize];
        event.sort_by_key(|&at| (of(at).stream, of(at).start, of(at).end, at));
        let first = (0..=streams as u32).map(|stream| event.partition_point(|&at| of(at).stream < stream) as u32);
        let first: Vec<u32> = first.collect();
        let calls = calls(host);
        let launch: Vec<u32> = event.iter().map(|&at| launch_of(of(at), host, &calls)).collect();
        let follows = within_graphs(&event, &launch, host, device);
        let queued = queued(&first, &launch, host, |kernel| of(event[kernel]).start);
        Self { event, launch, follows, queued, first }
    }

    /// The kernels of a stream.
    pub(crate) fn of_stream(&self, stream: u32) -> std::ops::Range<u32> {
        match (self.first.get(stream as usize), self.first.get(stream as usize + 1)) {
            (Some(&first), Some(&end)) => first..end,
            _ => 0..0,
        }
    }

    /// The last kernel that was put into a stream before a moment.
    pub(crate) fn last_queued(&self, stream: u32, before: i64) -> Option<u32> {
        let range = self.of_stream(stream);
        let queued = &self.queued[range.start as usize..range.end as usize];
        let count = queued.partition_point(|&at| at < before) as u32;
        (count > 0).then(|| range.start + count - 1)
    }
}

/// By kernel when it was put into its stream at the latest. One without a launch in the trace may have been there since the launch
/// of the one before.
fn queued(first: &[u32], launch: &[u32], host: &[HostEvent], start: impl Fn(usize) -> i64) -> Vec<i64> {
    let mut queued = vec![0; launch.len()];
    for stream in first.windows(2) {
        let kernels = stream[0] as usize..stream[1] as usize;
        let mut last = i64::MIN;
        for kernel in kernels.clone() {
            if launch[kernel] != NONE {
                last = last.max(host[launch[kernel] as usize].start);
                queued[kernel] = host[launch[kernel] as usize].start;
            } else {
                queued[kernel] = last;
            }
        }
        let mut next = i64::MAX;
        for kernel in kernels.rev() {
            next = next.min(queued[kernel]).min(start(kernel));
            queued[kernel] = next;
        }
    }
    queued
}

/// Calls with a correlation, by it and by their starts.
fn calls(host: &[HostEvent]) -> Vec<(u32, i64, u32)> {
    let is_call = |event: &HostEvent| event.correlation != NONE && matches!(event.kind, HostKind::Call(_));
    let calls = (0..).zip(host).filter(|(_, event)| is_call(event));
    let mut calls: Vec<(u32, i64, u32)> = calls.map(|(at, event)| (event.correlation, event.start, at)).collect();
    calls.sort_unstable();
    calls
}

/// The call that started a GPU event: of several the last one that began before it, else the first.
fn launch_of(event: &DeviceEvent, host: &[HostEvent], calls: &[(u32, i64, u32)]) -> u32 {
    if event.correlation == NONE {
        return NONE;
    }
    let from = calls.partition_point(|call| call.0 < event.correlation);
    let count = calls[from..].partition_point(|call| call.0 == event.correlation && call.1 <= event.start);
    let call = calls.get(from + count.saturating_sub(1)).filter(|call| call.0 == event.correlation);
    // A call that waits starts nothing.
    let starts = |at: u32| match host[at as usize].kind {
        HostKind::Call(call) => !matches!(
            call,
            Call::StreamSync | Call::DeviceSync | Call::EventSync | Call::EventRecord | Call::StreamWait
        ),
        _ => false,
    };
    call.map(|call| call.2).filter(|&at| starts(at)).unwrap_or(NONE)
}

/// By kernel of a graph the kernel of it that ended last before this one began; [`NONE`] for the first ones.
fn within_graphs(event: &[u32], launch: &[u32], host: &[HostEvent], device: &[DeviceEvent]) -> Vec<u32> {
    let mut follows = vec![NONE; event.len()];
    let is_graph = |launch: u32| launch != NONE && host[launch as usize].kind == HostKind::Call(Call::GraphLaunch);
    let mut of_graphs: Vec<u32> = (0..event.len() as u32).filter(|&kernel| is_graph(launch[kernel as usize])).collect();
    let of = |kernel: u32| &device[event[kernel as usize] as usize];
    of_graphs.sort_by_key(|&kernel| (launch[kernel as usize], of(kernel).start, kernel));
    for graph in of_graphs.chunk_by(|&one, &other| launch[one as usize] == launch[other as usize]) {
        let mut by_end = graph.to_vec();
        by_end.sort_by_key(|&kernel| (of(kernel).end, of(kernel).start, kernel));
        let mut ended = 0;
        for &kernel in graph {
            while ended < by_end.len() && of(by_end[ended]).end <= of(kernel).start {
                ended += 1;
            }
            let before = by_end[..ended].last().copied().filter(|&before| before != kernel);
            follows[kernel as usize] = before.unwrap_or(NONE);
        }
    }
    follows
}
