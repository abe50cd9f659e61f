//! Compared collectives.

/// A collective that is long enough to be considered.
#[derive(Clone)]
pub(super) struct Kernel<'s> {
    pub(super) rank: i64,
    pub(super) step: i64,
    pub(super) stream: i64,
    pub(super) name: &'s str,
    pub(super) start: i64,
    pub(super) dur: i64,
    /// Start since the first event, in mean steps.
    pub(super) normalized: f64,
    pub(super) late: bool,
}

/// Returns HTA's word: `Yes` or `No`.
pub(super) fn word(late: bool) -> &'static str {
    if late { "Yes" } else { "No" }
}
