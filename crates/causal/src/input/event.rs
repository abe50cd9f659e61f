//! Events of threads and streams.

/// No thread, stream, device, row or correlation.
pub const NONE: u32 = u32::MAX;

/// What a CPU event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostKind {
    /// An operator, or another event whose own time is work of the CPU.
    Operator,
    /// An event whose own time is the loading of data.
    Loading,
    /// A call of the runtime or the driver.
    Call(Call),
    /// A collective that runs on the CPU.
    Collective,
    /// A Python function.
    Python,
    /// An annotation: its own time counts as Python without an event.
    Annotation,
}

/// What a call of the runtime or the driver does, as far as it can wait or be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Starts a kernel, a copy or a fill, or does nothing of the below.
    Other,
    /// Starts the kernels of a graph.
    GraphLaunch,
    /// Starts a copy, and may return only after it has ended.
    Copy,
    /// Waits for a stream.
    StreamSync,
    /// Waits for all streams of a device.
    DeviceSync,
    /// Waits for an event.
    EventSync,
    /// Records an event into a stream.
    EventRecord,
    /// Tells a stream to wait for an event.
    StreamWait,
    /// Frees or allocates memory, which may wait for the whole device.
    MayWait,
}

impl Call {
    /// Returns what a call does, by its name: those of CUDA, its driver and HIP.
    pub fn named(name: &str) -> Self {
        let api = ["cuda", "hip", "cu"].iter().find_map(|api| name.strip_prefix(api)).unwrap_or(name);
        let plain = ["_ptsz", "_v2", "_v3"].iter().fold(api, |name, end| name.strip_suffix(end).unwrap_or(name));
        match plain {
            "StreamSynchronize" => Self::StreamSync,
            "DeviceSynchronize" | "CtxSynchronize" | "ThreadSynchronize" => Self::DeviceSync,
            "EventSynchronize" => Self::EventSync,
            "EventRecord" | "EventRecordWithFlags" => Self::EventRecord,
            "StreamWaitEvent" => Self::StreamWait,
            "Free" | "FreeHost" | "Malloc" | "MallocHost" | "MallocManaged" | "HostAlloc" | "HostMalloc"
            | "HostFree" | "HostRegister" | "HostUnregister" | "MemAlloc" | "MemFree" | "MemAllocHost"
            | "MemFreeHost" | "MemHostAlloc" => Self::MayWait,
            name if name.starts_with("GraphLaunch") => Self::GraphLaunch,
            name if name.contains("Memcpy") => Self::Copy,
            _ => Self::Other,
        }
    }
}

/// An event on a CPU thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostEvent {
    /// Begin in ns.
    pub start: i64,
    /// End in ns; before the begin: the event has no length.
    pub end: i64,
    /// The thread, numbered from 0 within the rank.
    pub thread: u32,
    /// Row of the caller.
    pub row: u32,
    /// What the call shares with what it starts, as a number of the caller; [`NONE`] if nothing.
    pub correlation: u32,
    /// Number of the name of a runtime call, 0 for other events: base lags are found by name. Names beyond 65,535 share the last number.
    pub call_name: u16,
    /// What it is.
    pub kind: HostKind,
}

/// What a GPU event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// Computes.
    Compute,
    /// Copies or fills.
    Memory,
    /// Communicates with other ranks.
    Communication,
}

/// An event on a stream of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceEvent {
    /// Begin in ns.
    pub start: i64,
    /// End in ns; before the begin: the event has no length.
    pub end: i64,
    /// The stream: a place in [`RankInput::streams`](crate::RankInput::streams).
    pub stream: u32,
    /// Row of the caller.
    pub row: u32,
    /// What it shares with the call that started it; [`NONE`] if nothing.
    pub correlation: u32,
    /// What it is.
    pub kind: DeviceKind,
    /// Place in [`RankInput::collectives`](crate::RankInput::collectives); [`NONE`] if it does not wait for other ranks.
    pub collective: u32,
}

/// How a collective is recognised on other ranks: all that have equal keys are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collective {
    /// The process group and the operation, as a number that is the same on all ranks.
    pub group: u64,
    /// Number within the group, or the position among those of the group.
    pub number: u64,
    /// Number of ranks that take part; 0 if it is not known.
    pub size: u32,
    /// Elements or bytes, as far as they are known: collectives of one group and size take about the same time.
    pub amount: u64,
}
