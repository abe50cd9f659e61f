//! Iterations by the repeating pattern of launches.

use super::launches::Launches;
use super::marker::{LEAST_SHARE, StepMarker};
use super::period::period;
use super::work::Work;
use crate::frame::RankEvents;
use crate::shorten_name;
use regex::escape;

/// Shares of the work at the start that may be a warm-up, and are left out if nothing repeats with them.
const WARM_UP: [f64; 4] = [0.0, 0.05, 0.1, 0.2];

/// Finds the launches of a kernel that begin the one pattern of launches which repeats and has most of the work; `None` if there is none,
/// or more than one.
pub(super) fn repeating(rows: &RankEvents) -> Option<StepMarker> {
    let launches = Launches::of(rows);
    let found = WARM_UP.into_iter().find_map(|share| {
        let from = if share > 0.0 { launches.after_share(share) } else { 0 };
        period(&launches, from)
    })?;
    let begins: Vec<usize> = found.starts;
    let first = launches.all[*begins.first()?];
    let end = launches.all.last().map_or(first.start, |last| last.start.saturating_add(1));
    let start = |at: usize| launches.all[at].start;
    let spans = begins.iter().zip(begins.iter().skip(1).map(|&next| start(next)).chain([end]));
    let share = Work::of(rows).share(spans.map(|(&at, end)| (start(at), end)));
    let kernel = rows.text(first.first_name);
    (share >= LEAST_SHARE).then(|| StepMarker {
        name: format!("{} of {}", rows.text(rows.name(first.row as usize)), shorten_name(kernel)),
        pattern: format!("^{}$", escape(kernel)),
        count: begins.len(),
        share,
    })
}
