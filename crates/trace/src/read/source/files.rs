//! Trace files of a path: the file itself, or those of a folder.

use crate::error::PathHint;
use crate::{Error, Result};
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// Returns `path` itself, or the trace files of a folder, by name. Copies that this library wrote next to their source are
/// skipped: they contain nothing more.
///
/// # Errors
/// If the path does not exist, is neither file nor folder, or the folder contains no trace file.
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

/// Returns the files of which `file` is a copy by its name, as [`crate::analysis`] names copies.
fn sources(file: &Path) -> impl Iterator<Item = PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let counted = name.contains("_with_counters.json").then(|| name.replacen("_with_counters.json", ".json", 1));
    let overlaid = name.strip_prefix("overlaid_").map(str::to_owned);
    counted.into_iter().chain(overlaid).map(|name| file.with_file_name(name))
}

/// Returns the name of a file or folder without the extensions of traces.
pub(crate) fn label_of(path: &Path) -> String {
    let whole = std::fs::canonicalize(path);
    let name = whole.as_deref().unwrap_or(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut stem = name.as_str();
    for extension in [".gz", ".json", ".trace", ".pt"] {
        stem = stem.strip_suffix(extension).unwrap_or(stem);
    }
    if stem.is_empty() { "trace".to_owned() } else { stem.to_owned() }
}

/// Returns the hint for a URL; `None` for a path.
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
    fn urls_are_refused_with_a_hint() {
        let message = |path: &str| trace_files(Path::new(path)).unwrap_err().to_string();
        assert!(message("https://host/a.json").contains("download it first (curl"), "{}", message("https://host/a"));
        assert!(message("s3://bucket/run").contains("aws s3 cp"));
        assert!(message("gs://bucket/run").contains("gcloud storage cp"));
        assert!(message("file:///no/where/a.json").ends_with("without file://: /no/where/a.json"));
    }

    #[test]
    fn labels_lose_the_extensions_of_traces() {
        assert_eq!(label_of(Path::new("/no/where/run1.pt.trace.json.gz")), "run1");
        assert_eq!(label_of(Path::new("/no/where/monday")), "monday");
    }
}
