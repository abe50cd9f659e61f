//! Sentences that an answer carries when ranks contribute nothing.

use trace_view::format::numbered;

/// Returns the sentence for ranks without GPU events; `None` if there is no such rank.
pub(super) fn without_gpu(ranks: &[i64]) -> Option<String> {
    nothing_on(ranks, "No GPU activity").map(|note| format!("{}: nothing to report.", note.trim_end_matches('.')))
}

/// Returns the sentence for ranks on which `what` is missing; `None` if there is no such rank.
pub(super) fn nothing_on(ranks: &[i64], what: &str) -> Option<String> {
    (!ranks.is_empty()).then(|| format!("{what} on {}.", numbered("rank", ranks)))
}
