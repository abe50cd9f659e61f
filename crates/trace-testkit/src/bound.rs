//! A job of two ranks whose bound is known by its construction: before a change the host, after it communication.
//!
//! Both ranks run one program of [`LAYERS`] layers in lockstep. Every moment is the latest of what it waits for, plus a fixed time;
//! nothing is random. A step of the host takes [`BoundJob::host_ns`] and ends with a copy that waits for the GPU. Before the change the GPU has
//! done all but its last few kernels by then, so the host bounds the step. After it the host takes a fifth, and the [`EXCHANGES`]
//! all-reduces of a step take [`BoundJob::transfer_ns`] each, one after the other: they bound the step.

use crate::{Stream, TraceBuilder};

/// A side of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundJob {
    /// Before the change: the host bounds the step.
    Host,
    /// After the change: communication bounds the step.
    Communication,
}

/// Ranks of the job.
pub const RANKS: i64 = 2;
/// Profiled steps.
pub const STEPS: std::ops::RangeInclusive<i64> = 1..=4;
/// Layers of the model.
pub const LAYERS: usize = 8;
/// All-reduces of a step, each of the gradients of two layers.
pub const EXCHANGES: usize = LAYERS / 2;

/// The stream of the model, and that of communication.
const MODEL: usize = 0;
const COLLECTIVES: usize = 1;
const STREAMS: [i64; 2] = [7, 20];

/// Start of the recording, in ns.
const START: i64 = 7_204_118_000_000_000;
/// From the begin of a launch to the begin of its kernel on an idle stream, and between two kernels of a stream.
const LATENCY: i64 = 6_400;
const GAP: i64 = 900;
/// From the end of a kernel to the return of the call that waits for it.
const WAKE: i64 = 2_500;

impl BoundJob {
    /// Control and test.
    pub const PAIR: [Self; 2] = [Self::Host, Self::Communication];

    /// The folder of the side, as the notebook loads it.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Host => "bound/control",
            Self::Communication => "bound/test",
        }
    }

    /// Time that an all-reduce takes once both ranks are there, in ns.
    pub const fn transfer_ns(self) -> i64 {
        match self {
            Self::Host => 24_000,
            Self::Communication => 420_000,
        }
    }

    /// Time of the host from the begin of a step to the copy that waits, in ns, on the first rank.
    pub fn host_ns(self) -> i64 {
        let layers = LAYERS as i64 * (self.host(9_000) + self.host(14_000) + self.host(8_000) + self.host(26_000));
        let launches = (3 * LAYERS as i64) * LAUNCH + EXCHANGES as i64 * (LAUNCH + 2 * RECORD);
        let others = EXCHANGES as i64 * self.host(20_000) + self.host(30_000) + LAUNCH + 2 * RECORD;
        // Before each outermost call.
        let python = (3 * LAYERS + EXCHANGES + 2) as i64 * self.host(11_000);
        layers + launches + others + python
    }

    /// Time of the host's own work: after the change it takes a fifth.
    const fn host(self, nanos: i64) -> i64 {
        match self {
            Self::Host => nanos,
            Self::Communication => nanos / 5,
        }
    }
}

/// Time of a launch, and of a call that records or waits for an event, in ns.
const LAUNCH: i64 = 5_000;
const RECORD: i64 = 1_200;

/// Returns the trace file of a rank, in the format of PyTorch's profiler.
pub fn json(job: BoundJob, rank: i64) -> String {
    let [first, second] = simulated(job);
    if rank == 0 { first.trace.json() } else { second.trace.json() }
}

/// A rank while it is simulated.
struct Rank {
    trace: TraceBuilder,
    number: i64,
    clock: i64,
    correlation: i64,
    /// End of the last kernel of each stream.
    free: [i64; 2],
    /// What the next kernel of each stream waits for besides.
    held: [i64; 2],
}

fn simulated(job: BoundJob) -> [Rank; 2] {
    let mut ranks = [0, 1].map(|number| {
        let about = format!(r#"{{"backend": "nccl", "rank": {number}, "world_size": {RANKS}}}"#);
        Rank {
            trace: TraceBuilder::new().without_rank().metadata("distributedInfo", &about).nanos(),
            number,
            // The second rank is a little late all the time.
            clock: START + 1_000 * number,
            correlation: 0,
            free: [START; 2],
            held: [START; 2],
        }
    });
    let mut exchange = 0;
    for step in STEPS {
        let begins = [ranks[0].clock, ranks[1].clock];
        for layer in 0..LAYERS {
            for rank in &mut ranks {
                rank.python(job);
                rank.call(job, "aten::linear", 9_000, |rank| {
                    rank.call(job, "aten::addmm", 14_000, |rank| rank.launch("ampere_sgemm_128x64_tn", MODEL, 7_000));
                });
                rank.python(job);
                let name = if layer + 1 < LAYERS { "aten::relu" } else { "aten::mse_loss" };
                rank.call(job, name, 8_000, |rank| rank.launch("vectorized_elementwise_kernel", MODEL, 3_000));
            }
        }
        for layer in (0..LAYERS).rev() {
            for rank in &mut ranks {
                rank.python(job);
                rank.call(job, "AddmmBackward0", 26_000, |rank| rank.launch("ampere_sgemm_64x64_nt", MODEL, 9_000));
            }
            if layer.is_multiple_of(2) {
                exchange += 1;
                all_reduce(job, &mut ranks, exchange);
            }
        }
        for (rank, begin) in ranks.iter_mut().zip(begins) {
            rank.python(job);
            rank.call(job, "aten::_fused_adamw_", 30_000, |rank| {
                rank.wait(MODEL, COLLECTIVES);
                rank.launch("multi_tensor_apply_kernel", MODEL, 12_000);
            });
            rank.python(job);
            rank.call(job, "aten::item", 4_000, Rank::read);
            let span = begin..rank.clock;
            rank.record(|trace| trace.step(step, span));
            rank.clock += job.host(6_000);
        }
    }
    ranks
}

/// Both ranks exchange gradients: it ends when the second has joined and the data is transferred.
fn all_reduce(job: BoundJob, ranks: &mut [Rank; 2], number: i64) {
    let starts = ranks.each_mut().map(|rank| {
        rank.python(job);
        let begin = rank.clock;
        rank.clock += job.host(20_000) / 2;
        rank.wait(COLLECTIVES, MODEL);
        let launched = rank.launched();
        rank.clock += job.host(20_000) - job.host(20_000) / 2;
        let span = begin..rank.clock;
        rank.record(|trace| trace.operator("c10d::allreduce_", span));
        launched + LATENCY
    });
    let starts: Vec<i64> = starts.iter().zip(&*ranks).map(|(start, rank)| rank.earliest(COLLECTIVES, *start)).collect();
    let end = starts.iter().copied().max().unwrap_or_default() + job.transfer_ns();
    for (rank, start) in ranks.iter_mut().zip(starts) {
        rank.run("ncclDevKernel_AllReduce_Sum_f32_RING_LL", COLLECTIVES, start, end);
        rank.record(|trace| {
            trace
                .arg("Collective name", r#""allreduce""#)
                .arg("Seq", &number.to_string())
                .arg("Process Group Name", r#""0""#)
                .arg("Process Group Ranks", r#""[0, 1]""#)
                .arg("Group size", &RANKS.to_string())
                .arg("dtype", r#""Float""#)
                .arg("In msg nelems", "4194304")
                .arg("Out msg nelems", "4194304")
        });
    }
}

impl Rank {
    fn record(&mut self, add: impl FnOnce(TraceBuilder) -> TraceBuilder) {
        self.trace = add(std::mem::take(&mut self.trace));
    }

    /// The interpreter, between calls.
    fn python(&mut self, job: BoundJob) {
        // The second rank's host is slower.
        self.clock += job.host(11_000) + 100 * self.number;
    }

    /// A call that takes `own` besides what it calls.
    fn call(&mut self, job: BoundJob, name: &str, own: i64, body: impl FnOnce(&mut Self)) {
        let (begin, own) = (self.clock, job.host(own));
        self.clock += own / 2;
        body(self);
        self.clock += own - own / 2;
        let span = begin..self.clock;
        self.record(|trace| trace.operator(name, span));
    }

    /// Calls the runtime; returns when the call began.
    fn runtime(&mut self, name: &str, nanos: i64) -> i64 {
        let begin = self.clock;
        self.clock += nanos;
        self.correlation += 1;
        let (correlation, span) = (self.correlation, begin..self.clock);
        self.record(|trace| trace.runtime(name, correlation, span));
        begin
    }

    fn launched(&mut self) -> i64 {
        self.runtime("cudaLaunchKernel", LAUNCH)
    }

    /// When a kernel begins on a stream that has reached the GPU then.
    fn earliest(&self, stream: usize, reached: i64) -> i64 {
        reached.max(self.free[stream] + GAP).max(self.held[stream])
    }

    fn run(&mut self, name: &str, stream: usize, start: i64, end: i64) {
        self.free[stream] = end;
        let correlation = self.correlation;
        self.record(|trace| trace.kernel(name, Stream(STREAMS[stream]), start..end).correlation(correlation));
    }

    fn launch(&mut self, kernel: &str, stream: usize, nanos: i64) {
        let reached = self.launched() + LATENCY;
        let start = self.earliest(stream, reached);
        self.run(kernel, stream, start, start + nanos);
    }

    /// Makes a stream wait for what another one has been given so far.
    fn wait(&mut self, stream: usize, other: usize) {
        self.runtime("cudaEventRecord", RECORD);
        self.runtime("cudaStreamWaitEvent", RECORD);
        self.held[stream] = self.free[other] + GAP;
    }

    /// Copies the loss to the host and waits for it.
    fn read(&mut self) {
        let reached = self.runtime("cudaMemcpyAsync", LAUNCH) + LATENCY;
        let start = self.earliest(MODEL, reached);
        let (end, correlation) = (start + 1_500, self.correlation);
        self.free[MODEL] = end;
        self.record(|trace| {
            let copy = trace.memcpy("Memcpy DtoH (Device -> Pinned)", Stream(STREAMS[MODEL]), 4, start..end);
            copy.correlation(correlation)
        });
        let nanos = (end + WAKE - self.clock).max(LAUNCH);
        self.runtime("cudaStreamSynchronize", nanos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Length of each step of the first rank, and time of its all-reduces in a step.
    fn steps(job: BoundJob) -> (Vec<f64>, f64) {
        let trace: Value = serde_json::from_str(&json(job, 0)).unwrap_or_default();
        let events = trace["traceEvents"].as_array().cloned().unwrap_or_default();
        let durations = |start: &str| -> Vec<f64> {
            let named =
                events.iter().filter(|event| event["name"].as_str().is_some_and(|name| name.starts_with(start)));
            named.filter_map(|event| event["dur"].as_f64()).collect()
        };
        let steps = durations("ProfilerStep#");
        let exchanges = durations("nccl").iter().sum::<f64>() / steps.len() as f64;
        (steps, exchanges)
    }

    #[test]
    fn the_host_or_communication_takes_the_step() {
        let (steps_of_host, exchanges) = steps(BoundJob::Host);
        assert_eq!(steps_of_host.len(), 4);
        for step in steps_of_host {
            let host = BoundJob::Host.host_ns() as f64 / 1e3;
            assert!(step > host && host > 0.94 * step && exchanges < 0.12 * step, "{step} {host} {exchanges}");
        }
        for step in steps(BoundJob::Communication).0 {
            let transfers = EXCHANGES as f64 * BoundJob::Communication.transfer_ns() as f64 / 1e3;
            assert!(transfers > 0.85 * step && transfers < step, "{step} {transfers}");
        }
    }
}
