//! The rows of a frame that a selection contains.

use crate::error::FrameReason;
use crate::frame::IntColumn;
use crate::frame::columns::{ITERATION, STREAM};
use crate::{DeviceType, Error, Result, Window};
use polars::prelude::DataFrame;

/// The columns of events that decide whether a row counts.
pub(crate) struct RowSelector {
    stream: IntColumn,
    iteration: IntColumn,
}

impl RowSelector {
    /// The columns of a frame of events.
    pub(crate) fn of(events: &DataFrame) -> Result<Self> {
        let column = |name: &str| -> Result<IntColumn> {
            let missing = |_| Error::NotEvents { reason: FrameReason::no_column(name) };
            events.column(name).map_err(missing)?;
            IntColumn::of(events, name)
        };
        Ok(Self { stream: column(STREAM)?, iteration: column(ITERATION)? })
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.stream.len()
    }

    /// Whether a row lies in the window and ran on the device.
    #[inline]
    pub(crate) fn is_in(&self, row: usize, window: &Window, device_type: DeviceType) -> bool {
        let in_window = match window {
            Window::Whole => true,
            Window::Iterations(numbers) => self.iteration.get(row).is_some_and(|number| numbers.contains(&number)),
        };
        in_window && device_type.takes(self.stream.get(row).is_some())
    }
}
