//! All events of one rank.

use super::event::{Collective, DeviceEvent, HostEvent};

/// The events of a rank. The order of events does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankInput {
    /// The rank.
    pub rank: i64,
    /// Events of its CPU threads.
    pub host: Vec<HostEvent>,
    /// Events of its GPUs.
    pub device: Vec<DeviceEvent>,
    /// Its streams, by the numbers that events have.
    pub streams: Vec<Stream>,
    /// Its collectives, by the numbers that events have.
    pub collectives: Vec<Collective>,
    /// What the profiler recorded of synchronisation; usually nothing.
    pub syncs: Vec<SyncRow>,
}

/// A stream of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stream {
    /// The device.
    pub device: i64,
    /// Its number there.
    pub stream: i64,
}

/// What a row of synchronisation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncKind {
    /// The call waited for a stream.
    Stream,
    /// The call waited for a device.
    Device,
    /// The call waited for an event.
    Event,
    /// The call told a stream to wait for an event.
    StreamWait,
}

/// A row of synchronisation of the profiler (`cuda_sync`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncRow {
    /// What it says.
    pub kind: SyncKind,
    /// Correlation of the call.
    pub correlation: u32,
    /// The stream that waits or is waited for: a place in [`RankInput::streams`]; [`NONE`](crate::NONE) if it is not known.
    pub stream: u32,
    /// The device that is waited for.
    pub device: i64,
    /// The stream into which the event was recorded; [`NONE`](crate::NONE) if it is not known.
    pub on_stream: u32,
    /// Correlation of the call that recorded the event; [`NONE`](crate::NONE) if it is not known.
    pub record: u32,
}
