//! Samples of a side, and the places of its events.

use super::cause::Cause;
use super::divide::Division;
use crate::input::kind::Class;
use crate::input::reason::Reason;
use serde::{Deserialize, Serialize};

/// The step of one sample: an iteration of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Place of the recording in its side.
    pub recording: u32,
    /// Number of the iteration; 0 of a recording without iterations.
    pub iteration: i64,
    /// The recording has GPU work; without any, its leaves are host events.
    pub has_gpu: bool,
    /// Length of the step in ns.
    pub step_ns: i64,
    /// Time of compute, communication, copies and host work in ns.
    pub classes_ns: [i64; 4],
    /// Idle time in ns.
    pub idle_ns: i64,
    /// Idle time in ns by the place of its [`Cause`].
    pub causes_ns: [i64; Cause::COUNT],
    /// Time of events that run in this step, but are in no tree, in ns.
    pub unattributed_ns: i64,
}

/// A class is its own position among the classes of a sample.
const _: () = assert!(Class::Compute as usize == 0 && Class::Host as usize == 3);

impl Sample {
    /// The classes, in the order of [`Self::classes_ns`].
    pub const CLASSES: [Class; 4] = [Class::Compute, Class::Communication, Class::Copy, Class::Host];

    pub(super) fn of(recording: u32, has_gpu: bool, division: &Division) -> Self {
        let mut classes_ns = [0; 4];
        for share in &division.shares {
            classes_ns[share.class as usize] += share.ns;
        }
        let mut causes_ns = [0; Cause::COUNT];
        for idle in &division.idle {
            causes_ns[idle.cause.index()] += idle.ns;
        }
        Self {
            recording,
            iteration: division.iteration,
            has_gpu,
            step_ns: division.step_ns,
            classes_ns,
            idle_ns: division.idle_ns(),
            causes_ns,
            unattributed_ns: 0,
        }
    }
}

/// The place of a GPU event in an explanation; in a recording without GPU work, of a host event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssignedEvent {
    /// Row of the event.
    pub row: u32,
    /// Where it is.
    pub assignment: Assignment,
    /// Share of the steps in which it runs, in ns.
    pub attributed_ns: i64,
}

/// Where a GPU event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// In a region.
    Region {
        /// Place of the region among all.
        region: u32,
        /// Sample that launched the event.
        sample: u32,
    },
    /// In none.
    LeftOut(Reason),
}
