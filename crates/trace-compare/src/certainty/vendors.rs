//! Calls that two vendors name differently, as one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// Joins each item that only one side has into the first one of its family, if both sides have them together. Items of both sides stay alone,
/// so that two calls of one vendor are never mixed. `sides` says whether control and test have an item; `join` adds a later item to the first.
pub(crate) fn join_vendors<T, F: Eq + Hash>(
    items: impl IntoIterator<Item = T>,
    sides: impl Fn(&T) -> [bool; 2],
    family: impl Fn(&T) -> F,
    join: impl Fn(&mut T, T),
) -> Vec<T> {
    let mut joined: Vec<T> = Vec::new();
    let mut first_of: HashMap<F, usize> = HashMap::new();
    for item in items {
        let ours = sides(&item);
        if ours[0] != ours[1] {
            match first_of.entry(family(&item)) {
                Entry::Vacant(entry) => drop(entry.insert(joined.len())),
                Entry::Occupied(entry) => {
                    let first = &mut joined[*entry.get()];
                    let theirs = sides(first);
                    if (ours[0] || theirs[0]) && (ours[1] || theirs[1]) {
                        join(first, item);
                        continue;
                    }
                }
            }
        }
        joined.push(item);
    }
    joined
}

/// The name of control, and that of test behind an arrow where it differs. `is_first_control`: the first name is that of control.
pub(crate) fn both_names(first: &str, other: &str, is_first_control: bool) -> String {
    match (first == other, is_first_control) {
        (true, _) => first.to_owned(),
        (false, true) => format!("{first} → {other}"),
        (false, false) => format!("{other} → {first}"),
    }
}
