//! Words of tables: the classes of time on a path, and the reasons for which a point waits.

/// The class of an interval of time: its kind of work, overhead or wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum BoundBy {
    /// Own time of an operator.
    Cpu,
    /// Own time of an event that loads data.
    DataLoading,
    /// No event on the thread but Python functions and annotations, of which one is open.
    Python,
    /// Inside a call of the runtime.
    CudaRuntime,
    /// From the begin of a launch to the start of what it launched.
    LaunchOverhead,
    /// A kernel.
    Compute,
    /// A collective, from the moment at which all its ranks were there.
    Communication,
    /// A copy or a fill.
    Memory,
    /// Between kernels.
    KernelKernelOverhead,
    /// From the end of a kernel to the return of the call that waited for it.
    Synchronization,
    /// A collective waits for ranks whose trace is missing.
    WaitingForRank,
    /// Nothing is open on the thread: no event tells what it did.
    NotRecorded,
    /// Later than everything known allows.
    Unexplained,
}

impl BoundBy {
    /// All of them, in order.
    pub const ALL: [Self; 13] = [
        Self::Cpu,
        Self::DataLoading,
        Self::Python,
        Self::CudaRuntime,
        Self::LaunchOverhead,
        Self::Compute,
        Self::Communication,
        Self::Memory,
        Self::KernelKernelOverhead,
        Self::Synchronization,
        Self::WaitingForRank,
        Self::NotRecorded,
        Self::Unexplained,
    ];

    /// Returns the word of tables: `cpu_bound`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu_bound",
            Self::DataLoading => "data_loading",
            Self::Python => "python",
            Self::CudaRuntime => "cuda_runtime",
            Self::LaunchOverhead => "gpu_kernel_launch_overhead",
            Self::Compute => "gpu_compute_bound",
            Self::Communication => "gpu_communication_bound",
            Self::Memory => "gpu_memory_bound",
            Self::KernelKernelOverhead => "gpu_kernel_kernel_overhead",
            Self::Synchronization => "synchronization",
            Self::WaitingForRank => "waiting_for_rank",
            Self::NotRecorded => "not_recorded",
            Self::Unexplained => "unexplained",
        }
    }
}

/// The reason for which a point waits for its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Because {
    /// It follows on the same thread, or it is the end of the same event.
    ProgramOrder,
    /// The cause launched it.
    Launch,
    /// It follows on the same stream.
    StreamOrder,
    /// The stream was told to wait.
    EventWait,
    /// The call waits for an event.
    EventSync,
    /// The call waits for a stream.
    StreamSync,
    /// The call waits for a device.
    DeviceSync,
    /// The call waits for its own copy.
    BlockingCopy,
    /// The launch queue was full.
    FullQueue,
    /// Another thread handed over.
    OtherThread,
    /// The ranks of a collective wait for each other.
    Collective,
    /// No cause is known.
    Unknown,
}

impl Because {
    /// All of them, in order.
    pub const ALL: [Self; 12] = [
        Self::ProgramOrder,
        Self::Launch,
        Self::StreamOrder,
        Self::EventWait,
        Self::EventSync,
        Self::StreamSync,
        Self::DeviceSync,
        Self::BlockingCopy,
        Self::FullQueue,
        Self::OtherThread,
        Self::Collective,
        Self::Unknown,
    ];

    /// Returns the words of tables: `event wait`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ProgramOrder => "program order",
            Self::Launch => "launch",
            Self::StreamOrder => "stream order",
            Self::EventWait => "event wait",
            Self::EventSync => "event sync",
            Self::StreamSync => "stream sync",
            Self::DeviceSync => "device sync",
            Self::BlockingCopy => "blocking copy",
            Self::FullQueue => "full queue",
            Self::OtherThread => "other thread",
            Self::Collective => "collective",
            Self::Unknown => "unknown",
        }
    }
}
