//! Conclusions of an explanation, and its limits, in sentences.

use super::answer::Certainty;
use super::judged::Judged;
use crate::certainty::{CountOf, Findings, Sentence, StepFinding, structure, verdict_in_row, verdict_word};
use crate::explain::Explanation;
use crate::explain::explanation::StepChange;
use crate::explain::phase_match::MatchedBy;
use crate::explain::side_summary::SideSummary;
use crate::phases::phase_sentence;
use trace_view::format::{counted, microseconds as time, microseconds_changed as signed};

/// Outliers that a sentence names.
const NAMED: usize = 4;
/// Share of the launches of a step from which a difference is said.
const FEWER_LAUNCHES: f64 = 0.02;

impl Explanation {
    /// The numbers that sentences are made of.
    pub(in crate::explain) fn findings(&self) -> Findings {
        let certainty = self.certainty();
        let StepChange { control_us, test_us, delta_us } = self.step;
        let Judged { interval_us, p_of_samples, superiority, relevance, verdict, .. } = certainty.step;
        Findings {
            names: self.sides.each_ref().map(SideSummary::name),
            scope: certainty.scope,
            kind: certainty.kind,
            samples: certainty.samples,
            iterations: certainty.iterations,
            runs: self.sides.each_ref().map(|side| side.runs),
            effective: certainty.effective,
            comparability: certainty.comparability,
            score: certainty.comparable(),
            gpu: certainty.gpu,
            host: certainty.host,
            of: "region",
            step: StepFinding {
                us: [control_us, test_us],
                delta_us,
                interval_us,
                p: p_of_samples,
                superiority,
                relevance,
                verdict,
            },
        }
    }

    /// Samples in words: `24 + 24 iterations`, `6 + 6 runs of 60 + 60 iterations`.
    pub(in crate::explain) fn samples_text(&self) -> String {
        self.findings().samples_text()
    }

    /// Says which calls are new, gone, more or fewer: facts, whatever the times say.
    pub(in crate::explain) fn structure_sentence(&self) -> Option<Sentence> {
        let changes = self.structure();
        structure(
            changes.iter().map(|change| CountOf { name: &change.operator, counts: [change.control, change.test] }),
        )
    }

    /// Says how much recordings differ by themselves, and which iterations stand out.
    pub(in crate::explain) fn noise_sentences(&self) -> Vec<Sentence> {
        let mut sentences = self.findings().noise();
        let warm_up: Vec<String> = self
            .sides
            .iter()
            .flat_map(|side| side.label.split(',').zip(&side.warm_up))
            .filter(|(_, count)| **count > 0)
            .map(|(label, &count)| format!("{} of {label}", counted(count, "first iteration")))
            .collect();
        if !warm_up.is_empty() {
            let text = format!("Left out as warm-up: {} (--warmup 0 keeps them).", warm_up.join(", "));
            let left_out: usize = self.sides.iter().flat_map(|side| &side.warm_up).sum();
            sentences.push(Sentence::new("warm_up", text).with("iterations", left_out as f64));
        }
        sentences.extend(self.shape_sentence());
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
            let text = format!("Outliers, which count: {}{more}.", named.join("; "));
            sentences.push(Sentence::new("outliers", text).with("iterations", outliers.len() as f64));
        }
        sentences
    }

    /// Says of which phases the iterations are, how long those of each take, and which one is compared.
    pub(in crate::explain) fn phase_sentence(&self) -> Option<Sentence> {
        let phases = self.phases.as_ref()?;
        phase_sentence(&phases.phases, phases.compared?)
    }

    /// Says how many iterations take part since request shapes differ between the sides.
    fn shape_sentence(&self) -> Option<Sentence> {
        let phases = self.phases.as_ref()?;
        let by = match phases.by {
            MatchedBy::Shape if phases.compared().is_some_and(|phase| phase.iterations == phases.retained) => {
                return None;
            }
            MatchedBy::Shape => "phase and request shape",
            MatchedBy::Phase => "phase only, since request shapes differ",
            MatchedBy::Structure => return None,
        };
        let ([one, other], [control, test]) = (phases.retained, phases.of);
        let names = self.sides.each_ref().map(SideSummary::name);
        let text = format!(
            "Iterations are matched by {by}: {one} of {control} of {} and {other} of {test} of {} take part.",
            names[0], names[1]
        );
        Some(Sentence::new("phases", text).with("control_iterations", one as f64).with("test_iterations", other as f64))
    }

    /// Says that one side launches fewer kernels: profiling costs time for each.
    fn launch_sentence(&self) -> Option<Sentence> {
        let has_gpu = self.coverage().iter().all(|coverage| coverage.recorded > 0);
        let counts = || self.chosen_regions().map(|(_, region)| region.count);
        let control: f64 = counts().map(|count| count.control.value()).sum();
        let test: f64 = counts().map(|count| count.test.value()).sum();
        let (fewer, less) = if control < test { (0, test - control) } else { (1, control - test) };
        (has_gpu && less > FEWER_LAUNCHES * control.max(test)).then(|| {
            let text = format!(
                "{} launches {less:.0} kernels and copies a step less. Profiling costs 1 to 2 µs for each, so it looks faster than it is.",
                self.sides[fewer].name()
            );
            Sentence::new("launches", text).with("control_launches", control).with("test_launches", test)
        })
    }
}

impl Certainty {
    /// The verdict in the words of tables and files. Nothing for quantities that were not judged, and where neither side has time.
    pub(in crate::explain) fn word(judged: Option<Judged>) -> Option<String> {
        verdict_word(judged?.verdict)
    }

    /// The verdict in the words of a row of a table.
    pub(in crate::explain) fn word_in_row(judged: Option<Judged>) -> Option<String> {
        let Judged { verdict, q, .. } = judged?;
        verdict_in_row(verdict, q)
    }
}
