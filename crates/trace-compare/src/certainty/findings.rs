//! Conclusions of a comparison, and its limits, in sentences.

use super::sentence::Sentence;
use super::vendors::{both_names, join_vendors};
use super::words::{ALPHA, SampleKind, percent, smallest};
use crate::shorten_name;
use call_tree::vendor_neutral;
use statistics::{Comparability, Controls, FEWEST, Inconclusive, Scope, Verdict};
use std::collections::HashMap;
use trace_view::format::{counted, microseconds as time, microseconds_changed as signed};
use trace_view::tidy;

/// Changes of structure that a sentence names.
const NAMED: usize = 4;
/// Share of the samples below which what they are worth is said.
const CORRELATED: f64 = 0.9;
/// Smallest p that is written as a number.
const SMALLEST_P: f64 = 1e-4;

/// The numbers that sentences are made of.
pub(crate) struct Findings {
    /// Control and test.
    pub names: [String; 2],
    pub(crate) scope: Scope,
    pub kind: SampleKind,
    /// Samples of control and test.
    pub samples: [usize; 2],
    /// Their iterations; the ranks of one count once.
    pub iterations: [usize; 2],
    pub runs: [usize; 2],
    /// What the samples of the step are worth.
    pub(crate) effective: [f64; 2],
    pub(crate) comparability: Comparability,
    /// How comparable the sides are, from 0 to 1.
    pub score: Option<f64>,
    pub gpu: Option<Controls>,
    pub host: Option<Controls>,
    /// What the controls are: `region` or `operator`.
    pub of: &'static str,
    pub step: StepFinding,
}

/// What is known of the step.
pub(crate) struct StepFinding {
    /// Control and test, µs.
    pub us: [f64; 2],
    pub(crate) delta_us: f64,
    /// Absent with too few samples.
    pub(crate) interval_us: Option<[f64; 2]>,
    /// Of the samples as recorded, which the pairs are about.
    pub p: Option<f64>,
    pub(crate) superiority: Option<f64>,
    /// The relevant change that it was judged by, as a share.
    pub(crate) relevance: f64,
    pub verdict: Verdict,
}

impl Findings {
    /// Samples in words: `24 + 24 iterations`, `6 + 6 runs of 60 + 60 iterations`, `8 ranks of one iteration`.
    pub(crate) fn samples_text(&self) -> String {
        let [control, test] = self.iterations;
        let iterations = format!("{control} + {test} iterations");
        let [one, other] = self.runs;
        match self.kind {
            SampleKind::Ranks => format!("{} of one iteration", counted(self.samples[0], "rank")),
            _ if one > 1 || other > 1 => format!("{one} + {other} runs of {iterations}"),
            _ => iterations,
        }
    }

    /// Says that the recordings cannot be compared; this comes before everything else.
    pub(crate) fn warning(&self) -> Option<Sentence> {
        let Comparability::NotComparable { .. } = self.comparability else { return None };
        let floor = self.gpu.or(self.host)?.floor_share();
        let of = self.of;
        let runs = match self.scope {
            Scope::Recording => "What follows describes the recordings, not the code.",
            Scope::Program => "Verdicts rest on the differences between runs alone.",
        };
        let text = format!(
            "These recordings are not comparable: {of}s with the same code and shapes differ by {} among themselves. {runs}",
            percent(floor)
        );
        Some(Sentence::new("not_comparable", text).with("noise_floor", floor))
    }

    /// Says how much slower the mean step is, with its interval where there are enough samples, and from which origins.
    pub(crate) fn step(&self, origins: Option<&str>) -> Sentence {
        let ([control, test], delta) = (self.step.us, self.step.delta_us);
        let share = if control > 0.0 { format!(" ({:.1} %)", 100.0 * delta.abs() / control) } else { String::new() };
        let change = match delta {
            0.0 => format!("as fast as {}", self.names[0]),
            delta if delta > 0.0 => format!("{} slower{share}", time(delta)),
            delta => format!("{} faster{share}", time(-delta)),
        };
        let interval = self
            .step
            .interval_us
            .map_or(String::new(), |[low, high]| format!(" (95 % {} … {})", signed(low), signed(high)));
        let origins = origins.map_or(String::new(), |origins| format!(": {origins}"));
        let text = format!(
            "{} {} {change} a step, {} → {}{interval}{origins}.",
            self.names[1],
            if self.names[1].contains([',', '…']) { "are" } else { "is" },
            time(control),
            time(test),
        );
        let ends = self.step.interval_us;
        Sentence::new("step", text)
            .with("control_us", control)
            .with("test_us", test)
            .with("delta_us", delta)
            .with_known("low_us", ends.map(|[low, _]| low))
            .with_known("high_us", ends.map(|[_, high]| high))
    }

    /// Says in one sentence what can be told of the step: the verdict, in its scope. Where it is inconclusive, the pairs of these
    /// recordings come first.
    pub(crate) fn verdict(&self) -> Sentence {
        let scope = match (self.scope, self.kind) {
            (Scope::Program, _) => "Between the programs",
            (_, SampleKind::Ranks) => "Between these recordings, across ranks",
            _ => "Between these recordings",
        };
        let about = match self.step.verdict {
            Verdict::Regression => ["the step is a regression".to_owned(), self.pairs()],
            Verdict::Improvement => ["the step is an improvement".to_owned(), self.pairs()],
            Verdict::NoRelevantChange => {
                [format!("the step has no relevant change (at most {})", percent(self.step.relevance)), self.pairs()]
            }
            Verdict::Inconclusive(why) => [self.pairs(), format!("inconclusive, {}", self.why(why))],
        };
        let about: Vec<String> = about.into_iter().filter(|part| !part.is_empty()).collect();
        let text = format!("{scope} ({}{}): {}.", self.samples_text(), self.worth(), about.join("; "));
        Sentence::new("verdict", text)
            .with("control_samples", self.samples[0] as f64)
            .with("test_samples", self.samples[1] as f64)
            .with("relevance", self.step.relevance)
            .with_known("p", self.step.p)
            .with_known("slower_share_of_pairs", self.step.superiority)
            .with_known("smallest_change", self.smallest_change())
    }

    /// The smallest change that could have been shown; nothing where the change is larger, and is not shown for another reason.
    fn smallest_change(&self) -> Option<f64> {
        let [control, _] = self.step.us;
        smallest(self.step.verdict).filter(|smallest| self.step.delta_us.abs() <= smallest * control)
    }

    /// Says why there is no verdict although the interval of the means leaves zero out.
    pub(crate) fn apart(&self) -> Option<Sentence> {
        self.step.interval_us.filter(|[low, high]| *low > 0.0 || *high < 0.0)?;
        let Verdict::Inconclusive(why) = self.step.verdict else { return None };
        let text = match why {
            Inconclusive::TooFew { .. } | Inconclusive::OneRecording | Inconclusive::NoiseUnknown => {
                Some("The interval of the means leaves 0 out, but so few samples can be in that order by chance.")
            }
            Inconclusive::Noise { .. } if self.step.p.is_some_and(|p| p > ALPHA) => Some(
                "The interval of the means leaves 0 out, but the order of the samples may be chance (p above 0.05).",
            ),
            Inconclusive::Noise { .. } if self.scope == Scope::Recording => Some(
                "The interval of the means leaves 0 out, but with what unchanged regions of these recordings differ by, the change may be none \
                 that matters.",
            ),
            Inconclusive::Noise { .. } => {
                Some("The interval of the means leaves 0 out, but reaches changes that are too small to matter.")
            }
            _ => None,
        };
        text.map(|text| Sentence::new("interval", text))
    }

    /// Says in how many pairs test is slower, if there are enough samples; p is that of the order of the samples.
    fn pairs(&self) -> String {
        let Some(share) = self.step.superiority else { return String::new() };
        let p = self.step.p.map_or(String::new(), |p| format!(" ({})", p_text(p)));
        let (share, word) = if share >= 0.5 { (share, "slower") } else { (1.0 - share, "faster") };
        let [n, _] = self.samples;
        match self.kind {
            // Equal ones count half.
            SampleKind::Ranks => {
                format!("{} is {word} on {} of {n} ranks{p}", self.names[1], count_text(share * n as f64))
            }
            kind => {
                let one = if kind == SampleKind::Runs { "a run" } else { "an iteration" };
                format!("{one} of {} is {word} in {:.0} of 100 pairs{p}", self.names[1], 100.0 * share)
            }
        }
    }

    /// Says how many independent samples those of the step are worth, if that is clearly fewer.
    fn worth(&self) -> String {
        let ([one, other], [n, m]) = (self.effective, self.samples.map(|samples| samples as f64));
        if one > CORRELATED * n && other > CORRELATED * m {
            return String::new();
        }
        format!(", worth {one:.1} + {other:.1} independent ones")
    }

    /// What is missing for a verdict.
    fn why(&self, why: Inconclusive) -> String {
        match why {
            Inconclusive::TooFew { needed, have } if self.kind == SampleKind::Ranks => {
                format!("too few ranks: {have}, {needed} needed, or {FEWEST} iterations a side")
            }
            Inconclusive::TooFew { needed, have } => {
                format!("too few {}: {have} on one side, {needed} a side needed", self.kind.word())
            }
            Inconclusive::NoiseUnknown | Inconclusive::OneRecording => {
                format!("too few iterations, noise unknown: one iteration a side, {FEWEST} needed")
            }
            Inconclusive::NoControls => {
                format!("since too few {}s are unchanged to know how much recordings differ by themselves", self.of)
            }
            Inconclusive::NotComparable => "since the recordings differ as a whole".to_owned(),
            Inconclusive::Noise { .. } if self.smallest_change().is_none() => {
                let word = self.kind.word();
                match self.step.p {
                    Some(p) if p > ALPHA => format!("since so few independent {word} can be in that order by chance"),
                    _ => format!("since so few {word} can differ as much by chance (q above 0.05)"),
                }
            }
            other => other.to_string(),
        }
    }

    /// Says how much recordings differ by themselves, whether by a common factor, and how comparable that makes them.
    pub(crate) fn noise(&self) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        let mut has_factor = false;
        for (controls, name) in [(self.gpu, "GPU"), (self.host, "host")] {
            let Some(controls) = controls else { continue };
            let unchanged = counted(controls.count, &format!("unchanged {}", self.of));
            let text = format!("Noise floor of the {name}: {} ({unchanged}).", percent(controls.floor_share()));
            let sentence = Sentence::new("noise_floor", text).with("noise_floor", controls.floor_share());
            sentences.push(sentence.with("unchanged", controls.count as f64));
            if let Some(factor) = controls.common_factor {
                has_factor = true;
                let then = match self.scope {
                    Scope::Recording => "verdicts leave the factor out",
                    Scope::Program => "verdicts are on times with the factor",
                };
                let text = format!(
                    "Nearly all unchanged {}s of the {name} take {factor:.2} times as long in {}: clock or load, not code; {then}.",
                    self.of, self.names[1]
                );
                sentences.push(Sentence::new("common_factor", text).with("factor", factor));
            }
        }
        let of = self.of;
        let comparable = match (self.comparability, self.score) {
            (Comparability::Comparable { .. }, Some(score)) if has_factor => {
                Some(format!("But for that factor, the recordings can be compared: {score:.2} of 1."))
            }
            (Comparability::Comparable { .. }, Some(score)) => {
                Some(format!("The recordings can be compared: {score:.2} of 1."))
            }
            (Comparability::NotComparable { .. }, Some(score)) => {
                Some(format!("How comparable the recordings are: {score:.2} of 1."))
            }
            (Comparability::MostChanged, _) => {
                Some(format!("More than half of the {of}s changed, so they do not tell how alike the recordings are."))
            }
            // Said by the verdict.
            _ if self.samples.iter().any(|&samples| samples < 2) => None,
            _ => Some(format!("How alike the recordings are is unknown: too few {of}s are unchanged.")),
        };
        let as_sentence = |text| Sentence::new("comparable", text).with_known("comparable", self.score);
        sentences.extend(comparable.map(as_sentence));
        sentences
    }

    /// Says what to record for the question that these recordings cannot answer.
    pub(crate) fn advice(&self) -> Option<Sentence> {
        let of = match self.runs {
            [1, 1] => "from one recording of each",
            [1, _] | [_, 1] => "with one recording on a side",
            _ => return None,
        };
        let text = format!(
            "Whether the programs differ cannot be told {of}: record {FEWEST} + {FEWEST} fresh processes in mixed order."
        );
        Some(Sentence::new("next", text).with("processes", FEWEST as f64))
    }
}

/// Events of a name a step: control and test.
pub(crate) struct CountOf<'n> {
    pub name: &'n str,
    pub counts: [f64; 2],
}

/// Says which calls are new, gone, more or fewer: facts, whatever the times say. The largest change of time comes first; kernels are called
/// by their short names, and those of one short name, or of one that two vendors spell differently, are added up.
pub(crate) fn structure<'n>(changes: impl Iterator<Item = CountOf<'n>>) -> Option<Sentence> {
    let mut short: Vec<(String, [f64; 2])> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for CountOf { name, counts } in changes {
        let name = tidy(&shorten_name(name));
        let at = *positions.entry(name.clone()).or_insert(short.len());
        match short.get_mut(at) {
            Some((_, sums)) => *sums = [sums[0] + counts[0], sums[1] + counts[1]],
            None => short.push((name, counts)),
        }
    }
    let short = join_vendors(
        short,
        |(_, counts)| counts.map(|count| count > 0.0),
        |(name, _)| vendor_neutral(name),
        |(name, sums), (other, counts)| {
            *name = both_names(name, &other, counts[0] == 0.0);
            *sums = [sums[0] + counts[0], sums[1] + counts[1]];
        },
    );
    let [mut gone, mut new, mut other] = [const { Vec::new() }; 3];
    for (name, [control, test]) in short.into_iter().filter(|(_, [control, test])| control != test) {
        match (control == 0.0, test == 0.0) {
            (true, _) => new.push(format!("{name} ({} a step)", count_text(test))),
            (_, true) => gone.push(format!("{name} ({} a step)", count_text(control))),
            _ => other.push(format!("{name} {} → {}", count_text(control), count_text(test))),
        }
    }
    let counts = [gone.len(), new.len(), other.len()].map(|count| count as f64);
    let part = |(word, names): (&str, Vec<String>)| {
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let listed = names[..names.len().min(NAMED)].join(", ");
        (!names.is_empty()).then(|| format!("{word}: {listed}{more}"))
    };
    let parts: Vec<String> =
        [("gone", gone), ("new", new), ("other counts", other)].into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| {
        let sentence = Sentence::new("structure", format!("Structure, {}.", parts.join("; ")));
        sentence.with("gone", counts[0]).with("new", counts[1]).with("other_counts", counts[2])
    })
}

/// `3`, `2.5`
fn count_text(count: f64) -> String {
    if count.fract() == 0.0 { format!("{count}") } else { format!("{count:.1}") }
}

fn p_text(p: f64) -> String {
    if p < SMALLEST_P { "p < 0.0001".to_owned() } else { format!("p {p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_two_vendors_are_one_call() {
        let counts = [
            ("cudaGraphLaunch", [1.0, 0.0]),
            ("hipGraphLaunch", [0.0, 1.0]),
            ("cudaMemcpyAsync", [4.0, 0.0]),
            ("hipMemcpyWithStream", [0.0, 6.0]),
            ("cudaLaunchKernel", [9.0, 5.0]),
            ("cudaLaunchKernelExC", [0.0, 4.0]),
        ];
        let sentence = structure(counts.into_iter().map(|(name, counts)| CountOf { name, counts })).unwrap();
        assert_eq!(
            sentence.text,
            "Structure, new: cudaLaunchKernelExC (4 a step); other counts: cudaMemcpyAsync → hipMemcpyWithStream 4 → 6, \
             cudaLaunchKernel 9 → 5."
        );
        assert_eq!(sentence.numbers, [("gone", 0.0), ("new", 1.0), ("other_counts", 2.0)]);
    }
}
