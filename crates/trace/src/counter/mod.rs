//! What a trace counts over time: launches that wait in a stream, bytes that move.

mod memory_bandwidth;
mod queue_length;

pub(crate) use memory_bandwidth::{Bandwidth, BandwidthPoint, memory_bandwidth};
pub(crate) use queue_length::{QueuePoint, Queues, queue_lengths};
