//! The two runs, and what sets them apart.

/// One of the two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The job as it was.
    Control,
    /// The job after the change.
    Test,
}

impl Side {
    /// Both, control first.
    pub const BOTH: [Side; 2] = [Side::Control, Side::Test];

    /// The rank that was profiled.
    pub const fn rank(self) -> u64 {
        self.pick(3, 1)
    }

    /// The folder of the side, as the notebooks load it.
    pub const fn folder(self) -> &'static str {
        match self {
            Side::Control => "control",
            Side::Test => "test",
        }
    }

    /// The name of the side's one trace file.
    pub fn file_name(self) -> String {
        format!("rank-{}.json.gz", self.rank())
    }

    /// The seed of the side's random numbers.
    pub(super) const fn seed(self) -> u64 {
        self.pick(0x5eed_0003, 0x5eed_0001)
    }

    /// The process that was profiled.
    pub(super) const fn process(self) -> u64 {
        self.pick(40_711, 52_038)
    }

    /// When the recording starts, in nanoseconds of the machine's clock.
    pub(super) const fn start(self) -> u64 {
        self.pick(5_349_821_034_512_347, 5_436_604_711_880_921)
    }

    /// Attention: matrix products and a softmax of their own, or one fused operator.
    pub(super) const fn fused_attention(self) -> bool {
        matches!(self, Side::Test)
    }

    /// AdamW: nine passes over all parameters, or one fused pass.
    pub(super) const fn fused_optimizer(self) -> bool {
        matches!(self, Side::Test)
    }

    /// How many activations are cast to half precision one by one.
    pub(super) const fn extra_casts(self) -> bool {
        matches!(self, Side::Test)
    }

    /// How many values are read back to the CPU for the log, each with a synchronisation.
    pub(super) const fn logged_values(self) -> u64 {
        self.pick(4, 1)
    }

    /// How many gradients go into one all-reduce.
    pub(super) const fn bucket(self) -> u64 {
        self.pick(7, 14)
    }

    /// Whether the batch lies in pinned memory.
    pub(super) const fn pinned(self) -> bool {
        matches!(self, Side::Control)
    }

    /// How long the data loader lets the job wait.
    pub(super) const fn loader_nanos(self) -> u64 {
        self.pick(310_000, 4_150_000)
    }

    /// How long the kernel of the embedding's gradient runs.
    pub(super) const fn embedding_backward_nanos(self) -> u64 {
        self.pick(182_000, 1_460_000)
    }

    const fn pick(self, control: u64, test: u64) -> u64 {
        match self {
            Side::Control => control,
            Side::Test => test,
        }
    }
}
