//! The answers of two traces as one: their main tables joined by keys, with the values of both sides and the change.

use super::answer::with_leading;
use super::{Analysis, Answer, AnswerTable, CATALOG, Entry, SideJoin, TableSchema, TraceAnalysis};
use crate::error::ParameterReason;
use crate::{Error, Result};
use polars::prelude::{
    AnyValue, Column as FrameColumn, DataFrame, DataType, IdxCa, IdxSize, NamedFrom, PlSmallStr, Scalar, Series,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::LazyLock;
use trace_view::{Column, Unit};

/// The sides, as columns name them.
const SIDES: [&str; 2] = ["control", "test"];

/// The column that names the trace of a row, in tables that are not joined.
const TRACE: Column = Column::new("trace", Unit::None, "label of the trace");

/// The columns of joined tables, by analysis. Their names are made from those of the catalog, once per process.
static COLUMNS: LazyLock<BTreeMap<&'static str, &'static [Column]>> = LazyLock::new(|| {
    let joined = |entry: &Entry| Some((entry.name, columns(entry.tables.first()?)?));
    CATALOG.iter().filter_map(joined).collect()
});

/// The columns of tables that are stacked: the trace, and those of the table.
static STACKED: LazyLock<BTreeMap<(&'static str, &'static str), &'static [Column]>> = LazyLock::new(|| {
    let stacked = |table: &TableSchema| -> &'static [Column] { Vec::leak([&[TRACE], table.columns].concat()) };
    let of_entry =
        |entry: &'static Entry| entry.tables[1..].iter().map(move |table| ((entry.name, table.name), stacked(table)));
    CATALOG.iter().filter(|entry| entry.is_of_two()).flat_map(of_entry).collect()
});

impl TraceAnalysis {
    /// Asks the analysis of this trace, the control, and of `test`, and joins their answers: rows of the same operator meet, with the values of
    /// both sides and the change of the first one, the largest change first.
    ///
    /// # Columns
    /// The keys of the main table (`name`, …); of each value one column per side, `time_control (us)` and `time_test (us)`; `diff_time (us)`, test
    /// minus control, where a side that lacks the row counts as 0. Further tables have a leading column `trace`.
    ///
    /// # Errors
    /// If the analysis is not of two traces; otherwise as [`TraceAnalysis::ask`].
    ///
    /// # Example
    /// ```
    /// use trace::analysis::Operators;
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let control = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/control")?)?;
    /// let test = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/test")?)?;
    /// let answer = control.ask_two(&test, &Operators::default())?;
    /// assert!(answer.tables[0].frame.column("diff_kernel_self (us)").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn ask_two<A: Analysis>(&self, test: &TraceAnalysis, analysis: &A) -> Result<Answer> {
        let answers = [self.ask(analysis)?, test.ask(analysis)?];
        joined(A::NAME, A::TABLES, [self, test], answers)
    }
}

impl Entry {
    /// Whether the analysis can be asked of two traces.
    pub fn is_of_two(&self) -> bool {
        self.tables.first().is_some_and(|table| table.join.is_some())
    }

    /// Returns the columns of the joined table of two traces; none if the analysis is of one.
    pub fn columns_of_two(&self) -> &'static [Column] {
        COLUMNS.get(self.name).copied().unwrap_or_default()
    }

    /// Runs the analysis on two traces and joins their answers, see [`TraceAnalysis::ask_two`]; ranks are those of each side.
    ///
    /// # Errors
    /// If the analysis is not of two traces; otherwise as [`Entry::ask`].
    pub fn ask_two(
        &self,
        sides: [&TraceAnalysis; 2],
        arguments: Map<String, Value>,
        ranks: [Option<&[i64]>; 2],
    ) -> Result<Answer> {
        let control = self.ask(sides[0], arguments.clone(), ranks[0])?;
        let test = self.ask(sides[1], arguments, ranks[1])?;
        joined(self.name, self.tables, sides, [control, test])
    }
}

/// Returns the columns of the joined table: keys, the change, and the values of both sides.
fn columns(table: &TableSchema) -> Option<&'static [Column]> {
    let SideJoin { keys, values } = table.join?;
    let of_table = |name: &&str| table.columns.iter().find(|column| column.name == *name).copied();
    let mut columns: Vec<Column> = keys.iter().filter_map(of_table).collect();
    let values: Vec<Column> = values.iter().filter_map(of_table).collect();
    if let Some(first) = values.first() {
        let meaning = format!("{}: test minus control, 0 for a side without the row", first.meaning);
        columns.push(Column::new(changed(first.name).leak(), first.unit, meaning.leak()));
    }
    for value in &values {
        for side in SIDES {
            let meaning = format!("{}, of the {}", value.meaning, side);
            columns.push(Column::new(of_side(value.name, side).leak(), value.unit, meaning.leak()));
        }
    }
    Some(columns.leak())
}

/// Returns the name of a value of one side: `time (us)` becomes `time_control (us)`.
fn of_side(name: &str, side: &str) -> String {
    let (name, unit) = name.split_at(name.find([' ', '(']).unwrap_or(name.len()));
    format!("{name}_{side}{unit}")
}

/// Returns the name of the change of a value: `diff_time (us)`.
fn changed(name: &str) -> String {
    format!("diff_{name}")
}

fn joined(
    name: &'static str,
    tables: &'static [TableSchema],
    sides: [&TraceAnalysis; 2],
    answers: [Answer; 2],
) -> Result<Answer> {
    let [control, test] = sides.map(|side| side.plan().label().to_owned());
    let main = tables.first().and_then(|table| Some((table, table.join?, *COLUMNS.get(name)?)));
    let Some((schema, join, columns)) = main else {
        let reason = ParameterReason::Invalid { name: "TEST", value: test, expected: "one trace".to_owned() };
        return Err(Error::WrongParameter { analysis: name, reason });
    };
    let mains = [answers[0].main(), answers[1].main()];
    let frame = join_frames(&join, &mains)?;
    let mut notes = Vec::new();
    let iterations = [sides[0].iterations()?.len(), sides[1].iterations()?.len()];
    if iterations[0] != iterations[1] {
        notes.push(format!(
            "{control} has {} iterations and {test} {}: sums differ for that reason, too; --iteration selects equally many.",
            iterations[0], iterations[1]
        ));
    }
    let labels = [control, test];
    for (answer, label) in answers.iter().zip(&labels) {
        notes.extend(answer.notes.iter().map(|note| format!("{label}: {note}")));
    }
    let shown = AnswerTable { columns, named_events: false, ..AnswerTable::new(schema, frame) };
    let mut joined =
        Answer { title: format!("{name} · {} · {}", labels[0], labels[1]), ..Answer::of(shown, None, notes) };
    for answer in &answers {
        joined.figures.extend(answer.figures.iter().cloned());
        joined.heat_maps.extend(answer.heat_maps.iter().cloned());
    }
    for table in &tables[1..] {
        let stacked = STACKED.get(&(name, table.name)).copied().unwrap_or(table.columns);
        joined.tables.extend(stack(table.name, stacked, &answers, &labels)?);
    }
    Ok(joined)
}

/// Stacks the tables of one name of both sides, with a leading column of their labels.
fn stack(
    name: &str,
    columns: &'static [Column],
    answers: &[Answer; 2],
    labels: &[String; 2],
) -> Result<Option<AnswerTable>> {
    let mut stacked: Option<AnswerTable> = None;
    for (answer, label) in answers.iter().zip(labels) {
        for table in answer.whole_tables().into_iter().filter(|table| table.name == name) {
            let label = Scalar::new(DataType::String, AnyValue::StringOwned(PlSmallStr::from_str(label)));
            let frame = with_leading(&table.frame, TRACE.name, label)?;
            match &mut stacked {
                Some(stacked) => {
                    stacked.frame.vstack_mut(&frame)?;
                    stacked.shown |= table.shown;
                }
                None => stacked = Some(AnswerTable { frame, columns, named_events: false, ..table }),
            }
        }
    }
    Ok(stacked)
}

/// Joins the rows of two frames, the largest change of the first value first.
fn join_frames(join: &SideJoin, frames: &[DataFrame; 2]) -> Result<DataFrame> {
    let mut pairs = pairs(join.keys, frames)?;
    let first = join.values.first().copied().unwrap_or_default();
    let [control, test] = [numbers(&frames[0], first)?, numbers(&frames[1], first)?];
    let of = |values: &[f64], row: Option<usize>| row.and_then(|row| values.get(row)).copied().unwrap_or(0.0);
    let change = |pair: &[Option<usize>; 2]| of(&test, pair[1]) - of(&control, pair[0]);
    pairs.sort_by(|one, other| change(other).abs().total_cmp(&change(one).abs()));
    let rows =
        |side: usize| -> IdxCa { pairs.iter().map(|pair| pair[side].map(|row| row as IdxSize)).collect::<IdxCa>() };
    let mut columns: Vec<FrameColumn> = Vec::new();
    // A key of a row is that of the side that has it.
    let whole = frames[0].select(join.keys.iter().copied())?.vstack(&frames[1].select(join.keys.iter().copied())?)?;
    let behind = frames[0].height();
    let row = |pair: &[Option<usize>; 2]| pair[0].or(pair[1].map(|row| behind + row)).map(|row| row as IdxSize);
    columns.extend(whole.take(&pairs.iter().map(row).collect::<IdxCa>())?.columns().iter().cloned());
    let changes: Vec<f64> = pairs.iter().map(change).collect();
    columns.push(Series::new(PlSmallStr::from_string(changed(first)), changes).into());
    let sides = [frames[0].take(&rows(0))?, frames[1].take(&rows(1))?];
    // Values that were not asked for are in no answer.
    for &value in join.values.iter().filter(|value| sides.iter().all(|side| side.column(value).is_ok())) {
        for (frame, side) in sides.iter().zip(SIDES) {
            let name = PlSmallStr::from_string(of_side(value, side));
            columns.push(frame.column(value)?.clone().with_name(name));
        }
    }
    Ok(DataFrame::new(pairs.len(), columns)?)
}

/// Returns the rows that meet: those of the control in their order, then what only the test has.
fn pairs(keys: &[&str], frames: &[DataFrame; 2]) -> Result<Vec<[Option<usize>; 2]>> {
    let [control, test] = [key_texts(&frames[0], keys)?, key_texts(&frames[1], keys)?];
    let mut open: HashMap<&RowKey, VecDeque<usize>> = HashMap::with_capacity(test.len());
    for (row, key) in test.iter().enumerate() {
        open.entry(key).or_default().push_back(row);
    }
    let mut taken = vec![false; test.len()];
    let mut pairs: Vec<[Option<usize>; 2]> = Vec::with_capacity(control.len());
    for (row, key) in control.iter().enumerate() {
        let partner = open.get_mut(key).and_then(VecDeque::pop_front);
        if let Some(partner) = partner {
            taken[partner] = true;
        }
        pairs.push([Some(row), partner]);
    }
    pairs.extend((0..test.len()).filter(|row| !taken[*row]).map(|row| [None, Some(row)]));
    Ok(pairs)
}

/// The keys of a row as texts.
type RowKey = Vec<Option<String>>;

/// Returns the keys of each row.
fn key_texts(frame: &DataFrame, keys: &[&str]) -> Result<Vec<RowKey>> {
    let mut rows: Vec<RowKey> = vec![Vec::with_capacity(keys.len()); frame.height()];
    for key in keys {
        let column = frame.column(key)?.cast(&DataType::String)?;
        for (row, value) in rows.iter_mut().zip(column.str()?.iter()) {
            row.push(value.map(str::to_owned));
        }
    }
    Ok(rows)
}

/// Returns a column as numbers, 0 for null.
fn numbers(frame: &DataFrame, name: &str) -> Result<Vec<f64>> {
    let column = frame.column(name)?.cast(&DataType::Float64)?;
    Ok(column.f64()?.iter().map(|value| value.unwrap_or(0.0)).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::df;

    #[test]
    fn keys_are_compared_one_by_one() {
        let frame = |name: Option<&str>, shapes: &str| df!("name" => [name], "shapes" => [shapes]).unwrap();
        let met = |one: DataFrame, other: DataFrame| pairs(&["name", "shapes"], &[one, other]).unwrap();
        assert_eq!(met(frame(Some("mm"), "2×2"), frame(Some("mm"), "2×2")), [[Some(0), Some(0)]]);
        let apart = [[Some(0), None], [None, Some(0)]];
        assert_eq!(met(frame(Some("a\u{1f}b"), "c"), frame(Some("a"), "b\u{1f}c")), apart);
        assert_eq!(met(frame(None, "c"), frame(Some(""), "c")), apart, "nothing is no empty name");
    }
}
