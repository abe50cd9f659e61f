//! Events of one rank of one run, and which of its iterations count.

use super::event::Event;
use super::meeting::Meeting;
use super::reason::Reason;
use super::window::Window;

/// The selected events and iterations of one rank of one run.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Number of the rank.
    pub rank: i64,
    /// Events in the order of the file.
    pub events: Vec<Event>,
    /// Iterations to compare, by their begins, none inside another. Without these and `others`, the whole recording is one.
    pub windows: Vec<Window>,
    /// Iterations that are left out, by their begins, and why: [`Reason::AnotherIteration`] or [`Reason::WarmUp`].
    pub others: Vec<(Window, Reason)>,
    /// Its part in collectives that other recordings of its side have, too.
    pub meetings: Vec<Meeting>,
}
