//! What can be said of a change, and what cannot, in sentences.

use super::answer::{Certainty, Judged};
use crate::explain::Explanation;
use crate::explain::explanation::SideSummary;
use crate::explain::phases::PhaseMatch;
use statistics::{Comparability, Inconclusive, Scope, Verdict};
use trace_view::format::{counted, microseconds as time, microseconds_changed as signed};

/// Changes of structure, and outliers, that a sentence names.
const NAMED: usize = 4;
/// Share of the launches of a step from which a difference is said.
const FEWER_LAUNCHES: f64 = 0.02;
/// Share of the iterations below which what they are worth is said.
const CORRELATED: f64 = 0.9;
/// Smallest p that is written as a number.
const SMALLEST_P: f64 = 1e-4;
/// Runs a side to record if there is one: with three no p is below 0.05.
const RUNS: usize = statistics::FEWEST;

impl Explanation {
    /// Samples in words: `24 + 24 iterations`, `6 + 6 runs of 60 + 60 iterations`.
    pub(in crate::explain) fn samples_text(&self) -> String {
        let [control, test] = self.certainty().iterations;
        let iterations = format!("{control} + {test} iterations");
        let [one, other] = self.sides.each_ref().map(|side| side.runs);
        if one > 1 || other > 1 { format!("{one} + {other} runs of {iterations}") } else { iterations }
    }

    /// Says that the recordings cannot be compared; this comes before everything else.
    pub(in crate::explain) fn warning_of_noise(&self) -> Option<String> {
        let certainty = self.certainty();
        let Comparability::NotComparable { .. } = certainty.comparability else { return None };
        let floor = certainty.noise_floor().into_iter().flatten().next()?;
        let runs = match certainty.scope {
            Scope::Recording => "What follows describes the recordings, not the code.",
            Scope::Program => "Verdicts rest on the differences between runs alone.",
        };
        Some(format!(
            "These recordings are not comparable: regions with the same code and shapes differ by {} among themselves. {runs}",
            percent(floor)
        ))
    }

    /// The interval and p of the step: ` (95 % +0.33 ms … +0.46 ms, p 0.0001)`; nothing with too few samples.
    pub(in crate::explain) fn step_interval(&self) -> String {
        let Judged { interval_us, p, .. } = self.certainty().step;
        let Some([low, high]) = interval_us else { return String::new() };
        let p = p.map_or(String::new(), |p| format!(", {}", p_text(p)));
        format!(" (95 % {} … {}{p})", signed(low), signed(high))
    }

    /// Says what can be told of the step: the verdict, in its scope.
    pub(in crate::explain) fn verdict_sentence(&self) -> String {
        let certainty = self.certainty();
        let samples = self.samples_text();
        let scope = match certainty.scope {
            Scope::Recording => "Between these recordings",
            Scope::Program => "Between the programs",
        };
        let about = match certainty.step.verdict {
            Verdict::Regression => "the step is a regression".to_owned(),
            Verdict::Improvement => "the step is an improvement".to_owned(),
            Verdict::NoRelevantChange => {
                format!("the step has no relevant change (at most {})", percent(certainty.step.relevance))
            }
            Verdict::Inconclusive(why) => format!("inconclusive, {}", self.why(why)),
        };
        let pairs = certainty.step.superiority.filter(|_| certainty.samples.iter().all(|&n| n >= RUNS));
        let pairs = pairs.map_or(String::new(), |share| {
            let unit = if certainty.scope == Scope::Program { "run" } else { "iteration" };
            let (share, word) = if share >= 0.5 { (share, "slower") } else { (1.0 - share, "faster") };
            format!(" A test {unit} is {word} in {:.0} of 100 pairs.", 100.0 * share)
        });
        let worth = self.worth();
        format!("{scope} ({samples}{worth}): {about}.{pairs}")
    }

    /// Says how many independent iterations those of the step are worth, if that is clearly fewer.
    fn worth(&self) -> String {
        let certainty = self.certainty();
        let ([one, other], [n, m]) = (certainty.effective, certainty.samples.map(|samples| samples as f64));
        if one > CORRELATED * n && other > CORRELATED * m {
            return String::new();
        }
        format!(", worth {one:.1} + {other:.1} independent ones")
    }

    /// What is missing for a verdict.
    fn why(&self, why: Inconclusive) -> String {
        match why {
            Inconclusive::TooFew { needed, have } => {
                let unit = if self.certainty().scope == Scope::Program { "runs" } else { "iterations" };
                format!("too few {unit}: {have} on one side, {needed} a side needed")
            }
            Inconclusive::NoiseUnknown | Inconclusive::OneRecording => {
                format!("noise unknown: one iteration a side, {RUNS} needed")
            }
            Inconclusive::NoControls => {
                "since too few regions are unchanged to know how much recordings differ by themselves".to_owned()
            }
            Inconclusive::NotComparable => "since the recordings differ as a whole".to_owned(),
            other => other.to_string(),
        }
    }

    /// Says which calls are new, gone, more or fewer: facts, whatever the times say.
    pub(in crate::explain) fn structure_sentence(&self) -> Option<String> {
        let changes = self.structure();
        let number = |calls: f64| if calls.fract() == 0.0 { format!("{calls}") } else { format!("{calls:.1}") };
        let mut parts = Vec::new();
        let (new, rest): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.control == 0.0);
        let (gone, other): (Vec<_>, Vec<_>) = rest.into_iter().partition(|change| change.test == 0.0);
        for (word, changes) in [("gone", gone), ("new", new), ("other counts", other)] {
            if changes.is_empty() {
                continue;
            }
            let named = changes.iter().take(NAMED).map(|change| match word {
                "new" => format!("{} ({} a step)", change.operator, number(change.test)),
                "gone" => format!("{} ({} a step)", change.operator, number(change.control)),
                _ => format!("{} {} → {}", change.operator, number(change.control), number(change.test)),
            });
            let named = named.collect::<Vec<_>>().join(", ");
            let more = changes.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            parts.push(format!("{word}: {named}{more}"));
        }
        (!parts.is_empty()).then(|| format!("Structure, {}.", parts.join("; ")))
    }

    /// Says how much recordings differ by themselves, and which iterations stand out.
    pub(in crate::explain) fn noise_sentences(&self) -> Vec<String> {
        let certainty = self.certainty();
        let mut sentences = Vec::new();
        for (controls, name) in [(certainty.gpu, "GPU"), (certainty.host, "host")] {
            let Some(controls) = controls else { continue };
            let regions = counted(controls.count, "unchanged region");
            sentences.push(format!("Noise floor of the {name}: {} ({regions}).", percent(controls.floor)));
            if let Some(factor) = controls.common_factor {
                sentences.push(format!(
                    "Nearly all unchanged regions take {factor:.2} times as long in {}: clock or load, not code.",
                    self.sides[1].name()
                ));
            }
        }
        let warm_up: Vec<String> = self
            .sides
            .iter()
            .flat_map(|side| side.label.split(',').zip(&side.warm_up))
            .filter(|(_, count)| **count > 0)
            .map(|(label, &count)| format!("{} of {label}", counted(count, "first iteration")))
            .collect();
        if !warm_up.is_empty() {
            sentences.push(format!("Left out as warm-up: {} (--warmup 0 keeps them).", warm_up.join(", ")));
        }
        sentences.extend(self.phases.map(|phases| self.phase_sentence(phases)));
        sentences.extend(self.launch_sentence());
        let outliers = self.outliers();
        let named = outliers.iter().take(NAMED).map(|outlier| {
            format!(
                "iteration {} of {} takes {} (median {}; {} {})",
                outlier.iteration,
                outlier.label,
                time(outlier.step_us),
                time(outlier.median_us),
                outlier.part,
                signed(outlier.part_us)
            )
        });
        let named: Vec<String> = named.collect();
        if !named.is_empty() {
            let more = outliers.len().saturating_sub(NAMED);
            let more = if more > 0 { format!("; {more} more") } else { String::new() };
            sentences.push(format!("Outliers, which count: {}{more}.", named.join("; ")));
        }
        sentences
    }

    fn phase_sentence(&self, phases: PhaseMatch) -> String {
        let by = if phases.by_shape { "phase and request shape" } else { "phase only, since request shapes differ" };
        let ([one, other], [control, test]) = (phases.kept, phases.of);
        let names = self.sides.each_ref().map(SideSummary::name);
        format!(
            "Iterations are matched by {by}: {one} of {control} of {} and {other} of {test} of {} take part.",
            names[0], names[1]
        )
    }

    /// Says that one side launches fewer kernels: profiling costs time for each.
    fn launch_sentence(&self) -> Option<String> {
        let has_gpu = self.coverage().iter().all(|coverage| coverage.recorded > 0);
        let counts = || self.chosen_regions().map(|(_, region)| region.count);
        let control: f64 = counts().map(|count| count.control.value()).sum();
        let test: f64 = counts().map(|count| count.test.value()).sum();
        let (fewer, less) = if control < test { (0, test - control) } else { (1, control - test) };
        (has_gpu && less > FEWER_LAUNCHES * control.max(test)).then(|| {
            format!(
                "{} launches {less:.0} kernels and copies a step less. Profiling costs 1 to 2 µs for each, so it looks faster than it is.",
                self.sides[fewer].name()
            )
        })
    }

    /// Says what to record for the question that these recordings cannot answer.
    pub(in crate::explain) fn advice(&self) -> Option<String> {
        let [control, test] = &self.sides;
        (control.runs == 1 || test.runs == 1).then(|| {
            format!(
                "Whether the programs differ cannot be told from one recording of each: record {RUNS} + {RUNS} fresh processes in \
                 mixed order."
            )
        })
    }
}

impl Certainty {
    /// The verdict in the words of tables. Nothing for quantities that were not judged, and for those that one side lacks: that is a fact.
    pub(in crate::explain) fn word(judged: Option<Judged>) -> Option<&'static str> {
        match judged?.verdict {
            Verdict::Regression => Some("regression"),
            Verdict::Improvement => Some("improvement"),
            Verdict::NoRelevantChange => Some("no relevant change"),
            Verdict::Inconclusive(Inconclusive::TooFew { .. } | Inconclusive::NoiseUnknown) => Some("too few"),
            Verdict::Inconclusive(Inconclusive::NoRatio) => None,
            Verdict::Inconclusive(_) => Some("inconclusive"),
        }
    }
}

/// A share in percent, with two digits that count.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

fn p_text(p: f64) -> String {
    if p < SMALLEST_P { "p < 0.0001".to_owned() } else { format!("p {p:.4}") }
}
