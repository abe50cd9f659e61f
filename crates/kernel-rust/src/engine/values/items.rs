//! The items that cells define, for completion.

use crate::Failure;
use crate::session::Items;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Adds the items of a cell that has run, with `failure` if it failed; `defined` are the names that evcxr has after it. A cell
/// that does not compile defines nothing.
pub(in crate::engine) fn note<'e>(
    items: &mut Arc<Items>,
    code: &str,
    failure: Option<&Failure>,
    defined: impl Iterator<Item = &'e str>,
) {
    let items = Arc::make_mut(items);
    match failure.map(|failure| failure.ename.as_str()) {
        None => {
            items.add(code, None);
            items.add_crates(code);
        }
        Some("CompileError") => {}
        // Whether an interrupted cell was compiled is unknown; only new names prove it.
        Some("KeyboardInterrupt" | "ProcessLost") => {
            let mut new = Items::default();
            new.add(code, None);
            items.add_unknown(new);
        }
        Some(_) => items.add(code, None),
    }
    let defined: BTreeSet<&str> = defined.collect();
    items.retain(|name| defined.contains(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_failed_cell_are_those_of_evcxr() {
        let defined = || ["f", "g"].into_iter();
        for (failure, text) in [
            (None, "fn f() { 2 }\nfn g() {}"),
            (Some("CompileError"), "fn f() {}"),
            (Some("KeyboardInterrupt"), "fn f() {}\nfn g() {}"),
            (Some("Panic"), "fn f() { 2 }\nfn g() {}"),
        ] {
            let mut items = Arc::new(Items::default());
            note(&mut items, "fn f() {}", None, defined());
            let failure = failure.map(|name| Failure::new(name, ""));
            note(&mut items, "fn f() { 2 }\nfn g() {}\nfn h() {}", failure.as_ref(), defined());
            assert_eq!(items.text(), text, "{failure:?}");
        }
    }
}
