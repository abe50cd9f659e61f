//! The samples of an explanation as frames: what each iteration of each rank of each run took.

use super::events::SIDES;
use super::explanation::Explanation;
use crate::Result;
use crate::frame::columns::{ITERATION, RANK};
use crate::present::{Field, answer_frame};
use call_tree::{Class, Cost, Sample};
use polars::prelude::DataFrame;
use trace_view::Unit;

const SIDE: &str = "control or test";
const RUN: &str = "number of the run in its side, from 0";

/// Whose sample it is.
#[derive(Clone, Copy)]
pub(super) struct Key {
    side: &'static str,
    pub(super) run: i64,
    pub(super) rank: i64,
    pub(super) iteration: i64,
}

/// The step of a sample.
struct StepRow<'a> {
    key: Key,
    weight: f64,
    of: &'a Sample,
}

impl StepRow<'_> {
    const COLUMNS: [Field<Self>; 12] = [
        Field::word("side", SIDE, |row| Some(row.key.side)),
        Field::id("run", RUN, |row| Some(row.key.run)),
        Field::id(RANK, "rank", |row| Some(row.key.rank)),
        Field::id(ITERATION, "iteration", |row| Some(row.key.iteration)),
        Field::number("weight", Unit::None, "how much it counts among those of its side", |row| Some(row.weight)),
        Field::whole("step_ns", Unit::Nanos, "length of the step", |row| Some(row.of.step_ns)),
        Field::whole("compute_ns", Unit::Nanos, "compute kernels run", |row| row.class(Class::Compute)),
        Field::whole("exposed_communication_ns", Unit::Nanos, "communication that nothing hides", |row| {
            row.class(Class::Communication)
        }),
        Field::whole("exposed_copy_ns", Unit::Nanos, "copies and fills that nothing hides", |row| {
            row.class(Class::Copy)
        }),
        Field::whole("host_ns", Unit::Nanos, "host work, of recordings without GPU work", |row| row.class(Class::Host)),
        Field::whole("idle_ns", Unit::Nanos, "the GPU does nothing", |row| Some(row.of.idle_ns)),
        Field::whole("unattributed_ns", Unit::Nanos, "part of the classes that is in no region", |row| {
            Some(row.of.unattributed_ns)
        }),
    ];

    fn class(&self, class: Class) -> Option<i64> {
        Some(self.of.classes_ns[class as usize])
    }
}

/// The cost of a region in a sample.
struct CostRow {
    key: Key,
    region: usize,
    /// Whether the recording of the sample has GPU work.
    has_gpu: bool,
    of: Cost,
}

impl CostRow {
    const COLUMNS: [Field<Self>; 8] = [
        Field::word("side", SIDE, |row| Some(row.key.side)),
        Field::id("run", RUN, |row| Some(row.key.run)),
        Field::id(RANK, "rank", |row| Some(row.key.rank)),
        Field::id(ITERATION, "iteration", |row| Some(row.key.iteration)),
        Field::id("region", "number among the regions", |row| i64::try_from(row.region).ok()),
        Field::whole("count", Unit::Count, "events", |row| Some(i64::from(row.of.count))),
        Field::whole("attributed_ns", Unit::Nanos, "share of the step", |row| Some(row.of.attributed_ns)),
        Field::whole("gpu_ns", Unit::Nanos, "sum of durations; 0 for host work", |row| {
            Some(if row.has_gpu { row.of.ns } else { 0 })
        }),
    ];
}

impl Explanation {
    /// Returns the step of each sample, exactly: means of the explanation are sums over these rows, each times its weight.
    ///
    /// # Columns
    /// `side` (control, test), `run` (its place in the side, from 0), `rank`, `iteration`; `weight`, which is the same for each run
    /// and in it for each iteration, and adds up to 1 for a side; in ns `step_ns`, `compute_ns`,
    /// `exposed_communication_ns`, `exposed_copy_ns`, `host_ns` (of recordings without GPU work), `idle_ns`, `unattributed_ns`
    /// (part of the classes that is in no region).
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn steps(&self) -> Result<DataFrame> {
        let rows: Vec<StepRow> = (0..SIDES.len())
            .flat_map(|side| {
                let weighted = self.keys(side).into_iter().zip(self.weights(side));
                weighted.zip(&self.found.samples[side]).map(|((key, weight), of)| StepRow { key, weight, of })
            })
            .collect();
        answer_frame(&rows, &StepRow::COLUMNS)
    }

    /// Returns what each region costs in each sample. Samples that lack a region have no row for it, and count as 0.
    ///
    /// # Columns
    /// `side`, `run`, `rank`, `iteration` as in [`Explanation::steps`]; `region`, `count` (events), `attributed_ns` (share of the
    /// step), `gpu_ns` (sum of durations, overlap counted twice; 0 for host work).
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn samples(&self) -> Result<DataFrame> {
        let keys = [self.keys(0), self.keys(1)];
        let mut rows = Vec::new();
        for (id, region) in self.chosen_regions() {
            for (side, costs) in self.found.costs(&region.region).into_iter().enumerate() {
                for cost in costs {
                    let at = cost.sample as usize;
                    let (Some(&key), Some(sample)) = (keys[side].get(at), self.found.samples[side].get(at)) else {
                        continue;
                    };
                    rows.push(CostRow { key, region: id, has_gpu: sample.has_gpu, of: cost });
                }
            }
        }
        answer_frame(&rows, &CostRow::COLUMNS)
    }

    /// How much each sample of a side counts; they add up to 1.
    pub(super) fn weights(&self, side: usize) -> Vec<f64> {
        let weights = &self.found.weights[side];
        let all = weights.mean([]).weight.max(1) as f64;
        (0..self.found.samples[side].len() as u32).map(|sample| weights.weight(sample) as f64 / all).collect()
    }

    /// The samples of a side, in their order.
    pub(super) fn keys(&self, side: usize) -> Vec<Key> {
        // In the order of recordings.
        let ranks: Vec<(i64, i64)> = self.ranks[side]
            .iter()
            .filter(|rank| rank.recording.is_some())
            .map(|rank| (rank.run as i64, rank.rank))
            .collect();
        let key = |sample: &Sample| {
            let (run, rank) = ranks.get(sample.recording as usize).copied().unwrap_or_default();
            Key { side: SIDES[side], run, rank, iteration: sample.iteration }
        };
        self.found.samples[side].iter().map(key).collect()
    }
}
