//! A simulated inference server of two tensor-parallel ranks, with the annotations of vLLM, before a change and after it.
//!
//! Nothing is random. A prefill of three prompts comes first, then decodes, with one step among them that also reads a prompt. Each step
//! launches a graph, whose all-reduces are exposed. Before the change graphs are captured for 16, 32 and 64 requests, of which 23 run that
//! of 32; after it also for 24, and the all-reduce of a decode takes a third.

use crate::{Stream, TraceBuilder};

/// A side of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerRun {
    /// Before the change.
    Control,
    /// After the change.
    Test,
}

/// Ranks of the server.
pub const RANKS: i64 = 2;
/// Steps of a recording.
pub const STEPS: i64 = 40;
/// Requests that generate in every step but the first and the mixed one.
pub const REQUESTS: i64 = 23;
/// The step that reads a prompt while others generate.
pub const MIXED: i64 = 20;

/// Tokens of each of the three prompts of the first step.
const PROMPT: i64 = 2_048;
/// Tokens of the prompt of the mixed step.
const CHUNK: i64 = 512;
/// Time of the host between the end of a step and the annotation of the next, in µs.
const BETWEEN: i64 = 140;
/// Begin of the recording, in µs.
const START: i64 = 51_000_000;

/// Times of the kernels of a step in µs: matrix products, attention, all-reduce.
type Kernels = [i64; 3];

impl ServerRun {
    /// Control and test.
    pub const PAIR: [Self; 2] = [Self::Control, Self::Test];

    /// The folder of the side, as the guide loads it.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Control => "serving/control",
            Self::Test => "serving/test",
        }
    }

    /// Sizes of the captured graphs.
    pub const fn captured(self) -> &'static [i64] {
        match self {
            Self::Control => &[16, 32, 64],
            Self::Test => &[16, 24, 32, 64],
        }
    }

    /// Times of the kernels of a decode in µs.
    pub const fn decode(self, step: i64) -> Kernels {
        // Attention reads more keys from step to step; a graph of 24 multiplies less than one of 32.
        match self {
            Self::Control => [4_200, 1_500 + 4 * step, 900],
            Self::Test => [3_900, 1_500 + 4 * step, 300],
        }
    }
}

/// Name and kernels of a step.
fn step(run: ServerRun, number: i64) -> (String, Kernels) {
    let sums =
        |query: i64, keys: i64, squares: i64, products: i64| format!("sq{query}sk{keys}sqsq{squares}sqsk{products}");
    let generation = |requests: i64| {
        let keys = requests * (1_900 + number);
        format!("_generation_{requests}({})", sums(requests, keys, requests, keys))
    };
    let none = sums(0, 0, 0, 0);
    if number == 0 {
        let (tokens, squares) = (3 * PROMPT, 3 * PROMPT * PROMPT);
        let context = format!("context_3({})", sums(tokens, tokens, squares, squares));
        return (format!("execute_{tokens}_{context}_generation_0({none})"), [61_000, 14_000, 7_000]);
    }
    if number == MIXED {
        let tokens = CHUNK + REQUESTS - 1;
        let context = format!("context_1({})", sums(CHUNK, CHUNK, CHUNK * CHUNK, CHUNK * CHUNK));
        return (format!("execute_{tokens}_{context}{}", generation(REQUESTS - 1)), [9_800, 3_100, 1_700]);
    }
    (format!("execute_{REQUESTS}_context_0({none}){}", generation(REQUESTS)), run.decode(number))
}

/// Returns the text of the recording of a rank.
pub fn json(run: ServerRun, rank: i64) -> String {
    let info = format!(r#"{{"backend": "nccl", "rank": {rank}, "world_size": {RANKS}}}"#);
    let mut trace = TraceBuilder::new().without_rank().metadata("distributedInfo", &info);
    let mut at = START + 3 * rank;
    for size in run.captured().iter().rev() {
        trace = trace.annotation(&format!("capture_{size}_FULL"), at..at + 400);
        at += 450;
    }
    for number in 0..STEPS {
        let (name, [products, attention, reduce]) = step(run, number);
        let begin = at + BETWEEN;
        let launch = number + 1;
        let (first, second) = (begin + 90, begin + 90 + products);
        let third = second + attention;
        let end = third + reduce;
        trace = trace
            .annotation(&name, begin..end + 60)
            .memcpy("Memcpy HtoD (Pinned -> Device)", Stream(7), 4_096, begin + 40..begin + 48)
            .runtime("cudaGraphLaunch", launch, begin + 60..begin + 84)
            .kernel("nvjet_tst_128x64_64x7_1x2_h_bz_TNT", Stream(7), first..second)
            .correlation(launch)
            .kernel(
                "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4> >",
                Stream(7),
                second..third,
            )
            .correlation(launch)
            .kernel("void vllm::cross_device_reduce_2stage<__nv_bfloat16, 2>(vllm::RankData*)", Stream(7), third..end)
            .correlation(launch)
            .runtime("cudaStreamSynchronize", 10_000 + launch, begin + 90..end + 20);
        at = end + 60;
    }
    trace.json()
}
