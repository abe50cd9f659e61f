//! Placeholders for the types of variables, which the compiler names while it compiles a cell.
//!
//! evcxr writes the type of every variable, and only the compiler knows it. With a placeholder for each unknown type, a cell needs
//! no analysis: [`TypeNames::fill_source`] replaces a placeholder of unknown type by `_`, and the compiler names the type in a lint
//! about a statement that we wrote behind the `let`. Later cells get the type itself.
//!
//! ```text
//! let a = f(); let a: TracebookType3 = a; ::core::mem::drop::<&_>(&a);   // as evcxr compiles it
//! let a = f(); let a: _              = a; ::core::mem::drop::<&_>(&a);   // as rustc compiles it: "argument has type `&Vec<u8>`"
//! ```

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The start of a placeholder; a number follows.
const PLACEHOLDER: &str = "TracebookType";

/// The text in front of a variable whose type the lint is to name.
const LINTED: &str = "::core::mem::drop::<&_>(&";

/// The flags with which the compiler names types: with whole paths, so that they can be written whatever the user imported. They
/// are unstable, and give a cell no unstable feature.
pub(in crate::engine) const FLAGS: &[&str] = &[
    "--force-warn=dropping_references",
    "-Ztrim-diagnostic-paths=no",
    "--diagnostic-width=100000",
    "-Zallow-features=",
];

/// Returns the statement that binds a variable again, with a placeholder for its type.
pub(in crate::engine) fn binding(name: &str, mutable: bool, number: usize) -> String {
    let mutable = if mutable { "mut " } else { "" };
    format!(" let {mutable}{name}: {PLACEHOLDER}{number} = {name}; {LINTED}{name});")
}

/// The types of placeholders, stored in a file of the run's folder.
#[derive(Debug, Default)]
pub(in crate::engine) struct TypeNames {
    file: PathBuf,
    types: BTreeMap<String, String>,
}

impl TypeNames {
    /// Loads the types that are known.
    pub(in crate::engine) fn load(run_folder: &Path) -> Self {
        let file = run_folder.join("named-types.json");
        let bytes = std::fs::read(&file).unwrap_or_default();
        Self { types: serde_json::from_slice(&bytes).unwrap_or_default(), file }
    }

    /// Stores the types that the compiler named, `types` by variable, for the placeholders of a cell.
    ///
    /// # Errors
    /// The name of a variable whose type is unknown or cannot be written.
    pub(in crate::engine) fn add(
        &mut self,
        placeholders: &[Placeholder],
        types: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        for Placeholder { variable, text } in placeholders {
            match types.get(variable).filter(|type_name| can_be_written(type_name)) {
                Some(type_name) => self.types.insert(text.clone(), type_name.clone()),
                None => return Err(variable.clone()),
            };
        }
        std::fs::write(&self.file, serde_json::to_vec(&self.types).unwrap_or_default())
            .map_err(|error| error.to_string())
    }

    /// Replaces the placeholders of known types in a text.
    pub(in crate::engine) fn fill(&self, text: &str) -> String {
        replace(text, |placeholder| self.types.get(placeholder).cloned())
    }

    /// Replaces all placeholders in evcxr's source: those of unknown types by `_`, padded to the same length. Returns the source and
    /// the unknown ones.
    pub(super) fn fill_source(&self, source: &str) -> (String, Vec<Placeholder>) {
        let mut unknown = Vec::new();
        let filled = replace(source, |placeholder| {
            let known = self.types.get(placeholder).cloned();
            known.or_else(|| {
                unknown.push(placeholder.to_owned());
                Some(format!("{:width$}", "_", width = placeholder.len()))
            })
        });
        let placeholders = unknown.into_iter().filter_map(|text| {
            let variable = source.split(&format!(": {text} = ")).nth(1)?.split(';').next()?.to_owned();
            Some(Placeholder { variable, text })
        });
        let mut placeholders: Vec<Placeholder> = placeholders.collect();
        placeholders.sort();
        placeholders.dedup();
        (filled, placeholders)
    }
}

/// A placeholder of unknown type, and the variable that a cell binds with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) struct Placeholder {
    variable: String,
    text: String,
}

fn replace(text: &str, mut by: impl FnMut(&str) -> Option<String>) -> String {
    let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(PLACEHOLDER) {
        let digits = rest[at + PLACEHOLDER.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + PLACEHOLDER.len() + digits;
        filled.push_str(&rest[..at]);
        filled.push_str(&by(&rest[at..end]).unwrap_or_else(|| rest[at..end].to_owned()));
        rest = &rest[end..];
    }
    filled + rest
}

/// Whether a type can be written: closures, functions and hidden types have no name.
pub(super) fn can_be_written(type_name: &str) -> bool {
    !["{", "impl ", "_", "'"].iter().any(|part| match *part {
        "_" => type_name.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_"),
        part => type_name.contains(part),
    })
}

/// Returns the variable and the type in a message of the lint, if it is about a statement of [`binding`].
pub(in crate::engine) fn named_type(line: &str) -> Option<(String, String)> {
    if !line.contains("\"dropping_references\"") {
        return None;
    }
    let message: Value = serde_json::from_str(line).ok()?;
    let label = |span: &'_ Value| {
        let label = span["label"].as_str()?;
        Some(label.strip_prefix("argument has type `&")?.strip_suffix('`')?.to_owned())
    };
    let (span, type_name) = message["spans"].as_array()?.iter().find_map(|span| Some((span, label(span)?)))?;
    let source = span["text"].as_array()?.first()?;
    let (from, to) = (source["highlight_start"].as_u64()?, source["highlight_end"].as_u64()?);
    let letters: Vec<char> = source["text"].as_str()?.chars().collect();
    let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?.checked_sub(1)?);
    let before: String = letters.get(..from)?.iter().collect();
    before.ends_with(LINTED).then(|| Some((letters.get(from..to)?.iter().collect(), type_name)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_type_is_inferred_and_then_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut types = TypeNames::load(folder.path());
        let source =
            format!("ä(); let mut a = f();{}\nput_variable::<TracebookType12>(\"a\", a);", binding("a", true, 12));
        let (filled, unknown) = types.fill_source(&source);
        assert_eq!(filled.chars().count(), source.chars().count());
        assert!(filled.contains("let mut a: _               = a; ::core::mem::drop::<&_>(&a);"), "{filled}");
        assert_eq!(unknown, [Placeholder { variable: "a".into(), text: "TracebookType12".into() }]);

        let found = |type_name: &str| BTreeMap::from([("a".to_owned(), type_name.to_owned())]);
        assert_eq!(types.add(&unknown, &found("{closure@src/lib.rs:1}")), Err("a".to_owned()));
        assert_eq!(types.add(&unknown, &BTreeMap::new()), Err("a".to_owned()));
        assert_eq!(types.add(&unknown, &found("std::vec::Vec<u8>")), Ok(()));
        let later = TypeNames::load(folder.path());
        let take = "let a = take_variable::<TracebookType12>(\"a\"); TracebookType1";
        let (filled, unknown) = later.fill_source(take);
        assert!(filled.starts_with("let a = take_variable::<std::vec::Vec<u8>>(\"a\"); _") && unknown.is_empty());
        assert_eq!(later.fill("a: TracebookType12, TracebookType1"), "a: std::vec::Vec<u8>, TracebookType1");
    }

    #[test]
    fn lint_message_names_variable_and_type() {
        let line = |before: &str| {
            let text = format!("größe(); {before}größe);");
            let start = text.chars().count() - "&größe);".chars().count() + 1;
            serde_json::json!({
                "code": {"code": "dropping_references"},
                "spans": [
                    {"label": null, "text": []},
                    {"label": "argument has type `&std::vec::Vec<i32>`",
                     "text": [{"text": text, "highlight_start": start, "highlight_end": start + "&größe".chars().count()}]},
                ],
            })
            .to_string()
        };
        assert_eq!(named_type(&line(LINTED)), Some(("größe".to_owned(), "std::vec::Vec<i32>".to_owned())));
        assert_eq!(named_type(&line("drop(&")), None, "the user's own");
        assert_eq!(named_type("{\"code\":null}"), None);
    }
}
