//! A comparison with statistics in words: what can be said, and what cannot.

use super::iteration_times::IterationTimes;
use super::stats_rows::{Row, StatsSide};
use crate::Change;
use crate::certainty::{CountOf, Findings, SampleKind, Sentence, StepFinding, structure};
use statistics::{Answer, Interval, Scope, Verdict};
use trace_view::format::counted;

/// Returns the answer in words.
pub(super) fn sentences(rows: &[Row], answer: &Answer, sides: &[StatsSide; 2], score: Option<f64>) -> Vec<Sentence> {
    let findings = findings(answer, sides, score);
    let mut sentences: Vec<Sentence> = findings.warning().into_iter().collect();
    sentences.extend([findings.step(None), findings.verdict()]);
    sentences.extend(findings.apart());
    sentences.extend(changed_counts(rows, answer));
    sentences.push(verdicts(rows, answer));
    sentences.extend(verdicts_by_ratio(answer));
    sentences.extend(findings.noise());
    sentences.extend(
        sides
            .iter()
            .flat_map(|side| &side.runs)
            .filter_map(IterationTimes::left_out)
            .map(|text| Sentence::new("left_out", text)),
    );
    sentences.extend(findings.advice());
    sentences
}

fn findings(answer: &Answer, sides: &[StatsSide; 2], score: Option<f64>) -> Findings {
    let of_sides = |of: fn(&StatsSide) -> usize| [of(&sides[0]), of(&sides[1])];
    let step = answer.changes.first();
    let has_enough = answer.samples.iter().all(|&samples| samples >= answer.fewest());
    let enough = step.filter(|_| has_enough);
    Findings {
        names: [sides[0].label.clone(), sides[1].label.clone()],
        scope: answer.scope,
        kind: match answer.scope {
            _ if answer.paired => SampleKind::Ranks,
            Scope::Recording => SampleKind::Iterations,
            Scope::Program => SampleKind::Runs,
        },
        samples: answer.samples,
        iterations: of_sides(|side| side.runs.iter().map(IterationTimes::len).sum()),
        runs: of_sides(|side| side.runs.len()),
        effective: step.map_or([0.0; 2], |step| step.effective),
        comparability: answer.comparability,
        score,
        gpu: answer.gpu,
        host: answer.host,
        of: "operator",
        step: StepFinding {
            us: step.map_or([0.0; 2], |step| [step.control, step.test]),
            delta_us: step.map_or(0.0, |step| step.difference),
            interval_us: enough.and_then(|step| step.interval).map(|interval| [interval.low, interval.high]),
            p: enough.and_then(|step| step.p_of_samples),
            superiority: enough.and_then(|step| step.superiority),
            relevance: step.map_or(0.0, |step| step.relevance),
            verdict: step.map_or(Verdict::NoRelevantChange, |step| step.verdict),
        },
    }
}

/// Says what changed for certain: names that came or went, and counts; those with the largest change of time first.
fn changed_counts(rows: &[Row], answer: &Answer) -> Option<Sentence> {
    let mut changed: Vec<(&Row, f64)> = rows
        .iter()
        .zip(&answer.changes)
        .filter(|(row, _)| row.change() != Change::Unchanged)
        .map(|(row, change)| (row, change.difference.abs()))
        .collect();
    changed.sort_by(|one, other| other.1.total_cmp(&one.1));
    structure(changed.into_iter().map(|(row, _)| CountOf { name: &row.name, counts: row.counts }))
}

fn verdicts(rows: &[Row], answer: &Answer) -> Sentence {
    let mut counts = [0_usize; 4];
    for (_, change) in rows.iter().zip(&answer.changes).skip(1).filter(|(row, _)| is_on_both(row)) {
        counts[match change.verdict {
            Verdict::Regression => 0,
            Verdict::Improvement => 1,
            Verdict::NoRelevantChange => 2,
            Verdict::Inconclusive(_) => 3,
        }] += 1;
    }
    let [slower, faster, same, unknown] = counts;
    let text = format!(
        "Times of operators on both sides: {}, {}, {same} without relevant change, {unknown} inconclusive.",
        counted(slower, "regression"),
        counted(faster, "improvement")
    );
    let sentence =
        Sentence::new("verdicts", text).with("regressions", slower as f64).with("improvements", faster as f64);
    sentence.with("no_relevant_change", same as f64).with("inconclusive", unknown as f64)
}

/// Says what verdicts rest on, where one is a change although the interval of the difference contains 0.
fn verdicts_by_ratio(answer: &Answer) -> Option<Sentence> {
    let contains_zero = |interval: Interval| interval.low <= 0.0 && interval.high >= 0.0;
    let differs =
        answer.changes.iter().any(|change| change.verdict.is_change() && change.interval.is_some_and(contains_zero));
    differs.then(|| {
        let text = "Verdicts rest on the interval of the ratio (ratio_low, ratio_high), which a few samples far from the rest hardly \
                    move; that of the means (interval_low, interval_high) may then contain 0.";
        Sentence::new("interval", text)
    })
}

fn is_on_both(row: &Row) -> bool {
    !matches!(row.change(), Change::Added | Change::Deleted)
}
