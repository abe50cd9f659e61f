//! Store of results derived from the events of a rank (such as lanes of timelines): shared by their users, dropped when memory is needed.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A value of any type, by which it is found again.
type Value = dyn Any + Send + Sync;

/// The values that are derived from the events of a rank; clones of the rank share them, also after its events have moved to a file.
#[derive(Clone, Default)]
pub(super) struct Derived(Arc<Mutex<Values>>);

#[derive(Default)]
struct Values {
    /// Those that are in use.
    shared: Vec<Entry>,
    /// Those of each type that were used last, the oldest first, so that they are there when the next user comes.
    latest: Vec<Arc<Value>>,
}

struct Entry {
    /// Name of the result: its kind and the filter of its events.
    key: String,
    /// Its memory.
    bytes: usize,
    value: Weak<Value>,
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

impl Values {
    fn find<T: Any + Send + Sync>(&mut self, key: &str, count: usize) -> Option<Arc<T>> {
        let entry = self.shared.iter().find(|entry| entry.key == key)?;
        let found = entry.value.upgrade()?;
        self.keep(Arc::clone(&found), count);
        found.downcast::<T>().ok()
    }

    /// Keeps a value, and the `count - 1` of its type that were used before it.
    fn keep(&mut self, value: Arc<Value>, count: usize) {
        let kind = (*value).type_id();
        self.latest.retain(|other| !Arc::ptr_eq(other, &value));
        let is_kind = |other: &Arc<Value>| (**other).type_id() == kind;
        let mut surplus = (self.latest.iter().filter(|other| is_kind(other)).count() + 1).saturating_sub(count);
        self.latest.retain(|other| {
            let goes = surplus > 0 && is_kind(other);
            surplus -= usize::from(goes);
            !goes
        });
        self.latest.push(value);
    }
}

impl Derived {
    /// Returns the value of a key, made at the first call; `bytes` is its memory, and `count` how many of its type stay when nobody uses
    /// them. Two calls at once may both make it, since no lock is held meanwhile, but get the same one.
    ///
    /// # Errors
    /// Those of `make`; the next call tries again.
    pub(super) fn get<T: Any + Send + Sync, E>(
        &self,
        key: &str,
        count: usize,
        bytes: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(found) = self.lock().find(key, count) {
            return Ok(found);
        }
        let made = Arc::new(make()?);
        let mut values = self.lock();
        if let Some(found) = values.find(key, count) {
            return Ok(found);
        }
        let value: Arc<Value> = made.clone();
        values.shared.retain(|entry| entry.key != key && entry.value.strong_count() > 0);
        values.shared.push(Entry { key: key.to_owned(), bytes: bytes(&made), value: Arc::downgrade(&value) });
        values.keep(value, count);
        Ok(made)
    }

    /// Returns a number that clones share, and no other store has while one of them is in use.
    pub(super) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Gives back the memory of what nobody uses.
    pub(super) fn give_back(&self) {
        let latest = std::mem::take(&mut self.lock().latest);
        drop(latest);
    }

    /// Returns the memory of all values, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.lock().shared.iter().filter(|entry| entry.value.strong_count() > 0).map(|entry| entry.bytes).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_in_use_are_shared_and_the_last_is_kept() {
        let derived = Derived::default();
        let get = |key: &str, value: u32| derived.clone().get(key, 1, |_| 8, || Ok::<_, ()>(value)).unwrap();
        let first = get("first", 1);
        assert!(Arc::ptr_eq(&first, &get("first", 2)));
        assert_eq!((*get("second", 3), derived.bytes()), (3, 16));
        assert_eq!(*get("second", 4), 3, "kept, since it was used last");
        drop(first);
        assert_eq!((derived.bytes(), *get("first", 5)), (8, 5));
        let other = |value: u64| derived.get("other type", 1, |_| 3, || Ok::<_, ()>(value)).unwrap();
        assert_eq!(
            (*other(6), *other(7), *get("first", 8), derived.bytes()),
            (6, 6, 5, 11),
            "one of each type is kept"
        );
        let several = |key: &str, value: i8| *derived.get(key, 2, |_| 1, || Ok::<_, ()>(value)).unwrap();
        assert_eq!([several("a", 1), several("b", 2), several("a", 3), several("c", 4)], [1, 2, 1, 4]);
        assert_eq!(
            [several("a", 5), several("b", 6), several("c", 7)],
            [1, 6, 7],
            "the two that were used last are kept"
        );
        assert_eq!(*get("first", 9), 5, "and those of other types");
        derived.give_back();
        assert_eq!(derived.bytes(), 0);
        assert_eq!(derived.get("first", 1, |_| 8, || Err::<u32, _>("why")), Err("why"));
    }
}
