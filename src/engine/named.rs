//! Types that the compiler names while it compiles a cell.
//!
//! evcxr must write the type of every variable, and only the compiler knows it. A cell of which evcxr is told a placeholder
//! for each unknown type needs no analysis: where evcxr writes an unknown placeholder, [`fill`] leaves the type to the
//! compiler, which names it in a lint about what the kernel wrote behind the `let`. Later cells get the type itself.
//!
//! ```text
//! let a = f(); let a: TracebookType3 = a; ::core::mem::drop::<&_>(&a);   // as evcxr compiles it
//! let a = f(); let a: _              = a; ::core::mem::drop::<&_>(&a);   // as rustc does: "argument has type `&Vec<u8>`"
//! ```

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a placeholder starts with; a number follows.
const PLACEHOLDER: &str = "TracebookType";

/// What stands in front of a variable whose type the lint is to name.
const NAMED: &str = "::core::mem::drop::<&_>(&";

/// The flags with which the compiler names types: by whole paths, so that they can be written whatever the user imported. They
/// are unstable; a cell gets no unstable feature by them.
pub(super) const FLAGS: &[&str] = &[
    "--force-warn=dropping_references",
    "-Ztrim-diagnostic-paths=no",
    "--diagnostic-width=100000",
    "-Zallow-features=",
];

/// The statement that binds a variable again, with a placeholder for its type.
pub(super) fn binding(name: &str, mutable: bool, number: usize) -> String {
    let mutable = if mutable { "mut " } else { "" };
    format!(" let {mutable}{name}: {PLACEHOLDER}{number} = {name}; {NAMED}{name});")
}

/// The types that placeholders stand for, in a file of the run's folder.
#[derive(Debug, Default)]
pub(super) struct Named {
    file: PathBuf,
    types: BTreeMap<String, String>,
}

impl Named {
    /// Those known so far.
    pub(super) fn read(run_folder: &Path) -> Self {
        let file = run_folder.join("named-types.json");
        let bytes = std::fs::read(&file).unwrap_or_default();
        Self { types: serde_json::from_slice(&bytes).unwrap_or_default(), file }
    }

    /// Takes note of what the compiler named: `types` by variable, of the placeholders that a cell bound.
    ///
    /// # Errors
    /// The variable whose type is not known, or cannot be written.
    pub(super) fn add(&mut self, bound: &[Bound], types: &BTreeMap<String, String>) -> Result<(), String> {
        for Bound { name, placeholder } in bound {
            match types.get(name).filter(|type_name| super::analyse::can_be_written(type_name)) {
                Some(type_name) => self.types.insert(placeholder.clone(), type_name.clone()),
                None => return Err(name.clone()),
            };
        }
        std::fs::write(&self.file, serde_json::to_vec(&self.types).unwrap_or_default())
            .map_err(|error| error.to_string())
    }

    /// A text with types in place of placeholders.
    pub(super) fn fill(&self, text: &str) -> String {
        replace(text, |placeholder| self.types.get(placeholder).cloned())
    }

    /// evcxr's source for rustc: also with `_`, of the same length, for what is not known yet. Those are told.
    pub(super) fn fill_source(&self, source: &str) -> (String, Vec<Bound>) {
        let mut unknown = Vec::new();
        let filled = replace(source, |placeholder| {
            let known = self.types.get(placeholder).cloned();
            known.or_else(|| {
                unknown.push(placeholder.to_owned());
                Some(format!("{:width$}", "_", width = placeholder.len()))
            })
        });
        let bound = unknown.into_iter().filter_map(|placeholder| {
            let name = source.split(&format!(": {placeholder} = ")).nth(1)?.split(';').next()?.to_owned();
            Some(Bound { name, placeholder })
        });
        let mut bound: Vec<Bound> = bound.collect();
        bound.sort();
        bound.dedup();
        (filled, bound)
    }
}

/// A variable that a cell binds with a placeholder for its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bound {
    name: String,
    placeholder: String,
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

/// The variable and type in a message of the lint, if it is about what [`binding`] wrote.
pub(super) fn named(line: &str) -> Option<(String, String)> {
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
    before.ends_with(NAMED).then(|| Some((letters.get(from..to)?.iter().collect(), type_name)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_type_is_left_to_the_compiler_and_then_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut named = Named::read(folder.path());
        let source =
            format!("ä(); let mut a = f();{}\nput_variable::<TracebookType12>(\"a\", a);", binding("a", true, 12));
        let (filled, bound) = named.fill_source(&source);
        assert_eq!(filled.chars().count(), source.chars().count());
        assert!(filled.contains("let mut a: _               = a; ::core::mem::drop::<&_>(&a);"), "{filled}");
        assert_eq!(bound, [Bound { name: "a".into(), placeholder: "TracebookType12".into() }]);

        let types = |type_name: &str| BTreeMap::from([("a".to_owned(), type_name.to_owned())]);
        assert_eq!(named.add(&bound, &types("{closure@src/lib.rs:1}")), Err("a".to_owned()));
        assert_eq!(named.add(&bound, &BTreeMap::new()), Err("a".to_owned()));
        assert_eq!(named.add(&bound, &types("std::vec::Vec<u8>")), Ok(()));
        let later = Named::read(folder.path());
        let take = "let a = take_variable::<TracebookType12>(\"a\"); TracebookType1";
        let (filled, bound) = later.fill_source(take);
        assert!(filled.starts_with("let a = take_variable::<std::vec::Vec<u8>>(\"a\"); _") && bound.is_empty());
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
        assert_eq!(named(&line(NAMED)), Some(("größe".to_owned(), "std::vec::Vec<i32>".to_owned())));
        assert_eq!(named(&line("drop(&")), None, "the user's own");
        assert_eq!(named("{\"code\":null}"), None);
    }
}
