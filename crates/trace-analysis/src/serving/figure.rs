//! Figures of steps over time: how long each took, and its tokens, by phase.

use super::answer::ServingAnswer;
use super::replicas::Replica;
use super::windows::TimedStep;
use crate::ServedPhase;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// Steps that are drawn; of more, the first.
const MOST: usize = 20_000;

/// The unit of a figure, and how much of it a nanosecond is.
pub(super) type Scale = (Unit, f64);

impl ServingAnswer {
    /// Returns the figures: the time of steps over time, and their tokens, each by phase; none without steps.
    pub fn figures(&self) -> Vec<Figure> {
        figures(&[(self, "")], &self.label)
    }

    fn longest_ns(&self) -> i64 {
        let steps = self.replicas.iter().flat_map(|replica| &replica.steps);
        steps.map(|step| step.device.span_ns).max().unwrap_or(0)
    }
}

/// Returns the figures of one answer or two; series of two begin with the label of the side.
pub(super) fn figures(answers: &[(&ServingAnswer, &str)], subtitle: &str) -> Vec<Figure> {
    let longest = answers.iter().map(|(answer, _)| answer.longest_ns()).max().unwrap_or(0);
    let span = |answer: &ServingAnswer| answer.replicas.iter().map(Replica::span_ns).max().unwrap_or(0);
    let all = answers.iter().map(|(answer, _)| span(answer)).max().unwrap_or(0);
    let (x, y) = (scale(all), scale(longest));
    let time = |step: &TimedStep| step.device.span_ns as f64 * y.1;
    let tokens = |step: &TimedStep| {
        step.served
            .and_then(|step| step.query_tokens)
            .filter(|&tokens| tokens > 0)
            .map_or(f64::NAN, |tokens| tokens as f64)
    };
    let axis = |title: &str, unit| Axis { title: title.to_owned(), unit, ..Axis::default() };
    let figure = |title: &str, y: Axis, value: &dyn Fn(&TimedStep) -> f64| {
        let series: Vec<Series> = answers.iter().flat_map(|answer| series(answer, x, value)).collect();
        let has_values = series.iter().any(|series| series.y.iter().any(|value| value.is_finite()));
        has_values.then(|| Figure {
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            x: axis("time since the first step", x.0),
            y,
            series,
            ..Figure::default()
        })
    };
    let times = figure("Time of steps", axis("time of a step", y.0), &time);
    // A prefill has a thousand times the tokens of a decode.
    let log = Axis { log: true, ..axis("query tokens of a step", Unit::Count) };
    times.into_iter().chain(figure("Tokens of steps", log, &tokens)).collect()
}

/// Returns a series per phase: each step is a line as long as it takes, at the height of its value.
fn series((answer, side): &(&ServingAnswer, &str), x: Scale, value: &dyn Fn(&TimedStep) -> f64) -> Vec<Series> {
    let first = answer.first_ns();
    let steps: Vec<&TimedStep> = answer.replicas.iter().flat_map(|replica| &replica.steps).take(MOST).collect();
    let at = |ns: i64| ns.saturating_sub(first) as f64 * x.1;
    let of_phase = |phase: ServedPhase| {
        let (mut positions, mut values) = (Vec::new(), Vec::new());
        for step in steps.iter().filter(|step| step.phase() == phase) {
            positions.extend([at(step.start_ns), at(step.end_ns()), at(step.end_ns())]);
            values.extend([value(step), value(step), f64::NAN]);
        }
        let word = if phase == ServedPhase::Unknown { "steps" } else { phase.word() };
        let name = if side.is_empty() { word.to_owned() } else { format!("{side}: {word}") };
        Series { name, mark: Mark::Line, x: Points::Numbers(positions), y: values }
    };
    let with_value = answer.phases.iter().map(|phase| of_phase(phase.phase));
    with_value.filter(|series| series.y.iter().any(|value| value.is_finite())).collect()
}

fn scale(longest_ns: i64) -> Scale {
    let unit = Unit::fitting(longest_ns as f64 / 1e9);
    (unit, 1e-9 / unit.seconds().unwrap_or(1.0))
}
