//! Descendants of the kernel process, and their end.

use std::collections::BTreeMap;

/// Kills all descendants.
pub(super) fn kill() {
    use rustix::process::{Pid, Signal, kill_process};
    for pid in descendants(std::process::id(), &parents()).into_iter().filter_map(|pid| Pid::from_raw(pid as i32)) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Returns parents by process. Empty where there is no `/proc`; there the children end when their pipes close.
fn parents() -> BTreeMap<u32, u32> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            Some((pid, parent(&String::from_utf8_lossy(&stat))?))
        })
        .collect()
}

/// Parses the parent from `/proc/PID/stat`: `1234 (any ) name) S 1 …`.
fn parent(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn descendants(of: u32, parents: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut found = vec![of];
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, parent)| **parent == pid).map(|(child, _)| *child));
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_contain_children_of_children() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 3), (5, 1)]);
        assert_eq!(descendants(2, &parents), [3, 4]);
        assert!(descendants(5, &parents).is_empty());
    }

    #[test]
    fn parent_is_parsed_behind_any_process_name() {
        assert_eq!(parent("1234 (a b) c) S 77 1234 0"), Some(77));
        assert_eq!(parent("1234"), None);
    }
}
