//! Exposed communication of an explanation: waiting, transfer, and what made late ranks late.

use super::explanation::{Explanation, cause_word, word};
use crate::certainty::Sentence;
use call_tree::{Cause, Change, Doing, Labels, Late, Part};
use serde_json::{Value, json};
use trace_view::format::microseconds as time;
use trace_view::{Header, Kind, Table, TableValue, Unit};

/// Rows of the table of waiting.
const WAITING_ROWS: usize = 8;

/// Time of one part of exposed communication.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CommunicationChange {
    /// `waiting`: until the last rank arrived; `transfer`: after it; `not divided`: of collectives that one rank recorded, or that do
    /// not wait for all ranks.
    pub part: &'static str,
    /// Control, µs a step.
    pub control_us: f64,
    /// Test, µs a step.
    pub test_us: f64,
    /// Test − control.
    pub delta_us: f64,
}

/// Waiting for a rank that was late, and what made it late.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WaitingRow {
    /// The rank that was late.
    pub rank: i64,
    /// What it spent longer on than the other ranks: `compute`, `exposed_communication`, `exposed_copy`, `idle: host` and the other
    /// causes of idle time, `a later begin`, or `unknown`.
    pub doing: String,
    /// Operator or kernel of the work, frame of the host; empty if there is none.
    pub name: String,
    /// Control, µs a step, mean over samples of all ranks.
    pub control_us: f64,
    /// Test, µs a step.
    pub test_us: f64,
    /// Test − control.
    pub delta_us: f64,
}

impl Explanation {
    /// Exposed communication in parts, which add up to the class: waiting, transfer, not divided.
    pub fn communication(&self) -> Vec<CommunicationChange> {
        let row = |&(part, of): &(Part, Change)| {
            let [control_us, test_us, delta_us] = micros(of);
            CommunicationChange { part: part.word(), control_us, test_us, delta_us }
        };
        self.found.communication.iter().map(row).collect()
    }

    /// Waiting by late rank and by what made it late, which adds up to waiting; the largest change first.
    ///
    /// Between the end of the previous collective and its arrival, the late rank spent longer on some work than the other ranks on average.
    /// The waiting is divided among this work in proportion to the additional time.
    pub fn waiting(&self) -> Vec<WaitingRow> {
        let row = |&(late, of): &(Late, Change)| {
            let (doing, name) = words(late.doing, &self.labels);
            let [control_us, test_us, delta_us] = micros(of);
            WaitingRow { rank: late.rank, doing, name, control_us, test_us, delta_us }
        };
        let mut rows: Vec<WaitingRow> = self.found.waiting.iter().map(row).collect();
        rows.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
        rows
    }

    /// Names the rank whose lateness changed waiting most, and what made it late; `None` if no rank waits for another.
    pub(super) fn waiting_sentence(&self) -> Option<Sentence> {
        let side = |side: usize, what: &str| {
            let clocks = &self.sides[side];
            format!(
                "{what}: {} of {} collectives do not overlap on all their ranks. The clocks of {} do not agree, and waiting is not \
                 told from transfer.",
                clocks.collectives_apart, clocks.collectives, clocks.label
            )
        };
        for (index, what) in [(0, "Control"), (1, "Test")] {
            let of = &self.sides[index];
            if of.collectives > 0 && !crate::collective::is_plausible(of.collectives, of.collectives_apart) {
                let sentence = Sentence::new("waiting", side(index, what));
                return Some(sentence.with("collectives_apart", of.collectives_apart as f64));
            }
        }
        let rows = self.waiting();
        let waiting = self.communication().into_iter().find(|part| part.part == Part::Waiting.word())?;
        if waiting.control_us == 0.0 && waiting.test_us == 0.0 {
            return None;
        }
        let mut text = format!(
            "Waiting for late ranks, a part of exposed communication: {} → {} a step.",
            time(waiting.control_us),
            time(waiting.test_us)
        );
        // The causes of one direction explain the change; of equal recordings, the largest of test.
        let grew = waiting.delta_us >= 0.0;
        let weight = |row: &WaitingRow| match waiting.delta_us {
            0.0 => row.test_us,
            _ if grew => row.delta_us,
            _ => -row.delta_us,
        };
        if let Some(most) = rows.iter().max_by(|one, other| weight(one).total_cmp(&weight(other))) {
            let rank: Vec<&WaitingRow> = rows.iter().filter(|row| row.rank == most.rank).collect();
            let (control, test): (f64, f64) =
                (rank.iter().map(|row| row.control_us).sum(), rank.iter().map(|row| row.test_us).sum());
            let name =
                if most.name.is_empty() { String::new() } else { format!(" ({})", trace_view::tidy(&most.name)) };
            text.push_str(&format!(
                " Most of the change: rank {}, {} → {}, above all by {}{name}, on which it spends longer than the other ranks before \
                 it arrives.",
                most.rank,
                time(control),
                time(test),
                most.doing.replace('_', " "),
            ));
        }
        let sentence = Sentence::new("waiting", text);
        Some(sentence.with("control_us", waiting.control_us).with("test_us", waiting.test_us))
    }

    /// Tables of the parts and of what made late ranks late; none without collectives that several ranks recorded.
    pub(super) fn communication_tables(&self) -> Vec<Table> {
        let parts = self.communication();
        if self.sides.iter().all(|side| side.collectives == 0) {
            return Vec::new();
        }
        let times = |control: f64, test: f64, delta: f64| [control, test, delta].map(TableValue::Float);
        let mut headers = vec![Header::new("part", Unit::None, Kind::Text)];
        headers.extend(self.sides_and_change());
        let rows: Vec<Vec<TableValue>> = parts
            .iter()
            .map(|part| {
                let mut row = vec![TableValue::Text(part.part.to_owned())];
                row.extend(times(part.control_us, part.test_us, part.delta_us));
                row
            })
            .collect();
        let mut tables = vec![Table {
            caption: format!("exposed communication by part · {}", self.caption()),
            headers,
            total_rows: rows.len(),
            rows,
            notes: vec!["waiting: until the last of the compared ranks arrived".to_owned()],
            ..Table::default()
        }];
        let waiting = self.waiting();
        if !waiting.is_empty() {
            let mut headers = vec![
                Header::new("late rank", Unit::None, Kind::Number),
                Header::new("spends longer on", Unit::None, Kind::Text),
                Header::new("operator or frame", Unit::None, Kind::Name),
            ];
            headers.extend(self.sides_and_change());
            let row = |row: &WaitingRow| {
                let name = if row.name.is_empty() { TableValue::Null } else { TableValue::Text(row.name.clone()) };
                let mut values = vec![TableValue::Int(row.rank), TableValue::Text(row.doing.replace('_', " ")), name];
                values.extend(times(row.control_us, row.test_us, row.delta_us));
                values
            };
            tables.push(Table {
                caption: format!("waiting by late rank and by what made it late · {}", self.caption()),
                headers,
                rows: waiting.iter().take(WAITING_ROWS).map(row).collect(),
                total_rows: waiting.len(),
                notes: vec!["sorted by |change|".to_owned()],
                ..Table::default()
            });
        }
        tables
    }

    pub(super) fn communication_json(&self) -> Value {
        let part = |part: CommunicationChange| {
            json!({
                "part": part.part, "control_ns": part.control_us * 1e3, "test_ns": part.test_us * 1e3,
                "delta_ns": part.delta_us * 1e3,
            })
        };
        self.communication().into_iter().map(part).collect()
    }

    pub(super) fn waiting_json(&self) -> Value {
        let row = |row: WaitingRow| {
            json!({
                "rank": row.rank, "doing": row.doing, "name": if row.name.is_empty() { Value::Null } else { row.name.into() },
                "control_ns": row.control_us * 1e3, "test_ns": row.test_us * 1e3, "delta_ns": row.delta_us * 1e3,
            })
        };
        self.waiting().into_iter().map(row).collect()
    }
}

/// Control, test and their difference in µs.
fn micros(of: Change) -> [f64; 3] {
    [of.control.value() / 1e3, of.test.value() / 1e3, of.delta() / 1e3]
}

/// What a rank spent longer on, and its name.
fn words(doing: Doing, labels: &Labels) -> (String, String) {
    let text = |name: Option<_>| name.map_or(String::new(), |name| labels.text_of(name).to_owned());
    match doing {
        Doing::Class(class, name) => (word(class).to_owned(), text(name)),
        Doing::Idle(Cause::Host, name) => ("idle: host".to_owned(), text(name)),
        Doing::Idle(cause, name) => (format!("idle: {}", cause_word(cause)), text(name)),
        Doing::Began => ("a later begin".to_owned(), String::new()),
        Doing::Unknown => ("unknown".to_owned(), String::new()),
    }
}
