//! Meanings of names and categories to HTA, found once per text.

use super::Frame;
use super::frame::NO_TEXT;
use std::cell::RefCell;

/// The meanings of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Meaning(u32);

impl Meaning {
    const KNOWN: u32 = 1;
    /// A call that shares the runtime's lock.
    pub(super) const LOCK: u32 = 1 << 1;
    /// A call that waits, whose tail weighs nothing.
    pub(super) const BLOCKING: u32 = 1 << 2;
    /// A call that puts one kernel, copy or fill into a queue.
    pub(super) const LAUNCH: u32 = 1 << 3;
    pub(super) const RECORD: u32 = 1 << 4;
    pub(super) const WAIT_CALL: u32 = 1 << 5;
    pub(super) const STREAM_WAIT: u32 = 1 << 6;
    pub(super) const EVENT_SYNC: u32 = 1 << 7;
    pub(super) const STREAM_SYNC: u32 = 1 << 8;
    pub(super) const CONTEXT_SYNC: u32 = 1 << 9;
    /// A category whose events have nodes.
    pub(super) const NODES: u32 = 1 << 10;
    /// The category of operators or of annotations.
    pub(super) const PASS: u32 = 1 << 11;
    /// The category of synchronisations.
    pub(super) const SYNC: u32 = 1 << 12;
    pub(super) const FORWARD: u32 = 1 << 13;
    pub(super) const AUTOGRAD: u32 = 1 << 14;
    /// An event that loads data, which has nodes for that.
    pub(super) const LOADING: u32 = 1 << 15;

    /// Whether one of these bits is set.
    #[inline]
    pub(super) fn is(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    fn of(frame: &impl Frame, code: u32) -> Self {
        let text = frame.text(code);
        let exact = match text {
            "cudaHostAlloc" | "cudaLaunchKernel" | "cudaMemcpyAsync" => Self::LOCK,
            "cudaEventRecord" => Self::RECORD,
            "cudaStreamWaitEvent" => Self::WAIT_CALL,
            "Stream Wait Event" => Self::STREAM_WAIT,
            "Event Sync" => Self::EVENT_SYNC,
            "Stream Sync" => Self::STREAM_SYNC,
            "Context Sync" => Self::CONTEXT_SYNC,
            "cpu_op" => Self::NODES | Self::PASS,
            "cuda_runtime" | "cuda_driver" => Self::NODES,
            "user_annotation" => Self::PASS,
            "cuda_sync" => Self::SYNC,
            _ => 0,
        };
        let mut bits = Self::KNOWN | exact;
        for (bit, is_set) in [
            (Self::BLOCKING, is_blocking_call(text)),
            (Self::LAUNCH, is_launch(text)),
            (Self::FORWARD, text.contains("forward")),
            (Self::AUTOGRAD, text.contains("autograd")),
            (Self::LOADING, frame.has_nodes_as_loading(code)),
        ] {
            bits |= if is_set { bit } else { 0 };
        }
        Self(bits)
    }
}

/// Whether HTA takes a call for one that waits.
pub fn is_blocking_call(name: &str) -> bool {
    matches!(
        name,
        "cudaDeviceSynchronize"
            | "cudaStreamSynchronize"
            | "cudaEventQuery"
            | "cudaEventSynchronize"
            | "cudaMemcpy"
            | "cudaMemcpyAsync"
    )
}

/// Whether a call puts one kernel, copy or fill into the queue of a stream.
fn is_launch(name: &str) -> bool {
    matches!(
        name,
        "cudaLaunchKernel"
            | "cudaLaunchKernelExC"
            | "cuLaunchKernel"
            | "cuLaunchKernelEx"
            | "cudaMemcpyAsync"
            | "cudaMemsetAsync"
            | "runFunction - job_prep_and_submit_for_execution"
            | "hipLaunchKernel"
            | "hipExtModuleLaunchKernel"
            | "hipMemsetAsync"
            | "hipMemcpyAsync"
            | "hipMemcpyWithStream"
    )
}

/// The meanings of the texts of a frame.
pub(super) struct Names<'f, F> {
    frame: &'f F,
    known: RefCell<Vec<Meaning>>,
}

impl<'f, F: Frame> Names<'f, F> {
    pub(super) fn of(frame: &'f F) -> Self {
        Self { frame, known: RefCell::default() }
    }

    /// Returns the meaning of a name or a category.
    #[inline]
    pub(super) fn of_code(&self, code: u32) -> Meaning {
        if code == NO_TEXT {
            return Meaning::default();
        }
        let at = code as usize;
        if let Some(&found) = self.known.borrow().get(at)
            && found.is(Meaning::KNOWN)
        {
            return found;
        }
        let found = Meaning::of(self.frame, code);
        let mut known = self.known.borrow_mut();
        if known.len() <= at {
            known.resize(at + 1, Meaning::default());
        }
        known[at] = found;
        found
    }
}
