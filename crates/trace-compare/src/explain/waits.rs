//! Calls of the host that wait for the GPU, of both sides of an explanation.

use super::explanation::Explanation;
use crate::certainty::{Sentence, both_names, join_vendors};
use call_tree::{Change, WaitChange, vendor_neutral};
use trace_view::{Header, Kind, Table, TableValue, Unit};

/// Rows of the table.
const ROWS: usize = 8;

/// A call that waits for the GPU, such as `cudaStreamSynchronize`, of one caller.
///
/// While the host waits it launches nothing: what it does next begins when the GPU has nothing left to do. So a new call of
/// this kind may cost much more than its own time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HostWait {
    /// Name of the call.
    pub call: String,
    /// Outermost operator around it, else the annotation or frame; empty for a call in the step itself.
    pub caller: String,
    /// Calls a step, of control and of test.
    pub calls: [f64; 2],
    /// Time a step in µs, of control and of test.
    pub us: [f64; 2],
}

impl HostWait {
    /// Adds the same call as another vendor names it.
    fn add(&mut self, other: HostWait) {
        let is_first_control = other.calls[0] == 0.0;
        self.call = both_names(&self.call, &other.call, is_first_control);
        self.caller = both_names(&self.caller, &other.caller, is_first_control);
        let sum = |one: [f64; 2], other: [f64; 2]| [one[0] + other[0], one[1] + other[1]];
        (self.calls, self.us) = (sum(self.calls, other.calls), sum(self.us, other.us));
    }

    /// Calls a step, test − control.
    pub fn more_calls(&self) -> f64 {
        self.calls[1] - self.calls[0]
    }
}

impl Explanation {
    /// Calls that wait for the GPU; those whose number changed most first, then by time. Calls that two vendors name differently are one.
    pub fn waits(&self) -> Vec<HostWait> {
        let all = self.found.waits.iter().map(|wait| self.wait(wait));
        let mut waits = join_vendors(
            all,
            |wait| wait.calls.map(|calls| calls > 0.0),
            |wait| [vendor_neutral(&wait.call), vendor_neutral(&wait.caller)],
            HostWait::add,
        );
        let time = |wait: &HostWait| (wait.us[1] - wait.us[0]).abs();
        waits.sort_by(|one, other| {
            let by_calls = other.more_calls().abs().total_cmp(&one.more_calls().abs());
            by_calls.then_with(|| time(other).total_cmp(&time(one)))
        });
        waits
    }

    fn wait(&self, change: &WaitChange) -> HostWait {
        let both = |change: Change, unit: f64| [change.control.value() / unit, change.test.value() / unit];
        let text = |symbol| self.labels.text_of(symbol).to_owned();
        HostWait {
            call: text(change.wait.call),
            caller: change.wait.caller.map(text).unwrap_or_default(),
            calls: both(change.calls, 1.0),
            us: both(change.ns, 1e3),
        }
    }

    /// Names the waiting calls that only one side has: the usual reason for idle time without a slower operator.
    pub(super) fn wait_sentences(&self) -> Vec<Sentence> {
        let waits = self.waits();
        let only = |side: usize| {
            let one_sided = waits.iter().filter(|wait| wait.calls[side] > 0.0 && wait.calls[1 - side] == 0.0);
            let named = one_sided.take(3).map(|wait| {
                let within = if wait.caller.is_empty() { String::new() } else { format!(" in {}", wait.caller) };
                format!("{}{within}, {} a step", wait.call, number(wait.calls[side]))
            });
            named.collect::<Vec<_>>().join("; ")
        };
        let (gone, new) = (only(0), only(1));
        let sentence = |words: &str, calls: String| {
            (!calls.is_empty()).then(|| Sentence::new("host_waits", format!("{words}: {calls}.")))
        };
        let both =
            [sentence("New calls that wait for the GPU", new), sentence("Calls that no longer wait for the GPU", gone)];
        both.into_iter().flatten().collect()
    }

    /// Calls that wait for the GPU, if their number or time differs.
    pub(super) fn wait_table(&self) -> Option<Table> {
        let waits: Vec<HostWait> = self.waits().into_iter().filter(|wait| wait.calls != [0.0, 0.0]).collect();
        if waits.iter().all(|wait| wait.more_calls() == 0.0) {
            return None;
        }
        let [control, test] = &self.sides;
        let calls = |label: &str| Header {
            meaning: "calls a step, mean over samples".to_owned(),
            ..Header::new(format!("{label} calls"), Unit::Count, Kind::Number)
        };
        let time = |label: &str| Header {
            meaning: "time a step in which the host waits, mean over samples".to_owned(),
            scale: "time".to_owned(),
            ..Header::new(label, Unit::Micros, Kind::Bar)
        };
        let rows = waits.iter().take(ROWS).map(|wait| {
            let caller = if wait.caller.is_empty() { TableValue::Null } else { TableValue::Text(wait.caller.clone()) };
            vec![
                TableValue::Text(wait.call.clone()),
                caller,
                TableValue::Float(wait.calls[0]),
                TableValue::Float(wait.calls[1]),
                TableValue::Float(wait.us[0]),
                TableValue::Float(wait.us[1]),
            ]
        });
        Some(Table {
            caption: format!("calls that wait for the GPU · {}", self.caption()),
            headers: vec![
                Header::new("call", Unit::None, Kind::Name),
                Header {
                    meaning: "the outermost operator around the call, else the annotation".to_owned(),
                    ..Header::new("caller", Unit::None, Kind::Name)
                },
                calls(&control.name()),
                calls(&test.name()),
                time(&control.name()),
                time(&test.name()),
            ],
            rows: rows.collect(),
            total_rows: waits.len(),
            notes: vec!["sorted by the change of calls".to_owned()],
            ..Table::default()
        })
    }
}

/// A number of calls: whole, or with one decimal.
fn number(calls: f64) -> String {
    if calls.fract() == 0.0 { format!("{calls}") } else { format!("{calls:.1}") }
}
