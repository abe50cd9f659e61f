//! The noise floor in words.

use super::operator_noise::OperatorNoise;
use crate::certainty::percent;
use crate::diff::iteration_times::IterationTimes;
use statistics::FEWEST;
use trace_view::format::{counted, grouped, microseconds, numbered};

/// The most outliers that a sentence names.
const MOST_NAMED: usize = 5;

/// Returns what there is to say of the noise.
pub(super) fn sentences(step: &OperatorNoise, operators: &[OperatorNoise], runs: &[IterationTimes]) -> Vec<String> {
    let mut sentences = vec![within(step, operators, runs), between(step, operators, runs)];
    sentences.extend(runs.iter().filter_map(outliers));
    sentences.extend(runs.iter().filter_map(IterationTimes::left_out));
    sentences
}

fn within(step: &OperatorNoise, operators: &[OperatorNoise], runs: &[IterationTimes]) -> String {
    let most = runs.iter().map(IterationTimes::len).max().unwrap_or(0);
    let Some(within) = step.within else {
        return format!(
            "Within a run: unknown, with {} a run. At least 2 show how much it varies.",
            counted(most, "iteration")
        );
    };
    let iterations = runs.iter().map(|run| run.len() as f64).sum::<f64>() / runs.len().max(1) as f64;
    let worth = if step.effective < 0.9 * iterations {
        format!(
            "; an iteration resembles the one before (correlation {:.2}), so {iterations:.0} are worth {:.1} independent ones",
            step.correlation, step.effective
        )
    } else {
        String::new()
    };
    let needed = match step.iterations_needed {
        Some(needed) => format!("{} iterations a side show a change of 1 % between two recordings", grouped(needed)),
        None => "more than 100,000 iterations a side would show a change of 1 %".to_owned(),
    };
    format!(
        "Within a run, a step of {} varies by {} between iterations (standard deviation){worth}; {needed}.{}",
        microseconds(step.mean_us),
        percent(within),
        typical(operators, |row| row.within)
    )
}

fn between(step: &OperatorNoise, operators: &[OperatorNoise], runs: &[IterationTimes]) -> String {
    let Some(between) = step.between else {
        return format!(
            "Between runs: unknown, this is one run. More iterations of it say nothing about another process: load {FEWEST} or more \
             runs of the program, each a fresh process (%trace_load A1 A2 A3 A4 --as control)."
        );
    };
    let needed = match step.runs_needed {
        Some(needed) => format!("{} runs a side show a change of 1 % between two programs", grouped(needed)),
        None => "more than 100,000 runs a side would show a change of 1 %".to_owned(),
    };
    let count = runs.len();
    let smallest = match step.smallest_change {
        Some(smallest) if count >= FEWEST => format!("; {count} + {count} runs show {}", percent(smallest)),
        _ => format!("; {count} runs are too few for a verdict, {FEWEST} a side are needed"),
    };
    format!(
        "Between {}, the mean of a step varies by {}; {needed}{smallest}.{}",
        counted(count, "run"),
        percent(between),
        typical(operators, |row| row.between)
    )
}

/// Says how much the operator in the middle varies, of those that make up the step: the longest tenth, at least ten.
fn typical(operators: &[OperatorNoise], of: fn(&OperatorNoise) -> Option<f64>) -> String {
    let longest = &operators[..operators.len().min((operators.len() / 10).max(10))];
    let shares: Vec<f64> = longest.iter().filter_map(of).collect();
    if shares.is_empty() {
        return String::new();
    }
    format!(" Of the {} longest operators the median varies by {}.", shares.len(), percent(statistics::median(&shares)))
}

/// Names the iterations of a run whose step is far from the others.
fn outliers(run: &IterationTimes) -> Option<String> {
    let far = statistics::outliers(&run.step_us);
    let numbers: Vec<i64> = match &run.iterations {
        Some(iterations) => far.iter().filter_map(|&at| iterations.get(at)).copied().take(MOST_NAMED).collect(),
        None => Vec::new(),
    };
    let more = if far.len() > MOST_NAMED { " and others" } else { "" };
    (!numbers.is_empty())
        .then(|| format!("Far from the others in {}: {}{more}; kept.", run.label, numbered("iteration", &numbers)))
}
