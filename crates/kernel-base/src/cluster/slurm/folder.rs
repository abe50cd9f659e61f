//! The shared folder: in it a private folder of each user, with programs of builds, and a folder for each job with its plans, partial
//! results, logs and exit codes.

use crate::cluster::last_lines::end_of_file;
use crate::cluster::own_files::{keeps_its_folders, open_own, own_folder, sha256};
use crate::cluster::write_frame;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, File, Permissions};
use std::io::{BufWriter, Error, Read, Result, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Programs, and folders of jobs, that were not used for this long are removed.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// The folder of a job. It is private, and removed with this value; it stays if the process is killed.
#[derive(Debug)]
pub(super) struct JobFolder {
    path: PathBuf,
    /// Whether it was made now.
    is_new: bool,
    /// Locked while the folder is in use, if it has the name of its job.
    lock: Option<File>,
}

impl JobFolder {
    /// Makes a folder for a job.
    pub(super) fn create(shared: &Path) -> Result<Self> {
        let jobs = jobs_in(shared)?;
        let folder =
            tempfile::Builder::new().prefix("job-").permissions(Permissions::from_mode(0o700)).tempdir_in(jobs)?;
        Ok(Self { path: folder.keep(), is_new: true, lock: None })
    }

    /// Returns the folder of the job with this name: a new one, or the one that a process left which was killed. While another process
    /// uses that, a new one.
    pub(super) fn of_job(shared: &Path, name: &str) -> Result<Self> {
        let jobs = jobs_in(shared)?;
        remove_unused(&jobs, "job-");
        match Self::taken(jobs.join(format!("job-{name}"))) {
            Some(folder) => Ok(folder),
            None => Self::create(shared),
        }
    }

    /// Makes or takes a folder. `None` if another process uses it, or it is not this user's own.
    fn taken(path: PathBuf) -> Option<Self> {
        let is_new = DirBuilder::new().mode(0o700).create(&path).is_ok();
        let found = path.symlink_metadata().ok()?;
        if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() || found.mode() & 0o077 != 0 {
            return None;
        }
        let file = path.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&file).ok()?;
        lock.try_lock().ok()?;
        // The process that used the folder may have removed it, and a third one may have made another.
        let is_there = file.metadata().ok()?.ino() == lock.metadata().ok()?.ino();
        is_there.then_some(Self { path, is_new, lock: Some(lock) })
    }

    /// Returns whether the folder was made now; else another process left it.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the first frame of a task.
    pub(super) fn write_input(&self, task: &str, frame: &[u8]) -> Result<()> {
        let mut file = BufWriter::new(File::create(self.path().join(format!("{task}.in")))?);
        write_frame(&mut file, frame)?;
        file.flush()
    }

    /// Writes a text file, unless it has this text, and returns its path.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path().join(name);
        // A shell may be reading the script of a job that was left.
        if self.text(name).as_deref() != Some(text) {
            std::fs::write(&path, text)?;
        }
        Ok(path)
    }

    /// Reads a text file; `None` if there is none.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path.join(name)).ok()
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
        end_of_file(&self.path().join(format!("{task}.log")))
    }

    /// Returns what Slurm itself wrote about a task: `7_3` of an array.
    pub(super) fn slurm_log(&self, id: &str) -> String {
        end_of_file(&self.path().join(format!("slurm-{id}.out")))
    }

    /// Returns the partial result of a task, which has at most so many bytes.
    pub(super) fn state(&self, task: &str, most: u64) -> Result<Vec<u8>> {
        let mut state = Vec::new();
        File::open(self.path().join(format!("{task}.state")))?.take(most + 1).read_to_end(&mut state)?;
        if state.len() as u64 <= most {
            Ok(state)
        } else {
            Err(Error::other(format!("{task}.state is longer than {most} bytes")))
        }
    }

    /// Returns the numbers of the tasks whose partial results a merge has taken.
    pub(super) fn merged(&self, task: &str) -> BTreeSet<usize> {
        let text = self.text(&format!("{task}.merged")).unwrap_or_default();
        let number = |word: &str| word.strip_prefix("map-")?.strip_suffix(".state")?.parse().ok();
        text.split_whitespace().filter_map(number).collect()
    }
}

impl Drop for JobFolder {
    fn drop(&mut self) {
        // A task that is being cancelled may still write.
        for _ in 0..10 {
            if std::fs::remove_dir_all(self.path()).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        drop(self.lock.take());
    }
}

/// Makes a folder of this user in the shared folder: `user-1000/jobs`.
fn users_folder(shared: &Path, name: &str) -> Result<PathBuf> {
    std::fs::create_dir_all(shared)?;
    keeps_its_folders(shared)?;
    let own = shared.join(format!("user-{}", rustix::process::geteuid().as_raw()));
    own_folder(&own)?;
    let folder = own.join(name);
    own_folder(&folder)?;
    Ok(folder)
}

/// Makes the folder of all jobs.
fn jobs_in(shared: &Path) -> Result<PathBuf> {
    users_folder(shared, "jobs")
}

/// Copies the program to the shared folder, once per build, and returns where it is. A copy is used again if no other user may write it
/// and its content is that of the program: nodes run it as this user.
pub(super) fn shared_program(shared: &Path, program: &Path) -> Result<PathBuf> {
    let folder = users_folder(shared, "programs")?;
    let mut source = File::open(program)?;
    let digest = sha256(&source)?;
    let path = folder.join(format!("tracebook-{digest}"));
    if let Ok(file) = open_own(&path)
        && sha256(&file)? == digest
    {
        // One that is in use is not removed.
        let _ = file.set_modified(SystemTime::now());
        return Ok(path);
    }
    remove_unused(&folder, "tracebook-");
    source.rewind()?;
    let mut copy = tempfile::NamedTempFile::new_in(&folder)?;
    std::io::copy(&mut source, copy.as_file_mut())?;
    copy.as_file().set_permissions(Permissions::from_mode(0o700))?;
    copy.as_file().sync_all()?;
    copy.persist(&path).map_err(|error| error.error)?;
    Ok(path)
}

/// Removes what has such a name and was not changed for long: programs, and folders of jobs whose kernel was killed.
fn remove_unused(folder: &Path, prefix: &str) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix);
        let age = entry.metadata().and_then(|found| found.modified()).ok().and_then(|time| time.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > UNUSED) {
            let path = entry.path();
            // What cannot be removed stays, and takes space.
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
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
    fn folder_of_a_job_is_found_again_and_used_once() {
        let shared = tempfile::tempdir().unwrap();
        let first = JobFolder::of_job(shared.path(), "abc").unwrap();
        assert!(first.is_new() && first.path() == users_folder(shared.path(), "jobs").unwrap().join("job-abc"));
        assert_eq!(first.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        first.write("jobs.json", "left").unwrap();
        let other = JobFolder::of_job(shared.path(), "abc").unwrap();
        assert!(other.is_new() && other.path() != first.path(), "it is in use");
        // A process that is killed removes nothing, and holds no lock.
        let mut killed = std::mem::ManuallyDrop::new(first);
        drop(killed.lock.take());
        let again = JobFolder::of_job(shared.path(), "abc").unwrap();
        assert_eq!((again.path(), again.text("jobs.json").as_deref()), (killed.path(), Some("left")));
        assert!(!again.is_new());
        std::fs::set_permissions(again.path(), Permissions::from_mode(0o755)).unwrap();
        assert!(JobFolder::taken(again.path().to_owned()).is_none(), "others may have written it");
        // Folders that nobody came back to are removed.
        File::open(other.path()).unwrap().set_modified(SystemTime::now() - 2 * UNUSED).unwrap();
        let _next = JobFolder::of_job(shared.path(), "next").unwrap();
        assert!(!other.path().exists() && again.path().exists());
    }

    #[test]
    fn program_is_copied_once_and_old_ones_go() {
        let shared = tempfile::tempdir().unwrap();
        let program = shared.path().join("program");
        std::fs::write(&program, "first").unwrap();
        let copy = shared_program(shared.path(), &program).unwrap();
        assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(shared_program(shared.path(), &program).unwrap(), copy);
        File::open(&copy).unwrap().set_modified(SystemTime::now() - 2 * UNUSED).unwrap();
        std::fs::write(&program, "second one").unwrap();
        let second = shared_program(shared.path(), &program).unwrap();
        assert_eq!(std::fs::read_to_string(&second).unwrap(), "second one");
        assert!(second != copy && !copy.exists());
    }

    #[test]
    fn planted_program_is_replaced_by_the_running_one() {
        let shared = tempfile::tempdir().unwrap();
        let program = shared.path().join("program");
        std::fs::write(&program, "the program").unwrap();
        let copy = shared_program(shared.path(), &program).unwrap();
        // Of the same name and length; then one that another user may write until it runs.
        std::fs::write(&copy, "an attacker").unwrap();
        assert_eq!(shared_program(shared.path(), &program).unwrap(), copy);
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "the program");
        std::fs::set_permissions(&copy, Permissions::from_mode(0o722)).unwrap();
        assert_eq!(shared_program(shared.path(), &program).unwrap(), copy);
        assert_eq!(copy.metadata().unwrap().mode() & 0o777, 0o700);
        let elsewhere = shared.path().join("elsewhere");
        std::fs::rename(&copy, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &copy).unwrap();
        assert_eq!(shared_program(shared.path(), &program).unwrap(), copy);
        assert!(copy.symlink_metadata().unwrap().is_file());
    }

    #[test]
    fn folder_of_the_user_is_private_or_refused() {
        let shared = tempfile::tempdir().unwrap();
        let jobs = users_folder(shared.path(), "jobs").unwrap();
        let own = jobs.parent().unwrap();
        assert_eq!(own.metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::set_permissions(own, Permissions::from_mode(0o770)).unwrap();
        let message = JobFolder::create(shared.path()).unwrap_err().to_string();
        assert!(message.contains("open to other users") && message.contains("0700"), "{message}");
        assert!(shared_program(shared.path(), Path::new("/proc/self/exe")).is_err());
    }
}
