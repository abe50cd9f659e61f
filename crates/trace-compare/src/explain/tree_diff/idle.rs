//! Idle time in the aligned tree.

use super::entry::{Entry, Measures, TreeKind};
use crate::explain::explanation::cause_word;
use call_tree::{Change, Explanation, Labels};
use std::cmp::Reverse;

/// Returns idle time: all of it, by cause, and by frame of the host; the largest change first.
pub(super) fn idle(found: &Explanation, labels: &Labels) -> Vec<Entry> {
    if found.idle.is_empty() {
        return Vec::new();
    }
    let mut entries = vec![timed(TreeKind::Idle, "idle", found.idle_ns)];
    let mut causes: Vec<(&'static str, Measures, Vec<Entry>)> = Vec::new();
    for &((cause, frame), change) in &found.idle {
        let word = cause_word(cause);
        let at = causes.iter().position(|(known, ..)| *known == word).unwrap_or_else(|| {
            causes.push((word, Measures::default(), Vec::new()));
            causes.len() - 1
        });
        let name = frame.map_or("between frames of the host", |frame| {
            if labels.is_step(frame) { "ProfilerStep" } else { labels.text(frame) }
        });
        let entry = timed(TreeKind::Idle, name, change);
        causes[at].1.add(&entry.all);
        // The same frame with other inputs is one row; so are the annotations of the steps.
        match causes[at].2.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.all.add(&entry.all);
                known.own.add(&entry.own);
            }
            None => causes[at].2.push(entry),
        }
    }
    causes.sort_by_key(|(_, sum, _)| Reverse(sum.change().unsigned_abs()));
    for (word, sum, mut frames) in causes {
        let at = entries.len();
        entries.push(Entry { parent: Some(0), ..timed(TreeKind::Idle, word, sum.attributed_ns) });
        // Only the host's time has frames.
        if frames.len() == 1
            && found.idle.iter().all(|((cause, frame), _)| cause_word(*cause) != word || frame.is_none())
        {
            continue;
        }
        entries[at].own = Measures::default();
        frames.sort_by_key(|entry| Reverse(entry.all.change().unsigned_abs()));
        entries.extend(frames.into_iter().map(|entry| Entry { parent: Some(at), ..entry }));
    }
    entries[0].own = Measures::default();
    entries
}

/// Returns an entry without GPU events.
pub(super) fn timed(kind: TreeKind, name: &str, time: Change) -> Entry {
    let measures = Measures { attributed_ns: time, ..Measures::default() };
    Entry { own: measures, all: measures, ..Entry::new(kind, name) }
}
