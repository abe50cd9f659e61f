//! History file: one JSON line per cell, in a file that only the user may read.
//!
//! A line is `[session, line, "code"]`; `[session]` alone marks the start of a session. Kernels that run concurrently append to
//! the same file, each line under a lock. Invalid lines are skipped.

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Upper bound on the file. A line that would exceed it replaces the older half.
const MAX_BYTES: u64 = 8 << 20;

/// Upper bound on a cell; longer ones are not written.
const MAX_CELL_BYTES: usize = 256 << 10;

/// Environment variable; `off` disables the file.
const VARIABLE: &str = "TRACEBOOK_HISTORY";

/// A cell of an earlier session.
pub(super) struct PastCell {
    pub(super) session: i64,
    pub(super) line: usize,
    pub(super) input: String,
}

/// An open history file.
pub(super) struct HistoryFile {
    path: PathBuf,
    /// Number of this session.
    session: i64,
}

/// Returns the path of the history file; `None` if it is disabled or there is no home folder.
pub fn path() -> Option<PathBuf> {
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return None;
    }
    Some(dirs::state_dir()?.join("tracebook").join("history.jsonl"))
}

impl HistoryFile {
    /// Opens the file for a new session, and returns the cells of earlier ones.
    ///
    /// # Errors
    /// If the file cannot be created, read, locked or written.
    pub(super) fn open(path: PathBuf) -> Result<(Self, Vec<PastCell>)> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = locked(&path)?;
        let (mut cells, mut last) = (Vec::new(), 0);
        for row in rows(&text(&file)?) {
            let Some(session) = row[0].as_i64() else { continue };
            last = last.max(session);
            let line = row[1].as_u64().and_then(|line| usize::try_from(line).ok());
            if let (Some(line), Some(input)) = (line, row[2].as_str()) {
                cells.push(PastCell { session, line, input: input.to_owned() });
            }
        }
        // Lines of concurrent sessions alternate in the file.
        cells.sort_by_key(|cell| (cell.session, cell.line));
        let session = last.saturating_add(1);
        append(&mut file, &path, &json!([session]))?;
        Ok((Self { path, session }, cells))
    }

    pub(super) fn session(&self) -> i64 {
        self.session
    }

    /// Adds a cell of this session.
    ///
    /// # Errors
    /// If the file cannot be locked or written.
    pub(super) fn add(&self, line: usize, input: &str) -> Result<()> {
        if input.len() > MAX_CELL_BYTES {
            return Ok(());
        }
        append(&mut locked(&self.path)?, &self.path, &json!([self.session, line, input]))
    }
}

/// Opens the file with an exclusive lock, which closing it releases.
fn locked(path: &Path) -> Result<File> {
    // A kernel holds the lock for milliseconds. The number of attempts is bounded, since its holder may be suspended.
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
            // Another kernel may have replaced the file before the lock was obtained.
            Ok(()) if std::fs::metadata(path).is_ok_and(|now| now.ino() == metadata.ino()) => return Ok(file),
            Ok(()) | Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(Error::new(ErrorKind::WouldBlock, "another program holds its lock"))
}

/// Reads the last `MAX_BYTES` of a file; another program may have made it larger.
fn text(file: &File) -> Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut text = vec![0; usize::try_from(length.min(MAX_BYTES)).unwrap_or_default()];
    file.read_exact_at(&mut text, length.saturating_sub(MAX_BYTES))?;
    Ok(text)
}

/// Parses the lines; invalid ones are left out.
fn rows(text: &[u8]) -> impl Iterator<Item = Value> {
    text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// Appends a line in one write.
fn append(file: &mut File, path: &Path, row: &Value) -> Result<()> {
    let mut line = row.to_string().into_bytes();
    line.push(b'\n');
    let length = file.metadata()?.len();
    if length + line.len() as u64 + 1 > MAX_BYTES {
        return shorten(file, path, &line);
    }
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    if last != [b'\n'] {
        // The last line was cut off, as by a full disk.
        line.insert(0, b'\n');
    }
    file.write_all(&line)
}

/// Replaces the file by its newer half and the line.
fn shorten(file: &File, path: &Path, line: &[u8]) -> Result<()> {
    let text = text(file)?;
    let half = &text[text.len() / 2..];
    let start = half.iter().position(|byte| *byte == b'\n').map_or(half.len(), |end| end + 1);
    let mut next = half[start..].to_vec();
    if next.last().is_some_and(|byte| *byte != b'\n') {
        next.push(b'\n');
    }
    next.extend_from_slice(line);
    // Tempfile creates it with mode 0600.
    let mut replacement = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(path))?;
    replacement.write_all(&next)?;
    replacement.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn history_path() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tracebook/history.jsonl");
        (folder, path)
    }

    fn cells(path: &Path) -> Vec<(i64, usize, String)> {
        let (_, cells) = HistoryFile::open(path.to_owned()).unwrap();
        cells.into_iter().map(|cell| (cell.session, cell.line, cell.input)).collect()
    }

    #[test]
    fn sessions_are_numbered_and_private() {
        let (_folder, path) = history_path();
        let (one, before) = HistoryFile::open(path.clone()).unwrap();
        assert!((one.session(), before.len()) == (1, 0));
        let (two, _) = HistoryFile::open(path.clone()).unwrap();
        two.add(1, "b\n\"é\"").unwrap();
        one.add(1, "a").unwrap();
        assert_eq!(cells(&path), [(1, 1, "a".to_owned()), (2, 1, "b\n\"é\"".to_owned())]);
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn invalid_lines_are_skipped() {
        let (_folder, path) = history_path();
        let (one, _) = HistoryFile::open(path.clone()).unwrap();
        one.add(1, "a").unwrap();
        OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"\xff\xfe\n{}\n[\"x\"]\n7\n[1,2,\"cut o")
            .unwrap();
        one.add(3, "c").unwrap();
        assert_eq!(cells(&path), [(1, 1, "a".to_owned()), (1, 3, "c".to_owned())]);
    }

    #[test]
    fn file_stays_small_and_keeps_the_newest_cells() {
        let (_folder, path) = history_path();
        let (one, _) = HistoryFile::open(path.clone()).unwrap();
        let long = "x".repeat(MAX_CELL_BYTES);
        for line in 1..=100 {
            one.add(line, &long).unwrap();
            assert!(std::fs::metadata(&path).unwrap().len() <= MAX_BYTES);
        }
        one.add(101, &"x".repeat(MAX_CELL_BYTES + 1)).unwrap();
        let lines: Vec<usize> = cells(&path).into_iter().map(|(_, line, _)| line).collect();
        assert!(lines.len() > 10 && lines.last() == Some(&100), "{lines:?}");
        assert!(lines.is_sorted());
        assert_eq!(HistoryFile::open(path).unwrap().0.session(), 3, "session numbers survive shortening");
    }

    #[test]
    fn unwritable_path_and_held_lock_are_errors() {
        let (folder, path) = history_path();
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
    fn concurrent_kernels_lose_no_cell() {
        let (_folder, path) = history_path();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (file, _) = HistoryFile::open(path.clone()).unwrap();
                    // A busy lock is an error; here it is held briefly.
                    (1..=50).for_each(|line| while file.add(line, "a").is_err() {});
                });
            }
        });
        assert_eq!(cells(&path).len(), 200);
    }
}
