//! Variables whose type a cell defines anew.
//!
//! Rust tells two types apart by their names and those of their fields. A struct whose field changes only its type passes for
//! the same one, and evcxr, which asks Rust, would read the old value with the new layout. So what every type was defined as
//! is kept here, and variables of one whose definition changed are dropped before the cell runs.

use super::bindings::mentions;
use std::collections::{BTreeMap, BTreeSet};

/// What a variable's layout can depend on (types, aliases, traits, constants, modules): the text of each, by name.
#[derive(Debug, Default)]
pub(super) struct Definitions(BTreeMap<String, String>);

impl Definitions {
    /// The names that mean something else once a cell with `items` has run: those it changes, and whatever is defined by means
    /// of them.
    pub(super) fn changed(&self, items: &BTreeMap<String, String>) -> BTreeSet<String> {
        let differs = |(name, text): &(&String, &String)| self.0.get(*name).is_some_and(|before| before != *text);
        let mut changed: BTreeSet<String> = items.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        let mut open: Vec<String> = changed.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for (other, _) in self.0.iter().filter(|(_, text)| mentions(text, &name)) {
                if changed.insert(other.clone()) {
                    open.push(other.clone());
                }
            }
        }
        changed
    }

    /// A cell with `items` has run.
    pub(super) fn add(&mut self, items: BTreeMap<String, String>) {
        self.0.extend(items);
    }

    /// Everything is forgotten (`:clear`).
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(items: &[(&str, &str)]) -> BTreeMap<String, String> {
        items.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_change_reaches_all_that_is_defined_by_it() {
        let mut definitions = Definitions::default();
        definitions.add(items(&[
            ("N", "const N: usize = 3;"),
            ("Row", "struct Row { cells: [i32; N] }"),
            ("Sheet", "struct Sheet(Vec<Row>);"),
            ("Rowing", "struct Rowing;"),
        ]));
        let changed = |text| definitions.changed(&items(&[("N", text)])).into_iter().collect::<Vec<_>>();
        assert_eq!(changed("const N: usize = 4;"), ["N", "Row", "Sheet"]);
        assert!(changed("const N: usize = 3;").is_empty());
        assert!(definitions.changed(&items(&[("New", "struct New;")])).is_empty());
    }
}
