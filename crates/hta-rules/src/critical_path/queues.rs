//! Kernels that found an empty queue when they were launched.

use super::names::{Meaning, Names};
use super::{Frame, Row};

/// Launches and kernels of the whole recording by the length of their stream's queue.
pub(super) struct Queues {
    /// By place: of a launch, whether its kernel is alone in the queue; of a kernel, whether none is left when it starts.
    alone: Vec<bool>,
}

/// A change of a queue.
struct Change {
    stream: i64,
    ts: i64,
    position: u32,
    is_launch: bool,
}

impl Queues {
    /// Counts the launches that have not started, on each stream. Streams are told apart by their number alone, as in HTA; at
    /// the same moment launches come before kernels.
    pub(super) fn of<F: Frame>(frame: &F, names: &Names<'_, F>) -> Self {
        let (mut launches, mut kernels) = (Vec::new(), Vec::new());
        for position in 0..frame.len() {
            let kernel = frame.row(position);
            let Some((launch, call)) = launch_of(frame, names, &kernel) else { continue };
            let stream = kernel.stream;
            launches.push(Change { stream, ts: call.ts, position: launch as u32, is_launch: true });
            kernels.push(Change { stream, ts: kernel.ts, position: position as u32, is_launch: false });
        }
        launches.sort_by_key(|change| change.position);
        let mut changes = launches;
        changes.extend(kernels);
        changes.sort_by_key(|change| (change.stream, change.ts));
        let mut alone = vec![false; frame.len()];
        for stream in changes.chunk_by(|one, other| one.stream == other.stream) {
            let mut length = 0_i64;
            for change in stream {
                length += if change.is_launch { 1 } else { -1 };
                alone[change.position as usize] = length == i64::from(change.is_launch);
            }
        }
        Self { alone }
    }

    /// Whether a kernel was alone in the queue when it was launched and left it empty.
    pub(super) fn was_alone(&self, launch: Option<usize>, kernel: u32) -> bool {
        launch.is_some_and(|launch| self.alone[launch]) && self.alone[kernel as usize]
    }
}

/// Returns the call that put a kernel into a queue: one of the calls that launch one kernel, with the same correlation id.
pub(super) fn launch_of<F: Frame>(frame: &F, names: &Names<'_, F>, kernel: &Row) -> Option<(usize, Row)> {
    if !kernel.is_on_gpu() || kernel.correlation == -1 {
        return None;
    }
    let position = frame.position(kernel.partner)?;
    let call = frame.row(position);
    let counts = call.correlation == kernel.correlation && call.partner > 0;
    (counts && names.of_code(call.name).is(Meaning::LAUNCH)).then_some((position, call))
}
