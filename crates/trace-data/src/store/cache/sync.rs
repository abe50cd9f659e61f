//! Entries that survive a crash of the machine.
//!
//! A new entry may be written; its pages are not on the disk yet. A thread waits for them and then takes away the right to
//! write. After a crash, entries that still have it are not believed.

use std::fs::{File, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, SystemTime};

/// Mode of an entry that may not be on the disk yet.
pub(super) const UNSYNCED: u32 = 0o600;
/// Mode of an entry that is.
const SYNCED: u32 = 0o400;

/// Files that wait at most; further ones stay unsynced until they are used again.
const MOST: usize = 64;

/// Starts the thread; it ends when the sender is dropped.
pub(super) fn start() -> Option<SyncSender<File>> {
    let (sender, files) = sync_channel::<File>(MOST);
    let sync = move || {
        for file in files {
            if file.sync_data().is_ok() {
                let _ = file.set_permissions(Permissions::from_mode(SYNCED));
            }
        }
    };
    std::thread::Builder::new().name("cache".to_owned()).spawn(sync).is_ok().then_some(sender)
}

/// Whether the file is on the disk.
pub(super) fn is_synced(found: &Metadata) -> bool {
    found.mode() & 0o777 == SYNCED
}

/// Whether all of the file is there: it is on the disk, or was written since the machine was started.
pub(super) fn is_whole(found: &Metadata) -> bool {
    let since_start = || {
        let text = std::fs::read_to_string("/proc/uptime").ok()?;
        let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        let started = SystemTime::now().checked_sub(Duration::try_from_secs_f64(seconds).ok()?)?;
        Some(found.modified().ok()? > started)
    };
    is_synced(found) || since_start().unwrap_or(false)
}
