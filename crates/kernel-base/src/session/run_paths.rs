//! The runs that a load names: paths, and patterns such as `runs/control-*`.

use std::cmp::Ordering;
use std::path::{Component, Path, PathBuf};
use trace_core::read::{Inputs, has_wildcard, is_name_match};

/// Replaces addresses with a wildcard by what matches in storage, by name, numbers by value. Nothing else changes.
///
/// # Errors
/// If an address is invalid, or storage refuses.
pub fn listed(inputs: &[PathBuf]) -> trace_core::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for path in inputs {
        let mut found = Inputs::matches(path)?;
        found.sort_by(|a, b| by_name(&a.to_string_lossy(), &b.to_string_lossy()));
        if found.is_empty() {
            found.push(path.clone());
        }
        paths.extend(found);
    }
    Ok(paths)
}

/// Returns the paths of the runs, in the order given; the matches of a pattern by name, numbers by value. In a pattern, `*` stands for
/// any text, `?` for a character, `[a-c]` for one of them, none of them for a `/`. A path that exists is no pattern; a pattern without
/// matches is a path that does not exist.
///
/// # Errors
/// A run that is named twice.
pub fn expand(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut runs: Vec<PathBuf> = Vec::new();
    for path in inputs {
        let mut found = if is_pattern(path) { matches(path) } else { Vec::new() };
        if found.is_empty() {
            found.push(path.clone());
        }
        for run in found {
            if runs.contains(&run) {
                return Err(format!("{} is named twice, and a run counts once", run.display()));
            }
            runs.push(run);
        }
    }
    Ok(runs)
}

/// Whether a path is a pattern: it has a `*`, `?` or `[`, and there is no such file.
fn is_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(has_wildcard) && path.symlink_metadata().is_err()
}

/// Returns the files of traces and the folders that match a pattern.
fn matches(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let text = match component {
            Component::Normal(name) => name.to_str().filter(|name| has_wildcard(name)),
            _ => None,
        };
        found = match text {
            None => found.into_iter().map(|path| path.join(component)).collect(),
            Some(text) => found.iter().flat_map(|folder| entries(folder, text)).collect(),
        };
    }
    found.retain(|path| path.is_dir() || path.is_file() && is_trace(path));
    found.sort_by(|a, b| by_name(&a.to_string_lossy(), &b.to_string_lossy()));
    found
}

fn is_trace(path: &Path) -> bool {
    path.to_str().is_some_and(trace_core::read::is_trace_name)
}

/// Returns the entries of a folder whose names match; hidden ones only if the pattern begins with a dot.
fn entries(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    names(folder)
        .filter(|name| (pattern.starts_with('.') || !name.starts_with('.')) && is_name_match(pattern, name))
        .map(|name| folder.join(name))
        .collect()
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok())
}

/// Compares names so that `run-9` comes before `run-10`.
fn by_name(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    loop {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (a_digits, b_digits) = (digits(a_rest), digits(b_rest));
        if a_digits > 0 && b_digits > 0 {
            let number = |text: &str, digits: usize| text[..digits].trim_start_matches('0').to_owned();
            let (x, y) = (number(a_rest, a_digits), number(b_rest, b_digits));
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(&y));
            if order != Ordering::Equal {
                return order;
            }
            (a_rest, b_rest) = (&a_rest[a_digits..], &b_rest[b_digits..]);
            continue;
        }
        let (mut a_chars, mut b_chars) = (a_rest.chars(), b_rest.chars());
        match (a_chars.next(), b_chars.next()) {
            (Some(x), Some(y)) if x == y => (a_rest, b_rest) = (a_chars.as_str(), b_chars.as_str()),
            (None, None) => return a.cmp(b),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// Returns what the names of runs have in common at the start, without a number at its end: `control` of `control-1`, `control-2`.
pub fn common_name(runs: &[PathBuf]) -> Option<PathBuf> {
    let names = || runs.iter().map(|run| run.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
    let first = names().next()?;
    let mut common: &str = &first;
    for name in names() {
        let same = common.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        common = &common[..same.map(|((at, c), _)| at + c.len_utf8()).last().unwrap_or(0)];
    }
    let is_whole = names().all(|name| name == common);
    let common = if is_whole { common } else { common.trim_end_matches(|c: char| !c.is_alphabetic()) };
    (!common.is_empty()).then(|| PathBuf::from(common))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_in_order_of_their_numbers() {
        let mut names = ["run-10", "run-9", "a", "run-010", "run", "run-9b", "1", "02"];
        names.sort_by(|a, b| by_name(a, b));
        assert_eq!(names, ["1", "02", "a", "run", "run-9", "run-9b", "run-010", "run-10"]);
    }

    #[test]
    fn runs_of_a_pattern_are_files_and_folders() {
        let root = tempfile::tempdir().unwrap();
        for name in ["control-10", "control-9", "test-1", ".control-0"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        for name in ["control-2.json.gz", "control-3.txt", "a[1].json"] {
            std::fs::write(root.path().join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Result<Vec<String>, String> {
            let runs = expand(&[root.path().join(pattern)])?;
            Ok(runs.iter().map(|run| run.file_name().unwrap().to_str().unwrap().to_owned()).collect())
        };
        assert_eq!(names("control-*").unwrap(), ["control-2.json.gz", "control-9", "control-10"]);
        assert_eq!(names("*-1").unwrap(), ["test-1"]);
        assert_eq!(names("a[1].json").unwrap(), ["a[1].json"], "a file of that name");
        assert_eq!(names("no-such").unwrap(), ["no-such"], "the load says that it is missing");
        assert_eq!(names("run-*").unwrap(), ["run-*"], "likewise");
        let twice = expand(&[root.path().join("control-*"), root.path().join("control-9")]).unwrap_err();
        assert!(twice.contains("control-9 is named twice"), "{twice}");
    }

    #[test]
    fn pattern_may_be_in_the_middle_of_a_path() {
        let root = tempfile::tempdir().unwrap();
        for run in ["b", "a"] {
            std::fs::create_dir(root.path().join(run)).unwrap();
            std::fs::write(root.path().join(run).join("trace.json"), "").unwrap();
        }
        std::fs::create_dir(root.path().join("c")).unwrap();
        let runs = expand(&[root.path().join("*/trace.json")]).unwrap();
        assert_eq!(runs, [root.path().join("a/trace.json"), root.path().join("b/trace.json")]);
    }

    #[test]
    fn common_name_has_no_number() {
        let common = |runs: &[&str]| {
            let runs: Vec<PathBuf> = runs.iter().map(PathBuf::from).collect();
            common_name(&runs).map(|name| name.to_str().unwrap().to_owned())
        };
        assert_eq!(common(&["r/control-10", "r/control-11"]).as_deref(), Some("control"));
        assert_eq!(common(&["a/trace.json", "b/trace.json"]).as_deref(), Some("trace.json"));
        assert_eq!(common(&["x", "y"]), None);
        assert_eq!(common(&["1-a", "2-a"]), None);
        assert_eq!(common(&[]), None);
    }
}
