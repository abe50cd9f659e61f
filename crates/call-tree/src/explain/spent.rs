//! Work of a rank between its collectives.

use super::cause::Cause;
use super::divide::{Gaps, Moment, Timeline, class};
use crate::input::kind::{Class, Kind};
use crate::input::label::{LabelId, Labels, Symbol};
use crate::input::recording::Recording;
use crate::input::window::Window;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Work or idle time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Spending {
    /// Work of a class on its GPU.
    Class(Class),
    /// Idle time of a cause.
    Idle(Cause),
}

/// Work of a rank from the moment before until this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spent {
    pub(super) until: i64,
    /// Time in ns by work or idle time, and its operator, kernel or frame.
    pub(super) on: Vec<(Spending, Option<LabelId>, i64)>,
}

/// Time by what it was spent on; of labels with one name the first stands for all.
type Spendings = BTreeMap<(Spending, Option<Symbol>), (Option<LabelId>, i64)>;

/// Divides the time of a rank from `begin` on at each of the ascending moments.
pub(super) fn spent(
    recording: &Recording,
    timeline: &Timeline<'_>,
    labels: &Labels,
    begin: i64,
    moments: &[i64],
) -> Vec<Spent> {
    let mut spent = Vec::with_capacity(moments.len());
    let Some(&end) = moments.last() else { return spent };
    let mut moments = moments.iter().copied().filter(|&moment| moment > begin).peekable();
    let (mut sums, mut gaps) = (Spendings::new(), Gaps::new());
    let mut operators: HashMap<u32, LabelId> = HashMap::default();
    let mut close = |until: i64, sums: &mut Spendings, gaps: &mut Gaps| {
        for ((cause, frame), ns) in std::mem::take(gaps) {
            add(sums, Spending::Idle(cause), frame, ns, labels);
        }
        let on = std::mem::take(sums).into_iter().map(|((spending, _), (label, ns))| (spending, label, ns));
        spent.push(Spent { until, on: on.collect() });
    };
    timeline.walk(Window { iteration: 0, start: begin, end, thread: 0 }, |(mut from, to), moment| {
        while from < to {
            while let Some(until) = moments.next_if(|&until| until <= from) {
                close(until, &mut sums, &mut gaps);
            }
            let until = moments.peek().map_or(to, |&until| until.min(to));
            match moment {
                Moment::Idle { before, next } => timeline.gap((from, until), before, next, &mut gaps),
                Moment::Busy(running) => timeline.share(running, until - from, |at, ns| {
                    let Some(class) = class(&recording.events[at as usize]) else { return };
                    let label = *operators.entry(at).or_insert_with(|| operator(recording, at, timeline));
                    add(&mut sums, Spending::Class(class), Some(label), ns, labels);
                }),
            }
            from = until;
        }
    });
    for until in moments {
        close(until, &mut sums, &mut gaps);
    }
    spent
}

/// Adds time; a step has no name, since each has another one.
fn add(sums: &mut Spendings, spending: Spending, label: Option<LabelId>, ns: i64, labels: &Labels) {
    let label = label.filter(|&label| !labels.is_step(label));
    let sum = sums.entry((spending, label.map(|label| labels.symbol_of(label)))).or_insert((label, 0));
    sum.1 += ns;
}

/// The operator that launched an event, else the event.
fn operator(of: &Recording, at: u32, timeline: &Timeline<'_>) -> LabelId {
    let is_operator = |at: u32| of.events[at as usize].kind == Kind::Operator;
    let operator = timeline.launch(at).and_then(|launch| timeline.hosts.around(launch).find(|&at| is_operator(at)));
    of.events[operator.unwrap_or(at) as usize].label
}
