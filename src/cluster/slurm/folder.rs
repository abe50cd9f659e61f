//! The shared folder: programs of builds, and a folder for each job with its plans, partial results, logs and exit codes.

use crate::cluster::write_frame;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Permissions};
use std::io::{BufWriter, Result, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The most bytes of a log that are read: its end.
const MOST_SAID: usize = 8000;
/// Programs that were not used for this long are removed.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// The folder of a job. It is private, and removed with this value.
#[derive(Debug)]
pub(super) struct JobFolder(TempDir);

impl JobFolder {
    /// Makes a folder for a job.
    pub(super) fn create(shared: &Path) -> Result<Self> {
        let jobs = shared.join("jobs");
        std::fs::create_dir_all(&jobs)?;
        tempfile::Builder::new().prefix("job-").permissions(Permissions::from_mode(0o700)).tempdir_in(jobs).map(Self)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes the first frame of a task.
    pub(super) fn write_input(&self, task: &str, frame: &[u8]) -> Result<()> {
        let mut file = BufWriter::new(File::create(self.path().join(format!("{task}.in")))?);
        write_frame(&mut file, frame)?;
        file.flush()
    }

    /// Writes a text file, and returns its path.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// Returns the exit codes of those of these tasks that have ended.
    pub(super) fn ended(&self, step: &str, open: &BTreeSet<usize>) -> Result<BTreeMap<usize, i32>> {
        let mut ended = BTreeMap::new();
        for entry in std::fs::read_dir(self.path())? {
            let name = entry?.file_name();
            let number =
                name.to_str().and_then(|name| name.strip_suffix(".exit")?.strip_prefix(step)?.strip_prefix('-'));
            let Some(number) =
                number.and_then(|number| number.parse::<usize>().ok()).filter(|number| open.contains(number))
            else {
                continue;
            };
            // Renamed when it was whole; one that cannot be read yet is seen at the next look.
            let code = std::fs::read_to_string(self.path().join(name)).ok();
            if let Some(code) = code.and_then(|code| code.trim().parse().ok()) {
                ended.insert(number, code);
            }
        }
        Ok(ended)
    }

    /// Returns the end of the log of a task.
    pub(super) fn log(&self, task: &str) -> String {
        end_of(&self.path().join(format!("{task}.log")))
    }

    /// Returns what Slurm itself wrote about a task: `7_3` of an array.
    pub(super) fn slurm_log(&self, id: &str) -> String {
        end_of(&self.path().join(format!("slurm-{id}.out")))
    }

    /// Returns the partial result of a task.
    pub(super) fn state(&self, task: &str) -> Result<Vec<u8>> {
        std::fs::read(self.path().join(format!("{task}.state")))
    }

    /// Returns the numbers of the tasks whose partial results a merge has taken.
    pub(super) fn merged(&self, task: &str) -> BTreeSet<usize> {
        let text = std::fs::read_to_string(self.path().join(format!("{task}.merged"))).unwrap_or_default();
        let number = |word: &str| word.strip_prefix("map-")?.strip_suffix(".state")?.parse().ok();
        text.split_whitespace().filter_map(number).collect()
    }
}

impl Drop for JobFolder {
    fn drop(&mut self) {
        // A task that is being cancelled may still write.
        for _ in 0..10 {
            if std::fs::remove_dir_all(self.path()).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn end_of(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST_SAID)..]).trim().to_owned()
}

/// Copies the program to the shared folder, once per build, and returns where it is.
pub(super) fn shared_program(shared: &Path, program: &Path) -> Result<PathBuf> {
    let folder = shared.join("programs");
    std::fs::create_dir_all(&folder)?;
    let mut source = File::open(program)?;
    let found = source.metadata()?;
    let key = format!("{}-{}-{}-{}", found.ino(), found.len(), found.mtime(), found.mtime_nsec());
    let kept = folder.join(format!("tracebook-{}", &hex::encode(Sha256::digest(key))[..32]));
    if let Ok(file) = File::open(&kept)
        && file.metadata()?.len() == found.len()
    {
        // One that is in use is not removed. The folder may be another's, who used it lately.
        let _ = file.set_modified(SystemTime::now());
        return Ok(kept);
    }
    remove_unused(&folder);
    let mut copy = tempfile::NamedTempFile::new_in(&folder)?;
    std::io::copy(&mut source, copy.as_file_mut())?;
    copy.as_file().set_permissions(Permissions::from_mode(0o755))?;
    copy.as_file().sync_all()?;
    copy.persist(&kept).map_err(|error| error.error)?;
    Ok(kept)
}

fn remove_unused(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with("tracebook-");
        let age = entry.metadata().and_then(|found| found.modified()).ok().and_then(|time| time.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > UNUSED) {
            // It stays, and takes space.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ended_tasks_are_those_with_an_exit_code() {
        let shared = tempfile::tempdir().unwrap();
        let folder = JobFolder::create(shared.path()).unwrap();
        for (name, text) in [
            ("map-0.exit", "0\n"),
            ("map-1.exit", ""),
            ("map-2.exit", "137\n"),
            ("map-3.exit", "0\n"),
            ("reduce-0.exit", "0\n"),
            ("map-4.code", "0\n"),
            ("reduce-0.merged", "reduce map-0.state map-12.state\n"),
        ] {
            folder.write(name, text).unwrap();
        }
        let open = BTreeSet::from([0, 1, 2, 4]);
        assert_eq!(folder.ended("map", &open).unwrap(), BTreeMap::from([(0, 0), (2, 137)]));
        assert_eq!(folder.merged("reduce-0"), BTreeSet::from([0, 12]));
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn program_is_copied_once_and_old_ones_go() {
        let shared = tempfile::tempdir().unwrap();
        let program = shared.path().join("program");
        std::fs::write(&program, "first").unwrap();
        let copy = shared_program(shared.path(), &program).unwrap();
        assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(shared_program(shared.path(), &program).unwrap(), copy);
        File::open(&copy).unwrap().set_modified(SystemTime::now() - 2 * UNUSED).unwrap();
        std::fs::write(&program, "second one").unwrap();
        let second = shared_program(shared.path(), &program).unwrap();
        assert_eq!(std::fs::read_to_string(&second).unwrap(), "second one");
        assert!(second != copy && !copy.exists());
    }
}
