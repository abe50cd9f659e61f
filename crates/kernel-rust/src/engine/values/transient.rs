//! Variables that cannot outlive their cell: closures, borrows, values of types without a name. They are dropped at the end of
//! their cell, with a note.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Why a variable cannot outlive its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) enum Reason {
    /// It is a closure.
    Closure,
    /// It is a function item, which has a type of its own.
    Function,
    /// It borrows from another value.
    Borrow,
    /// Its type cannot be written.
    Nameless,
    /// It is a collection, and the type of its elements cannot be written.
    Elements,
}

/// Collections whose elements may have types without a name.
const COLLECTIONS: &[&str] = &["Vec", "VecDeque", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "Option"];

/// What to write where the elements of a collection have types without a name.
const ELEMENTS: &str = "the type of its elements has no name that a later cell could use; put each into a `Box<dyn …>`";

/// The variables of a cell that live in it only, with the reasons.
pub(in crate::engine) type Transient = BTreeMap<String, Reason>;

impl Reason {
    /// Returns why a variable of this type, as the compiler writes it, cannot outlive its cell; `None` if it can.
    pub(in crate::engine) fn of_type(type_name: &str) -> Option<Self> {
        let mut words = type_name.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
        if words.any(|word| word == "_") {
            // The cell leaves the type open, which the compiler reports.
            return None;
        }
        if type_name.starts_with("{closure") || type_name.starts_with("{async closure") {
            return Some(Self::Closure);
        }
        if type_name.contains('\'') {
            return Some(Self::Borrow);
        }
        let is_function = ["fn(", "unsafe fn(", "extern ", "for<"].iter().any(|start| type_name.starts_with(start));
        if type_name.contains('{') {
            return Some(if is_function { Self::Function } else { Self::nameless(type_name) });
        }
        type_name.contains("impl ").then(|| Self::nameless(type_name))
    }
}

impl Reason {
    fn nameless(type_name: &str) -> Self {
        let path = type_name.split('<').next().unwrap_or(type_name);
        let name = path.rsplit("::").next().unwrap_or(path);
        let is_collection = COLLECTIONS.contains(&name) || type_name.starts_with(['[', '(']);
        if is_collection { Self::Elements } else { Self::Nameless }
    }

    /// Returns the hint for a later cell that names the variable.
    pub(in crate::engine) fn hint(self, name: &str) -> String {
        let advice = match self {
            Self::Closure => "write a `fn` to keep it",
            Self::Function => "give it a type to keep it: `let f: fn(i32) -> i32 = …`",
            Self::Borrow => "it borrowed from another value; make it in this cell, or keep an owned value",
            Self::Elements => ELEMENTS,
            Self::Nameless => "its type has no name that a later cell could use; make it in this cell",
        };
        format!("`{name}` lived in an earlier cell only: {advice}")
    }
}

/// Returns the note on the variables that ended with their cell, one line for each reason.
pub(in crate::engine) fn note(transient: &Transient) -> String {
    let mut note = String::new();
    for reason in [Reason::Closure, Reason::Function, Reason::Borrow, Reason::Nameless, Reason::Elements] {
        let names: Vec<String> =
            transient.iter().filter(|(_, why)| **why == reason).map(|(name, _)| format!("`{name}`")).collect();
        let (Some(first), false) = (names.first(), names.is_empty()) else { continue };
        let names = names.join(", ");
        let several = names.len() > first.len();
        let live = if several { "live" } else { "lives" };
        let why = match reason {
            Reason::Closure => "write a `fn` to keep it".to_owned(),
            Reason::Function => "give it a type to keep it: `let f: fn(i32) -> i32 = …`".to_owned(),
            Reason::Borrow if several => {
                "they borrow from other values; keep owned ones (`.clone()`, `.to_owned()`; of elements `.cloned().collect::<Vec<_>>()`)"
                    .to_owned()
            }
            Reason::Borrow => {
                "it borrows from another value; keep an owned one (`.clone()`, `.to_owned()`; of elements `.cloned().collect::<Vec<_>>()`)"
                    .to_owned()
            }
            Reason::Elements => ELEMENTS.to_owned(),
            Reason::Nameless => {
                "the type has no name that a later cell could use; collect it, or put it into a `Box<dyn …>`".to_owned()
            }
        };
        note.push_str(&format!("{names} {live} in this cell only: {why}\n"));
    }
    note
}

/// The variables that made a compilation fail because evcxr keeps them.
#[derive(Debug, Default, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::engine) struct Unstorable {
    /// Variables that borrow.
    pub(in crate::engine) borrows: BTreeSet<String>,
    /// Variables that are dropped too late: while they live, the value that they borrow from cannot be kept.
    pub(in crate::engine) dropped_late: BTreeSet<String>,
    /// Whether there are other errors.
    pub(in crate::engine) other_errors: bool,
}

/// The errors that keeping a borrow causes.
const OF_BORROWS: &[&str] =
    &["E0597", "E0716", "E0505", "E0502", "E0499", "E0506", "E0503", "E0521", "E0515", "E0373", "E0713"];

impl Unstorable {
    /// Parses rustc's messages, one JSON object per line.
    pub(in crate::engine) fn from_messages(messages: &str) -> Self {
        let mut unstorable = Self::default();
        let mut moved = BTreeSet::new();
        for line in messages.lines().filter(|line| line.contains("\"level\":\"error\"")) {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            let message = if message["message"].is_object() { &message["message"] } else { &message };
            let Some(code) = message["code"]["code"].as_str() else {
                let aborting = message["message"].as_str().is_some_and(|text| text.starts_with("aborting due to"));
                unstorable.other_errors |= !aborting;
                continue;
            };
            let (primary, secondary) = stored_at(message);
            match (primary, secondary) {
                _ if !OF_BORROWS.contains(&code) => unstorable.other_errors |= code != "E0382" && code != "E0425",
                (_, Some(name)) => drop(unstorable.borrows.insert(name)),
                // It is moved into the store while a variable that is dropped later borrows from it.
                (Some(name), None) if code == "E0505" => match dropped_at(message) {
                    Some(guard) => drop(unstorable.dropped_late.insert(guard)),
                    None => drop(moved.insert(name)),
                },
                (Some(name), None) => drop(unstorable.borrows.insert(name)),
                (None, None) => unstorable.other_errors = true,
            }
        }
        if unstorable.borrows.is_empty() && unstorable.dropped_late.is_empty() {
            unstorable.borrows = moved;
        }
        unstorable
    }
}

/// Returns the variables that evcxr keeps at the spans of a message: at the primary span, and at another one.
fn stored_at(message: &Value) -> (Option<String>, Option<String>) {
    let (mut primary, mut secondary) = (None, None);
    for span in message["spans"].as_array().into_iter().flatten() {
        let Some(name) = span["text"][0]["text"].as_str().and_then(stored_variable) else { continue };
        *(if span["is_primary"] == true { &mut primary } else { &mut secondary }) = Some(name);
    }
    (primary, secondary)
}

/// Returns the variable that, by a message, borrows and is dropped too late.
fn dropped_at(message: &Value) -> Option<String> {
    let labels = message["spans"].as_array()?.iter().filter_map(|span| span["label"].as_str());
    let mut dropped = labels.filter_map(|label| label.split_once("when `")?.1.split_once("` is dropped"));
    Some(dropped.next()?.0.to_owned())
}

/// The start of a comment that names the variables to be dropped before others are kept.
const DROP_COMMENT: &str = "/*drop before keeping:";

/// Returns the comment for these variables.
pub(in crate::engine) fn drop_comment(dropped_late: &BTreeSet<String>) -> String {
    let names: Vec<&str> = dropped_late.iter().map(String::as_str).collect();
    format!("{DROP_COMMENT}{}*/ ", names.join(","))
}

/// Drops the variables that the comment in a source names, before the first variable is kept. Keeps the number of every line.
pub(in crate::engine) fn add_drops(source: &mut String) {
    let Some((before, rest)) = source.split_once(DROP_COMMENT) else { return };
    let from = before.len();
    let names = rest.split_once("*/").map_or("", |(names, _)| names);
    let drops: String = names.split(',').map(|name| format!("drop({name}); ")).collect();
    if let Some(at) = source[from..].find(STORED) {
        source.insert_str(from + at, &drops);
    }
}

/// The start of evcxr's statement that keeps a variable.
const STORED: &str = "evcxr_variable_store.put_variable::<";

/// Returns the variable that a line of evcxr's keeps.
fn stored_variable(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(STORED)?;
    let (_, name) = rest.split_once("stringify!(")?;
    Some(name.split(')').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_that_cannot_be_kept_have_reasons() {
        for (type_name, reason) in [
            ("{closure@src/lib.rs:3:14: 3:22}", Some(Reason::Closure)),
            ("std::slice::Iter<'_, i32>", Some(Reason::Borrow)),
            ("std::iter::Map<std::slice::Iter<'_, i32>, {closure@src/lib.rs:3:14: 3:22}>", Some(Reason::Borrow)),
            ("std::iter::Map<std::ops::Range<i32>, {closure@src/lib.rs:3:14: 3:22}>", Some(Reason::Nameless)),
            ("fn(i32) -> i32 {twice}", Some(Reason::Function)),
            ("impl Iterator<Item = i32>", Some(Reason::Nameless)),
            ("std::vec::Vec<{closure@src/lib.rs:3:14: 3:22}>", Some(Reason::Elements)),
            ("[impl Fn(i32); 2]", Some(Reason::Elements)),
            ("Vec<_>", None),
            ("&str", None),
            ("std::boxed::Box<dyn Fn(i32) -> i32>", None),
            ("fn(i32) -> i32", None),
        ] {
            assert_eq!(Reason::of_type(type_name), reason, "{type_name}");
        }
    }

    #[test]
    fn guard_is_dropped_before_its_owner_is_kept() {
        let comment = drop_comment(&["g".to_owned()].into());
        let mut source = format!("fn f() {{\n{comment}let g = m.lock();\n{STORED}M>(stringify!(m), m);\n}}");
        add_drops(&mut source);
        assert!(source.contains("\ndrop(g); evcxr_variable_store.put_variable::<M>"), "{source}");
    }

    #[test]
    fn note_names_each_variable_once() {
        let transient = [("a", Reason::Borrow), ("b", Reason::Borrow), ("f", Reason::Closure)];
        let note = note(&transient.map(|(name, reason)| (name.to_owned(), reason)).into());
        assert!(note.starts_with("`f` lives in this cell only: write a `fn` to keep it\n`a`, `b` live"), "{note}");
    }

    #[test]
    fn borrows_are_distinguished_from_user_errors() {
        let store = "evcxr_variable_store.put_variable::<&Vec<i32>>(stringify!(r), r);";
        let message = |code: &str, primary: &str, secondary: &str| {
            json!({"message": "x", "level": "error", "code": {"code": code}, "spans": [
                {"is_primary": true, "text": [{"text": primary}]}, {"is_primary": false, "text": [{"text": secondary}]}]})
            .to_string()
        };
        let parse = |messages: &[String]| Unstorable::from_messages(&messages.join("\n"));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(parse(&[message("E0597", "let r = &v;", store)]).borrows, names(&["r"]));
        let own = parse(&[message("E0502", "v.push(1);", "let r = &v;"), message("E0597", "let r = &v;", store)]);
        assert!(own.other_errors && own.borrows == names(&["r"]));
        let guarded = message("E0505", &store.replace("(r), r", "(m), m"), "let g = m.lock();");
        assert_eq!(parse(std::slice::from_ref(&guarded)).borrows, names(&["m"]));
        let mut named: Value = serde_json::from_str(&guarded).unwrap();
        named["spans"][1]["label"] = "borrow might be used here, when `g` is dropped and runs the destructor".into();
        assert_eq!(parse(&[named.to_string()]).dropped_late, names(&["g"]));
        assert_eq!(parse(&[message("E0382", store, "drop(r)")]), Unstorable::default());
    }
}
