//! Time of matched collectives: waiting until the last rank arrives, then transfer.
//!
//! ```text
//! rank 0   |-- waiting --|-- transfer --|
//! rank 1        |waiting |-- transfer --|
//! rank 2   late . . . . .|-- transfer --|
//! ```

use super::measures::{Class, Times};
use crate::collective::{Charges, Collectives, Matched, Stragglers};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::format::counted;

/// Waiting and transfer of the matched collectives.
#[derive(Debug, Default)]
pub(in crate::analysis) struct Divided {
    /// Waiting, transfer and lateness by rank and name, in ns.
    pub(super) times: Times,
    /// Matched collectives by rank and name.
    pub(super) counts: BTreeMap<(String, i64), u64>,
    /// What they were matched by.
    matched_by: BTreeSet<String>,
    /// Those of process groups that are smaller than the job and not recorded.
    without_group: usize,
    one_sided: u64,
    /// The ranks that other ranks wait for.
    pub(in crate::analysis) stragglers: Stragglers,
}

impl Divided {
    /// Divides the time of the collectives that at least two ranks recorded.
    pub(in crate::analysis) fn of(collectives: &Collectives, loaded: usize) -> Self {
        let mut divided = Self { one_sided: collectives.one_sided(), ..Self::default() };
        let mut charges = Charges::default();
        divided.without_group = collectives.matched(loaded, |matched| {
            charges.add(&matched);
            divided.add(&matched);
        });
        divided.stragglers = charges.finish();
        divided
    }

    fn add(&mut self, collective: &Matched<'_, '_>) {
        self.matched_by.insert(collective.group.words());
        if collective.is_apart() {
            return;
        }
        let (of, last_start) = (collective.of, collective.last_start());
        let half = of.len() / 2;
        let median = if of.len() % 2 == 1 { of[half].start } else { of[half - 1].start.midpoint(of[half].start) };
        for one in of {
            let parts = [
                (Class::Waiting, last_start.saturating_sub(one.start)),
                (Class::Transfer, one.end.saturating_sub(last_start).max(0)),
                (Class::Late, one.start.saturating_sub(median)),
            ];
            for (class, time) in parts {
                for name in [collective.name, ""] {
                    let sums = self.times.entry(class).or_default().entry(name.to_owned()).or_default();
                    let sum: &mut i64 = sums.entry(one.rank).or_default();
                    *sum = sum.saturating_add(time);
                }
            }
            *self.counts.entry((collective.name.to_owned(), one.rank)).or_default() += 1;
        }
    }

    /// Whether waiting and transfer can be told apart: collectives overlap on all their ranks, but for one in twenty.
    pub(in crate::analysis) fn is_plausible(&self) -> bool {
        self.stragglers.is_plausible()
    }

    /// Says how collectives were matched, or why not.
    pub(in crate::analysis) fn notes(&self) -> Vec<String> {
        let Stragglers { collectives: matched, apart, .. } = self.stragglers;
        let mut notes = Vec::new();
        if matched > 0 && !self.is_plausible() {
            notes.push(format!(
                "The clocks of the ranks are not synchronised: {} of {} do not overlap on all their ranks. Waiting and \
                 transfer are not told apart.",
                apart,
                counted(matched, "collective")
            ));
        } else if matched > 0 {
            let by: Vec<&str> = self.matched_by.iter().map(String::as_str).collect();
            let mut note = format!(
                "{} matched across ranks by {}: waiting until the last of the analysed ranks arrives, then transfer.",
                counted(matched, "collective"),
                by.join("; ")
            );
            if apart > 0 {
                note.push_str(&format!(" {} left out: they do not overlap on all their ranks.", apart));
            }
            notes.push(note);
        }
        if self.without_group > 0 {
            notes.push(format!(
                "{} not matched: process groups are smaller than the job and their ranks are not recorded, or not loaded \
                 (`%trace_load … --args default,nccl::process_group_ranks,nccl::seq`).",
                counted(self.without_group, "collective")
            ));
        }
        if self.one_sided > 0 {
            notes.push(format!(
                "{} (broadcasts, sends) not divided: they may end before all ranks have begun.",
                counted(usize::try_from(self.one_sided).unwrap_or(usize::MAX), "kernel")
            ));
        }
        notes
    }
}
