//! How much memory the process may hold: a small file can unpack to more than the machine has.
//!
//! What counts is what the process holds already, the program itself and all loaded traces included, and what the next step
//! needs on top, estimated from its rows. It is looked at
//!
//! * as a load begins, while text is unpacked (a few times per hundred megabytes), before columns are finished and after;
//! * before a question, a comparison or a description, and again before each rank of a question.

use crate::domain::MEMORY_VARIABLE;
use crate::{Error, Result};
use std::io::{Error as IoError, ErrorKind, Read};

/// Text that is read between two looks at the memory, in bytes.
const EVERY: u64 = 4 << 20;

/// What is about to be done, for the message that refuses it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Task<'t> {
    /// To load a file.
    Load(&'t str),
    /// To answer a question, compare or describe.
    Answer(&'t str),
}

/// What a process may hold, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(u64);

impl Budget {
    /// What [`MEMORY_VARIABLE`] says; without it, what the process holds and four fifths of what the machine, or the
    /// container, has left.
    ///
    /// # Errors
    /// [`Error::MemorySetting`] if the variable holds no size.
    pub(crate) fn now() -> Result<Self> {
        match std::env::var(MEMORY_VARIABLE) {
            Ok(text) if !text.trim().is_empty() => size(&text).map(Self).ok_or(Error::MemorySetting { value: text }),
            _ => Ok(Self(free().map_or(u64::MAX, |free| (held() + free / 5 * 4).max(256 << 20)))),
        }
    }

    /// Reads `reader` as long as the budget lasts.
    pub(crate) fn limit<R: Read>(self, reader: R) -> Limited<R> {
        Limited { inner: reader, budget: self, unlooked: EVERY }
    }

    /// Refuses what needs so many bytes more than the process holds.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] if they would not fit.
    pub(crate) fn check(self, task: Task<'_>, need: usize) -> Result<()> {
        let (held, need) = (held(), need as u64);
        if held.saturating_add(need) <= self.0 { Ok(()) } else { Err(self.refusal(task, held, need)) }
    }

    /// What a load says whose budget was spent while it read.
    pub(crate) fn spent(self, task: Task<'_>) -> Error {
        self.refusal(task, held(), 0)
    }

    fn refusal(self, task: Task<'_>, held: u64, need: u64) -> Error {
        let (task, fix) = match task {
            Task::Load(file) => (format!("load {file}"), "load fewer ranks"),
            Task::Answer(name) => (format!("answer {name}"), "choose fewer ranks"),
        };
        Error::MemoryBudget { task, need, held, budget: self.0, fix }
    }

    /// So many bytes.
    #[cfg(test)]
    pub(crate) fn of(bytes: u64) -> Self {
        Self(bytes)
    }
}

/// A reader that ends with [`ErrorKind::OutOfMemory`] when the budget is spent.
pub(crate) struct Limited<R> {
    inner: R,
    budget: Budget,
    unlooked: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.unlooked >= EVERY {
            self.unlooked = 0;
            if held() > self.budget.0 {
                return Err(IoError::from(ErrorKind::OutOfMemory));
            }
        }
        let read = self.inner.read(buffer)?;
        self.unlooked += read as u64;
        Ok(read)
    }
}

/// A size as a person writes it.
fn size(text: &str) -> Option<u64> {
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

/// What the process holds, in bytes; 0 where the system does not tell.
fn held() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "RssAnon:").unwrap_or(0)
}

/// What is left to use: of the machine, or of the container if that is less.
fn free() -> Option<u64> {
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

/// Of what a container uses, the files that the system keeps until someone needs the memory: traces just read, mostly.
fn cached(stat: &str) -> u64 {
    let file_bytes = |line: &str| {
        let (name, number) = line.split_once(' ')?;
        matches!(name, "active_file" | "inactive_file").then(|| number.trim().parse::<u64>().ok())?
    };
    stat.lines().filter_map(file_bytes).sum()
}

/// A line `name   123 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in
            [("8G", 8 << 30), ("1.5 GiB", 3 << 29), ("500m", 500 << 20), ("64KB", 64 << 10), ("1000", 1000)]
        {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for odd in ["", "much", "-1G", "0", "G", "é"] {
            assert_eq!(size(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn a_process_holds_something_and_a_machine_has_something() {
        assert!(held() > 1 << 20);
        assert!(free().unwrap() > 1 << 20);
    }

    #[test]
    fn refusals_name_need_holding_budget_and_a_setting_that_is_enough() {
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
    fn files_that_are_kept_in_memory_are_free() {
        assert_eq!(cached("anon 7\nfile 60\nactive_file 20\ninactive_file 30\ntotal_active_file 9\n"), 50);
        assert_eq!(cached("active_file\n\n"), 0);
    }

    #[test]
    fn a_spent_budget_ends_the_text_and_a_large_one_does_not() {
        let read = |budget: u64| {
            let text = std::io::repeat(b' ').take(3 * EVERY);
            std::io::copy(&mut Budget(budget).limit(text), &mut std::io::sink()).map_err(|error| error.kind())
        };
        assert_eq!(read(1 << 20), Err(ErrorKind::OutOfMemory));
        assert_eq!(read(u64::MAX), Ok(3 * EVERY));
    }
}
