//! Keys of arguments → slots.

use super::columns::DEFAULT_ARGS;
use crate::read::SLOTS;

const _: () = assert!(DEFAULT_ARGS.len() <= SLOTS, "an event has a slot for every argument");

/// Argument keys → slots, by length first.
pub(super) struct Keys(Vec<Vec<(&'static [u8], usize)>>);

impl Keys {
    pub(super) fn new() -> Self {
        let mut by_length = Vec::new();
        for (slot, arg) in DEFAULT_ARGS.iter().enumerate() {
            let length = arg.key.len();
            if by_length.len() <= length {
                by_length.resize(length + 1, Vec::new());
            }
            by_length[length].push((arg.key.as_bytes(), slot));
        }
        Self(by_length)
    }

    #[inline]
    pub(super) fn slot(&self, key: &[u8]) -> Option<usize> {
        self.0.get(key.len())?.iter().find(|(known, _)| *known == key).map(|&(_, slot)| slot)
    }
}
