//! Bounds on what front ends may send and what conversations may use.

use std::time::Duration;

/// The most open conversations.
pub(super) const MOST_OPEN: usize = 512;

/// The most messages of a conversation that wait, and the most bytes of them.
pub(super) const MOST_WAITING: usize = 256;
pub(super) const MOST_WAITING_BYTES: usize = 64 << 20;

/// The most bytes of the JSON of a message of a front end.
pub(super) const MOST_CONTENT_BYTES: usize = 4 << 20;

/// The most buffers of a message.
pub(super) const MOST_BUFFERS: usize = 1024;

/// The most bytes of the buffers of an answer.
pub(super) const MOST_ANSWER_BYTES: usize = 64 << 20;

/// The longest id of a conversation, in bytes.
pub(super) const LONGEST_ID: usize = 256;

/// The most threads that work at a time.
pub(super) const MOST_WORKERS: usize = 4;

/// The most abandoned threads, whose conversations were closed while they work.
pub(super) const MOST_ABANDONED: usize = 16;

/// How long a thread waits for more work before it ends.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
