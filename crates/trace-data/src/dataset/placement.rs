//! Placement of the columns of loaded ranks, and the number of files read at once, so that a load fits its memory budget.
//!
//! Columns stay in memory up to half of the budget, as long as the largest rank can still be worked on beside them; those of
//! further ranks go to files. A file is read when what it will
//! probably take fits into what the budget has left, or if no other is being read.

use super::spill::SpillFolder;
use super::trace::Trace;
use crate::exec::context::Inherited;
use crate::exec::memory::Budget;
use crate::store::no_space;
use crate::store::{StoredTable, TableKind};
use crate::{Compat, Result, Warning};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Memory that reading takes besides columns, per file: buffers and text.
const READER_BYTES: u64 = 16 << 20;

/// While columns grow, are finished and written, a rank takes at most about this many times their size.
const GROWTH: f64 = 3.0;

/// What an analysis of a rank needs at most, in sizes of its columns.
const WORK: u64 = 7;

/// Bytes of columns for a byte of a plain and of a compressed file, before any has been read. Most files have fewer.
const COLUMNS_OF_PLAIN: f64 = 0.6;
const COLUMNS_OF_COMPRESSED: f64 = 8.0;

/// Time between two checks whether a load that waits for memory is cancelled.
const WAIT: Duration = Duration::from_millis(20);

/// Where the columns of a load stay.
pub(super) struct Placement {
    budget: Budget,
    /// What the budget had left before the load, and how much of it columns may take, in bytes.
    room: u64,
    room_of_columns: u64,
    parent: Option<Arc<Path>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Bytes of columns that stay in memory.
    resident: u64,
    /// The largest rank so far, in bytes of columns.
    largest: u64,
    /// Files that are being read, and the memory that they will probably take, in bytes.
    reading: usize,
    reserved: u64,
    /// The most bytes of columns for a byte of a file so far.
    columns_of_byte: Option<f64>,
    /// The folder of ranks that did not fit; dropped with the last of them.
    folder: Option<Arc<SpillFolder>>,
    /// Files in that folder.
    files: usize,
}

/// Leave to read a file; ends when it is dropped.
pub(super) struct Permit<'p> {
    placement: &'p Placement,
    /// Size of the file.
    bytes: u64,
    /// Memory that reading it will probably take.
    reserved: u64,
}

impl Placement {
    /// Creates the placement of a load in the execution context of this thread.
    ///
    /// # Errors
    /// If the budget is invalid.
    pub(super) fn here() -> Result<Self> {
        let budget = Budget::now()?;
        Ok(Self::new(budget, budget.half().left(), Inherited::here().spill_folder()))
    }

    /// Creates the placement of a load that keeps so many bytes of columns in memory.
    pub(super) fn new(budget: Budget, room_of_columns: u64, parent: Option<Arc<Path>>) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self { budget, room: budget.left(), room_of_columns, parent, state, changed }
    }

    /// Returns the budget of the load.
    pub(super) fn budget(&self) -> Budget {
        self.budget
    }

    /// Waits until a file of so many bytes may be read; `None` if the load was cancelled.
    pub(super) fn admit(&self, file: &Path, bytes: u64, cancelled: impl Fn() -> bool) -> Option<Permit<'_>> {
        let is_plain = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let first_guess = if is_plain { COLUMNS_OF_PLAIN } else { COLUMNS_OF_COMPRESSED };
        let mut state = self.lock();
        loop {
            let columns = bytes as f64 * state.columns_of_byte.unwrap_or(first_guess);
            let need = (GROWTH * columns) as u64 + READER_BYTES;
            let taken = state.resident.saturating_add(state.reserved);
            if state.reading == 0 || taken.saturating_add(need) <= self.room {
                state.reading += 1;
                state.reserved += need;
                return Some(Permit { placement: self, bytes, reserved: need });
            }
            if cancelled() {
                return None;
            }
            state = self.changed.wait_timeout(state, WAIT).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether so many bytes of columns fit in memory, which then counts them.
    fn keeps(&self, state: &mut State, columns: u64) -> bool {
        let resident = state.resident.saturating_add(columns);
        state.largest = state.largest.max(columns);
        // Mapping the only rank from a file would save nothing.
        let leaves_room =
            state.resident == 0 || resident.saturating_add(WORK.saturating_mul(state.largest)) <= self.room;
        let fits = resident <= self.room_of_columns && leaves_room;
        if fits {
            state.resident = resident;
        }
        fits
    }

    /// Moves a rank that stayed in memory into a file; one that is in a file already stays there.
    ///
    /// # Errors
    /// As [`Permit::retain`].
    pub(super) fn evict(&self, trace: &Trace, compat: Compat, warnings: &[Warning]) -> Result<Trace> {
        if trace.is_stored() {
            return Ok(trace.clone());
        }
        let spilled = self.spill(trace, compat, warnings)?;
        let mut state = self.lock();
        state.resident = state.resident.saturating_sub(trace.memory_bytes() as u64);
        Ok(spilled)
    }

    /// Moves the events of a rank into a file; one that has a file already is not written again.
    fn spill(&self, trace: &Trace, compat: Compat, warnings: &[Warning]) -> Result<Trace> {
        if let Some(table) = trace.stored_table() {
            return Ok(trace.moved_to(table.clone(), None));
        }
        let file = {
            let mut state = self.lock();
            let folder = match &state.folder {
                Some(folder) => Arc::clone(folder),
                None => SpillFolder::create(self.parent.as_deref())?,
            };
            state.folder = Some(Arc::clone(&folder));
            state.files += 1;
            // Two files may be of the same rank.
            folder.file(&format!("rank-{:04}-{}.arrow", trace.rank(), state.files))
        };
        let table = write_rank(file.path(), trace, compat, warnings, true)?;
        Ok(trace.moved_to(table, Some(Arc::new(file))))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Keeps the columns of the rank that was read in memory if they fit, otherwise in a file. Those that are in a file of the
    /// cache already stay mapped if they fit.
    ///
    /// # Errors
    /// [`Error::NoSpillFolder`] and [`Error::NoSpace`] if they cannot be written.
    pub(super) fn retain(&self, trace: Trace, compat: Compat, warnings: &[Warning]) -> Result<Trace> {
        if trace.is_stored() {
            let fits = self.placement.keeps(&mut self.placement.lock(), trace.stored_bytes());
            return Ok(if fits { trace.staying_mapped() } else { trace });
        }
        let columns = trace.memory_bytes() as u64;
        {
            let mut state = self.placement.lock();
            let of_byte = columns as f64 / self.bytes.max(1) as f64;
            state.columns_of_byte = Some(state.columns_of_byte.map_or(of_byte, |most| most.max(of_byte)));
            if self.placement.keeps(&mut state, columns) {
                return Ok(trace);
            }
        }
        self.placement.spill(&trace, compat, warnings)
    }

    /// Notes that less memory was left than expected: from now on fewer files are read at once.
    pub(super) fn was_too_small(&self) {
        let mut state = self.placement.lock();
        state.columns_of_byte = Some(2.0 * state.columns_of_byte.unwrap_or(COLUMNS_OF_COMPRESSED));
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.placement.lock();
        state.reading = state.reading.saturating_sub(1);
        state.reserved = state.reserved.saturating_sub(self.reserved);
        drop(state);
        self.placement.changed.notify_all();
    }
}

impl Trace {
    /// Writes the events to a file.
    ///
    /// # Errors
    /// [`Error::NoSpace`](crate::Error::NoSpace) if the disk is full; [`Error::Io`](crate::Error::Io).
    pub(crate) fn write_to(&self, path: &Path, compat: Compat) -> Result<StoredTable> {
        write_rank(path, self, compat, &[], false)
    }
}

/// Writes the events of a rank to a file. `is_small`: compact, for ranks that do not fit in memory.
///
/// # Errors
/// [`Error::NoSpace`] if the disk is full; [`Error::Io`].
fn write_rank(path: &Path, trace: &Trace, compat: Compat, warnings: &[Warning], is_small: bool) -> Result<StoredTable> {
    let events = trace.frame()?;
    let written = StoredTable::write(path, TableKind::Events, trace.info(), compat, warnings, &events, is_small);
    written.map_err(|error| no_space(error, trace.rank(), path.parent().unwrap_or(path), events.estimated_size()))
}
