//! Completion of paths.

use super::candidate::{Candidate, CandidateKind};
use super::expand;
use crate::cell::{Piece, Word, words};
use std::path::Path;

/// Upper bound on candidates.
const MAX_CANDIDATES: usize = 200;

/// The files that are offered; folders always are, since they may contain such files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Files whose ending is that of a trace.
    Traces,
    /// No file.
    Folders,
    /// Any file.
    All,
}

/// Returns the paths that start with `typed`, which includes its quote. Folders end in `/`; `~` and `${NAME}` are expanded
/// for the search and kept as typed.
pub(super) fn complete(typed: &str, wanted: Wanted) -> Vec<Candidate> {
    let quote = typed.chars().next().filter(|c| matches!(c, '"' | '\''));
    let closed = quote.map_or_else(|| typed.to_owned(), |quote| format!("{typed}{quote}"));
    let Ok(parsed) = words(&closed) else { return Vec::new() };
    let pieces: &[Piece] = parsed.first().map_or(&[], |word: &Word| &word.pieces);
    let Ok(path) = expand::path(pieces, &|name| std::env::var(name).ok()) else { return Vec::new() };
    let (folder, start) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, start)| (folder, start));
    let folder = match folder {
        "" if path.starts_with('/') => Path::new("/"),
        "" => Path::new("."),
        folder => Path::new(folder),
    };
    let bare = &typed[quote.map_or(0, char::len_utf8)..];
    // A lone `~` lacks only its `/`.
    if bare == "~" {
        return vec![Candidate { text: "~/".to_owned(), kind: CandidateKind::Path }];
    }
    let prefix = bare.rfind('/').map_or("", |slash| &bare[..=slash]);
    let mut names: Vec<(String, bool)> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_folder = entry.path().is_dir();
            let hidden = name.starts_with('.') && !start.starts_with('.');
            let fits = is_folder
                || match wanted {
                    Wanted::Traces => trace::read::is_trace_name(&name),
                    Wanted::Folders => false,
                    Wanted::All => true,
                };
            (name.starts_with(start) && !hidden && fits).then_some((name, is_folder))
        })
        .collect();
    names.sort();
    names.truncate(MAX_CANDIDATES);
    names
        .into_iter()
        .map(|(name, is_folder)| Candidate { text: spell(quote, prefix, &name, is_folder), kind: CandidateKind::Path })
        .collect()
}

/// Returns the whole word for `name` in the folder typed as `prefix`.
fn spell(quote: Option<char>, prefix: &str, name: &str, is_folder: bool) -> String {
    let slash = if is_folder { "/" } else { "" };
    let special = |c: char| c.is_whitespace() || "\"'\\{}$;".contains(c);
    if quote.is_none() && !name.contains(special) {
        return format!("{prefix}{name}{slash}");
    }
    if quote.is_none() && prefix.starts_with('~') {
        // A quoted `~` is not expanded.
        let name: String = name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect();
        return format!("{prefix}{name}{slash}");
    }
    let quote = quote.unwrap_or('"');
    let escaped = |c: char| (quote == '"' && "\"\\{$".contains(c)).then_some('\\');
    let name: String = name.chars().flat_map(|c| escaped(c).into_iter().chain([c])).collect();
    // The quote of a folder stays open, so that typing can go on.
    let close = if is_folder { String::new() } else { quote.to_string() };
    format!("{quote}{prefix}{name}{slash}{close}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn texts(typed: &str, wanted: Wanted) -> Vec<String> {
        complete(typed, wanted).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn folders_end_in_a_slash_and_blanks_are_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        std::fs::create_dir(folder.path().join("runs")).unwrap();
        std::fs::create_dir(folder.path().join("my runs")).unwrap();
        for name in ["a.json", "b.json.gz", "run 1.json", "notes.txt", ".hidden.json"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(
            texts(&format!("{root}/r"), Wanted::Traces),
            [format!("\"{root}/run 1.json\""), format!("{root}/runs/")]
        );
        assert_eq!(texts(&format!("\"{root}/run "), Wanted::Traces), [format!("\"{root}/run 1.json\"")]);
        assert_eq!(
            texts(&format!("'{root}/run"), Wanted::Traces),
            [format!("'{root}/run 1.json'"), format!("'{root}/runs/")]
        );
        assert_eq!(texts(&format!("{root}/my"), Wanted::Traces), [format!("\"{root}/my runs/")]);
        assert_eq!(texts(&format!("{root}/n"), Wanted::Traces), Vec::<String>::new());
        assert_eq!(texts(&format!("{root}/n"), Wanted::All), [format!("{root}/notes.txt")]);
        assert_eq!(texts(&format!("{root}/."), Wanted::Traces), [format!("{root}/.hidden.json")]);
        assert_eq!(texts("/no/such/folder/x", Wanted::Traces), Vec::<String>::new());
        assert_eq!(texts("~", Wanted::Traces), ["~/"]);
        assert_eq!(texts(&format!("{root}/r"), Wanted::Folders), [format!("{root}/runs/")]);
    }

    #[test]
    fn tilde_is_never_quoted() {
        assert_eq!(spell(None, "~/", "a b", false), "~/a\\ b");
        assert_eq!(spell(None, "x/", "a\"b", false), "\"x/a\\\"b\"");
    }
}
