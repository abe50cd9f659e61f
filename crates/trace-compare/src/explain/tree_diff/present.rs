//! The aligned tree as a table that opens, with sentences around it.

use super::cut::keep;
use super::entry::Entry;
use super::open::{ShownRow, shown};
use super::tree::TreeDiff;
use crate::Warning;
use crate::certainty::VERDICTS;
use crate::explain::certainty::Certainty;
use crate::explain::present::STACKS_DIFFER;
use std::cmp::Reverse;
use trace_view::{Header, Kind, Part, Present, Report, Table, TableValue, Unit, grouped};

/// The most rows of a table, but for the sums of those left out.
const MOST_ROWS: usize = 2_000;

/// The answer, warnings, the tree as a table, and what was left out.
impl Present for TreeDiff {
    fn present(&self) -> Report {
        let mut report = Report::of(Part::Text(self.lead.clone()));
        report.parts.extend(Warning::parts(&self.warnings));
        report.parts.extend(self.without_stacks.then(|| Part::Warning(STACKS_DIFFER.to_owned())));
        report.parts.push(Part::Table(self.table()));
        report
    }
}

impl TreeDiff {
    /// The tree as a table: name, control, test, Δ, share of Δ and grade; at most about 2,000 rows, those with the largest change.
    ///
    /// Open are the paths to what changed: by at least 5 % of the sum of all changes, or in its structure (added, deleted, moved,
    /// another number of kernels), at most 40. Among many siblings, those in a row without such a change are one row, which
    /// opens too.
    pub fn table(&self) -> Table {
        let (bounded, mut notes) = (bounded(&self.entries), self.notes.clone());
        if bounded.is_some() {
            notes.push(format!(
                "the {} rows of {} with the largest change; of others, a row under each call is the sum",
                grouped(MOST_ROWS),
                grouped(self.entries.len())
            ));
        }
        let rows = shown(bounded.as_deref().unwrap_or(&self.entries));
        let step = self.step_ns.numerator();
        let values = |row: &ShownRow| {
            let time = row.measures.attributed_ns;
            let share = if step == 0 {
                TableValue::Null
            } else {
                TableValue::Float(row.measures.change() as f64 / step as f64 * 100.0)
            };
            vec![
                TableValue::Text(row.name.trim_start_matches("nn.Module: ").to_owned()),
                TableValue::Float(time.control.value() / 1e3),
                TableValue::Float(time.test.value() / 1e3),
                TableValue::Float(time.delta() / 1e3),
                share,
                row.grade.map_or(TableValue::Null, |word| TableValue::Text(word.to_owned())),
                Certainty::word(row.judged).map_or(TableValue::Null, TableValue::Text),
            ]
        };
        let table = Table {
            caption: format!("the aligned tree · {}", self.caption),
            headers: self.headers(),
            total_rows: rows.len(),
            rows: rows.iter().map(values).collect(),
            notes,
            ..Table::default()
        };
        table.tree(rows.iter().map(|row| row.level).collect(), rows.iter().map(|row| row.is_open).collect())
    }

    fn headers(&self) -> Vec<Header> {
        let header = |name: &str, unit: Unit, kind: Kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, unit, kind)
        };
        let [control, test] = &self.sides;
        let rows = "sum of the rows below";
        vec![
            header("call", Unit::None, Kind::Name, "call, or operator › kernel; a → b where control and test differ"),
            header(&control.name(), Unit::Micros, Kind::Number, &format!("control: share of the step, {rows}")),
            header(&test.name(), Unit::Micros, Kind::Number, &format!("test: share of the step, {rows}")),
            header("Δ", Unit::Micros, Kind::Difference, "test − control"),
            header("share of Δ", Unit::Percent, Kind::Number, "share of the change of the step"),
            header(
                "grade",
                Unit::None,
                Kind::Category,
                "how well both sides agree: exact, name, family, region, moved, added, deleted; empty where it varies below",
            ),
            header("verdict", Unit::None, Kind::Category, &format!("{VERDICTS}; empty below a thousandth of the step")),
        ]
    }
}

/// The entries with the largest change and those above them, if there are too many.
fn bounded(entries: &[Entry]) -> Option<Vec<Entry>> {
    if entries.len() <= MOST_ROWS {
        return None;
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&id| Reverse(entries[id].all.change().unsigned_abs()));
    let (mut retained, mut count) = (vec![false; entries.len()], 0);
    for id in order {
        let above = std::iter::successors(Some(id), |&id| entries[id].parent);
        let missing: Vec<usize> = above.take_while(|&id| !retained[id]).collect();
        if count + missing.len() > MOST_ROWS {
            break;
        }
        count += missing.len();
        for id in missing {
            retained[id] = true;
        }
    }
    Some(keep(entries, &|id| retained[id]).0)
}
