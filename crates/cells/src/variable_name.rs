//! The name of the variable that is being shown, for a hint below its table.

use std::cell::RefCell;

thread_local! {
    static NAME: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes the name of the shown variable and returns the value.
pub fn named<'a, T: ?Sized>(name: &str, shown: &'a T) -> &'a T {
    NAME.set(Some(name.to_owned()));
    shown
}

/// Takes the noted name.
pub(crate) fn take_name() -> Option<String> {
    NAME.take()
}
