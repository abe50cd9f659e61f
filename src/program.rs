//! The shell command that starts this program, for messages.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Returns `tracebook` if a shell finds this program under that name, else its absolute path: the program of an inactive
/// environment is not on the search path.
pub(crate) fn command() -> &'static str {
    static COMMAND: OnceLock<String> = OnceLock::new();
    COMMAND.get_or_init(|| {
        let Ok(own) = std::env::current_exe().and_then(std::fs::canonicalize) else { return "tracebook".to_owned() };
        let path = std::env::var_os("PATH").unwrap_or_default();
        spelled(std::env::split_paths(&path).map(|folder| folder.join("tracebook")), &own)
    })
}

/// Returns the short name if the first program among `found` is this one.
fn spelled(found: impl Iterator<Item = PathBuf>, own: &std::path::Path) -> String {
    let first = found.filter_map(|file| std::fs::canonicalize(file).ok()).find(|file| file.is_file());
    if first.is_some_and(|first| first == own) { "tracebook".to_owned() } else { shell_word(own.as_os_str()) }
}

/// Quotes a path for a shell.
pub(crate) fn shell_word(path: &OsStr) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn short_name_is_used_only_if_it_is_this_program() {
        let place = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| {
            let file = place.path().join(name).join("tracebook");
            std::fs::create_dir(file.parent().unwrap()).unwrap();
            std::fs::write(&file, name).unwrap();
            std::fs::canonicalize(file).unwrap()
        });
        let gone = place.path().join("gone");
        assert_eq!(spelled([gone.clone(), own.clone(), other.clone()].into_iter(), &own), "tracebook");
        assert_eq!(spelled([gone, other, own.clone()].into_iter(), &own), shell_word(own.as_os_str()));
        assert_eq!(spelled(std::iter::empty(), &own), shell_word(own.as_os_str()));
    }

    #[test]
    fn path_with_special_characters_is_quoted() {
        assert_eq!(shell_word(OsStr::new("/opt/v-1.0/bin/tracebook")), "/opt/v-1.0/bin/tracebook");
        assert_eq!(shell_word(OsStr::new("/my env/it's")), r"'/my env/it'\''s'");
    }
}
