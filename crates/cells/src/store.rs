//! The variables of a session, as the code that evcxr writes around a cell stores them. evcxr would write this module into
//! every cell (its `evcxr_internal_runtime`); here it is compiled once.

use crate::print::to_stderr;
use crate::rt::protocol;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What a cell tells evcxr: a variable has another type than when it was stored.
pub const VARIABLE_CHANGED_TYPE: &str = "EVCXR_VARIABLE_CHANGED_TYPE:";

/// What a cell tells evcxr: `?` met an error.
pub const USER_ERROR_OCCURRED: &str = "EVCXR_ERROR_OCCURRED";

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

    /// Whether a stored variable still has this type. If not, evcxr is told that it is lost.
    pub fn check_variable<T: 'static>(&self, name: &str) -> bool {
        self.variables.get(name).is_none_or(|value| value.is::<T>()) || changed(name)
    }

    /// Takes a variable out.
    ///
    /// # Panics
    /// If it is not there, or has another type, which [`check_variable`](Self::check_variable) looks at first.
    pub fn take_variable<T: 'static>(&mut self, name: &str) -> T {
        match self.take(name).downcast() {
            Ok(value) => *value,
            Err(_) => other_type(name),
        }
    }

    /// A shared value that is made when it is first asked for.
    ///
    /// # Panics
    /// If it was stored with another type.
    pub fn lazy_arc<T: 'static, F: FnOnce() -> T>(&mut self, name: &str, create: F) -> Arc<T> {
        let value = self.variables.entry(name.to_owned()).or_insert_with(|| Box::new(Arc::new(create())));
        value.downcast_ref().map_or_else(|| other_type(name), Arc::clone)
    }

    /// The variables, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &dyn Any)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    // What follows is not generic: it is compiled once, here, and not in every cell.

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

fn changed(name: &str) -> bool {
    to_stderr(format_args!("The type of the variable {name} was redefined, so was lost."), "\n");
    protocol(&format!("{VARIABLE_CHANGED_TYPE}{name}"));
    false
}

#[cold]
fn other_type(name: &str) -> ! {
    panic!("Variable '{name}' changed type")
}

/// The store that was created last.
static CREATED: AtomicPtr<VariableStore> = AtomicPtr::new(std::ptr::null_mut());

/// The store of a new session; it is never freed.
pub fn create_variable_store() -> *mut VariableStore {
    let store = Box::into_raw(Box::default());
    CREATED.store(store, Ordering::Release);
    store
}

/// Whether a pointer is the store that `create_variable_store` created last.
pub(crate) fn is_store(store: *const VariableStore) -> bool {
    !store.is_null() && store == CREATED.load(Ordering::Acquire).cast_const()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_variable_is_taken_with_its_type() {
        let mut store = VariableStore::default();
        store.put_variable("a", vec![1]);
        assert!(store.check_variable::<Vec<i32>>("a") && store.check_variable::<u8>("b"));
        assert!(!store.check_variable::<Vec<u8>>("a"));
        assert_eq!(store.take_variable::<Vec<i32>>("a"), [1]);
        let (first, second) = (store.lazy_arc("r", || 7), store.lazy_arc("r", || 8));
        assert_eq!((*first, *second), (7, 7));
    }
}
