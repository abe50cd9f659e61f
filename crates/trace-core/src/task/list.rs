//! The step `list`: the files of a trace, in bundles.

use super::Worker;
use crate::distributed::{Bundle, Input, JobSpec, Query, bundles};
use crate::error::DistributedReason;
use crate::read::Inputs;
use crate::{Error, Result};
use std::path::Path;
use std::time::UNIX_EPOCH;

impl Worker {
    /// Lists the files of a trace by the rules of names of folders, and bundles them for so many slots.
    ///
    /// # Errors
    /// If there is no such file or folder, or no trace file in it; [`Error::Distributed`] if the plan is of another build, or is no load.
    pub fn list(&self, task: &JobSpec, slots: usize) -> Result<Vec<Bundle>> {
        self.check(task)?;
        let Query::Load { uri, .. } = &task.question else {
            let reason = format!("only a load is listed, not {}", task.question.name());
            return Err(Error::Distributed(DistributedReason::Plan { reason }));
        };
        let found = Inputs::of(uri)?;
        let input = |(at, file): (usize, &crate::read::Input)| {
            let named = if found.in_folder { file.uri() } else { uri.clone() };
            let (bytes, modified) = if file.is_local() { facts(&file.path) } else { (file.size, file.modified) };
            (Input { uri: named, at, bytes, modified, trace: 0 }, None)
        };
        Ok(bundles(found.files.iter().enumerate().map(input).collect(), slots))
    }
}

/// Returns size and time of the last change of a file, in nanoseconds since 1970.
pub(super) fn facts(file: &Path) -> (u64, Option<i64>) {
    let Ok(found) = std::fs::metadata(file) else { return (0, None) };
    let since = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (found.len(), since.and_then(|since| i64::try_from(since.as_nanos()).ok()))
}
