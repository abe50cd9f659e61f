//! Membership of rows in a window and a device.

use crate::error::FrameReason;
use crate::frame::IntColumn;
use crate::frame::columns::{ITERATION, STREAM};
use crate::{DeviceType, Error, Result, Window};
use polars::prelude::DataFrame;

/// Decides which rows of a frame are in a window and on a device.
pub struct RowSelector {
    stream: IntColumn,
    iteration: IntColumn,
}

impl RowSelector {
    /// Creates the selector of a frame of events.
    ///
    /// # Errors
    /// [`Error::NotEvents`] if a column is missing.
    pub fn of(events: &DataFrame) -> Result<Self> {
        let column = |name: &str| -> Result<IntColumn> {
            let missing = |_| Error::NotEvents { reason: FrameReason::no_column(name) };
            events.column(name).map_err(missing)?;
            IntColumn::of(events, name)
        };
        Ok(Self { stream: column(STREAM)?, iteration: column(ITERATION)? })
    }

    /// Number of rows.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.stream.len()
    }

    /// Whether a row is in the window and on the device.
    #[inline]
    pub fn is_in(&self, row: usize, window: &Window, device_type: DeviceType) -> bool {
        let in_window = match window {
            Window::Whole => true,
            Window::Iterations(numbers) => self.iteration.get(row).is_some_and(|number| numbers.contains(&number)),
        };
        in_window && device_type.takes(self.stream.get(row).is_some())
    }
}
