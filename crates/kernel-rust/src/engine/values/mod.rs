//! Variables: those that magics bind, those that a cell keeps, and those that cannot be kept.

pub(super) mod bindings;
pub(super) mod definitions;
pub(super) mod handover;
pub(super) mod items;
pub(super) mod transient;
