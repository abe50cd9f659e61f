//! The simulated runs and their differences.

/// A simulated run: one side of the demo pair, or a rank of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Run {
    /// Rank 3 of the original job, alone.
    Control,
    /// Rank 1 of the job after the change, alone.
    Test,
    /// A rank of the original job with a problem of its own; the four ranks wait for each other.
    Job(u64),
    /// A rank of a larger job, alone, whose host works ahead of the GPU: the wait for the data loader is hidden.
    Ahead,
    /// The same after a change: less to compute, and a new call that waits for the GPU in every step.
    Waiting,
}

/// The capacity of a stream's queue, in launches.
pub const QUEUE: usize = 1024;

impl Run {
    /// Control and test.
    pub const PAIR: [Run; 2] = [Run::Control, Run::Test];
    /// Control and test of the pair in which compute gets faster and the step slower.
    pub const SYNCHRONIZED: [Run; 2] = [Run::Ahead, Run::Waiting];
    /// The ranks of the job.
    pub const JOB: [Run; 4] = [Run::Job(0), Run::Job(1), Run::Job(2), Run::Job(3)];
    /// The rank of [`Run::JOB`] whose GPU is slow.
    pub const THROTTLED: u64 = 2;
    /// The rank that averages its weights, and the iteration in which it does.
    pub const AVERAGING: (u64, u64) = (0, 1012);
    /// The rank that loads a module, and the iteration of the launch that has to wait for it.
    pub const LOADING: (u64, u64) = (1, 1010);
    /// The rank whose data loader stalls, and the iteration in which it does.
    pub const STALLED: (u64, u64) = (3, 1011);

    /// The rank that was profiled.
    pub const fn rank(self) -> u64 {
        match self {
            Run::Control => 3,
            Run::Test => 1,
            Run::Job(rank) => rank,
            Run::Ahead | Run::Waiting => 0,
        }
    }

    /// The folder of the run, as the notebooks load it.
    pub const fn folder(self) -> &'static str {
        match self {
            Run::Control => "control",
            Run::Test => "test",
            Run::Job(_) => "job",
            Run::Ahead => "synchronized/control",
            Run::Waiting => "synchronized/test",
        }
    }

    /// The name of the run's trace file.
    pub fn file_name(self) -> String {
        format!("rank-{}.json.gz", self.rank())
    }

    /// The seed of the run's random numbers.
    pub(super) const fn seed(self) -> u64 {
        match self {
            Run::Job(rank) => 0x5eed_0010 + rank,
            Run::Ahead => 0x5eed_0020,
            Run::Waiting => 0x5eed_0021,
            _ => self.pick(0x5eed_0003, 0x5eed_0001),
        }
    }

    /// The process that was profiled.
    pub(super) const fn process(self) -> u64 {
        match self {
            Run::Job(rank) => 61_200 + rank,
            Run::Ahead => 17_402,
            Run::Waiting => 19_883,
            _ => self.pick(40_711, 52_038),
        }
    }

    /// When the recording starts, in nanoseconds of the machine's clock.
    pub(super) const fn start(self) -> u64 {
        match self {
            Run::Job(_) => 5_522_118_903_274_605,
            Run::Ahead => 5_610_227_315_906_118,
            Run::Waiting => 5_696_840_127_455_032,
            _ => self.pick(5_349_821_034_512_347, 5_436_604_711_880_921),
        }
    }

    /// Whether attention is one fused operator rather than matrix products and a softmax.
    pub(super) const fn fused_attention(self) -> bool {
        matches!(self, Run::Test)
    }

    /// Whether AdamW is one fused pass over all parameters rather than nine.
    pub(super) const fn fused_optimizer(self) -> bool {
        matches!(self, Run::Test)
    }

    /// Whether activations are cast to half precision one by one.
    pub(super) const fn extra_casts(self) -> bool {
        matches!(self, Run::Test)
    }

    /// How many transformer blocks the model has.
    pub(super) const fn blocks(self) -> u64 {
        match self {
            Run::Ahead => 3,
            _ => 2,
        }
    }

    /// How many gradients there are: 12 of each block, and 4 around them.
    pub(super) const fn gradients(self) -> u64 {
        12 * self.blocks() + 4
    }

    /// Whether dropout and the addition behind it are one compiled kernel.
    pub(super) const fn fused_residual(self) -> bool {
        matches!(self, Run::Waiting)
    }

    /// Whether the loss is copied to the CPU while the host goes on, and only its copy is waited for.
    pub(super) const fn reads_ahead(self) -> bool {
        matches!(self, Run::Ahead | Run::Waiting)
    }

    /// How many values are read back to the CPU for the log, each with a synchronisation.
    pub(super) const fn logged_values(self) -> u64 {
        match self {
            Run::Ahead => 0,
            Run::Waiting => 1,
            _ => self.pick(4, 1),
        }
    }

    /// How many gradients go into one all-reduce.
    pub(super) const fn bucket(self) -> u64 {
        match self {
            Run::Ahead | Run::Waiting => self.gradients() / 4,
            _ => self.pick(7, 14),
        }
    }

    /// Whether the batch is in pinned memory.
    pub(super) const fn pinned(self) -> bool {
        matches!(self, Run::Control | Run::Ahead | Run::Waiting)
    }

    /// The time that the job waits for the data loader.
    pub(super) const fn loader_nanos(self, iteration: u64) -> u64 {
        match self {
            Run::Ahead | Run::Waiting => 3_400_000,
            _ if self.is(Self::STALLED, iteration) => 6_200_000,
            _ => self.pick(310_000, 4_150_000),
        }
    }

    /// The duration of the model's kernels, in percent of the usual one.
    pub(super) const fn kernel_percent(self) -> u64 {
        match self {
            Run::Job(Self::THROTTLED) => 120,
            _ => 100,
        }
    }

    /// The least duration of the first launch of the forward pass, which may load a module.
    pub(super) const fn module_nanos(self, iteration: u64) -> u64 {
        if self.is(Self::LOADING, iteration) { 870_000 } else { 0 }
    }

    /// Whether the weights are averaged in this iteration.
    pub(super) const fn averages(self, iteration: u64) -> bool {
        self.is(Self::AVERAGING, iteration)
    }

    const fn is(self, (rank, at): (u64, u64), iteration: u64) -> bool {
        matches!(self, Run::Job(own) if own == rank) && iteration == at
    }

    /// The duration of the kernel of the embedding's gradient.
    pub(super) const fn embedding_backward_nanos(self) -> u64 {
        self.pick(182_000, 1_460_000)
    }

    const fn pick(self, control: u64, test: u64) -> u64 {
        match self {
            Run::Control | Run::Job(_) | Run::Ahead | Run::Waiting => control,
            Run::Test => test,
        }
    }
}
