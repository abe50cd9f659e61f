//! The process group of the running compiler, by which the kernel can end it.

use crate::engine::patching::environment::RUN_FOLDER;
use std::path::{Path, PathBuf};

/// The file with the number of the group, in the run's folder.
const GROUP_FILE: &str = "compiler.pid";

/// Ends the running compiler, if there is one; returns whether there was.
pub(in crate::engine) fn stop(run_folder: &Path) -> bool {
    let group = std::fs::read_to_string(run_folder.join(GROUP_FILE)).ok().and_then(|text| text.trim().parse().ok());
    let Some(group) = group.and_then(rustix::process::Pid::from_raw) else { return false };
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).is_ok()
}

/// The record of a compiler's process group; the file is removed on drop.
pub(in crate::engine) struct ProcessGroup {
    file: Option<PathBuf>,
}

impl ProcessGroup {
    /// Makes this process a group of its own, and records it.
    pub(in crate::engine) fn enter() -> Self {
        let _ = rustix::process::setpgid(None, None);
        let group = Self { file: std::env::var_os(RUN_FOLDER).map(|folder| Path::new(&folder).join(GROUP_FILE)) };
        group.set(std::process::id());
        group
    }

    /// Returns the record of a compiler that is yet to be started; [`set`](Self::set) then names its group.
    pub(in crate::engine) fn of_children(run_folder: &Path) -> Self {
        Self { file: Some(run_folder.join(GROUP_FILE)) }
    }

    /// Records the number of the group.
    pub(in crate::engine) fn set(&self, group: u32) {
        if let Some(file) = &self.file {
            let _ = std::fs::write(file, group.to_string());
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(file);
        }
    }
}
