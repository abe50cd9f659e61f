//! Entries that processes have opened: each process lists its own in a file, which it locks for as long as it lives.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Result, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of the lists end.
const SUFFIX: &str = ".in-use";

/// The entries that this process has opened.
#[derive(Debug)]
pub(super) struct InUse {
    file: File,
    path: PathBuf,
    names: BTreeSet<String>,
}

impl InUse {
    /// Whether lists have such names: the number of a process, and that of its list.
    pub(super) fn is_name(name: &str) -> bool {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let numbers = name.strip_suffix(SUFFIX).and_then(|name| name.split_once('-'));
        numbers.is_some_and(|(process, list)| is_number(process) && is_number(list))
    }

    /// Begins a list in the cache's folder.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{}-{count}{SUFFIX}", std::process::id()));
            // A process of that number on another machine, or in another container, may live.
            match OpenOptions::new().create_new(true).append(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => {
                    let file = opened?;
                    file.try_lock()?;
                    return Ok(Self { file, path, names: BTreeSet::new() });
                }
            }
        }
    }

    /// Adds an entry, before it is opened.
    pub(super) fn add(&mut self, name: &str) -> Result<()> {
        if self.names.insert(name.to_owned()) { writeln!(self.file, "{name}") } else { Ok(()) }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        // Otherwise the next process that looks finds it unlocked.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns the entries that living processes have opened, and removes the lists of others.
pub(super) fn in_use(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(InUse::is_name) {
            continue;
        }
        let is_dead = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_dead {
            let _ = std::fs::remove_file(entry.path());
        } else {
            let list = std::fs::read_to_string(entry.path()).unwrap_or_default();
            names.extend(list.lines().map(str::to_owned));
        }
    }
    names
}
