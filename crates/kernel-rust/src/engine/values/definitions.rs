//! The definitions of all cells, by which redefined types are found.
//!
//! Rust distinguishes types by their names and the names of their fields. A struct of which only the type of a field changes passes for
//! the same one, and evcxr, which relies on Rust, would read the old value with the new layout. So the text of every definition
//! is kept, and variables of a type whose definition changes are dropped before the cell runs.

use super::bindings::mentions;
use std::collections::{BTreeMap, BTreeSet};

/// The text of each definition on which the layout of a variable can depend (types, aliases, traits, constants, modules), by name.
#[derive(Debug, Default)]
pub(in crate::engine) struct Definitions(BTreeMap<String, String>);

impl Definitions {
    /// Returns the names that mean something else once a cell with `items` has run: those that it changes, and all whose definition
    /// mentions one.
    pub(in crate::engine) fn changed(&self, items: &BTreeMap<String, String>) -> BTreeSet<String> {
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

    /// Adds the definitions of a cell that has run.
    pub(in crate::engine) fn add(&mut self, items: BTreeMap<String, String>) {
        self.0.extend(items);
    }

    /// Removes all definitions (`:clear`).
    pub(in crate::engine) fn clear(&mut self) {
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
    fn change_reaches_dependent_definitions() {
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
