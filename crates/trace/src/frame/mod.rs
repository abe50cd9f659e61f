//! Events as columns.

pub(crate) mod columns;
