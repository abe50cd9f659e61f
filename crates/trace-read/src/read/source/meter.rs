//! Progress of reading.

use crate::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters of a load, and the flag that stops it; shared by its threads.
#[derive(Debug, Default)]
pub struct Meter {
    /// Bytes read from disk, or from storage.
    pub bytes: AtomicU64,
    /// Events parsed.
    pub events: AtomicU64,
    /// Stops the load.
    pub stop: AtomicBool,
}

impl Meter {
    /// Stops a cancelled load: called before each read, and between the steps that build columns.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the load is cancelled.
    pub fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) || crate::exec::checkpoint::interrupted() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}
