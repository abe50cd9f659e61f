//! Review of `:dep` lines that name a crate which every cell already has.
//!
//! A name of the prelude means the crate in our dylib, whatever a manifest says, and values of another polars would not
//! fit traces and tables. So a line that asks for the version in the dylib is satisfied without a build, and one that asks for
//! another is refused with a hint.

use crate::Failure;

/// The lock file of this build, with the versions in the dylib.
const LOCK: &str = include_str!("../../../../../Cargo.lock");

/// The crates that every cell has in scope.
const PRELUDE: &[&str] = &["plotly", "polars", "polars-io", "serde_json", "tokio"];

/// Our own crates, of which there is no other version.
const OWN: &[&str] = &["cells", "trace", "trace-view"];

/// A cell whose `:dep` lines were reviewed.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::engine) struct Reviewed {
    /// The cell without the satisfied lines; everything else keeps its line number.
    pub(in crate::engine) code: String,
    /// A note on each satisfied line.
    pub(in crate::engine) notes: Vec<String>,
}

/// Reviews the `:dep` lines of a cell; returns `None` if none is satisfied.
///
/// # Errors
/// If a line asks for another version of a crate of the prelude.
pub(in crate::engine) fn review(code: &str) -> Result<Option<Reviewed>, Failure> {
    let mut reviewed = Reviewed { code: String::with_capacity(code.len()), notes: Vec::new() };
    for line in code.split_inclusive('\n') {
        match parse_line(line).map(|(name, wanted)| check(name, wanted)) {
            Some(Ok(Some(note))) => {
                reviewed.notes.push(note);
                reviewed.code.extend(line.chars().filter(|c| *c == '\n'));
            }
            Some(Err(message)) => return Err(Failure::new("DependencyError", message)),
            _ => reviewed.code.push_str(line),
        }
    }
    Ok((!reviewed.notes.is_empty()).then_some(reviewed))
}

/// Parses `:dep NAME = WANTED`.
fn parse_line(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim().strip_prefix(":dep")?.strip_prefix(' ')?;
    let (name, wanted) = rest.split_once('=').unwrap_or((rest, ""));
    Some((name.trim(), wanted.trim()))
}

/// Returns the note on a satisfied line; `None` if the line is not about the prelude.
fn check(name: &str, wanted: &str) -> Result<Option<String>, String> {
    let same = |known: &&&str| known.replace('-', "_") == name.replace('-', "_");
    let is_renamed = wanted.contains("package");
    if OWN.iter().find(same).is_some() {
        return Err(format!(
            "cannot add `{name}`: every cell has this crate; give yours another name: {}",
            renamed(name)
        ));
    }
    let Some(known) = PRELUDE.iter().find(same) else { return Ok(None) };
    let have = version_of(known).unwrap_or("?");
    let version = version_in(wanted);
    if is_renamed
        || wanted.contains("path")
        || wanted.contains("git")
        || !version.is_none_or(|version| fits(version, have))
    {
        return Err(format!(
            "cannot add `:dep {name}{}{wanted}`: in cells `{name}` is {known} {have}, and values of another version do not fit traces \
             and tables; leave the line out, or give the other version a name of its own: {}",
            if wanted.is_empty() { "" } else { " = " },
            renamed(name)
        ));
    }
    let features = if wanted.contains("features") { "; its features cannot be changed" } else { "" };
    Ok(Some(format!("every cell has {known} {have}: nothing to build{features}")))
}

fn renamed(name: &str) -> String {
    format!(":dep other_{} = {{ package = \"{name}\", version = \"…\" }}", name.replace('-', "_"))
}

/// Returns the version requirement in the value of a dependency, if it has one.
fn version_in(wanted: &str) -> Option<&str> {
    let from = if wanted.starts_with('"') { wanted } else { &wanted[wanted.find("version")?..] };
    from.split('"').nth(1)
}

/// Whether a version meets a requirement. Requirements of several parts (`>=1, <3`) count as not met.
fn fits(wanted: &str, have: &str) -> bool {
    let wanted = wanted.trim();
    if wanted == "*" {
        return true;
    }
    let exact = wanted.starts_with('=');
    let numbers = |text: &str| text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>();
    let wanted = wanted.trim_start_matches(['=', '^', '~']).trim();
    let (Some(wanted), Some(have)) = (numbers(wanted), numbers(have)) else { return false };
    if exact {
        return have.starts_with(&wanted);
    }
    // Cargo's rule: equal up to the first number that is not 0, and not smaller as a whole.
    let fixed = wanted.iter().position(|number| *number != 0).unwrap_or(wanted.len().saturating_sub(1)) + 1;
    have.get(..fixed.min(wanted.len())) == wanted.get(..fixed.min(wanted.len())) && have >= wanted
}

/// Returns the version of a crate in our lock file.
pub(super) fn version_of(name: &str) -> Option<&'static str> {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let start = LOCK.find(&entry)? + entry.len();
    LOCK[start..].split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(code: &str) -> Vec<String> {
        review(code).unwrap().map_or_else(Vec::new, |reviewed| reviewed.notes)
    }

    fn error(code: &str) -> String {
        review(code).unwrap_err().evalue
    }

    #[test]
    fn other_crates_are_left_to_cargo() {
        for code in [
            ":dep regex = \"1\"\nlet polars = 1;",
            ":dep ./mine",
            "a::dep(polars)",
            ":dep my_polars = { package = \"polars\", version = \"0.44\" }",
        ] {
            assert_eq!(review(code).unwrap(), None, "{code}");
        }
    }

    #[test]
    fn satisfied_lines_are_not_built() {
        let reviewed = review(":dep itoa = \"1\"\n:dep polars = \"0.55\"\nlet a = 1;").unwrap().unwrap();
        assert_eq!(reviewed.code, ":dep itoa = \"1\"\n\nlet a = 1;");
        assert!(
            reviewed.notes[0].starts_with("every cell has polars 0.55.")
                && reviewed.notes[0].contains("nothing to build")
        );
        for code in [
            ":dep polars",
            ":dep serde_json = \"1\"",
            ":dep polars_io = \"*\"",
            ":dep tokio = { version = \"1.34\", features = [\"full\"] }",
        ] {
            assert_eq!(notes(code).len(), 1, "{code}");
        }
        assert!(notes(":dep tokio = { version = \"1\", features = [\"full\"] }")[0].contains("features"));
    }

    #[test]
    fn other_versions_are_refused_with_hint() {
        let message = error(":dep polars = \"0.44\"");
        assert!(message.contains("polars 0.55") && message.contains("package = \"polars\""), "{message}");
        assert!(error(":dep plotly = { path = \"../plotly\" }").contains(":dep other_plotly"));
        assert!(error(":dep trace = \"0.1\"").contains("another name"));
    }

    #[test]
    fn requirements_follow_cargos_rule() {
        for (wanted, have, fit) in [
            ("1", "1.54.1", true),
            ("1.55", "1.54.1", false),
            ("0.55", "0.55.2", true),
            ("0.55.3", "0.55.2", false),
            ("0.54", "0.55.2", false),
            ("^1.2", "1.3.0", true),
            ("=1.2", "1.3.0", false),
            ("=1.3.0", "1.3.0", true),
            (">=1, <3", "1.3.0", false),
            ("2", "1.3.0", false),
        ] {
            assert_eq!(fits(wanted, have), fit, "{wanted} of {have}");
        }
    }
}
