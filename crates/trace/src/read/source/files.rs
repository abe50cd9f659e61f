//! Folder → trace files, and the rank that a file's text names.

use crate::error::PathHint;
use crate::{Error, Result};
use regex::bytes::Regex;
use std::fs::FileType;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The trace files that `path` stands for: itself, or those of a folder, by name. Copies that this library wrote beside
/// their source hold nothing more, and are passed over.
///
/// # Errors
/// If there is nothing, or the folder holds no trace file.
pub(crate) fn trace_files(path: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| Error::Io { path: path.to_owned(), error };
    let kind = match std::fs::metadata(path) {
        Ok(kind) => kind,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let hint = address(path).map_or_else(|| nearest(path), PathHint::Address);
            return Err(Error::NoSuchPath { path: path.to_owned(), hint });
        }
        Err(error) => return Err(failed(error)),
    };
    if !kind.is_dir() {
        if !kind.is_file() && !is_open_already(path) {
            let expected = "a file or a folder, or a pipe of the shell such as <(zcat FILE)";
            return Err(Error::NotAFile { path: path.to_owned(), kind: kind_of(kind.file_type()), expected });
        }
        return Ok(vec![path.to_owned()]);
    }
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if (name.ends_with(".json") || name.ends_with(".gz")) && file.is_file() {
            files.push(file);
        } else if !name.starts_with('.') && file.is_dir() {
            folders.push(name.into_owned());
        }
    }
    files.sort();
    folders.sort();
    let copies: Vec<PathBuf> =
        files.iter().filter(|file| sources(file).any(|from| files.contains(&from))).cloned().collect();
    files.retain(|file| !copies.contains(file));
    if files.is_empty() {
        return Err(Error::NoTraceFiles { path: path.to_owned(), folders });
    }
    Ok(files)
}

/// Whether a path names a file that whoever started the program has opened: `<(zcat FILE)` of a shell is `/dev/fd/63`.
fn is_open_already(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdin", "/proc/self/fd"].iter().any(|open| path.starts_with(open))
}

/// What a path is that is neither a file nor a folder.
fn kind_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a named pipe, which blocks until a program writes to it";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    let _ = kind;
    "a device"
}

/// Of what a file would be a copy, going by the names that [`crate::analysis`] gives to copies.
fn sources(file: &Path) -> impl Iterator<Item = PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let counted = name.contains("_with_counters.json").then(|| name.replacen("_with_counters.json", ".json", 1));
    let overlaid = name.strip_prefix("overlaid_").map(str::to_owned);
    counted.into_iter().chain(overlaid).map(|name| file.with_file_name(name))
}

/// The name of a file or folder without what says that it is a trace.
pub(crate) fn label_of(path: &Path) -> String {
    let whole = std::fs::canonicalize(path);
    let name = whole.as_deref().unwrap_or(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut stem = name.as_str();
    for ending in [".gz", ".json", ".trace", ".pt"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    if stem.is_empty() { "trace".to_owned() } else { stem.to_owned() }
}

/// What to do about the address of a file elsewhere; `None` for a path.
fn address(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let (scheme, rest) = text.split_once("://").or_else(|| text.split_once(":/"))?;
    Some(match scheme.to_ascii_lowercase().as_str() {
        "file" => {
            let rest = rest.strip_prefix("localhost").unwrap_or(rest);
            format!("write the path without file://: /{}", rest.trim_start_matches('/'))
        }
        "http" | "https" | "ftp" => "nothing is read over the network: download it first (curl -LO URL)".to_owned(),
        "s3" => "nothing is read over the network: copy it first (aws s3 cp --recursive URL .)".to_owned(),
        "gs" => "nothing is read over the network: copy it first (gcloud storage cp -r URL .)".to_owned(),
        "hdfs" => "nothing is read over the network: copy it first (hdfs dfs -get URL)".to_owned(),
        _ => return None,
    })
}

/// Returns how far a missing path exists, and what is there.
fn nearest(path: &Path) -> PathHint {
    let looked_in = if path.is_relative() { std::env::current_dir().ok() } else { None };
    let folder = path.ancestors().skip(1).find(|parent| parent.is_dir() && !parent.as_os_str().is_empty());
    let holds = folder.or(looked_in.as_deref()).map(names_in).unwrap_or_default();
    PathHint::Nearest { folder: folder.map(Path::to_owned), looked_in, holds }
}

/// Returns the names in a folder, without hidden ones, sorted.
fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// Passes bytes on and looks for `"rank": N` in them, as HTA does: with white space after the colon, on one line.
pub(crate) struct RankText<R> {
    inner: R,
    /// The number, and where its digits end.
    found: Option<(i64, u64)>,
    /// Bytes that went by.
    before: u64,
    /// The end of what went by, in case a match began there.
    tail: Vec<u8>,
}

/// A match is no longer than this.
const LONGEST: usize = 64;

static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""rank":[ \t]{1,32}([0-9]{1,20})"#).ok());

impl<R> RankText<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, found: None, before: 0, tail: Vec::new() }
    }

    /// The text goes on at another place.
    pub(crate) fn go_on_at(&mut self, place: u64) {
        self.before = place;
        self.tail.clear();
    }

    /// Text that went another way than through this reader.
    pub(crate) fn passed(&mut self, bytes: &[u8]) {
        if self.found.is_none() {
            self.look(bytes);
        }
        self.before += bytes.len() as u64;
    }

    /// The number in the first match, if it lies before this place: what was read ahead does not count.
    pub(crate) fn found(&self, end: u64) -> Option<i64> {
        self.found.filter(|&(_, behind)| behind < end).map(|(rank, _)| rank)
    }

    fn look(&mut self, bytes: &[u8]) {
        let head = &bytes[..bytes.len().min(LONGEST)];
        let start = self.before - self.tail.len() as u64;
        self.tail.extend_from_slice(head);
        let across = rank(&self.tail).map(|(rank, end)| (rank, start + end));
        self.found = across.or_else(|| rank(bytes).map(|(rank, end)| (rank, self.before + end)));
        if bytes.len() > LONGEST {
            self.tail.clear();
            self.tail.extend_from_slice(&bytes[bytes.len() - LONGEST..]);
        } else {
            let surplus = self.tail.len().saturating_sub(LONGEST);
            self.tail.drain(..surplus);
        }
    }
}

impl<R: Read> Read for RankText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.passed(&buffer[..read]);
        Ok(read)
    }
}

/// The number in the first match that surely ends before the bytes do, and where it ends.
fn rank(bytes: &[u8]) -> Option<(i64, u64)> {
    PATTERN.as_ref()?.captures_iter(bytes).filter_map(|captures| captures.get(1)).find_map(|digits| {
        let whole = digits.end() < bytes.len();
        let number = std::str::from_utf8(digits.as_bytes()).ok()?.parse().ok()?;
        whole.then_some((number, digits.end() as u64))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_rank_is_found_however_the_text_is_cut() {
        let text = br#"{"x": "rank", "rank":1, "distributedInfo": {"backend": "nccl", "rank":  37, "rank": 5}}"#;
        for step in 1..text.len() {
            let mut reader = RankText::new(&text[..]);
            let mut piece = vec![0; step];
            while reader.read(&mut piece).unwrap() > 0 {}
            assert_eq!(reader.found(text.len() as u64), Some(37), "{step}");
            assert_eq!(reader.found(30), None, "{step}");
        }
    }

    #[test]
    fn without_white_space_it_is_no_match() {
        let mut reader = RankText::new(
            &br#"{"rank":3, "rank":
            4}"#[..],
        );
        std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
        assert_eq!(reader.found(u64::MAX), None);
    }

    #[test]
    fn copies_beside_their_source_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["a.json.gz", "a_with_counters.json.gz", "overlaid_a.json.gz", "b_with_counters.json", "overlaid_c.json"]
        {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let files = trace_files(folder.path()).unwrap();
        let names: Vec<_> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        assert_eq!(names, ["a.json.gz", "b_with_counters.json", "overlaid_c.json"]);
    }

    #[test]
    fn addresses_are_refused_with_what_to_do() {
        let message = |path: &str| trace_files(Path::new(path)).unwrap_err().to_string();
        assert!(message("https://host/a.json").contains("download it first (curl"), "{}", message("https://host/a"));
        assert!(message("s3://bucket/run").contains("aws s3 cp"));
        assert!(message("gs://bucket/run").contains("gcloud storage cp"));
        assert!(message("file:///no/where/a.json").ends_with("without file://: /no/where/a.json"));
    }

    #[test]
    fn labels_lose_what_says_trace() {
        assert_eq!(label_of(Path::new("/no/where/run1.pt.trace.json.gz")), "run1");
        assert_eq!(label_of(Path::new("/no/where/monday")), "monday");
    }
}
