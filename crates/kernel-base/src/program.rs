//! Shell command that starts this program.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Returns `tracebook` if a shell finds this program under that name, else its full path, as in a Python environment that is not
/// activated.
pub fn command() -> &'static str {
    static COMMAND: OnceLock<String> = OnceLock::new();
    COMMAND.get_or_init(|| {
        let Ok(own) = std::env::current_exe().and_then(std::fs::canonicalize) else { return "tracebook".to_owned() };
        let path = std::env::var_os("PATH").unwrap_or_default();
        spelled(std::env::split_paths(&path).map(|folder| folder.join("tracebook")), &own)
    })
}

/// Returns the short name if the first existing file among `found` is this program.
fn spelled(found: impl Iterator<Item = PathBuf>, own: &std::path::Path) -> String {
    let first = found.filter_map(|file| std::fs::canonicalize(file).ok()).find(|file| file.is_file());
    if first.is_some_and(|first| first == own) { "tracebook".to_owned() } else { shell_word(own.as_os_str()) }
}

/// Quotes a path for a shell, if necessary.
pub fn shell_word(path: &OsStr) -> String {
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
        let folder = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| {
            let file = folder.path().join(name).join("tracebook");
            std::fs::create_dir(file.parent().unwrap()).unwrap();
            std::fs::write(&file, name).unwrap();
            std::fs::canonicalize(file).unwrap()
        });
        let missing = folder.path().join("gone");
        assert_eq!(spelled([missing.clone(), own.clone(), other.clone()].into_iter(), &own), "tracebook");
        assert_eq!(spelled([missing, other, own.clone()].into_iter(), &own), shell_word(own.as_os_str()));
        assert_eq!(spelled(std::iter::empty(), &own), shell_word(own.as_os_str()));
    }

    #[test]
    fn path_is_quoted_if_a_shell_would_split_it() {
        assert_eq!(shell_word(OsStr::new("/opt/v-1.0/bin/tracebook")), "/opt/v-1.0/bin/tracebook");
        assert_eq!(shell_word(OsStr::new("/my env/it's")), r"'/my env/it'\''s'");
    }
}
