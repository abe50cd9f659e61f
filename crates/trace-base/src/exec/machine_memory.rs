//! Memory of the machine and of this process, and bounds on it.

use crate::{Error, Result};
use std::sync::Arc;

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
pub(super) fn held() -> u64 {
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
    fn page_cache_counts_as_free() {
        assert_eq!(cached("anon 7\nfile 60\nactive_file 20\ninactive_file 30\ntotal_active_file 9\n"), 50);
        assert_eq!(cached("active_file\n\n"), 0);
    }
}
