//! Execution context of this program, from its environment.

use std::path::PathBuf;
use trace_core::{Execution, MEMORY_VARIABLE, STORAGE_TIMEOUT_VARIABLE};

/// Returns the context of the magics or of a command. An invalid variable is an error of the calls that need its value.
pub fn from_environment() -> Execution {
    let memory = std::env::var_os(MEMORY_VARIABLE).unwrap_or_default();
    let timeout = std::env::var_os(STORAGE_TIMEOUT_VARIABLE).unwrap_or_default();
    let execution = Execution::new().memory_setting(&memory.to_string_lossy());
    let execution = execution.storage_timeout_setting(&timeout.to_string_lossy());
    match spill_folder() {
        Some(folder) => execution.spill_folder(folder),
        None => execution,
    }
}

/// Removes, on a thread, the ranks that killed kernels left.
pub fn remove_left_ranks() {
    if let Some(folder) = spill_folder() {
        // Without a thread, the next load that needs the folder does it.
        let _ = std::thread::Builder::new()
            .name("left-ranks".to_owned())
            .spawn(move || trace_core::remove_left_ranks(&folder));
    }
}

/// Returns the folder for ranks that do not fit in memory: in the user's folder for caches, which is usually on a disk.
fn spill_folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|folder| folder.join("tracebook").join("ranks"))
}
