//! Traces of a job with many ranks: iterations, kernels on three streams, collectives that wait for the slowest rank, and two
//! known stragglers.
//!
//! ```text
//! compute  |forward|  backward   |     |optimizer|
//! nccl             |-------------|-----|          each collective ends on all ranks at once: when
//! copies   |HtoD|                                 the last of them has joined, and the bytes are sent
//! ```

use super::events::{Args, EventWriter};
use crate::random::Random;
use std::io::{self, Write};

/// A job: what is in the traces of its ranks follows from its fields, byte by byte.
#[derive(Debug, Clone)]
pub struct Job {
    ranks: u64,
    seed: u64,
    iterations: u64,
    layers: u64,
    /// No rank is slower than the others.
    healthy: bool,
    /// The end of each collective of each iteration, the same on all ranks.
    ends: Vec<Vec<u64>>,
}

/// The start of the recording, in nanoseconds.
const START: u64 = 4_810_337_205_118_000;
/// The first profiler step.
const FIRST_STEP: u64 = 100;
/// The streams of kernels, collectives and copies.
const COMPUTE: u64 = 7;
const COLLECTIVES: u64 = 20;
const COPIES: u64 = 24;
/// The threads of the forward and of the backward pass.
const MAIN: u64 = 1;
const AUTOGRAD: u64 = 2;
/// How much longer, in percent, work takes on a straggler.
const SLOW_GPU: u64 = 130;
const SLOW_HOST: u64 = 1_000;
/// Layers whose gradients are exchanged together.
const BUCKET: u64 = 6;
/// The time on the wire of one collective.
const TRANSFER: u64 = 38_000;
/// Traces of fewer bytes have three iterations, larger ones one for each of so many bytes, up to twenty.
const SMALL: u64 = 200_000;
const BYTES_PER_ITERATION: u64 = 2_000_000;

/// An operator of the forward pass: its name, its dimensions, its kernel and the time that this takes, and the function and the
/// kernel of its gradient.
struct Layer {
    operator: &'static str,
    dims: &'static str,
    kernel: &'static str,
    nanos: u64,
    gradient: &'static str,
    gradient_kernel: &'static str,
}

const LAYERS: [Layer; 6] = [
    Layer {
        operator: "aten::addmm",
        dims: "[[3072], [4096, 1024], [1024, 3072], [], []]",
        kernel: "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
        nanos: 41_000,
        gradient: "AddmmBackward0",
        gradient_kernel: "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nt",
    },
    Layer {
        operator: "aten::_scaled_dot_product_flash_attention",
        dims: "[[8, 16, 512, 64], [8, 16, 512, 64], [8, 16, 512, 64], [], [], []]",
        kernel: "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >(pytorch_flash::Flash_fwd_params)",
        nanos: 63_000,
        gradient: "ScaledDotProductFlashAttentionBackward0",
        gradient_kernel: "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<64>(pytorch_flash::Flash_bwd_params)",
    },
    Layer {
        operator: "aten::native_layer_norm",
        dims: "[[4096, 1024], [], [1024], [1024], []]",
        kernel: "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float)",
        nanos: 9_000,
        gradient: "NativeLayerNormBackward0",
        gradient_kernel: "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<c10::BFloat16, float>(int)",
    },
    Layer {
        operator: "aten::gelu",
        dims: "[[4096, 4096], []]",
        kernel: "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>(int)",
        nanos: 14_000,
        gradient: "GeluBackward0",
        gradient_kernel: "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl>(int)",
    },
    Layer {
        operator: "aten::add",
        dims: "[[4096, 1024], [4096, 1024], []]",
        kernel: "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16> >(int)",
        nanos: 6_000,
        gradient: "AddBackward0",
        gradient_kernel: "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16> >(int)",
    },
    Layer {
        operator: "aten::embedding",
        dims: "[[50304, 1024], [8, 512], [], [], []]",
        kernel: "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long>(long, long)",
        nanos: 11_000,
        gradient: "EmbeddingBackward0",
        gradient_kernel: "void at::native::(anonymous namespace)::compute_grad_weight<c10::BFloat16, long>(long)",
    },
];

impl Job {
    /// Plans a job whose traces have about `bytes` bytes of JSON together, at least about 12 kB each.
    pub fn of(ranks: u64, bytes: u64, seed: u64) -> Self {
        let each = bytes / ranks.max(1);
        let iterations = if each < SMALL { 3 } else { (each / BYTES_PER_ITERATION).clamp(5, 20) };
        // The bytes grow evenly with the layers: two samples give their size.
        let size = |layers| {
            let sample = Self { ranks: 1, seed, iterations, layers, healthy: false, ends: Vec::new() }.scheduled();
            sample.bytes(0)
        };
        let (few, more) = (size(2 * BUCKET), size(4 * BUCKET));
        let per_layer = ((more - few) / (2 * BUCKET)).max(1);
        let fixed = few.saturating_sub(2 * BUCKET * per_layer);
        let layers = (each.saturating_sub(fixed) / per_layer).max(1);
        Self { ranks: ranks.max(1), seed, iterations, layers, healthy: false, ends: Vec::new() }.scheduled()
    }

    /// Returns the job without stragglers.
    #[must_use]
    pub fn healthy(self) -> Self {
        Self { healthy: true, ..self }.scheduled()
    }

    /// Returns the number of ranks.
    pub const fn ranks(&self) -> u64 {
        self.ranks
    }

    /// Returns the rank whose kernels take 1.3 times as long; the collectives of all other ranks wait for it.
    pub const fn slow_gpu(&self) -> u64 {
        self.ranks / 13
    }

    /// Returns the rank whose operators take ten times as long; its GPU waits for them.
    pub const fn slow_host(&self) -> u64 {
        self.ranks - 1 - self.ranks / 5
    }

    /// Returns the name of the file of a rank, without `.gz`.
    pub fn file_name(rank: u64) -> String {
        format!("rank-{rank:04}.json")
    }

    /// Writes the trace of a rank as JSON and returns its bytes and events.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, rank: u64, out: impl Write) -> io::Result<super::Written> {
        let mut writer = EventWriter::new(out);
        self.simulate(rank, &mut writer)?;
        writer.written()
    }

    fn bytes(&self, rank: u64) -> u64 {
        self.write(rank, io::sink()).map_or(0, |written| written.bytes)
    }

    fn simulate<W: Write>(&self, rank: u64, writer: &mut EventWriter<W>) -> io::Result<()> {
        writer.head(rank, self.ranks)?;
        let mut process = Process::of(self, rank);
        for (iteration, ends) in (0..).zip(&self.ends) {
            process.compute(iteration, writer)?;
            process.finish(iteration, ends, writer)?;
        }
        writer.tail(process.id, START, process.host)
    }

    /// Finds the ends of all collectives: the ranks run in lockstep, without being written.
    fn scheduled(mut self) -> Self {
        let mut nowhere = EventWriter::nowhere();
        let mut processes: Vec<Process> = (0..self.ranks).map(|rank| Process::of(&self, rank)).collect();
        let mut all = Vec::new();
        for iteration in 0..self.iterations {
            let mut last = vec![0; self.buckets()];
            for process in &mut processes {
                // Nothing is written, so nothing can fail.
                let _ = process.compute(iteration, &mut nowhere);
                for (last, joined) in last.iter_mut().zip(&process.joined) {
                    *last = joined.start.max(*last);
                }
            }
            let mut ends: Vec<u64> = Vec::new();
            for joined in last {
                ends.push(joined.max(ends.last().copied().unwrap_or(0)) + TRANSFER);
            }
            for process in &mut processes {
                let _ = process.finish(iteration, &ends, &mut nowhere);
            }
            all.push(ends);
        }
        self.ends = all;
        self
    }

    fn buckets(&self) -> usize {
        usize::try_from(self.layers.div_ceil(BUCKET)).unwrap_or(usize::MAX)
    }
}

/// A collective that a rank has joined.
struct Joined {
    start: u64,
    correlation: u64,
}

/// The state of one rank.
struct Process {
    id: u64,
    rank: u64,
    ranks: u64,
    layers: u64,
    /// Percent of the usual time.
    gpu_percent: u64,
    host_percent: u64,
    random: Random,
    /// The time of the host, and the time at which each stream is free.
    host: u64,
    compute: u64,
    collectives: u64,
    next_id: u64,
    begin: u64,
    joined: Vec<Joined>,
    allocated: u64,
}

impl Process {
    fn of(job: &Job, rank: u64) -> Self {
        let uneven = job.ranks > 2 && !job.healthy;
        Self {
            id: 20_000 + rank,
            rank,
            ranks: job.ranks,
            layers: job.layers,
            gpu_percent: if uneven && rank == job.slow_gpu() { SLOW_GPU } else { 100 },
            host_percent: if uneven && rank == job.slow_host() { SLOW_HOST } else { 100 },
            random: Random::new(job.seed.wrapping_mul(0x9e37_79b9).wrapping_add(rank)),
            host: START,
            compute: START,
            collectives: START,
            next_id: 1,
            begin: START,
            joined: Vec::new(),
            allocated: 3 << 30,
        }
    }

    fn host_time(&mut self, nanos: u64) -> u64 {
        self.random.around(nanos, 10) * self.host_percent / 100
    }

    fn gpu_time(&mut self, nanos: u64) -> u64 {
        self.random.around(nanos, 3) * self.gpu_percent / 100
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Runs the copy of the input, the forward and the backward pass, and joins the collectives.
    fn compute<W: Write>(&mut self, iteration: u64, writer: &mut EventWriter<W>) -> io::Result<()> {
        self.begin = self.host;
        self.joined.clear();
        self.host += self.host_time(3_000);
        self.copy(writer)?;
        let forward = self.host;
        for layer in 0..self.layers {
            let Layer { operator, dims, kernel, nanos, .. } = LAYERS[(layer % LAYERS.len() as u64) as usize];
            self.operator(writer, operator, dims, MAIN, kernel, nanos)?;
            self.allocate(writer)?;
        }
        writer.annotation("## forward ##", self.id, MAIN, forward, self.host - forward)?;
        for layer in (0..self.layers).rev() {
            let Layer { gradient, dims, gradient_kernel, nanos, .. } = LAYERS[(layer % LAYERS.len() as u64) as usize];
            self.operator(writer, gradient, dims, AUTOGRAD, gradient_kernel, 2 * nanos)?;
            if layer % BUCKET == 0 {
                self.join(writer, iteration)?;
            }
        }
        Ok(())
    }

    /// Waits for the collectives, runs the optimizer, and waits for the GPU.
    fn finish<W: Write>(&mut self, iteration: u64, ends: &[u64], writer: &mut EventWriter<W>) -> io::Result<()> {
        for (joined, end) in std::mem::take(&mut self.joined).iter().zip(ends) {
            let start = joined.start.max(self.collectives);
            let name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
            let args = |args: &mut Args<'_>| {
                args.number("stream", COLLECTIVES).number("correlation", joined.correlation);
                args.text("Collective name", "allreduce").number("In msg nelems", 25 << 20);
                args.number("Out msg nelems", 25 << 20).number("Group size", self.ranks).text("dtype", "BFloat16");
                args.text("Process Group Name", "0").text("Process Group Description", "default_pg");
                args.number("Rank", self.rank);
            };
            writer.complete("kernel", name, 0, COLLECTIVES, start, end.saturating_sub(start), args)?;
            self.collectives = *end;
        }
        self.compute = self.compute.max(self.collectives);
        self.operator(
            writer,
            "aten::_fused_adamw_",
            "[[], [], [], []]",
            MAIN,
            "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedAdamMathFunctor<float> >(long)",
            55_000,
        )?;
        let correlation = self.id();
        let start = self.host;
        let wait = self.host_time(2_000);
        self.host = (start + wait).max(self.compute + 1_500);
        writer.complete("cuda_runtime", "cudaDeviceSynchronize", self.id, MAIN, start, self.host - start, |args| {
            args.number("correlation", correlation);
        })?;
        let name = format!("ProfilerStep#{}", FIRST_STEP + iteration);
        writer.annotation(&name, self.id, MAIN, self.begin, self.host - self.begin)?;
        writer.counter("allocated bytes", self.id, self.host, self.allocated)?;
        self.host += 1_000;
        Ok(())
    }

    /// Runs an operator that launches one kernel.
    fn operator<W: Write>(
        &mut self,
        writer: &mut EventWriter<W>,
        name: &str,
        dims: &str,
        thread: u64,
        kernel: &str,
        nanos: u64,
    ) -> io::Result<()> {
        let (start, external, correlation) = (self.host, self.id(), self.id());
        let (before, launch, after) = (self.host_time(2_500), self.host_time(3_500), self.host_time(1_500));
        self.host = start + before + launch + after;
        writer.complete("cpu_op", name, self.id, thread, start, before + launch + after, |args| {
            args.number("External id", external).text("Input Dims", dims);
        })?;
        let launched = start + before;
        writer.complete("cuda_runtime", "cudaLaunchKernel", self.id, thread, launched, launch, |args| {
            args.number("External id", external).number("correlation", correlation);
        })?;
        let (begin, duration) = ((launched + launch + 900).max(self.compute + 300), self.gpu_time(nanos));
        self.compute = begin + duration;
        writer.complete("kernel", kernel, 0, COMPUTE, begin, duration, |args| {
            args.number("External id", external).number("correlation", correlation).number("stream", COMPUTE);
            args.number("device", 0).number("registers per thread", 96);
        })
    }

    /// Copies the input of an iteration to the GPU, and clears the loss.
    fn copy<W: Write>(&mut self, writer: &mut EventWriter<W>) -> io::Result<()> {
        const BYTES: u64 = 4 << 20;
        let (start, correlation) = (self.host, self.id());
        let call = self.host_time(6_000);
        self.host += call;
        writer.complete("cuda_runtime", "cudaMemcpyAsync", self.id, MAIN, start, call, |args| {
            args.number("correlation", correlation);
        })?;
        let (begin, duration) = (start + call + 1_200, self.gpu_time(180_000));
        writer.complete("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, COPIES, begin, duration, |args| {
            args.number("correlation", correlation).number("stream", COPIES).number("bytes", BYTES);
            args.thousandths("memory bandwidth (GB/s)", BYTES * 1000 / duration);
        })?;
        self.compute = self.compute.max(begin + duration);
        Ok(())
    }

    /// Writes that the allocator gave memory, as the profiler does: an instant.
    fn allocate<W: Write>(&mut self, writer: &mut EventWriter<W>) -> io::Result<()> {
        let bytes = 8 << 20;
        self.allocated += bytes;
        writer.instant("[memory]", self.id, MAIN, self.host, bytes, self.allocated)
    }

    /// Joins a collective, behind the kernels that computed its gradients.
    fn join<W: Write>(&mut self, writer: &mut EventWriter<W>, iteration: u64) -> io::Result<()> {
        let (start, external, correlation) = (self.host, self.id(), self.id());
        let (before, launch) = (self.host_time(4_000), self.host_time(4_500));
        self.host += before + launch;
        writer.complete("cpu_op", "c10d::allreduce_", self.id, AUTOGRAD, start, before + launch, |args| {
            args.number("External id", external).number("Sequence number", iteration);
        })?;
        writer.complete("cuda_runtime", "cudaLaunchKernelExC", self.id, AUTOGRAD, start + before, launch, |args| {
            args.number("External id", external).number("correlation", correlation);
        })?;
        self.joined.push(Joined { start: (self.host + 900).max(self.compute + 600), correlation });
        Ok(())
    }
}
