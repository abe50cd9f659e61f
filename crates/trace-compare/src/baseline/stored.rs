//! A baseline: what each region took in each of several runs of a program.

use super::run_times::{RegionTime, RunTimes, called};
use crate::gate::today;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Regions below this share of the step are not kept.
const SMALLEST: f64 = 1e-4;

/// What each region took in each run: distributions, not events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Baseline {
    /// Its name.
    pub name: String,
    /// The day of the last change, in UTC: `2026-11-22`.
    pub date: String,
    /// The runs, in the order in which they were added.
    pub runs: Vec<BaselineRun>,
    /// Length of a step in each run, µs.
    pub step_us: Vec<f64>,
    /// Each class in each run, µs a step.
    pub classes: BTreeMap<String, Vec<f64>>,
    /// Regions that take at least 0.01 % of the step, the largest first.
    pub regions: Vec<BaselineRegion>,
}

/// A run of a baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaselineRun {
    /// Its label or path.
    pub label: String,
    /// Number of iterations, of all ranks.
    pub samples: usize,
}

/// What the regions of one place and kernel took in each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaselineRegion {
    /// A hash of the calls and the kernel.
    pub key: String,
    /// The innermost module; empty without one.
    pub module: String,
    /// The innermost call; empty without one.
    pub operator: String,
    /// Short name of the kernel.
    pub kernel: String,
    /// Class of the step.
    pub class: String,
    /// Share of the step in each run, µs.
    pub us: Vec<f64>,
    /// Events a step in each run.
    pub count: Vec<f64>,
}

impl Baseline {
    /// A baseline without runs.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            date: today(),
            runs: Vec::new(),
            step_us: Vec::new(),
            classes: BTreeMap::new(),
            regions: Vec::new(),
        }
    }

    /// Returns whether it has this run: one with the same label and step.
    pub fn contains(&self, run: &RunTimes) -> bool {
        let step = rounded(run.step_us);
        self.runs.iter().zip(&self.step_us).any(|(known, &us)| known.label == run.label && us == step)
    }

    /// Adds a run. Regions that it lacks take no time in it.
    pub fn add(&mut self, run: &RunTimes) {
        let before = self.runs.len();
        self.date = today();
        self.runs.push(BaselineRun { label: run.label.clone(), samples: run.samples });
        self.step_us.push(rounded(run.step_us));
        for (class, us) in &run.classes {
            let times = self.classes.entry((*class).to_owned()).or_insert_with(|| vec![0.0; before]);
            times.push(rounded(*us));
        }
        for times in self.classes.values_mut() {
            times.resize(before + 1, 0.0);
        }
        let known: BTreeMap<String, usize> =
            self.regions.iter().enumerate().map(|(at, region)| (region.key.clone(), at)).collect();
        for time in &run.regions {
            match known.get(&time.key).and_then(|&at| self.regions.get_mut(at)) {
                Some(region) => region.add(time),
                None => self.regions.push(BaselineRegion::of(time, before)),
            }
        }
        let mean = self.step_us.iter().sum::<f64>() / self.step_us.len() as f64;
        for region in &mut self.regions {
            region.us.resize(before + 1, 0.0);
            region.count.resize(before + 1, 0.0);
        }
        self.regions.retain(|region| region.mean_us() >= SMALLEST * mean);
        self.regions.sort_by(|one, other| other.mean_us().total_cmp(&one.mean_us()).then(one.key.cmp(&other.key)));
    }

    /// Says what is wrong with a baseline that was read from a file.
    pub(super) fn check(&self) -> Result<(), String> {
        let runs = self.runs.len();
        let is_time = |times: &[f64]| times.len() == runs && times.iter().all(|time| time.is_finite() && *time >= 0.0);
        let of_regions = |region: &BaselineRegion| is_time(&region.us) && is_time(&region.count);
        let are_times = is_time(&self.step_us) && self.classes.values().all(|times| is_time(times));
        match are_times && self.regions.iter().all(of_regions) && runs > 0 {
            true => Ok(()),
            false => Err(format!("the numbers of baseline {} do not belong to {runs} runs", self.name)),
        }
    }
}

impl BaselineRegion {
    fn of(time: &RegionTime, before: usize) -> Self {
        let mut region = Self {
            key: time.key.clone(),
            module: time.module.clone(),
            operator: time.operator.clone(),
            kernel: time.kernel.clone(),
            class: time.class.to_owned(),
            us: vec![0.0; before],
            count: vec![0.0; before],
        };
        region.add(time);
        region
    }

    fn add(&mut self, time: &RegionTime) {
        self.us.push(rounded(time.us));
        self.count.push(rounded(time.count));
    }

    /// Mean over runs of the share of the step, µs.
    pub fn mean_us(&self) -> f64 {
        self.us.iter().sum::<f64>() / self.us.len().max(1) as f64
    }

    /// The operator and the kernel.
    pub fn called(&self) -> String {
        called(&self.operator, &self.kernel)
    }
}

/// A number with three decimals, which are ns of times in µs.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}
