//! The history of earlier sessions: one line per cell in a file that only the user may read.
//!
//! A line is `[session, line, "code"]`, one with `[session]` alone says that a session began. Kernels that run side by
//! side append to the same file, each line under a lock. A line that cannot be read is skipped.

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file never grows beyond this; when it would, the older half of it goes.
const BYTES: u64 = 8 << 20;

/// A cell longer than this is not kept in the file.
const CELL_BYTES: usize = 256 << 10;

/// A variable that, set to `off`, keeps the history out of files.
const VARIABLE: &str = "TRACEBOOK_HISTORY";

/// A cell of an earlier session.
pub(super) struct Kept {
    pub(super) session: i64,
    pub(super) line: usize,
    pub(super) input: String,
}

/// The file, and the number of this session in it.
pub(super) struct HistoryFile {
    path: PathBuf,
    session: i64,
}

/// Where the history lies; nowhere if it is switched off or there is no home.
pub fn path() -> Option<PathBuf> {
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return None;
    }
    Some(dirs::state_dir()?.join("tracebook").join("history.jsonl"))
}

impl HistoryFile {
    /// Opens the history for a new session; what earlier ones ran comes along.
    ///
    /// # Errors
    /// If the file cannot be made, read, locked or written.
    pub(super) fn open(path: PathBuf) -> Result<(Self, Vec<Kept>)> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = locked(&path)?;
        let (mut kept, mut last) = (Vec::new(), 0);
        for row in rows(&text(&file)?) {
            let Some(session) = row[0].as_i64() else { continue };
            last = last.max(session);
            let line = row[1].as_u64().and_then(|line| usize::try_from(line).ok());
            if let (Some(line), Some(input)) = (line, row[2].as_str()) {
                kept.push(Kept { session, line, input: input.to_owned() });
            }
        }
        // Sessions that ran side by side lie mixed in the file.
        kept.sort_by_key(|kept| (kept.session, kept.line));
        let session = last.saturating_add(1);
        append(&mut file, &path, &json!([session]))?;
        Ok((Self { path, session }, kept))
    }

    pub(super) fn session(&self) -> i64 {
        self.session
    }

    /// Adds a cell of this session.
    ///
    /// # Errors
    /// If the file cannot be locked or written.
    pub(super) fn add(&self, line: usize, input: &str) -> Result<()> {
        if input.len() > CELL_BYTES {
            return Ok(());
        }
        append(&mut locked(&self.path)?, &self.path, &json!([self.session, line, input]))
    }
}

/// The file, ours alone until it is closed.
fn locked(path: &Path) -> Result<File> {
    // Whoever holds the lock needs it for milliseconds; one that is stopped must not stop us.
    for _ in 0..20 {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "not a file"));
        }
        if metadata.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // Another kernel may have put a shorter file in its place before we had the lock.
            Ok(()) if std::fs::metadata(path).is_ok_and(|now| now.ino() == metadata.ino()) => return Ok(file),
            Ok(()) | Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(Error::new(ErrorKind::WouldBlock, "another program holds its lock"))
}

/// All of a file, at most what it may hold. A file that something else made larger is read from its end.
fn text(file: &File) -> Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut text = vec![0; usize::try_from(length.min(BYTES)).unwrap_or_default()];
    file.read_exact_at(&mut text, length.saturating_sub(BYTES))?;
    Ok(text)
}

/// The lines that can be read.
fn rows(text: &[u8]) -> impl Iterator<Item = Value> {
    text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// Adds a line, in one write.
fn append(file: &mut File, path: &Path, row: &Value) -> Result<()> {
    let mut line = row.to_string().into_bytes();
    line.push(b'\n');
    let length = file.metadata()?.len();
    if length + line.len() as u64 + 1 > BYTES {
        return shorten(file, path, &line);
    }
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    if last != [b'\n'] {
        // The end of a line that was cut off, by a full disk say.
        line.insert(0, b'\n');
    }
    file.write_all(&line)
}

/// Puts a file with the newer half and the line in place of the file.
fn shorten(file: &File, path: &Path, line: &[u8]) -> Result<()> {
    let text = text(file)?;
    let half = &text[text.len() / 2..];
    let start = half.iter().position(|byte| *byte == b'\n').map_or(half.len(), |end| end + 1);
    let mut next = half[start..].to_vec();
    if next.last().is_some_and(|byte| *byte != b'\n') {
        next.push(b'\n');
    }
    next.extend_from_slice(line);
    // Made private by tempfile.
    let mut made = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(path))?;
    made.write_all(&next)?;
    made.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tracebook/history.jsonl");
        (folder, path)
    }

    fn kept(path: &Path) -> Vec<(i64, usize, String)> {
        let (_, kept) = HistoryFile::open(path.to_owned()).unwrap();
        kept.into_iter().map(|kept| (kept.session, kept.line, kept.input)).collect()
    }

    #[test]
    fn sessions_are_numbered_and_private() {
        let (_folder, path) = place();
        let (one, before) = HistoryFile::open(path.clone()).unwrap();
        assert!((one.session(), before.len()) == (1, 0));
        let (two, _) = HistoryFile::open(path.clone()).unwrap();
        two.add(1, "b\n\"é\"").unwrap();
        one.add(1, "a").unwrap();
        assert_eq!(kept(&path), [(1, 1, "a".to_owned()), (2, 1, "b\n\"é\"".to_owned())]);
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn damaged_lines_are_skipped_and_what_follows_is_kept() {
        let (_folder, path) = place();
        let (one, _) = HistoryFile::open(path.clone()).unwrap();
        one.add(1, "a").unwrap();
        OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"\xff\xfe\n{}\n[\"x\"]\n7\n[1,2,\"cut o")
            .unwrap();
        one.add(3, "c").unwrap();
        assert_eq!(kept(&path), [(1, 1, "a".to_owned()), (1, 3, "c".to_owned())]);
    }

    #[test]
    fn the_file_stays_small_and_keeps_the_newest() {
        let (_folder, path) = place();
        let (one, _) = HistoryFile::open(path.clone()).unwrap();
        let long = "x".repeat(CELL_BYTES);
        for line in 1..=100 {
            one.add(line, &long).unwrap();
            assert!(std::fs::metadata(&path).unwrap().len() <= BYTES);
        }
        one.add(101, &"x".repeat(CELL_BYTES + 1)).unwrap();
        let lines: Vec<usize> = kept(&path).into_iter().map(|(_, line, _)| line).collect();
        assert!(lines.len() > 10 && lines.last() == Some(&100), "{lines:?}");
        assert!(lines.is_sorted());
        assert_eq!(HistoryFile::open(path).unwrap().0.session(), 3, "shortening forgets no number");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_an_error_and_a_held_lock_no_wait_for_ever() {
        let (folder, path) = place();
        std::fs::write(folder.path().join("tracebook"), "a file").unwrap();
        assert!(HistoryFile::open(path.clone()).is_err());
        std::fs::remove_file(folder.path().join("tracebook")).unwrap();
        let (one, _) = HistoryFile::open(path.clone()).unwrap();
        let other = locked(&path).unwrap();
        assert_eq!(one.add(1, "a").unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(other);
        one.add(1, "a").unwrap();
    }

    #[test]
    fn kernels_side_by_side_lose_nothing() {
        let (_folder, path) = place();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (file, _) = HistoryFile::open(path.clone()).unwrap();
                    // A busy lock is an error; here nobody holds it for long.
                    (1..=50).for_each(|line| while file.add(line, "a").is_err() {});
                });
            }
        });
        assert_eq!(kept(&path).len(), 200);
    }
}
