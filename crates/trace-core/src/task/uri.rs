//! URIs of traces, and the paths of those that lead to files of this machine.

use crate::Result;
use std::path::{Path, PathBuf};
use trace_read::read::Location;

/// Whether a text names a place by a scheme: `file:///runs/7`, `s3://bucket/run7`.
pub fn is_uri(text: &str) -> bool {
    text.trim_start().split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Returns the path of a `file://` URI, with `%20` and the like decoded; of a text without a scheme the text itself, and of an
/// address in storage the address.
///
/// # Errors
/// [`Error::Storage`](crate::Error::Storage) for another scheme, another host, or a relative path.
///
/// # Example
/// ```
/// let path = trace_core::task::path_of("file:///runs/day%201/rank0.json")?;
/// assert_eq!(path, std::path::Path::new("/runs/day 1/rank0.json"));
/// # Ok::<(), trace_core::Error>(())
/// ```
pub fn path_of(uri: &str) -> Result<PathBuf> {
    Ok(match Location::of(Path::new(uri))? {
        Location::Local(path) => path,
        Location::Remote(uri) => uri.path(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn file_uris_are_paths() {
        for (uri, path) in [
            ("file:///a/b", "/a/b"),
            ("file://localhost/a", "/a"),
            ("/a/100%", "/a/100%"),
            ("file:///a/100%", "/a/100%"),
            ("file:///gr%C3%B6%C3%9Fe", "/größe"),
            ("runs/a", "runs/a"),
        ] {
            assert_eq!(path_of(uri).unwrap(), Path::new(path), "{uri}");
        }
        assert_eq!(path_of("s3://b/k").unwrap(), Path::new("s3://b/k"));
        for (uri, message) in
            [("x3://b/k", "expected file, s3"), ("file://host/a", "absolute"), ("file:///a%00", "control")]
        {
            assert!(path_of(uri).unwrap_err().to_string().contains(message), "{uri}");
        }
        assert!(
            is_uri("s3://bucket/run")
                && is_uri(" s3://bucket")
                && !is_uri("C:/a")
                && !is_uri("/a://b")
                && !is_uri("a b://c")
        );
    }
}
