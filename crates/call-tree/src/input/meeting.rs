//! Collectives that several ranks recorded.

/// An event of a collective that other recordings of its side have, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// Row of the event.
    pub row: u32,
    /// Number of the collective among all of its side.
    pub collective: u32,
}
