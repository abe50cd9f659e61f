//! The store of a session's variables between cells: evcxr's `evcxr_internal_runtime`, which it would write into every cell,
//! compiled once.

use crate::protocol::send_line;
use crate::stderr::to_stderr;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

pub use crate::protocol::{USER_ERROR_OCCURRED, VARIABLE_CHANGED_TYPE};

/// Variables by name, between cells.
#[derive(Default)]
pub struct VariableStore {
    variables: HashMap<String, Box<dyn Any>>,
}

impl VariableStore {
    /// Stores a variable.
    pub fn put_variable<T: 'static>(&mut self, name: &str, value: T) {
        self.put(name, Box::new(value));
    }

    /// Tells whether a stored variable still has this type. If not, reports to evcxr that it is lost.
    pub fn check_variable<T: 'static>(&self, name: &str) -> bool {
        self.variables.get(name).is_none_or(|value| value.is::<T>()) || report_changed(name)
    }

    /// Removes a variable and returns it.
    ///
    /// # Panics
    /// If it is missing, or has another type: call [`check_variable`](Self::check_variable) first.
    pub fn take_variable<T: 'static>(&mut self, name: &str) -> T {
        match self.take(name).downcast() {
            Ok(value) => *value,
            Err(_) => panic_changed(name),
        }
    }

    /// Returns a shared value, created at the first call.
    ///
    /// # Panics
    /// If it was stored with another type.
    pub fn lazy_arc<T: 'static, F: FnOnce() -> T>(&mut self, name: &str, create: F) -> Arc<T> {
        let value = self.variables.entry(name.to_owned()).or_insert_with(|| Box::new(Arc::new(create())));
        value.downcast_ref().map_or_else(|| panic_changed(name), Arc::clone)
    }

    /// Returns the variables, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &dyn Any)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    // Not generic, so that it is compiled here once and not in every cell.

    fn put(&mut self, name: &str, value: Box<dyn Any>) {
        self.variables.insert(name.to_owned(), value);
    }

    fn take(&mut self, name: &str) -> Box<dyn Any> {
        match self.variables.remove(name) {
            Some(value) => value,
            None => panic!("Variable '{name}' has gone missing"),
        }
    }
}

fn report_changed(name: &str) -> bool {
    to_stderr(format_args!("The type of the variable {name} was redefined, so was lost."), "\n");
    send_line(&format!("{VARIABLE_CHANGED_TYPE}{name}"));
    false
}

#[cold]
fn panic_changed(name: &str) -> ! {
    panic!("Variable '{name}' changed type")
}

/// The store that was created last.
static CREATED: AtomicPtr<VariableStore> = AtomicPtr::new(std::ptr::null_mut());

/// Creates the store of a session; it is never freed.
pub fn create_variable_store() -> *mut VariableStore {
    let store = Box::into_raw(Box::default());
    CREATED.store(store, Ordering::Release);
    store
}

/// Tells whether a pointer is the store that [`create_variable_store`] created last.
pub(crate) fn is_store(store: *const VariableStore) -> bool {
    !store.is_null() && store == CREATED.load(Ordering::Acquire).cast_const()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_keep_their_type() {
        let mut store = VariableStore::default();
        store.put_variable("a", vec![1]);
        assert!(store.check_variable::<Vec<i32>>("a") && store.check_variable::<u8>("b"));
        assert!(!store.check_variable::<Vec<u8>>("a"));
        assert_eq!(store.take_variable::<Vec<i32>>("a"), [1]);
        let (first, second) = (store.lazy_arc("r", || 7), store.lazy_arc("r", || 8));
        assert_eq!((*first, *second), (7, 7));
    }
}
