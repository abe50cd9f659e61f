//! The samples of an explanation as frames: what each iteration of each rank of each run took.

use super::events::SIDES;
use super::explanation::{Explanation, word};
use crate::Result;
use crate::frame::columns::{ITERATION, RANK};
use call_tree::Sample;
use polars::prelude::{Column, DataFrame, NamedFrom, Series};

/// Whose sample it is.
#[derive(Clone, Copy)]
pub(super) struct Key {
    side: &'static str,
    pub(super) run: i64,
    pub(super) rank: i64,
    pub(super) iteration: i64,
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
        let rows: Vec<(Key, Sample)> = (0..SIDES.len())
            .flat_map(|side| self.keys(side).into_iter().zip(self.found.samples[side].iter().copied()))
            .collect();
        let keys: Vec<Key> = rows.iter().map(|(key, _)| *key).collect();
        let ns = |name: String, of: &dyn Fn(&Sample) -> i64| -> Column {
            Series::new(name.into(), rows.iter().map(|(_, sample)| of(sample)).collect::<Vec<i64>>()).into()
        };
        let mut columns = key_columns(&keys);
        let weights: Vec<f64> = (0..SIDES.len()).flat_map(|side| self.weights(side)).collect();
        columns.push(Series::new("weight".into(), weights).into());
        columns.push(ns("step_ns".to_owned(), &|sample| sample.step_ns));
        for class in Sample::CLASSES {
            columns.push(ns(format!("{}_ns", word(class)), &|sample| sample.classes_ns[class as usize]));
        }
        columns.push(ns("idle_ns".to_owned(), &|sample| sample.idle_ns));
        columns.push(ns("unattributed_ns".to_owned(), &|sample| sample.unattributed_ns));
        Ok(DataFrame::new(rows.len(), columns)?)
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
        let (mut whose, mut regions) = (Vec::new(), Vec::new());
        let [mut count, mut attributed, mut gpu] = [const { Vec::<i64>::new() }; 3];
        for (id, region) in self.chosen_regions() {
            for (side, costs) in self.found.costs(&region.region).into_iter().enumerate() {
                for cost in costs {
                    let at = cost.sample as usize;
                    let (Some(&key), Some(sample)) = (keys[side].get(at), self.found.samples[side].get(at)) else {
                        continue;
                    };
                    whose.push(key);
                    regions.push(id as i64);
                    count.push(i64::from(cost.count));
                    attributed.push(cost.attributed_ns);
                    gpu.push(if sample.has_gpu { cost.ns } else { 0 });
                }
            }
        }
        let mut columns = key_columns(&whose);
        let numbers = [("region", regions), ("count", count), ("attributed_ns", attributed), ("gpu_ns", gpu)];
        columns.extend(numbers.map(|(name, values)| Column::from(Series::new(name.into(), values))));
        Ok(DataFrame::new(whose.len(), columns)?)
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

fn key_columns(keys: &[Key]) -> Vec<Column> {
    let number = |name: &str, of: fn(&Key) -> i64| -> Column {
        Series::new(name.into(), keys.iter().map(of).collect::<Vec<i64>>()).into()
    };
    vec![
        Series::new("side".into(), keys.iter().map(|key| key.side).collect::<Vec<_>>()).into(),
        number("run", |key| key.run),
        number(RANK, |key| key.rank),
        number(ITERATION, |key| key.iteration),
    ]
}
