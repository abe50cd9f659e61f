//! A single run, judged by a baseline: by the interval in which one more run of the same program is expected.

use super::run_times::{RegionTime, RunTimes};
use super::stored::{Baseline, BaselineRegion};
use crate::certainty::{ALPHA, RELEVANT, score};
use crate::gate::{
    ChangedRegion, Gate, GateAnswer, Limited, Measured, StructuralFact, is_named, judge_limit, left_out_classes,
};
use crate::{Error, RegionRow, Result, SideSummary};
use statistics::{
    Comparability, FEWEST, Inconclusive, Interval, Judgement, Scope, Thresholds, Verdict, benjamini_hochberg, controls,
    judge, mean, prediction, student_cdf, variance,
};
use std::collections::{BTreeMap, BTreeSet};

/// Level of intervals.
const LEVEL: f64 = 0.95;
/// Smallest relevant change, as a share of the step.
const OF_STEP: f64 = 0.001;
/// Largest spread of unchanged regions of comparable recordings, with GPU work and without.
const SPREAD: [f64; 2] = [0.10, 0.20];

/// A quantity of the baseline, and of the run.
struct Pair {
    baseline: Vec<f64>,
    run: f64,
}

/// A region as a row of a comparison, and its times.
struct Region {
    row: RegionRow,
    class: String,
    times: Pair,
}

/// What the prediction interval says of a quantity.
struct Prediction {
    /// Ratio run ÷ mean of the baseline: estimate, low, high.
    ratio: Option<[f64; 3]>,
    p: f64,
}

impl Gate {
    /// Judges a run by a baseline: a limit is compared with the prediction interval around the growth, t(n − 1) · s · √(1 + 1/n).
    ///
    /// # Errors
    /// [`Error::UnknownRegion`] if neither has work of the name of a limit.
    pub fn judge_run(&self, baseline: &Baseline, run: &RunTimes) -> Result<GateAnswer> {
        let regions = paired(baseline, run);
        let rows: Vec<RegionRow> = regions.iter().map(|region| region.row.clone()).collect();
        let n = baseline.runs.len();
        let class_pair = |class: &str| {
            let of_run = run.classes.iter().find(|(word, _)| *word == class).map_or(0.0, |(_, us)| *us);
            let stored = baseline.classes.get(class).cloned().unwrap_or_else(|| vec![0.0; n]);
            Pair { baseline: stored, run: of_run }
        };
        let of_class = |class: &str| {
            let pair = class_pair(class);
            (!pair.baseline.iter().all(|us| *us == 0.0) || pair.run > 0.0).then(|| [mean(&pair.baseline), pair.run])
        };
        let accepted = self.honoured(&rows, &of_class);
        let classes: Vec<&str> = left_out_classes(&accepted).collect();
        let is_in_class = |region: &Region| classes.contains(&region.class.as_str());
        let is_named_out = |row: &RegionRow| accepted.iter().any(|one| one.honoured && one.accepted.is_of(row));
        let is_left_out = |region: &Region| is_in_class(region) || is_named_out(&region.row);
        // What a class contains is left out with it.
        let is_alone = |region: &Region| !is_in_class(region) && is_named_out(&region.row);
        let step = Pair { baseline: baseline.step_us.clone(), run: run.step_us };
        let mut limited = Vec::new();
        for limit in self.limits() {
            limited.push(match &limit.of {
                Limited::Step => {
                    let whole = classes.iter().fold(step.copy(), |whole, class| whole.minus(&class_pair(class)));
                    without(whole, &regions, &is_alone)
                }
                Limited::Class(class) if classes.contains(class) => Pair { baseline: vec![0.0; n], run: 0.0 },
                Limited::Class(class) => {
                    without(class_pair(class), &regions, &|region| region.class == *class && is_alone(region))
                }
                Limited::Name(name) => {
                    if !rows.iter().any(|row| is_named(name, row)) {
                        let regions = baseline.regions.iter().take(5).map(BaselineRegion::called).collect();
                        return Err(Error::UnknownRegion { name: name.clone(), regions });
                    }
                    let none = Pair { baseline: vec![0.0; n], run: 0.0 };
                    let mut sum =
                        without(none, &regions, &|region| is_named(name, &region.row) && !is_left_out(region));
                    sum.baseline.iter_mut().chain([&mut sum.run]).for_each(|us| *us = -*us);
                    sum
                }
            });
        }
        let of_limits: Vec<Prediction> = limited.iter().map(Pair::predicted).collect();
        let limit_q = corrected(&of_limits);
        let step_mean = mean(&baseline.step_us);
        let cases = self.limits().iter().zip(&limited).zip(of_limits.iter().zip(limit_q));
        let cases = cases.map(|((limit, pair), (prediction, q))| {
            let of_step = of_step(pair, step_mean);
            let measured = Measured {
                control_us: mean(&pair.baseline),
                test_us: pair.run,
                ratio: prediction.ratio,
                relevance: RELEVANT.max(of_step),
                verdict: verdict(prediction, q, of_step, n),
                samples: [n, 1],
                one_sided: matches!(limit.of, Limited::Name(_)) && pair.is_one_sided(),
                accepted: match &limit.of {
                    Limited::Step => false,
                    Limited::Class(class) => classes.contains(class),
                    Limited::Name(name) => regions.iter().filter(|region| is_named(name, &region.row)).all(is_left_out),
                },
                q,
                unjudged: (n < FEWEST).then_some(Inconclusive::TooFew { needed: FEWEST, have: n }),
                step_us: step_mean,
            };
            judge_limit(limit.clone(), &measured)
        });
        let cases = cases.collect();
        let of_regions: Vec<Prediction> = regions.iter().map(|region| region.times.predicted()).collect();
        let q = corrected(&of_regions);
        let changed = regions.iter().zip(of_regions.iter().zip(q)).filter_map(|(region, (prediction, q))| {
            let verdict = verdict(prediction, q, of_step(&region.times, step_mean), n);
            (verdict.is_change() && !is_left_out(region)).then(|| changed(region, prediction, verdict, q))
        });
        let mut changed: Vec<ChangedRegion> = changed.collect();
        changed.sort_by(|one, other| other.change_us().abs().total_cmp(&one.change_us().abs()));
        let side = |label: &str, runs: usize, samples: usize| SideSummary {
            label: label.to_owned(),
            runs,
            group: None,
            ranks: Vec::new(),
            iterations: Vec::new(),
            samples,
            warm_up: Vec::new(),
            collectives: 0,
            collectives_apart: 0,
            lending: None,
        };
        let samples = baseline.runs.iter().map(|run| run.samples).sum();
        let comparability = comparability(&regions, &of_regions, baseline);
        Ok(GateAnswer {
            sides: [side(&baseline.name, n, samples), side(&run.label, 1, run.samples)],
            scope: Scope::Program,
            samples: [n, 1],
            is_prediction: true,
            seed: 0,
            comparability,
            comparable: score(comparability, &[]),
            step_us: [step_mean, run.step_us],
            cases,
            facts: facts(&regions),
            changed,
            accepted,
            warnings: Vec::new(),
        })
    }
}

impl Pair {
    fn copy(&self) -> Pair {
        Pair { baseline: self.baseline.clone(), run: self.run }
    }

    fn minus(mut self, other: &Pair) -> Pair {
        self.run -= other.run;
        self.baseline.iter_mut().zip(&other.baseline).for_each(|(sum, us)| *sum -= us);
        self
    }

    fn is_one_sided(&self) -> bool {
        self.run == 0.0 || self.baseline.iter().all(|us| *us == 0.0)
    }

    fn predicted(&self) -> Prediction {
        let n = self.baseline.len() as f64;
        let centre = mean(&self.baseline);
        let error = (variance(&self.baseline) * (1.0 + 1.0 / n)).sqrt();
        let distance = self.run - centre;
        let p = match () {
            () if n < 2.0 => f64::NAN,
            () if error > 0.0 => 2.0 * student_cdf(-(distance / error).abs(), n - 1.0),
            () if distance == 0.0 => 1.0,
            () => 0.0,
        };
        let ratio = prediction(&self.baseline, LEVEL).ok().filter(|_| centre > 0.0).map(|interval| {
            let half = interval.half_width() / centre;
            let estimate = self.run / centre;
            [estimate, estimate - half, estimate + half]
        });
        Prediction { ratio, p }
    }
}

/// The quantity without the regions for which `is_in` is true of row and class.
fn without(mut pair: Pair, regions: &[Region], is_in: &dyn Fn(&Region) -> bool) -> Pair {
    for Region { times, .. } in regions.iter().filter(|region| is_in(region)) {
        pair = pair.minus(times);
    }
    pair
}

/// The regions of the baseline and those that only the run has.
fn paired(baseline: &Baseline, run: &RunTimes) -> Vec<Region> {
    let times: BTreeMap<&str, &RegionTime> = run.regions.iter().map(|time| (time.key.as_str(), time)).collect();
    let known: BTreeSet<&str> = baseline.regions.iter().map(|region| region.key.as_str()).collect();
    let of_baseline = baseline.regions.iter().map(|region| {
        let time = times.get(region.key.as_str());
        let (us, count) = time.map_or((0.0, 0.0), |time| (time.us, time.count));
        Region {
            row: row([&region.module, &region.operator, &region.kernel], [usual(&region.count, count), count]),
            class: region.class.clone(),
            times: Pair { baseline: region.us.clone(), run: us },
        }
    });
    // What a baseline leaves out for its size is not new.
    let is_new = |time: &&RegionTime| time.us >= OF_STEP * run.step_us && !known.contains(time.key.as_str());
    let of_run = run.regions.iter().filter(is_new).map(|time| Region {
        row: row([&time.module, &time.operator, &time.kernel], [0.0, time.count]),
        class: time.class.to_owned(),
        times: Pair { baseline: vec![0.0; baseline.runs.len()], run: time.us },
    });
    let mut regions: Vec<Region> = of_baseline.chain(of_run).collect();
    for (id, Region { row, times, .. }) in regions.iter_mut().enumerate() {
        row.id = id;
        row.attributed_us = [mean(&times.baseline), times.run];
        row.delta_us = row.attributed_us[1] - row.attributed_us[0];
    }
    regions
}

/// A row of module, operator and kernel, without its times.
fn row([module, operator, kernel]: [&String; 3], count: [f64; 2]) -> RegionRow {
    RegionRow {
        id: 0,
        path: [module, operator].into_iter().filter(|call| !call.is_empty()).cloned().collect(),
        kernel: kernel.clone(),
        name: kernel.clone(),
        grade: "exact",
        why: "",
        count,
        attributed_us: [0.0; 2],
        total_us: [0.0; 2],
        delta_us: 0.0,
        count_part_us: 0.0,
        cost_part_us: 0.0,
    }
}

/// Operators that differ by structure, the largest change first.
fn facts(regions: &[Region]) -> Vec<StructuralFact> {
    let mut sums: BTreeMap<&str, ([f64; 2], f64)> = BTreeMap::new();
    for Region { row, class, .. } in regions {
        // Host work is the call itself.
        let operator = row.path.last().filter(|_| class != "host").unwrap_or(&row.kernel);
        let sum = sums.entry(operator).or_default();
        sum.0 = [sum.0[0] + row.count[0], sum.0[1] + row.count[1]];
        sum.1 += row.delta_us;
    }
    let differ = sums.into_iter().filter(|(_, (count, _))| (count[0] - count[1]).abs() > 1e-3);
    let mut facts: Vec<StructuralFact> =
        differ.map(|(operator, (count, delta_us))| StructuralFact::new(operator, count, delta_us)).collect();
    facts.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
    facts
}

/// The count that the run is compared with: its own if a run of the baseline has it, too, else the mean of the baseline.
fn usual(counts: &[f64], of_run: f64) -> f64 {
    if counts.iter().any(|count| (count - of_run).abs() < 1e-3) { of_run } else { mean(counts) }
}

/// Smallest relevant share of the step, as a share of a quantity.
fn of_step(pair: &Pair, step: f64) -> f64 {
    let size = (mean(&pair.baseline) + pair.run) / 2.0;
    if size > 0.0 { OF_STEP * step / size } else { 0.0 }
}

/// p of all quantities, corrected for their number; absent where there is none.
fn corrected(predictions: &[Prediction]) -> Vec<Option<f64>> {
    let p: Vec<f64> = predictions.iter().map(|prediction| prediction.p).collect();
    let known: Vec<f64> = p.iter().copied().filter(|p| !p.is_nan()).collect();
    let mut q = benjamini_hochberg(&known).into_iter();
    p.iter().map(|p| if p.is_nan() { None } else { q.next() }).collect()
}

fn verdict(prediction: &Prediction, q: Option<f64>, of_step: f64, runs: usize) -> Verdict {
    if runs < FEWEST {
        return Verdict::Inconclusive(Inconclusive::TooFew { needed: FEWEST, have: runs });
    }
    let Some([_, low, high]) = prediction.ratio else { return Verdict::Inconclusive(Inconclusive::NoRatio) };
    // A share that may be negative has no logarithm: the lower end is then as far as can be.
    let log_ratio =
        Interval { low: low.max(f64::MIN_POSITIVE).ln(), high: high.max(f64::MIN_POSITIVE).ln(), level: LEVEL };
    judge(&Judgement { log_ratio, q }, &Thresholds { relevance: RELEVANT, of_step, alpha: ALPHA })
}

fn changed(region: &Region, prediction: &Prediction, verdict: Verdict, q: Option<f64>) -> ChangedRegion {
    let centre = mean(&region.times.baseline);
    ChangedRegion {
        id: region.row.id,
        path: region.row.path.clone(),
        kernel: region.row.kernel.clone(),
        verdict,
        attributed_us: region.row.attributed_us,
        interval_us: prediction.ratio.map(|[_, low, high]| [(low - 1.0) * centre, (high - 1.0) * centre]),
        growth: prediction.ratio.map(|ratio| ratio.map(|end| end - 1.0)),
        q,
    }
}

/// Whether the run is like those of the baseline as a whole: by the spread of the log ratios of regions with the same count.
fn comparability(regions: &[Region], predictions: &[Prediction], baseline: &Baseline) -> Comparability {
    let n = baseline.runs.len() as f64;
    let [mut ratios, mut errors, mut sizes] = [const { Vec::new() }; 3];
    for (region, prediction) in regions.iter().zip(predictions) {
        let [control, test] = region.row.count;
        let Some([ratio, ..]) = prediction.ratio.filter(|ratio| control == test && ratio[0] > 0.0) else { continue };
        let spread = variance(&region.times.baseline).sqrt() / mean(&region.times.baseline);
        ratios.push(ratio.ln());
        errors.push(spread * (1.0 + 1.0 / n).sqrt());
        sizes.push(region.row.attributed_us[0]);
    }
    if 2 * ratios.len() < regions.len() {
        return Comparability::MostChanged;
    }
    let Ok(controls) = controls(&ratios, &errors, &sizes) else { return Comparability::Unknown };
    let limit = SPREAD[usize::from(baseline.classes.contains_key("host"))];
    let score = 1.0 / (1.0 + (controls.excess / limit).powi(2));
    if controls.excess > limit { Comparability::NotComparable { score } } else { Comparability::Comparable { score } }
}
