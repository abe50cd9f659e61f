//! Causes of the idle time of a GPU.

use super::waits::waits_for_gpu;
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels};
use serde::{Deserialize, Serialize};

/// Why a GPU was idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// The host had not begun the launch of the next kernel; the frame of the host that ran then is named.
    Host,
    /// The call that launches the next kernel ran.
    LaunchCall,
    /// The launch had returned, and the kernel had not begun.
    LaunchLatency,
    /// The next kernel was queued before the gap began, and waited for something else.
    Dependency(Dependency),
    /// Behind the last kernel of the step.
    Drain,
}

impl Cause {
    /// Number of causes, without what a dependency is on.
    pub const COUNT: usize = 5;

    /// Returns the place of the cause, from 0, without what a dependency is on.
    pub fn index(self) -> usize {
        match self {
            Self::Host => 0,
            Self::LaunchCall => 1,
            Self::LaunchLatency => 2,
            Self::Dependency(_) => 3,
            Self::Drain => 4,
        }
    }
}

/// Reason why a queued kernel had not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Dependency {
    /// A collective on another stream, which ended when the gap began.
    Collective,
    /// Other work on another stream, which ended when the gap began.
    Stream,
    /// An event: the host made the stream wait for one before it launched the kernel.
    Event,
    /// Not known: the stream itself, or a kernel whose launch is not recorded.
    Unknown,
}

impl Dependency {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Collective => "collective",
            Self::Stream => "another stream",
            Self::Event => "event",
            Self::Unknown => "unknown",
        }
    }
}

/// Kind of the frame that kept a host busy while its GPU was idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostWork {
    /// The loader of the data.
    DataLoader,
    /// A call that waits for the GPU.
    Synchronizing,
    /// A frame of Python or a module.
    Python,
    /// An operator.
    Operator,
    /// Another call of the runtime or the driver.
    Call,
    /// An annotation; a step's own annotation where no other frame ran.
    Annotation,
    /// No frame that was recorded.
    Unrecorded,
}

impl HostWork {
    /// Tells the kind of a frame.
    pub fn of(frame: Option<LabelId>, labels: &Labels) -> Self {
        let Some(frame) = frame else { return Self::Unrecorded };
        let (kind, text) = (labels.get(frame).kind, labels.text(frame));
        // `enumerate(DataLoader)#…` and `torch/utils/data/dataloader.py(631): __next__`
        if text.contains("DataLoader") || text.contains("dataloader.py") || text.contains("utils/data/") {
            return Self::DataLoader;
        }
        match kind {
            Kind::Launch if synchronizes(text) => Self::Synchronizing,
            Kind::Operator if matches!(text, "aten::item" | "aten::_local_scalar_dense") => Self::Synchronizing,
            Kind::Launch | Kind::GraphLaunch => Self::Call,
            Kind::Module | Kind::Python => Self::Python,
            Kind::Annotation => Self::Annotation,
            _ => Self::Operator,
        }
    }

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::DataLoader => "data loader",
            Self::Synchronizing => "synchronising call",
            Self::Python => "Python",
            Self::Operator => "operator",
            Self::Call => "runtime call",
            Self::Annotation => "annotation",
            Self::Unrecorded => "not recorded",
        }
    }
}

/// Tells whether a call of the runtime returns only when the GPU is done: `cudaStreamSynchronize`, `hipMemcpy`.
fn synchronizes(call: &str) -> bool {
    waits_for_gpu(call) || (call.contains("Memcpy") && !call.contains("Async"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_host_have_a_kind() {
        let mut labels = Labels::default();
        for (kind, name, work) in [
            (Kind::Annotation, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", HostWork::DataLoader),
            (Kind::Python, "torch/utils/data/dataloader.py(631): __next__", HostWork::DataLoader),
            (Kind::Launch, "cudaStreamSynchronize", HostWork::Synchronizing),
            (Kind::Launch, "hipMemcpyWithStream", HostWork::Synchronizing),
            (Kind::Launch, "cudaMemcpyAsync", HostWork::Call),
            (Kind::Operator, "aten::item", HostWork::Synchronizing),
            (Kind::Operator, "aten::mm", HostWork::Operator),
            (Kind::Module, "nn.Module: Linear_3", HostWork::Python),
            (Kind::Annotation, "ProfilerStep#3", HostWork::Annotation),
        ] {
            let frame = labels.add(kind, name, "");
            assert_eq!(HostWork::of(Some(frame), &labels), work, "{name}");
        }
        assert_eq!(HostWork::of(None, &labels), HostWork::Unrecorded);
    }
}
