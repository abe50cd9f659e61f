//! Notes what cells define, for completion.

use super::evcxr::Evcxr;
use super::live::Stage;
use crate::Failure;
use crate::session::Items;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Evcxr {
    /// Notes what a cell has defined.
    pub(super) fn note_items(&mut self, code: &str, failure: Option<&Failure>) {
        if let Stage::Live(live) = &self.stage {
            note(&mut self.items, code, failure, live.context.defined_item_names());
        }
    }
}

/// Notes the items of a cell that has run, and how it failed, if it did; `defined` are the names that evcxr now has. A cell
/// that does not compile defines nothing.
fn note<'e>(items: &mut Arc<Items>, code: &str, failure: Option<&Failure>, defined: impl Iterator<Item = &'e str>) {
    let items = Arc::make_mut(items);
    match failure.map(|failure| failure.ename.as_str()) {
        None => {
            items.add(code, None);
            items.add_crates(code);
        }
        Some("CompileError") => {}
        // Of a cell that was stopped it is unknown whether it had been compiled; only new names show it.
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
    fn failed_cell_defines_what_evcxr_has() {
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
