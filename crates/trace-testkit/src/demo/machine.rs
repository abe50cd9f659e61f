//! The simulated machine: one clock for the host, one queue per stream, and what they record.

use super::autograd::Tape;
use super::event::{Args, Event, Phase};
use super::kernels::Kernel;
use super::run::{QUEUE, Run};
use crate::random::Random;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

/// The stream of the model's kernels.
pub(super) const COMPUTE: u64 = 7;
/// The stream of NCCL.
pub(super) const COLLECTIVES: u64 = 20;
/// The stream that copies batches to the device.
pub(super) const BATCHES: u64 = 21;
/// The stream of the gradient norm.
pub(super) const METRICS: u64 = 22;

/// An argument of an operator: shape and element type. An empty type means "not a tensor".
#[derive(Clone, Copy)]
pub(super) struct Tensor(pub(super) &'static [u64], pub(super) &'static str);

/// The simulated machine.
pub(super) struct Machine {
    pub(super) run: Run,
    pub(super) random: Random,
    /// The current time of the running thread.
    pub(super) clock: u64,
    pub(super) thread: u64,
    pub(super) tape: Vec<Tape>,
    /// The number of gradients completed in this step.
    pub(super) gradients: u64,
    /// The least duration of the next launch.
    pub(super) slow_launch: u64,
    /// The duration of each all-reduce, as far as the other ranks are known; otherwise its transfer time.
    pub(super) exchanges: Vec<u64>,
    /// Start and transfer time of each all-reduce of this rank.
    pub(super) exchanged: Vec<(u64, u64)>,
    free: BTreeMap<u64, u64>,
    /// The start of each item in each queue.
    queued: BTreeMap<u64, VecDeque<u64>>,
    enclosing: Vec<u64>,
    external: u64,
    correlation: u64,
    pub(super) sequence: u64,
    pub(super) arrows: u64,
    host: Vec<Event>,
    device: Vec<Event>,
}

impl Machine {
    /// Creates a machine at the start of the recording.
    pub(super) fn new(run: Run) -> Self {
        Self {
            run,
            random: Random::new(run.seed()),
            clock: run.start(),
            thread: run.process(),
            tape: Vec::new(),
            gradients: 0,
            slow_launch: 0,
            exchanges: Vec::new(),
            exchanged: Vec::new(),
            free: BTreeMap::new(),
            queued: BTreeMap::new(),
            enclosing: Vec::new(),
            external: 0,
            correlation: 21_400,
            sequence: 4_080,
            arrows: 0,
            host: Vec::new(),
            device: Vec::new(),
        }
    }

    /// Returns all events: host events first, ordered by start, then runtime calls, arrows and device work.
    pub(super) fn finish(self) -> Vec<Event> {
        let mut events = self.host;
        events.extend(self.device);
        events
    }

    /// Advances the running thread by about `nanos`.
    pub(super) fn spend(&mut self, nanos: u64) {
        self.clock += self.random.around(nanos, 12);
    }

    /// Runs an operator that takes `nanos` in addition to `body`.
    pub(super) fn op(&mut self, name: &'static str, inputs: &[Tensor], nanos: u64, body: impl FnOnce(&mut Self)) {
        self.span("cpu_op", name.into(), inputs, None, nanos, body);
    }

    /// Runs an operator that calls nothing.
    pub(super) fn leaf(&mut self, name: &'static str, inputs: &[Tensor], nanos: u64) {
        self.op(name, inputs, nanos, |_| {});
    }

    /// Runs `body` in a user annotation. Names with `##`, and collectives, are mirrored on the streams that they used.
    pub(super) fn annotate(&mut self, name: impl Into<Cow<'static, str>>, nanos: u64, body: impl FnOnce(&mut Self)) {
        let name = name.into();
        let first = self.device.len();
        let id = self.span("user_annotation", name.clone(), &[], None, nanos, body);
        if !name.starts_with("##") && !name.starts_with("nccl:") {
            return;
        }
        let mut spans: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for work in &self.device[first..] {
            if let (Some(stream), "kernel") = (work.stream, work.category) {
                let span = spans.entry(stream).or_insert((work.start, 0));
                span.0 = span.0.min(work.start);
                span.1 = span.1.max(work.start + work.duration);
            }
        }
        for (stream, (start, end)) in spans {
            self.device.push(Event {
                phase: Phase::Complete,
                category: "gpu_user_annotation",
                name: name.clone(),
                process: self.run.rank(),
                thread: stream,
                start,
                duration: end - start,
                stream: None,
                correlation: None,
                args: Args::default().with("External id", id).finish(),
            });
        }
    }

    /// Records a host event around `body`; `sequence` is that of autograd. Returns the external id.
    pub(super) fn span(
        &mut self,
        category: &'static str,
        name: Cow<'static, str>,
        inputs: &[Tensor],
        sequence: Option<(u64, u64)>,
        nanos: u64,
        body: impl FnOnce(&mut Self),
    ) -> u64 {
        self.external += 1;
        let id = self.external;
        let mut args = Args::default().with("External id", id).with("Record function id", 0);
        if let Some((sequence, forward_thread)) = sequence {
            args = args.with("Sequence number", sequence).with("Fwd thread id", forward_thread);
        }
        args = args.with("Ev Idx", id - 1);
        if !inputs.is_empty() {
            args = shapes(args, inputs);
        }
        let index = self.host.len();
        self.host.push(Event {
            phase: Phase::Complete,
            category,
            name,
            process: self.run.process(),
            thread: self.thread,
            start: self.clock,
            duration: 0,
            stream: None,
            correlation: None,
            args: args.finish(),
        });
        self.enclosing.push(id);
        self.spend(nanos * 2 / 3);
        body(self);
        self.spend(nanos / 3);
        self.enclosing.pop();
        let event = &mut self.host[index];
        event.duration = self.clock - event.start;
        id
    }

    /// Records one end of an arrow from a forward operator to its gradient.
    pub(super) fn arrow(&mut self, phase: Phase) {
        self.host.push(Event {
            phase,
            category: "fwdbwd",
            name: "fwdbwd".into(),
            process: self.run.process(),
            thread: self.thread,
            start: self.clock,
            duration: 0,
            stream: None,
            correlation: None,
            args: String::new(),
        });
    }

    /// Launches `kernel` on `stream` with about its usual duration.
    pub(super) fn launch(&mut self, kernel: &Kernel, stream: u64) {
        self.launch_for(kernel, stream, kernel.nanos);
    }

    /// Launches `kernel` on `stream` with a duration of about `nanos`.
    pub(super) fn launch_for(&mut self, kernel: &Kernel, stream: u64, nanos: u64) {
        let duration = self.random.around(nanos, 4) * self.run.kernel_percent() / 100;
        self.launch_exactly(kernel, stream, duration, ("cudaLaunchKernel", 211), Args::default());
    }

    /// Launches a collective's kernel with a transfer time of about `nanos`; `extra` describes the collective.
    pub(super) fn launch_collective(&mut self, kernel: &Kernel, nanos: u64, extra: Args) {
        let own = self.random.around(nanos, 4);
        let duration = self.exchanges.get(self.exchanged.len()).copied().unwrap_or(own);
        self.launch_exactly(kernel, COLLECTIVES, duration, ("cudaLaunchKernelExC", 430), extra);
        self.exchanged.push((self.free_at(COLLECTIVES) - duration, nanos));
    }

    fn launch_exactly(&mut self, kernel: &Kernel, stream: u64, duration: u64, call: (&'static str, u64), extra: Args) {
        let threads = kernel.block.iter().product::<u64>();
        let blocks_per_sm = kernel.grid.iter().product::<u64>() as f64 / 108.0;
        let least = std::mem::take(&mut self.slow_launch).max(self.until_queue_has_room(stream));
        let nanos = self.random.around(5_200, 25).max(least);
        let (correlation, called) = self.runtime_exactly(call.0, call.1, nanos);
        let args = self
            .device_args(stream, correlation)
            .with("registers per thread", kernel.registers)
            .with("shared memory", kernel.shared)
            .with("blocks per SM", format_args!("{blocks_per_sm:.6}"))
            .with("warps per SM", format_args!("{:.6}", blocks_per_sm * threads as f64 / 32.0))
            .with("grid", format_args!("{:?}", kernel.grid))
            .with("block", format_args!("{:?}", kernel.block))
            .with("est. achieved occupancy %", kernel.occupancy);
        let args = Args::joined(args, extra).finish();
        self.enqueue("kernel", kernel.name, stream, correlation, called, duration, args);
    }

    /// Copies `bytes`, at about `rate` bytes per microsecond.
    pub(super) fn copy(&mut self, name: &'static str, bytes: u64, rate: u64, stream: u64) {
        let duration = self.random.around(1_900 + bytes * 1000 / rate, 5);
        let (correlation, called) = self.runtime("cudaMemcpyAsync", 41, 7_300);
        let args = self.transfer_args(stream, correlation, bytes, duration);
        self.enqueue("gpu_memcpy", name, stream, correlation, called, duration, args);
    }

    /// Copies from pageable memory: the call returns when the copy is done.
    pub(super) fn copy_waiting(&mut self, name: &'static str, bytes: u64, rate: u64, stream: u64) {
        self.copy(name, bytes, rate, stream);
        let done = self.free_at(stream) + 1_400;
        if let Some(call) = self.device.iter_mut().rev().find(|event| event.name == "cudaMemcpyAsync") {
            call.duration = call.duration.max(done.saturating_sub(call.start));
            self.clock = self.clock.max(call.start + call.duration);
        }
    }

    /// Sets `bytes` to zero.
    pub(super) fn clear(&mut self, bytes: u64, stream: u64) {
        let duration = self.random.around(1_200 + bytes / 1_250, 5);
        let (correlation, called) = self.runtime("cudaMemsetAsync", 51, 4_100);
        let args = self.transfer_args(stream, correlation, bytes, duration);
        self.enqueue("gpu_memset", "Memset (Device)", stream, correlation, called, duration, args);
    }

    /// Blocks the thread until `stream` is idle.
    pub(super) fn synchronize(&mut self, stream: u64) {
        let wait = self.free_at(stream).saturating_sub(self.clock) + 1_800;
        self.runtime_exactly("cudaStreamSynchronize", 131, wait);
    }

    /// Records an event on `stream`, and returns the time at which the work queued so far is done.
    pub(super) fn record_event(&mut self, stream: u64) -> u64 {
        self.runtime("cudaEventRecord", 135, 1_300);
        self.free_at(stream)
    }

    /// Blocks the thread until an event, which was recorded for work that ends then, has happened.
    pub(super) fn synchronize_with(&mut self, end: u64) {
        let wait = end.saturating_sub(self.clock) + 1_500;
        self.runtime_exactly("cudaEventSynchronize", 137, wait);
    }

    /// Makes later work of `stream` wait for the work queued on `other` so far.
    pub(super) fn wait(&mut self, stream: u64, other: u64) {
        self.runtime("cudaEventRecord", 135, 1_300);
        self.runtime("cudaStreamWaitEvent", 147, 1_100);
        let ready = self.free_at(stream).max(self.free_at(other));
        self.free.insert(stream, ready);
    }

    /// Returns the time at which `stream` becomes idle.
    pub(super) fn free_at(&self, stream: u64) -> u64 {
        self.free.get(&stream).copied().unwrap_or_default()
    }

    /// Returns how long a launch is blocked because the queue of `stream` is full.
    fn until_queue_has_room(&mut self, stream: u64) -> u64 {
        let now = self.clock;
        let queued = self.queued.entry(stream).or_default();
        while queued.front().is_some_and(|&start| start <= now) {
            queued.pop_front();
        }
        let too_many = queued.len().checked_sub(QUEUE);
        too_many.map_or(0, |more| queued[more] - now)
    }

    /// Records a runtime call of about `nanos`. Returns its correlation id and its start.
    fn runtime(&mut self, name: &'static str, callback: u64, nanos: u64) -> (u64, u64) {
        let nanos = self.random.around(nanos, 25);
        self.runtime_exactly(name, callback, nanos)
    }

    fn runtime_exactly(&mut self, name: &'static str, callback: u64, nanos: u64) -> (u64, u64) {
        self.correlation += 1 + self.random.next() % 3;
        let (correlation, start) = (self.correlation, self.clock);
        self.device.push(Event {
            phase: Phase::Complete,
            category: "cuda_runtime",
            name: name.into(),
            process: self.run.process(),
            thread: self.thread,
            start,
            duration: nanos,
            stream: None,
            correlation: Some(correlation),
            args: Args::default()
                .with("External id", self.innermost())
                .with("cbid", callback)
                .with("correlation", correlation)
                .finish(),
        });
        self.clock += nanos + self.random.around(350, 40);
        (correlation, start)
    }

    /// Queues work on `stream`: it starts when the call has reached the device and the earlier work is done.
    #[allow(clippy::too_many_arguments, reason = "the fields of one record")]
    fn enqueue(
        &mut self,
        category: &'static str,
        name: &'static str,
        stream: u64,
        correlation: u64,
        called: u64,
        duration: u64,
        args: String,
    ) {
        let reached = called + self.random.around(7_400, 15);
        let start = reached.max(self.free_at(stream) + self.random.around(980, 20));
        self.free.insert(stream, start + duration);
        self.queued.entry(stream).or_default().push_back(start);
        let work = Event {
            phase: Phase::Complete,
            category,
            name: name.into(),
            process: self.run.rank(),
            thread: stream,
            start,
            duration,
            stream: Some(stream),
            correlation: Some(correlation),
            args,
        };
        let arrow = |phase, process, thread, start| Event {
            phase,
            category: "ac2g",
            name: "ac2g".into(),
            process,
            thread,
            start,
            duration: 0,
            stream: None,
            correlation: None,
            args: String::new(),
        };
        let begin = arrow(Phase::FlowStart(correlation), self.run.process(), self.thread, called);
        let end = arrow(Phase::FlowEnd(correlation), work.process, stream, start);
        self.device.extend([begin, work, end]);
    }

    fn device_args(&self, stream: u64, correlation: u64) -> Args {
        Args::default()
            .with("External id", self.innermost())
            .with("queued", 0)
            .with("device", self.run.rank())
            .with("context", 1)
            .with("stream", stream)
            .with("correlation", correlation)
    }

    fn transfer_args(&self, stream: u64, correlation: u64, bytes: u64, duration: u64) -> String {
        Args::default()
            .with("External id", self.innermost())
            .with("device", self.run.rank())
            .with("context", 1)
            .with("stream", stream)
            .with("correlation", correlation)
            .with("bytes", bytes)
            // Bytes per nanosecond are gigabytes per second.
            .with("memory bandwidth (GB/s)", bytes as f64 / duration as f64)
            .finish()
    }

    fn innermost(&self) -> u64 {
        self.enclosing.last().copied().unwrap_or_default()
    }
}

/// Returns shapes, types and strides of an operator's inputs; tensors are contiguous.
fn shapes(args: Args, inputs: &[Tensor]) -> Args {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let strides =
        |shape: &[u64]| -> Vec<u64> { (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect() };
    let dims = list(inputs.iter().map(|tensor| format!("{:?}", tensor.0)).collect());
    let types = list(inputs.iter().map(|tensor| format!("\"{}\"", tensor.1)).collect());
    let steps = list(inputs.iter().map(|tensor| format!("{:?}", strides(tensor.0))).collect());
    args.with("Input Dims", dims).with("Input type", types).with("Input Strides", steps)
}
