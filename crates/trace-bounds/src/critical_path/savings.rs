//! Savings by name and by class of time on the path, each computed once for all windows.

use super::answer::{BoundWindow, WhatIf, added, diagnosis, largest};
use super::job::unless_cancelled;
use super::ranks::{LoadedRank, Names};
use super::steps::{Steps, lengths};
use crate::Result;
use causal::{BoundBy, Graph, Lag, Replay, Savings, Segment, Window};
use foldhash::HashSet;
use std::collections::BTreeMap;

/// A proposal makes something twice as fast.
const TWICE_AS_FAST: f64 = 0.5;

/// A class of time and the code of a name.
pub(super) type Key = (BoundBy, Option<u32>);

/// What is on a path under one key.
#[derive(Default)]
pub(super) struct OfKey {
    pub(super) count: usize,
    pub(super) ns: i64,
}

/// Adds segments up by class and name, the longest first.
pub(super) fn grouped(path: &[Segment], ranks: &[LoadedRank]) -> Vec<(Key, OfKey)> {
    let mut groups: BTreeMap<Key, (OfKey, HashSet<(u32, u32)>)> = BTreeMap::new();
    for segment in path {
        let name = segment.event.map(|row| ranks[segment.rank as usize].rows.name(row as usize));
        let (group, seen) = groups.entry((segment.bound_by, name)).or_default();
        group.ns += segment.duration();
        // An operator's own time may be several intervals.
        group.count += usize::from(segment.event.is_none_or(|row| seen.insert((segment.rank, row))));
    }
    let mut groups: Vec<(Key, OfKey)> = groups.into_iter().map(|(key, (group, _))| (key, group)).collect();
    groups.sort_by(|one, other| other.1.ns.cmp(&one.1.ns).then(one.0.cmp(&other.0)));
    groups
}

/// Savings of names, each computed once for all windows.
pub(super) struct Saved<'g> {
    savings: Savings<'g>,
    windows: &'g [Window],
    ranks: &'g [LoadedRank],
    known: BTreeMap<Key, [Vec<i64>; 2]>,
    graph: &'g Graph,
}

impl<'g> Saved<'g> {
    /// Prepares replays of a graph.
    pub(super) fn of(graph: &'g Graph, windows: &'g [Window], ranks: &'g [LoadedRank]) -> Self {
        Self { savings: Savings::of(graph), windows, ranks, known: BTreeMap::new(), graph }
    }

    /// Returns what a window would lose if this took half of its time, and none.
    pub(super) fn both(&mut self, key: Key, window: usize) -> Result<[i64; 2]> {
        self.compute(key)?;
        let before = lengths(&self.windows[window..=window])[0];
        Ok(self.known.get(&key).map_or([0, 0], |after| [before - after[0][window], before - after[1][window]]))
    }

    fn compute(&mut self, key: Key) -> Result<()> {
        if self.known.contains_key(&key) {
            return Ok(());
        }
        let mut after = |scale: f64| -> Result<Vec<i64>> {
            let (ranks, windows, savings) = (self.ranks, self.windows, &mut self.savings);
            let factor = |lag: &Lag| if is_of(key, lag, ranks) { scale } else { 1.0 };
            unless_cancelled(|check| savings.windows(windows, factor, check))
        };
        let both = [after(TWICE_AS_FAST)?, after(0.0)?];
        self.known.insert(key, both);
        Ok(())
    }

    /// Returns the single changes that save most: names on the paths, and classes of time, each twice as fast.
    pub(super) fn proposals(
        &mut self,
        count: usize,
        windows: &[BoundWindow],
        names: &Names,
        steps: &Steps,
    ) -> Result<Vec<WhatIf>> {
        let before_ns = steps.step(&lengths(self.windows));
        let mut found: Vec<(i64, Chosen)> = Vec::new();
        for (key, after) in &self.known {
            found.extend(key.1.map(|_| (steps.step(&after[0]), Chosen::Key(*key))));
        }
        for (class, _) in added(windows.iter().flat_map(BoundWindow::summary)) {
            let of = Chosen::Class(class);
            let (ranks, windows, savings) = (self.ranks, self.windows, &mut self.savings);
            let after = unless_cancelled(|check| savings.windows(windows, |lag| of.factor(lag, ranks), check))?;
            found.push((steps.step(&after), of));
        }
        found.retain(|(after, _)| *after < before_ns);
        found.sort_by_key(|(after, of)| (*after, *of));
        found.truncate(count);
        let row = |(after_ns, of): (i64, Chosen)| {
            let factor = |lag: &Lag| of.factor(lag, self.ranks);
            let replays = unless_cancelled(|check| self.graph.replays(self.windows, factor, check))?;
            let path = replays.iter().flat_map(Replay::path);
            let shares = added(path.map(|segment| (segment.bound_by, segment.duration())));
            let change = format!("{} x {TWICE_AS_FAST}", of.condition(names));
            let (diagnosis, bound_by) = (diagnosis(&shares), largest(&shares));
            Ok(WhatIf { change, before_ns, after_ns, diagnosis, bound_by, matches: true })
        };
        found.into_iter().map(row).collect()
    }
}

/// What a proposal makes twice as fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Chosen {
    Key(Key),
    Class(BoundBy),
}

impl Chosen {
    fn factor(self, lag: &Lag, ranks: &[LoadedRank]) -> f64 {
        let takes = match self {
            Self::Key(key) => is_of(key, lag, ranks),
            Self::Class(class) => lag.bound_by == class,
        };
        if takes { TWICE_AS_FAST } else { 1.0 }
    }

    /// The condition in the language of `--where`.
    fn condition(self, names: &Names) -> String {
        let name = |code: Option<u32>| code.and_then(|code| names.known(code)).unwrap_or_default();
        match self {
            Self::Key((class, code)) => format!("name = {} and bound_by = {}", quoted(name(code)), class.word()),
            Self::Class(class) => format!("bound_by = {}", class.word()),
        }
    }
}

/// Tells whether a lag has a class and a name.
#[inline]
fn is_of(key: Key, lag: &Lag, ranks: &[LoadedRank]) -> bool {
    lag.bound_by == key.0 && lag.event().map(|row| ranks[lag.rank as usize].rows.name(row as usize)) == key.1
}

/// Quotes a text for the language of `--where`.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}
