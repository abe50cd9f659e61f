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
use crate::{Error, Result};
use std::io::{Error as IoError, ErrorKind, Read};
use std::sync::Arc;

/// Text read between two checks, in bytes.
const CHECK_INTERVAL: u64 = 4 << 20;

/// Task that needs memory, for the message that refuses it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Task<'t> {
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

/// How much memory the process may hold.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    /// So many bytes.
    Bytes(u64),
    /// What it holds, and this share of what is free.
    FreeShare(f64),
    /// A setting of the user that is not a size.
    Invalid(Arc<str>),
}

impl Default for Bound {
    fn default() -> Self {
        Self::FreeShare(0.5)
    }
}

impl Bound {
    pub(super) fn of_setting(text: &str) -> Self {
        parse_size(text).map_or_else(|| Self::Invalid(text.into()), Self::Bytes)
    }

    /// Returns the bound in bytes, from what is held and free now.
    ///
    /// # Errors
    /// [`Error::MemorySetting`] for an invalid setting.
    pub(super) fn bytes(&self) -> Result<u64> {
        match self {
            Self::Bytes(bytes) => Ok(*bytes),
            Self::FreeShare(share) => {
                let of =
                    |free| held().saturating_add((free as f64 * share.clamp(0.0, 1.0)) as u64).max(SMALLEST_DEFAULT);
                Ok(free_memory().map_or(u64::MAX, of))
            }
            Self::Invalid(text) => Err(Error::MemorySetting { value: text.to_string() }),
        }
    }
}

/// The least that a share of the free memory gives, in bytes.
const SMALLEST_DEFAULT: u64 = 256 << 20;

/// Upper bound on the memory of the process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(u64);

impl Budget {
    /// Returns the budget of the context of this thread.
    ///
    /// # Errors
    /// [`Error::MemorySetting`] if the setting of the user is not a size.
    pub(crate) fn now() -> Result<Self> {
        Inherited::here().budget().map(Self)
    }

    /// Returns the budget of questions about a trace that was loaded within `loaded` bytes: these, if the context of this thread
    /// bounds memory by a share of what is free; otherwise the smaller of both.
    ///
    /// # Errors
    /// As [`Self::now`].
    pub(crate) fn of_loaded(loaded: Option<u64>) -> Result<Self> {
        let Some(loaded) = loaded else { return Self::now() };
        let chosen = Inherited::here().chosen_budget()?;
        Ok(Self(chosen.map_or(loaded, |chosen| chosen.min(loaded))))
    }

    /// Returns the bound in bytes that the context of this thread chose; `None` for a share of what is free.
    ///
    /// # Errors
    /// As [`Self::now`].
    pub(crate) fn chosen() -> Result<Option<u64>> {
        Inherited::here().chosen_budget()
    }

    /// Returns the smaller of two budgets.
    #[must_use]
    pub(crate) fn smaller(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// Returns a reader that fails once the budget is spent.
    pub(crate) fn limit<R: Read>(self, reader: R) -> Limited<R> {
        Limited { inner: reader, budget: self, unchecked: CHECK_INTERVAL }
    }

    /// Returns half of this budget: the bound on columns that stay in memory.
    pub(crate) fn half(self) -> Self {
        Self(self.0 / 2)
    }

    /// Refuses a task that needs `need` bytes more than the process holds.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] if they would not fit.
    pub(crate) fn check(self, task: Task<'_>, need: usize) -> Result<()> {
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
    pub(crate) fn left(self) -> u64 {
        self.0.saturating_sub(held())
    }

    /// Returns the error of a load whose budget was spent while it read.
    pub(crate) fn spent(self, task: Task<'_>) -> Error {
        self.refusal(task, held(), 0)
    }

    /// Returns the error of a task that needs more than is left.
    pub(crate) fn refused(self, task: Task<'_>, need: usize) -> Error {
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
    #[cfg(test)]
    pub(crate) fn of(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Creates a budget of so many bytes more than the process holds.
    #[cfg(test)]
    pub(crate) fn with_left(bytes: u64) -> Self {
        Self(held().saturating_add(bytes))
    }
}

/// Reader that fails with [`ErrorKind::OutOfMemory`] once the budget is spent.
pub(crate) struct Limited<R> {
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

/// Parses a size in bytes: a number, or a number and a binary unit, as in `8G`, `1.5 GiB`, `500m`. `None` for other text.
///
/// ```
/// assert_eq!(trace::parse_size("1.5G"), Some(3 << 29));
/// ```
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix("ib").or_else(|| text.strip_suffix('b')).unwrap_or(&text);
    let (number, factor) = match text.char_indices().last()? {
        (at, 'k') => (&text[..at], 1 << 10),
        (at, 'm') => (&text[..at], 1 << 20),
        (at, 'g') => (&text[..at], 1 << 30),
        (at, 't') => (&text[..at], 1_u64 << 40),
        _ => (text, 1),
    };
    let number: f64 = number.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)?;
    Some((number * factor as f64) as u64)
}

/// Returns the memory of the process, in bytes; 0 if the system does not report it.
///
/// It is the resident memory, as `ps` shows it: pages of mapped files count while they are mapped and in memory.
fn held() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "VmRSS:").unwrap_or(0)
}

/// Returns the free memory of the machine, or of the container if that is less, in bytes; `None` if the system does not report it.
pub fn free_memory() -> Option<u64> {
    let machine = kilobytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let containers = [
        ("/sys/fs/cgroup", "memory.max", "memory.current"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ];
    let left = |(folder, most, used): (&str, &str, &str)| {
        let text = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).ok();
        let number = |file: &str| text(file)?.trim().parse::<u64>().ok();
        let used = number(used)?.saturating_sub(cached(&text("memory.stat")?));
        number(most)?.checked_sub(used)
    };
    Some(containers.into_iter().filter_map(left).fold(machine, u64::min))
}

/// Returns how much of the memory of a container is page cache: mostly traces just read, and freed on demand.
fn cached(stat: &str) -> u64 {
    let file_bytes = |line: &str| {
        let (name, number) = line.split_once(' ')?;
        matches!(name, "active_file" | "inactive_file").then(|| number.trim().parse::<u64>().ok())?
    };
    stat.lines().filter_map(file_bytes).sum()
}

/// Parses the line `name   123 kB`, into bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::store::in_own_process;

    #[test]
    fn sizes_parse_with_and_without_units() {
        for (text, bytes) in
            [("8G", 8 << 30), ("1.5 GiB", 3 << 29), ("500m", 500 << 20), ("64KB", 64 << 10), ("1000", 1000)]
        {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for invalid in ["", "much", "-1G", "0", "G", "é"] {
            assert_eq!(parse_size(invalid), None, "{invalid:?}");
        }
    }

    #[test]
    fn memory_of_process_and_machine_is_reported() {
        assert!(held() > 1 << 20);
        assert!(free_memory().unwrap() > 1 << 20);
    }

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
    fn page_cache_counts_as_free() {
        assert_eq!(cached("anon 7\nfile 60\nactive_file 20\ninactive_file 30\ntotal_active_file 9\n"), 50);
        assert_eq!(cached("active_file\n\n"), 0);
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
