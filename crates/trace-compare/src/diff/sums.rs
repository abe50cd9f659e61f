//! The partial result of a comparison: exact sums by name, group and device, of some ranks of each side.

use super::pairs::WHOLE;
use super::sum::Sum;
use crate::dataset::MarkedIterations;
use crate::exec::checkpoint::cancellable;
use crate::filter::TraceFilter;
use crate::frame::IntColumn;
use crate::frame::columns::{DUR, ITERATION, NAME, STREAM};
use crate::{By, Compat, DeviceType, Result, Trace, Window, shorten_name};
use polars::prelude::Categorical32Type;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sums by name and group; a group is a rank, an iteration, or [`WHOLE`].
pub(super) type ByName = BTreeMap<String, BTreeMap<i64, Sum>>;

/// The sums of some ranks of both sides; merged in any order, they are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    pub(super) control: SideSums,
    pub(super) test: SideSums,
}

impl Sums {
    /// Merges the sums of other ranks.
    pub(super) fn merge(&mut self, other: Self) {
        self.control.merge(other.control);
        self.test.merge(other.test);
    }
}

/// The sums of some ranks of one side: of events without and with a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SideSums {
    cpu: ByName,
    gpu: ByName,
}

impl SideSums {
    /// Returns the time of GPU events in ns by name and group, but of those that wait.
    pub(super) fn kernels(&self) -> BTreeMap<String, BTreeMap<i64, i64>> {
        let times = |groups: &BTreeMap<i64, Sum>| -> BTreeMap<i64, i64> {
            groups.iter().map(|(&group, sum)| (group, i64::try_from(sum.nanos()).unwrap_or(i64::MAX))).collect()
        };
        let kernels = self.gpu.iter().filter(|(name, _)| !WAITS.contains(&name.as_str()));
        kernels.map(|(name, groups)| (name.clone(), times(groups))).collect()
    }

    fn merge(&mut self, other: Self) {
        merge(&mut self.cpu, other.cpu);
        merge(&mut self.gpu, other.gpu);
    }

    /// Returns the time of GPU work by group: events that wait are left out.
    pub(super) fn device_nanos(&self) -> BTreeMap<i64, i128> {
        let mut nanos = BTreeMap::new();
        for (_, groups) in self.gpu.iter().filter(|(name, _)| !WAITS.contains(&name.as_str())) {
            for (&group, sum) in groups {
                *nanos.entry(group).or_default() += sum.nanos();
            }
        }
        nanos
    }

    /// Returns the sums of the events on a device, under shortened names if `short`.
    pub(super) fn on(self, device: DeviceType, short: bool) -> ByName {
        let [mut all, gpu] = self.on_each(device, short);
        merge(&mut all, gpu);
        all
    }

    /// Returns the same, of events without a stream and of those with one.
    pub(super) fn on_each(self, device: DeviceType, short: bool) -> [ByName; 2] {
        let cpu = if device.takes(false) { self.cpu } else { ByName::new() };
        let gpu = if device.takes(true) { self.gpu } else { ByName::new() };
        let shortened = |all: ByName| {
            let mut shortened = ByName::new();
            for (name, groups) in all {
                merge_groups(shortened.entry(shorten_name(&name)).or_default(), groups);
            }
            shortened
        };
        [cpu, gpu].map(|all| if short { shortened(all) } else { all })
    }
}

/// Names of GPU events that wait instead of working.
const WAITS: &[&str] = &["Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync"];

fn merge(all: &mut ByName, other: ByName) {
    if all.is_empty() {
        *all = other;
        return;
    }
    for (name, groups) in other {
        merge_groups(all.entry(name).or_default(), groups);
    }
}

fn merge_groups(all: &mut BTreeMap<i64, Sum>, other: BTreeMap<i64, Sum>) {
    for (group, sum) in other {
        all.entry(group).or_default().merge(sum);
    }
}

/// The events of one side that are summed up.
pub(super) struct Selected<'a> {
    pub(super) compat: Compat,
    pub(super) window: &'a Window,
    pub(super) by: Option<By>,
    pub(super) filter: Option<&'a TraceFilter>,
    /// Iterations are spans of events that match, instead of the profiler's steps.
    pub(super) marker: Option<&'a Regex>,
}

impl Selected<'_> {
    /// Working memory for each event of a rank, in bytes: the mask of a filter, marked iterations, and
    /// columns in one chunk.
    pub(super) const BYTES_PER_ROW: usize = 24;

    /// Sums up the selected events of one rank.
    ///
    /// # Errors
    /// If a column is missing, or the filter does not fit the events.
    pub(super) fn sums(&self, trace: &Trace) -> Result<SideSums> {
        let events = trace.frame()?;
        let passes = self.filter.map(|filter| filter.mask(trace)).transpose()?;
        let marked = self.marker.map(|marker| MarkedIterations::by_row(trace, marker)).transpose()?;
        let (stream, iteration) = (IntColumn::of(&events, STREAM)?, IntColumn::of(&events, ITERATION)?);
        let iteration_of = |row: usize| match &marked {
            Some(marked) => marked.get(row).copied().flatten().map(i64::from),
            None => iteration.get(row),
        };
        let names = events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?;
        let durations = events.column(DUR)?.i64()?.rechunk();
        let mapping = names.get_mapping();
        let mut slots = Slots::of(self.window);
        // By number first: one text per name, not one per event.
        let mut number_of = vec![u32::MAX; mapping.num_cats_upper_bound()];
        let mut codes: Vec<u32> = Vec::new();
        let mut tables: Vec<Vec<[Sum; 2]>> = Vec::new();
        for (row, code) in cancellable(names.physical().iter()).enumerate() {
            let Some(code) = code else { continue };
            if passes.as_ref().is_some_and(|passes| passes.get(row) != Some(true)) {
                continue;
            }
            let Some(slot) = slots.slot(|| iteration_of(row)) else { continue };
            let slot = if self.by == Some(By::Iteration) { slot } else { 0 };
            let Some(number) = number_of.get_mut(code as usize) else { continue };
            if *number == u32::MAX {
                *number = codes.len() as u32;
                codes.push(code);
            }
            if tables.len() <= slot {
                tables.resize_with(slot + 1, Vec::new);
            }
            let (table, number) = (&mut tables[slot], *number as usize);
            if table.len() <= number {
                table.resize(codes.len(), [Sum::default(); 2]);
            }
            let on_gpu = usize::from(stream.get(row).is_some());
            table[number][on_gpu].add(self.compat.counted(durations.get(row).unwrap_or(0)));
        }
        let mut sums = SideSums::default();
        for (slot, table) in tables.into_iter().enumerate() {
            let group = match self.by {
                None => WHOLE,
                Some(By::Rank) => trace.rank(),
                Some(By::Iteration) => slots.iteration(slot),
            };
            for (&code, [cpu, gpu]) in codes.iter().zip(table) {
                let name = mapping.cat_to_str(code).unwrap_or_default();
                for (side, sum) in [(&mut sums.cpu, cpu), (&mut sums.gpu, gpu)] {
                    if sum.count > 0 {
                        side.entry(name.to_owned()).or_default().entry(group).or_default().merge(sum);
                    }
                }
            }
        }
        Ok(sums)
    }
}

/// The positions of iterations in a window; the last one found is tried first, since neighbours are of one iteration.
struct Slots<'a> {
    iterations: Option<&'a [i64]>,
    last: usize,
}

impl<'a> Slots<'a> {
    fn of(window: &'a Window) -> Self {
        let iterations = if let Window::Iterations(numbers) = window { Some(numbers.as_slice()) } else { None };
        Self { iterations, last: 0 }
    }

    /// Returns the slot of a row, if the window contains it.
    fn slot(&mut self, iteration: impl FnOnce() -> Option<i64>) -> Option<usize> {
        let Some(iterations) = self.iterations else { return Some(0) };
        let wanted = iteration()?;
        if iterations.get(self.last) != Some(&wanted) {
            self.last = iterations.iter().position(|&number| number == wanted)?;
        }
        Some(self.last)
    }

    /// Returns the iteration of a slot.
    fn iteration(&self, slot: usize) -> i64 {
        self.iterations.and_then(|iterations| iterations.get(slot)).copied().unwrap_or(WHOLE)
    }
}
