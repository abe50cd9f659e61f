//! Memory budget of the process: a small file can decompress to more than the machine has.
//!
//! It is compared with the resident memory of the process, mapped pages of files included, and with an estimate of what the
//! next step needs, from its rows. It is a value of the context ([`super::context`]), checked
//!
//! * when a load begins, while text is decompressed (every 4 MiB), before the columns of a rank are finished and after: they stay
//!   in memory, or are written to a file;
//! * before each batch of ranks of an analysis, a comparison or a description ([`super::batches`]): a trace that was loaded
//!   within a number of bytes keeps that bound for questions, and a comparison has the smaller one of both traces.

use super::allocator::return_free_memory;
use super::context::Inherited;
use super::machine_memory::held;
use crate::{Error, Result};
use std::io::{Error as IoError, ErrorKind, Read};

/// Text read between two checks, in bytes.
const CHECK_INTERVAL: u64 = 4 << 20;

/// Task that needs memory, for the message that refuses it.
#[derive(Debug, Clone, Copy)]
pub enum Task<'t> {
    /// Load a file.
    Load(&'t str),
    /// Run an analysis or a comparison, or describe.
    Answer(&'t str),
    /// Draw lanes.
    Lanes(&'t str),
    /// Run an analysis of a window of time.
    Window(&'t str),
    /// Export to a folder.
    Export(&'t str),
    /// Return the events of all ranks as one frame.
    Events,
    /// Run a statement of SQL.
    Sql,
}

/// Upper bound on the memory of the process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget(u64);

impl Budget {
    /// Returns the budget of the context of this thread.
    ///
    /// # Errors
    /// [`Error::MemorySetting`] if the setting of the user is not a size.
    pub fn now() -> Result<Self> {
        Inherited::here().budget().map(Self)
    }

    /// Returns the budget of questions about a trace that was loaded within `loaded` bytes: these, if the context of this thread
    /// bounds memory by a share of what is free; otherwise the smaller of both.
    ///
    /// # Errors
    /// As [`Self::now`].
    pub fn of_loaded(loaded: Option<u64>) -> Result<Self> {
        let Some(loaded) = loaded else { return Self::now() };
        let chosen = Inherited::here().chosen_budget()?;
        Ok(Self(chosen.map_or(loaded, |chosen| chosen.min(loaded))))
    }

    /// Returns the bound in bytes that the context of this thread chose; `None` for a share of what is free.
    ///
    /// # Errors
    /// As [`Self::now`].
    pub fn chosen() -> Result<Option<u64>> {
        Inherited::here().chosen_budget()
    }

    /// Returns the smaller of two budgets.
    #[must_use]
    pub fn smaller(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// Returns a reader that fails once the budget is spent.
    pub fn limit<R: Read>(self, reader: R) -> Limited<R> {
        Limited { inner: reader, budget: self, unchecked: CHECK_INTERVAL }
    }

    /// Returns half of this budget: the bound on columns that stay in memory.
    pub fn half(self) -> Self {
        Self(self.0 / 2)
    }

    /// Refuses a task that needs `need` bytes more than the process holds.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] if they would not fit.
    pub fn check(self, task: Task<'_>, need: usize) -> Result<()> {
        let need = need as u64;
        self.held_beyond(need).map_or(Ok(()), |held| Err(self.refusal(task, held, need)))
    }

    /// Returns what the process holds if `need` bytes more would not fit. Nothing is refused for memory that the allocator keeps although it
    /// is free.
    fn held_beyond(self, need: u64) -> Option<u64> {
        let beyond = || Some(held()).filter(|held| held.saturating_add(need) > self.0);
        beyond()?;
        return_free_memory();
        beyond()
    }

    /// Returns how many bytes more the process may hold.
    pub fn left(self) -> u64 {
        self.0.saturating_sub(held())
    }

    /// Returns the error of a load whose budget was spent while it read.
    pub fn spent(self, task: Task<'_>) -> Error {
        self.refusal(task, held(), 0)
    }

    /// Returns the error of a task that needs more than is left.
    pub fn refused(self, task: Task<'_>, need: usize) -> Error {
        self.refusal(task, held(), need as u64)
    }

    fn refusal(self, task: Task<'_>, held: u64, need: u64) -> Error {
        let (task, fix) = match task {
            Task::Load(file) => (format!("load {file}"), "load fewer ranks"),
            Task::Answer(name) => (format!("answer {name}"), "choose fewer ranks"),
            Task::Lanes(name) => (format!("answer {name}"), "choose fewer ranks, or fewer events: --where"),
            Task::Window(name) => (format!("answer {name}"), "choose a shorter window: one instance of an annotation"),
            Task::Export(folder) => (format!("export to {folder}"), "choose fewer ranks"),
            Task::Sql => ("run the statement".to_owned(), "name fewer columns, or ranks: WHERE rank = 0"),
            Task::Events => ("return the events of all ranks".to_owned(), "scan them with `lazy_events()`"),
        };
        Error::MemoryBudget { task, need, held, budget: self.0, fix }
    }

    /// Creates a budget of so many bytes.
    pub fn of(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Creates a budget of so many bytes more than the process holds.
    #[cfg(test)]
    pub(crate) fn with_left(bytes: u64) -> Self {
        Self(held().saturating_add(bytes))
    }
}

/// Reader that fails with [`ErrorKind::OutOfMemory`] once the budget is spent.
pub struct Limited<R> {
    inner: R,
    budget: Budget,
    unchecked: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.unchecked >= CHECK_INTERVAL {
            self.unchecked = 0;
            if self.budget.held_beyond(0).is_some() {
                return Err(IoError::from(ErrorKind::OutOfMemory));
            }
        }
        let read = self.inner.read(buffer)?;
        self.unchecked += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::in_own_process;

    #[test]
    fn refusal_names_need_budget_and_a_sufficient_setting() {
        let error = Budget(300 << 20).refusal(Task::Answer("idle_time_breakdown"), 240 << 20, 80 << 20);
        assert_eq!(
            error.to_string(),
            "cannot answer idle_time_breakdown: it needs about 80 MiB more, and the process holds 240 MiB of its memory \
             budget of 300 MiB; choose fewer ranks, drop other traces, or set TRACEBOOK_MEMORY=1G before the program starts"
        );
        let error = Budget(1).check(Task::Load("a.json"), 0).unwrap_err().to_string();
        assert!(error.starts_with("cannot load a.json: the process holds "), "{error}");
        assert!(error.contains("of its memory budget of 1 B; load fewer ranks"), "{error}");
        assert!(Budget(held() + (64 << 20)).check(Task::Load("a.json"), 1 << 20).is_ok());
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn nothing_is_refused_for_memory_that_is_free() {
        in_own_process(|| {
            // Small allocations between some that stay: the allocator keeps what is freed, of other threads, too.
            let allocate = || {
                let block = |at: u32| Some(Box::new([at as u8; 4000]));
                let mut blocks: Vec<_> = (0..50_000).map(block).collect();
                let full = held();
                for (at, block) in blocks.iter_mut().enumerate() {
                    if at % 64 != 63 {
                        *block = None;
                    }
                }
                (blocks, full)
            };
            let (blocks, full) = std::thread::spawn(allocate).join().unwrap();
            // 190 MiB are free.
            let budget = Budget(full - (100 << 20));
            assert!(held() > budget.0, "the allocator keeps free memory");
            assert!(budget.check(Task::Events, 0).is_ok());
            drop(blocks);
        });
    }

    #[test]
    fn reader_fails_once_the_budget_is_spent() {
        let read = |budget: u64| {
            let text = std::io::repeat(b' ').take(3 * CHECK_INTERVAL);
            std::io::copy(&mut Budget(budget).limit(text), &mut std::io::sink()).map_err(|error| error.kind())
        };
        assert_eq!(read(1 << 20), Err(ErrorKind::OutOfMemory));
        assert_eq!(read(u64::MAX), Ok(3 * CHECK_INTERVAL));
    }
}
