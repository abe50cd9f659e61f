//! Trace files of a path: the file itself, those of a folder, or those of an archive.

use super::archive::{entries, is_archive};
use super::names::is_rank_name;
use crate::domain::archive_of;
use crate::error::PathHint;
use crate::{Error, Result};
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// Returns `path` itself, or the trace files of a folder or of a zip archive, by name. Copies that this library wrote next to
/// their source are skipped: they contain nothing more.
///
/// # Errors
/// If the path does not exist, is neither file nor folder, or the folder or archive contains no trace file.
pub fn trace_files(path: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| Error::Io { path: path.to_owned(), error };
    if let Some((archive, inside)) = archive_of(path)
        && is_archive(archive)
    {
        return Ok(without_copies(entries(archive, inside)?));
    }
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
        if kind.is_file() && is_archive(path) {
            return Ok(without_copies(entries(path, Path::new(""))?));
        }
        return Ok(vec![path.to_owned()]);
    }
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if is_rank_name(&name) && file.is_file() {
            files.push(file);
        } else if !name.starts_with('.') && file.is_dir() {
            folders.push(name.into_owned());
        }
    }
    folders.sort();
    let files = without_copies(files);
    if files.is_empty() {
        return Err(Error::NoTraceFiles { path: path.to_owned(), folders });
    }
    Ok(files)
}

/// Returns the names of trace files among the names in a folder, sorted, by the rules of [`trace_files`].
#[cfg(feature = "cloud")]
pub(in crate::read) fn trace_names(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| is_rank_name(name));
    let files = without_copies(names.into_iter().map(PathBuf::from).collect());
    files.into_iter().filter_map(|file| file.into_os_string().into_string().ok()).collect()
}

/// Returns the files of a folder sorted, without copies whose source is there, too.
fn without_copies(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.sort();
    let is_there = |file: &PathBuf| files.binary_search(file).is_ok();
    let copies: Vec<PathBuf> = files.iter().filter(|file| sources(file).any(|from| is_there(&from))).cloned().collect();
    files.retain(|file| copies.binary_search(file).is_err());
    files
}

/// Whether a path names a file that the parent process has opened: `<(zcat FILE)` of a shell is `/dev/fd/63`.
fn is_open_already(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdin", "/proc/self/fd"].iter().any(|open| path.starts_with(open))
}

/// Returns the kind of a path that is neither a file nor a folder, with an article.
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

/// Returns the files of which `file` is a copy by its name, as the crate `trace` names copies.
fn sources(file: &Path) -> impl Iterator<Item = PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let counted = name.contains("_with_counters.json").then(|| name.replacen("_with_counters.json", ".json", 1));
    let overlaid = name.strip_prefix("overlaid_").map(str::to_owned);
    counted.into_iter().chain(overlaid).map(|name| file.with_file_name(name))
}

/// Returns the name of a file or folder without the extensions of traces.
pub fn label_of(path: &Path) -> String {
    let whole = std::fs::canonicalize(path);
    let name = whole.as_deref().unwrap_or(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut stem = name.as_str();
    for extension in [".zip", ".gz", ".zst", ".json", ".pftrace", ".perfetto-trace", ".trace", ".pt"] {
        stem = stem.strip_suffix(extension).unwrap_or(stem);
    }
    if stem.is_empty() { "trace".to_owned() } else { stem.to_owned() }
}

/// Returns the hint for an address that lacks a slash, such as `s3:/bucket/run`; `None` for a path.
fn address(path: &Path) -> Option<String> {
    let (scheme, rest) = path.to_str()?.split_once(":/")?;
    let is_known = ["s3", "gs", "az", "http", "https", "file"].contains(&scheme.to_ascii_lowercase().as_str());
    let slashes = if scheme.eq_ignore_ascii_case("file") { ":///" } else { "://" };
    is_known.then(|| format!("did you mean {scheme}{slashes}{rest}?"))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn copies_next_to_their_source_are_skipped() {
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
    fn address_without_a_slash_is_recognised() {
        let message = |path: &str| trace_files(Path::new(path)).unwrap_err().to_string();
        assert!(message("s3:/bucket/run").ends_with("did you mean s3://bucket/run?"), "{}", message("s3:/bucket/run"));
        assert!(message("file:/no/where/a.json").ends_with("did you mean file:///no/where/a.json?"));
    }

    #[test]
    fn labels_lose_the_extensions_of_traces() {
        assert_eq!(label_of(Path::new("/no/where/run1.pt.trace.json.gz")), "run1");
        assert_eq!(label_of(Path::new("/no/where/monday")), "monday");
    }
}
