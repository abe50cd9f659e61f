//! A comparison with statistics in words: what can be said, and what cannot.

use super::compared_stats::{Row, StatsSide};
use super::iteration_times::RunTimes;
use crate::Change;
use statistics::{Answer, Comparability, Controls, FEWEST, Scope, Verdict};
use trace_view::format::{counted, microseconds as time, microseconds_changed as signed};

/// The most names that a sentence lists.
const MOST_NAMED: usize = 5;

/// Returns the answer in words.
pub(super) fn sentences(rows: &[Row], answer: &Answer, sides: &[StatsSide; 2]) -> Vec<String> {
    let mut sentences = vec![scope(answer, sides)];
    sentences.extend(step(answer));
    sentences.extend(structure(rows));
    sentences.push(verdicts(rows, answer));
    sentences.push(comparability(answer));
    sentences.extend(sides.iter().flat_map(|side| &side.runs).filter_map(RunTimes::left_out));
    sentences
}

/// Names the question and its samples, and what is missing to answer it.
fn scope(answer: &Answer, sides: &[StatsSide; 2]) -> String {
    let [control, test] = sides;
    let [n, m] = answer.samples;
    let iterations = |side: &StatsSide| side.runs.iter().map(RunTimes::len).sum::<usize>();
    let ranks = sides.iter().flat_map(|side| &side.runs).map(|run| run.ranks.len()).max().unwrap_or(1);
    let averaged = if ranks > 1 { ", each the mean of its ranks" } else { "" };
    let is_few = n.min(m) < FEWEST;
    let too_few =
        |what: &str| if is_few { format!(" Too few {what}: {FEWEST} a side are needed.") } else { String::new() };
    match answer.scope {
        Scope::Program => format!(
            "Scope: the programs of {} and {}. Samples are runs, {n} + {m}, with {} + {} iterations{averaged}.{}",
            control.label,
            test.label,
            iterations(control),
            iterations(test),
            too_few("runs")
        ),
        Scope::Recording => format!(
            "Scope: these recordings of {} and {}. Samples are iterations, {n} + {m}{averaged}{}.{} Whether the programs differ \
             needs several runs a side: {FEWEST} + {FEWEST} fresh processes, recorded in mixed order.",
            control.label,
            test.label,
            worth(answer),
            too_few("iterations")
        ),
    }
}

/// Says how many independent iterations the samples of the step are worth, if that is clearly less.
fn worth(answer: &Answer) -> String {
    let Some(step) = answer.changes.first() else { return String::new() };
    let [n, m] = answer.samples.map(|samples| samples as f64);
    let [a, b] = step.effective;
    if a > 0.9 * n && b > 0.9 * m {
        return String::new();
    }
    format!(", worth {a:.1} + {b:.1} independent ones since they are correlated")
}

fn step(answer: &Answer) -> Option<String> {
    let step = answer.changes.first()?;
    let interval =
        step.interval.map(|interval| format!(", 95 % {} to {}", signed(interval.low), signed(interval.high)));
    let ratio = step.ratio.map(|ratio| format!(", {:.3} times", ratio.estimate));
    let q = step.q.map(|q| format!(", q {q:.2}"));
    Some(format!(
        "Step: {} → {} ({}{}{}{}): {}.",
        time(step.control),
        time(step.test),
        signed(step.difference),
        interval.unwrap_or_default(),
        ratio.unwrap_or_default(),
        q.unwrap_or_default(),
        step.verdict
    ))
}

/// Says what changed for certain: names that came or went, and counts.
fn structure(rows: &[Row]) -> Option<String> {
    let names = |kinds: &[Change]| -> Vec<&str> {
        rows.iter().filter(|row| kinds.contains(&row.change())).map(|row| row.name.as_str()).collect()
    };
    let kinds: [(&str, &[Change]); 3] = [
        ("new in test", &[Change::Added]),
        ("gone", &[Change::Deleted]),
        ("in another number", &[Change::Increased, Change::Decreased]),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .map(|(word, kinds)| (word, names(kinds)))
        .filter(|(_, names)| !names.is_empty())
        .map(|(word, names)| {
            let more = if names.len() > MOST_NAMED { ", …" } else { "" };
            let listed = names[..names.len().min(MOST_NAMED)].join(", ");
            format!("{} {word} ({listed}{more})", names.len())
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Structure, which is certain: {}.", parts.join("; ")))
}

fn verdicts(rows: &[Row], answer: &Answer) -> String {
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
    format!(
        "Times of operators on both sides: {}, {}, {same} without relevant change, {unknown} inconclusive.",
        counted(slower, "regression"),
        counted(faster, "improvement")
    )
}

fn is_on_both(row: &Row) -> bool {
    !matches!(row.change(), Change::Added | Change::Deleted)
}

/// Says whether the recordings can be compared, and the noise floor.
fn comparability(answer: &Answer) -> String {
    let floor = |what: &str, controls: &Option<Controls>| {
        let controls = controls.as_ref()?;
        let common = controls
            .common_factor
            .map(|factor| format!("; nearly all take {factor:.3} times as long: clock or load, not code"));
        Some(format!(
            "noise floor {} by {} {what}{}",
            percent(controls.floor.exp_m1()),
            counted(controls.count, "unchanged operator"),
            common.unwrap_or_default()
        ))
    };
    let floors: Vec<String> =
        [floor("of the GPU", &answer.gpu), floor("of the host", &answer.host)].into_iter().flatten().collect();
    let floors = if floors.is_empty() { String::new() } else { format!(": {}", floors.join("; ")) };
    match answer.comparability {
        Comparability::Comparable { score } => format!("The recordings can be compared (score {score:.2}){floors}."),
        Comparability::NotComparable { score } => {
            let runs = if answer.scope == Scope::Program { "; the runs of a side show how much" } else { "" };
            format!("The recordings are not comparable: they differ as a whole (score {score:.2}){runs}{floors}.")
        }
        Comparability::Unknown => {
            "How alike the recordings are is unknown: fewer than 8 operators are unchanged in number and shapes."
                .to_owned()
        }
        Comparability::MostChanged => format!(
            "More than half of the operators changed in number or shapes, so they do not tell how alike the recordings are{floors}."
        ),
    }
}

/// `1.25 %`, `31 %`
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < 9.995 { format!("{percent:.2} %") } else { format!("{percent:.0} %") }
}
