//! The jobs of a question, noted in its folder: a kernel that was started again waits for those that the first one left.

use super::commands::cancel;
use super::folder::JobFolder;
use super::watch::Array;
use serde::{Deserialize, Serialize};
use std::io::Result;
use std::path::Path;
use trace_core::task::Bundle;

/// The note in the folder of a job.
const NOTE: &str = "jobs.json";

/// Jobs that were submitted for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LeftJobs {
    /// What each task maps; the number of a task is its place.
    pub(super) bundles: Vec<Bundle>,
    /// The arrays of these tasks, and the job that merges what they bring.
    pub(super) arrays: Vec<Array>,
    pub(super) merge: Array,
    /// Whether tasks were sent again, as some of these arrays. The note does not say which tasks, so that nobody can wait for them.
    pub(super) is_resent: bool,
}

impl LeftJobs {
    /// Writes the note.
    pub(super) fn note(&self, folder: &JobFolder) -> Result<()> {
        // It is read after a crash: whole, or not at all.
        let part = folder.write("jobs.part", &serde_json::to_string(self)?)?;
        std::fs::rename(part, folder.path().join(NOTE))
    }

    fn read(folder: &JobFolder) -> Option<Self> {
        serde_json::from_str(&folder.text(NOTE)?).ok()
    }
}

/// Returns the folder of the job with this name, and the jobs in it that a killed process left.
pub(super) fn folder_of(shared: &Path, name: &str) -> Result<(JobFolder, Option<LeftJobs>)> {
    let folder = JobFolder::of_job(shared, name)?;
    if folder.is_new() {
        return Ok((folder, None));
    }
    match LeftJobs::read(&folder) {
        Some(left) if !left.is_resent => Ok((folder, Some(left))),
        left => {
            // What still runs there would mix its files with those of new tasks.
            let jobs = left.iter().flat_map(|left| left.arrays.iter().chain([&left.merge]));
            cancel(&jobs.map(|array| array.id.clone()).collect::<Vec<_>>());
            drop(folder);
            Ok((JobFolder::create(shared)?, None))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_core::task::Input;

    /// Leaves a folder as a process does that is killed.
    fn left_behind(shared: &Path, note: Option<&LeftJobs>) {
        let path = JobFolder::of_job(shared, "abc").unwrap().path().to_owned();
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::write(path.join("map-0.in"), "plan").unwrap();
        if let Some(note) = note {
            std::fs::write(path.join(NOTE), serde_json::to_string(note).unwrap()).unwrap();
        }
    }

    #[test]
    fn noted_jobs_are_found_and_others_are_not_mixed() {
        let shared = tempfile::tempdir().unwrap();
        let shared = shared.path();
        let input = Input { uri: "file:///a.json".to_owned(), at: 0, bytes: 9, modified: Some(3), trace: 0 };
        let array = |id: &str| Array { id: id.to_owned(), first: 0, count: 1 };
        let bundles = vec![Bundle { inputs: vec![input], weight: 9, node: None }];
        let note = LeftJobs { bundles, arrays: vec![array("7")], merge: array("8"), is_resent: false };
        {
            let (folder, left) = folder_of(shared, "abc").unwrap();
            assert!(folder.path().ends_with("jobs/job-abc") && left.is_none());
            note.note(&folder).unwrap();
            assert_eq!(LeftJobs::read(&folder).as_ref(), Some(&note));
        }
        left_behind(shared, Some(&note));
        let (folder, left) = folder_of(shared, "abc").unwrap();
        assert!(folder.path().join("map-0.in").exists());
        assert_eq!(left, Some(note));
        drop(folder);
        // Jobs that were submitted before the note was written may run.
        left_behind(shared, None);
        let (folder, left) = folder_of(shared, "abc").unwrap();
        assert!(left.is_none() && !folder.path().ends_with("job-abc"));
        assert!(!folder.path().with_file_name("job-abc").exists());
    }
}
