//! Training jobs computed by a max-plus model with noise, whose truth is known for any change.

use crate::load::Job;
use causal::{
    Call, Collective, DeviceEvent, DeviceKind, HostEvent, HostKind, NONE, RankInput, Stream, SyncKind, SyncRow,
};

/// What a job is like. Times are in ns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) seed: u64,
    pub(crate) ranks: usize,
    pub(crate) steps: usize,
    pub(crate) layers: usize,
    /// Mean time of a kernel, and of an operator on the CPU.
    pub(crate) kernel: f64,
    pub(crate) operator: f64,
    pub(crate) collective: f64,
    /// Relative noise of kernels, operators and Python; and of latencies and gaps.
    pub(crate) noise: f64,
    pub(crate) jitter: f64,
    /// Reads the loss in each step.
    pub(crate) item: bool,
    /// Waits for the event of the step before.
    pub(crate) event_sync: bool,
    pub(crate) graph: bool,
    /// Whether synchronisation is recorded, and whether times are cut to whole µs.
    pub(crate) syncs: bool,
    pub(crate) whole_us: bool,
}

pub(crate) const USUAL: Shape = Shape {
    seed: 1,
    ranks: 2,
    steps: 5,
    layers: 6,
    kernel: 60_000.0,
    operator: 6_000.0,
    collective: 30_000.0,
    noise: 0.1,
    jitter: 0.2,
    item: true,
    event_sync: false,
    graph: false,
    syncs: true,
    whole_us: false,
};

/// The factor of a class of time and a name.
pub(crate) type Scale<'s> = dyn Fn(&str, &str) -> f64 + 's;

/// Runs a job. Returns its events and when it ends.
pub(crate) fn run(shape: &Shape, scale: &Scale<'_>) -> (Job, i64) {
    let ranks = (0..shape.ranks).map(|rank| Rank::new(rank as u64, shape, scale)).collect();
    let mut model = Model { shape, scale, ranks };
    model.run();
    model.finish()
}

struct Model<'s> {
    shape: &'s Shape,
    scale: &'s Scale<'s>,
    ranks: Vec<Rank>,
}

const COMPUTE: usize = 0;
const NCCL: usize = 1;

/// A rank while it runs: clocks of its two threads and streams.
struct Rank {
    events: RankInput,
    names: Vec<String>,
    random: u64,
    cpu: [f64; 2],
    gpu: [f64; 2],
    /// Ends that a stream waits for.
    held: [Vec<f64>; 2],
    correlation: u32,
    recorded: Option<(u32, f64)>,
    end: f64,
}

impl Rank {
    fn new(rank: u64, shape: &Shape, scale: &Scale<'_>) -> Self {
        let streams = vec![Stream { device: 0, stream: 7 }, Stream { device: 0, stream: 20 }];
        let random = (shape.seed * 1000 + rank + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let begin = (5_000.0 + 40_000.0 * rank as f64) * scale("python", "");
        let events = RankInput { rank: rank as i64, streams, ..RankInput::default() };
        let held = [Vec::new(), Vec::new()];
        let cpu = [begin; 2];
        Self { events, names: Vec::new(), random, cpu, gpu: [0.0; 2], held, correlation: 0, recorded: None, end: 0.0 }
    }

    /// A number around 1, never below half.
    fn noise(&mut self, spread: f64) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let uniform = (self.random >> 11) as f64 / (1_u64 << 53) as f64;
        // Mostly small, sometimes large, as times on a real machine are.
        (1.0 + spread * (-(1.0 - uniform).ln() - 1.0)).max(0.5)
    }

    fn row(&mut self, name: &str) -> u32 {
        self.names.push(name.to_owned());
        self.names.len() as u32 - 1
    }

    fn host(&mut self, thread: usize, name: &str, kind: HostKind, start: f64, correlation: u32) -> usize {
        let (row, thread) = (self.row(name), thread as u32);
        let call_name = name.bytes().fold(7_u16, |hash, byte| hash.wrapping_mul(31).wrapping_add(u16::from(byte)));
        let start = start as i64;
        self.events.host.push(HostEvent { start, end: start, thread, row, correlation, call_name, kind });
        self.events.host.len() - 1
    }

    fn close(&mut self, event: usize, thread: usize) {
        self.events.host[event].end = self.cpu[thread] as i64;
    }
}

impl Model<'_> {
    fn each(&mut self, mut what: impl FnMut(&mut Self, usize)) {
        (0..self.ranks.len()).for_each(|rank| what(self, rank));
    }

    fn spend(&mut self, rank: usize, thread: usize, class: &str, name: &str, ns: f64) {
        let noise = self.ranks[rank].noise(self.shape.noise);
        self.ranks[rank].cpu[thread] += ns * noise * (self.scale)(class, name);
    }

    fn python(&mut self, rank: usize, thread: usize, ns: f64) {
        self.spend(rank, thread, "python", "", ns);
    }

    fn open(&mut self, rank: usize, thread: usize, name: &str, kind: HostKind) -> usize {
        let start = self.ranks[rank].cpu[thread];
        self.ranks[rank].host(thread, name, kind, start, NONE)
    }

    /// A call of the runtime; returns its begin and correlation.
    fn call(&mut self, rank: usize, thread: usize, name: &str, ns: f64) -> (f64, u32) {
        let of = &mut self.ranks[rank];
        of.correlation += 1;
        let (start, correlation) = (of.cpu[thread], of.correlation);
        let event = of.host(thread, name, HostKind::Call(Call::named(name)), start, correlation);
        self.spend(rank, thread, "runtime", name, ns);
        self.ranks[rank].close(event, thread);
        (start, correlation)
    }

    /// When a kernel can start that was launched at a moment.
    fn start(&mut self, rank: usize, stream: usize, launched: f64, latency: f64) -> f64 {
        let (jitter, scale) = (self.shape.jitter, self.scale);
        let of = &mut self.ranks[rank];
        let gap = 1_200.0 * of.noise(jitter) * scale("gpu_gap", "");
        let mut start = launched + latency * of.noise(jitter) * scale("launch", "");
        if of.gpu[stream] > 0.0 {
            start = start.max(of.gpu[stream] + gap);
        }
        let held = std::mem::take(&mut of.held[stream]);
        held.into_iter().fold(start, |start, end| start.max(end + 500.0 * scale("gpu_wait", "")))
    }

    fn kernel(
        &mut self,
        rank: usize,
        stream: usize,
        (name, kind): (&str, DeviceKind),
        (start, end): (f64, f64),
        id: u32,
    ) {
        let of = &mut self.ranks[rank];
        of.gpu[stream] = end;
        of.end = of.end.max(end);
        let row = of.row(name);
        let event = DeviceEvent {
            start: start as i64,
            end: end as i64,
            stream: stream as u32,
            row,
            correlation: id,
            kind,
            collective: NONE,
        };
        of.events.device.push(event);
    }

    fn launch(&mut self, rank: usize, thread: usize, name: &str, ns: f64) {
        let (launched, id) = self.call(rank, thread, "cudaLaunchKernel", 4_500.0);
        let start = self.start(rank, COMPUTE, launched, 7_000.0);
        let ns = ns * self.ranks[rank].noise(self.shape.noise) * (self.scale)("gpu", name);
        self.kernel(rank, COMPUTE, (name, DeviceKind::Compute), (start, start + ns), id);
    }

    fn copy(&mut self, rank: usize, name: &str, ns: f64) {
        let (launched, id) = self.call(rank, 0, "cudaMemcpyAsync", 5_000.0);
        let start = self.start(rank, COMPUTE, launched, 7_000.0);
        let end = start + ns * (self.scale)("gpu_copy", name);
        self.kernel(rank, COMPUTE, (name, DeviceKind::Memory), (start, end), id);
    }

    /// An operator with one inside it, which launches a kernel.
    fn operator(&mut self, rank: usize, thread: usize, names: [&str; 3], ns: f64) {
        let half = self.shape.operator / 2.0;
        let outer = self.open(rank, thread, names[0], HostKind::Operator);
        self.spend(rank, thread, "cpu", names[0], half);
        let inner = self.open(rank, thread, names[1], HostKind::Operator);
        self.spend(rank, thread, "cpu", names[1], half);
        self.launch(rank, thread, names[2], ns);
        self.spend(rank, thread, "cpu", names[1], half / 2.0);
        self.ranks[rank].close(inner, thread);
        self.spend(rank, thread, "cpu", names[0], half / 2.0);
        self.ranks[rank].close(outer, thread);
    }

    /// Lets a stream wait for the end of what another one has.
    fn wait(&mut self, rank: usize, thread: usize, stream: usize, on: usize) {
        let (_, record) = self.call(rank, thread, "cudaEventRecord", 1_500.0);
        let end = self.ranks[rank].gpu[on];
        let (_, correlation) = self.call(rank, thread, "cudaStreamWaitEvent", 1_200.0);
        self.ranks[rank].held[stream].push(end);
        self.sync(rank, SyncKind::StreamWait, correlation, stream as u32, on as u32, record);
    }

    fn sync(&mut self, rank: usize, kind: SyncKind, correlation: u32, stream: u32, on_stream: u32, record: u32) {
        if self.shape.syncs {
            self.ranks[rank].events.syncs.push(SyncRow { kind, correlation, stream, device: 0, on_stream, record });
        }
    }

    /// A call that waits for a moment on the GPU.
    fn wait_for(&mut self, rank: usize, name: &str, end: f64) -> u32 {
        let (_, correlation) = self.call(rank, 0, name, 2_000.0);
        let wake = end + 3_000.0 * self.ranks[rank].noise(self.shape.jitter) * (self.scale)("wake", "");
        let of = &mut self.ranks[rank];
        of.cpu[0] = of.cpu[0].max(wake);
        let event = of.events.host.len() - 1;
        of.close(event, 0);
        correlation
    }

    fn collective(&mut self, number: u64) {
        let mut all = Vec::new();
        self.each(|model, rank| {
            let outer = model.open(rank, 1, "c10d::allreduce_", HostKind::Operator);
            model.spend(rank, 1, "cpu", "c10d::allreduce_", model.shape.operator / 2.0);
            model.wait(rank, 1, NCCL, COMPUTE);
            let (launched, id) = model.call(rank, 1, "cudaLaunchKernel", 5_500.0);
            model.ranks[rank].close(outer, 1);
            let start = model.start(rank, NCCL, launched, 8_000.0);
            all.push((start, id));
        });
        let name = "ncclDevKernel_AllReduce";
        let noise = self.ranks[0].noise(self.shape.noise);
        let ns = self.shape.collective * noise * (self.scale)("comm", name);
        let end = all.iter().map(|one| one.0).fold(0.0, f64::max) + ns;
        self.each(|model, rank| {
            let (start, id) = all[rank];
            model.kernel(rank, NCCL, (name, DeviceKind::Communication), (start, end), id);
            let size = model.shape.ranks as u32;
            let events = &mut model.ranks[rank].events;
            events.collectives.push(Collective { group: 1, number, size, amount: 1 });
            let last = events.collectives.len() as u32 - 1;
            events.device.last_mut().unwrap().collective = last;
        });
    }

    fn graph(&mut self, rank: usize) {
        let event = self.open(rank, 0, "graph_replay", HostKind::Operator);
        let (launched, id) = self.call(rank, 0, "cudaGraphLaunch", 12_000.0);
        self.ranks[rank].close(event, 0);
        let mut start = self.start(rank, COMPUTE, launched, 14_000.0);
        for name in ["graph_norm", "graph_softmax", "graph_mul"] {
            let ns = self.shape.kernel / 2.0 * self.ranks[rank].noise(self.shape.noise) * (self.scale)("gpu", name);
            self.kernel(rank, COMPUTE, (name, DeviceKind::Compute), (start, start + ns), id);
            start += ns + 700.0 * self.ranks[rank].noise(self.shape.jitter) * (self.scale)("gpu_gap", "");
        }
    }

    fn run(&mut self) {
        let mut number = 0;
        for step in 0..self.shape.steps {
            let mut annotations = Vec::new();
            self.each(|model, rank| {
                let name = format!("ProfilerStep#{step}");
                annotations.push(model.open(rank, 0, &name, HostKind::Annotation));
                model.forward(rank, step);
            });
            // The other thread works while the main thread waits for it.
            let layers = self.shape.layers;
            for layer in (0..layers).rev() {
                self.each(|model, rank| {
                    if layer == layers - 1 {
                        model.python(rank, 0, 12_000.0);
                        model.ranks[rank].cpu[1] = model.ranks[rank].cpu[0];
                    }
                    let kernel = model.shape.kernel * 1.5;
                    let names = [format!("autograd::Backward{}", layer % 3), format!("gemm_bwd_{}", layer % 3)];
                    model.operator(rank, 1, [names[0].as_str(), "aten::mm", names[1].as_str()], kernel);
                    model.python(rank, 1, 2_000.0);
                    model.operator(rank, 1, [names[0].as_str(), "aten::mul", "gelu_backward"], kernel / 8.0);
                });
                if layer % 2 == 0 {
                    number += 1;
                    self.collective(number);
                }
                self.each(|model, rank| model.python(rank, 1, 2_000.0));
            }
            self.each(|model, rank| {
                // The last annotation of the main thread has begun before the other thread.
                model.ranks[rank].cpu[0] = model.ranks[rank].cpu[1];
                model.python(rank, 0, 9_000.0);
                model.optimizer(rank);
                let annotation = annotations[rank];
                model.ranks[rank].close(annotation, 0);
            });
        }
    }

    fn forward(&mut self, rank: usize, step: usize) {
        let loader = self.open(rank, 0, "enumerate(DataLoader)#next", HostKind::Loading);
        let slow = if (step + rank).is_multiple_of(3) { 4.0 } else { 1.0 };
        self.spend(rank, 0, "cpu", "enumerate(DataLoader)#next", 25_000.0 * slow);
        self.ranks[rank].close(loader, 0);
        self.python(rank, 0, 12_000.0);
        self.copy(rank, "Memcpy HtoD", 30_000.0);
        for layer in 0..self.shape.layers {
            self.python(rank, 0, 4_000.0);
            let (name, kernel) = (format!("gemm_fwd_{}", layer % 3), self.shape.kernel);
            self.operator(rank, 0, ["aten::linear", "aten::addmm", name.as_str()], kernel);
            self.python(rank, 0, 3_000.0);
            self.operator(rank, 0, ["aten::gelu", "aten::empty", "gelu_kernel"], kernel / 6.0);
        }
        if self.shape.graph {
            self.graph(rank);
        }
        if self.shape.item {
            let item = self.open(rank, 0, "aten::item", HostKind::Operator);
            self.spend(rank, 0, "cpu", "aten::item", 3_000.0);
            self.copy(rank, "Memcpy DtoH", 2_000.0);
            let end = self.ranks[rank].gpu[COMPUTE];
            let correlation = self.wait_for(rank, "cudaStreamSynchronize", end);
            self.sync(rank, SyncKind::Stream, correlation, COMPUTE as u32, NONE, NONE);
            self.spend(rank, 0, "cpu", "aten::item", 1_000.0);
            self.ranks[rank].close(item, 0);
        }
    }

    fn optimizer(&mut self, rank: usize) {
        self.wait(rank, 0, COMPUTE, NCCL);
        for kernel in ["multi_tensor_0", "multi_tensor_1"] {
            let ns = self.shape.kernel / 2.0;
            self.operator(rank, 0, ["aten::_foreach_add_", "aten::add", kernel], ns);
            self.python(rank, 0, 2_000.0);
        }
        let (_, record) = self.call(rank, 0, "cudaEventRecord", 1_500.0);
        let end = self.ranks[rank].gpu[COMPUTE];
        let before = self.ranks[rank].recorded.replace((record, end));
        if let Some((record, end)) = before.filter(|_| self.shape.event_sync) {
            let correlation = self.wait_for(rank, "cudaEventSynchronize", end);
            self.sync(rank, SyncKind::Event, correlation, NONE, COMPUTE as u32, record);
        }
        self.python(rank, 0, 3_000.0);
    }

    fn finish(self) -> (Job, i64) {
        let mut job = Job::default();
        let mut end = 0.0_f64;
        for rank in self.ranks {
            end = end.max(rank.end).max(rank.cpu[0]);
            let mut events = rank.events;
            if self.shape.whole_us {
                let cut = |start: &mut i64, end: &mut i64| {
                    let length = (*end - *start) / 1000 * 1000;
                    *start = *start / 1000 * 1000;
                    *end = *start + length;
                };
                events.host.iter_mut().for_each(|event| cut(&mut event.start, &mut event.end));
                events.device.iter_mut().for_each(|event| cut(&mut event.start, &mut event.end));
            }
            job.ranks.push(events);
            job.names.push(rank.names);
        }
        (job, end as i64)
    }
}
