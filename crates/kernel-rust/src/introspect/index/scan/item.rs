//! Items that a scan finds.

use crate::introspect::index::Kind;

/// An item of a module, or a member of a type.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) signature: String,
    pub(super) doc: String,
    pub(super) public: bool,
}
