//! The answer of a comparison, made from the sums of all ranks.

use super::pairs::{Pair, Pairs, iterations_of, named};
use super::sum::Sum;
use super::sums::{ByName, Sums};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::present::{Field, frame_columns};
use crate::{By, Change, Comparison, OpsDiff, Result, Selection};
use polars::prelude::{Column, DataFrame, IdxCa, IntoColumn, NamedFrom, Series};
use std::collections::BTreeMap;
use trace_view::format::{counted, nanoseconds};

/// The answer of [`TraceDiff::run`](crate::TraceDiff::run).
#[derive(Debug, Clone)]
pub struct Compared {
    /// The rows, with the columns of [`TraceDiff::compare_traces`](crate::TraceDiff::compare_traces).
    pub frame: DataFrame,
    /// The names by change, of all groups together.
    pub groups: OpsDiff,
    /// The time of GPU work of control and test in ns: the sum of the durations of all selected GPU events except
    /// synchronisations, whatever the device type.
    pub device_nanos: (i128, i128),
    /// With groups: how they were paired, and whose time of GPU work changed most. Else empty.
    pub notes: Vec<String>,
}

/// Number of groups that a sentence names.
const MOST_NAMED: usize = 3;

impl Compared {
    /// Makes the answer from the sums of all selected ranks.
    ///
    /// # Errors
    /// If polars refuses.
    pub(super) fn of(sums: Sums, selection: &Selection) -> Result<Self> {
        let sides = (&selection.control, &selection.test);
        let pairs = match selection.by {
            None => Pairs::whole(),
            Some(By::Rank) => Pairs::of(By::Rank, Some(&sides.0.ranks), Some(&sides.1.ranks)),
            Some(By::Iteration) => {
                Pairs::of(By::Iteration, iterations_of(&sides.0.window), iterations_of(&sides.1.window))
            }
        };
        let device = (sums.control.device_nanos(), sums.test.device_nanos());
        let total = |side: &BTreeMap<i64, i128>| side.values().sum();
        let mut notes = pairs.notes;
        notes.extend(selection.by.and_then(|by| device_note(by, &pairs.pairs, &device)));
        let on = |side: super::sums::SideSums| side.on(selection.device_type, selection.use_short_name);
        let (control, test) = (on(sums.control), on(sums.test));
        let rows = rows(&control, &test, &pairs.pairs);
        let groups = if selection.by.is_none() {
            rows.iter().map(|row| (row.change(), row.name.to_owned())).collect()
        } else {
            whole_groups(&control, &test)
        };
        let frame = frame(&rows, selection)?;
        Ok(Self { frame, groups, device_nanos: (total(&device.0), total(&device.1)), notes })
    }
}

/// One name on both sides.
struct Row<'n> {
    /// The number of the group.
    group: Option<i64>,
    name: &'n str,
    control: Sum,
    test: Sum,
}

impl Row<'_> {
    /// The columns behind that of names; the first four get labels.
    const COLUMNS: [Field<Self>; 6] = [
        Field::known_whole(declaration(COUNTS_SUFFIX), |row| Some(row.control.count)),
        Field::known_number(declaration(DURATION_SUFFIX), |row| Some(row.control.micros())),
        Field::known_whole(declaration(COUNTS_SUFFIX), |row| Some(row.test.count)),
        Field::known_number(declaration(DURATION_SUFFIX), |row| Some(row.test.micros())),
        Field::known_whole(declaration(DIFF_COUNTS), |row| Some(row.test.count - row.control.count)),
        Field::known_number(declaration(DIFF_DURATION), |row| Some(row.test.micros_beyond(row.control))),
    ];

    fn change(&self) -> Change {
        Change::of(self.control.count, self.test.count)
    }
}

/// Returns the rows, pair by pair; of each pair in HTA's order: names of control, then those only in test.
fn rows<'n>(control: &'n ByName, test: &'n ByName, pairs: &[Pair]) -> Vec<Row<'n>> {
    let sum = |of: Option<&BTreeMap<i64, Sum>>, group: Option<i64>| of?.get(&group?).copied();
    let mut rows = Vec::new();
    for &Pair { number: group, control: ours, test: theirs } in pairs {
        for (name, groups) in cancellable(control) {
            let Some(control) = sum(Some(groups), ours) else { continue };
            rows.push(Row { group, name, control, test: sum(test.get(name), theirs).unwrap_or_default() });
        }
        for (name, groups) in cancellable(test) {
            if let Some(test) = sum(Some(groups), theirs)
                && sum(control.get(name), ours).is_none()
            {
                rows.push(Row { group, name, control: Sum::default(), test });
            }
        }
    }
    rows
}

/// Groups the names by how their count changed over all groups.
fn whole_groups(control: &ByName, test: &ByName) -> OpsDiff {
    let count = |of: Option<&BTreeMap<i64, Sum>>| of.map_or(0, |groups| groups.values().map(|sum| sum.count).sum());
    let ours = control.iter().map(|(name, groups)| (Change::of(count(Some(groups)), count(test.get(name))), name));
    let theirs = test.iter().filter(|(name, _)| !control.contains_key(*name));
    let theirs = theirs.map(|(name, groups)| (Change::of(0, count(Some(groups))), name));
    ours.chain(theirs).map(|(change, name)| (change, name.clone())).collect()
}

fn frame(rows: &[Row<'_>], selection: &Selection) -> Result<DataFrame> {
    let (control, test) = (&selection.control.label, &selection.test.label);
    let key = if selection.use_short_name { SHORT_NAME } else { NAME };
    let signs: Vec<&str> = rows.iter().map(|row| row.change().sign()).collect();
    let mut columns = Vec::new();
    if let Some(by) = selection.by {
        let groups: Vec<Option<i64>> = rows.iter().map(|row| row.group).collect();
        columns.push(Column::from(Series::new(by.word().into(), groups)));
    }
    columns.push(names(key, rows)?);
    let labelled =
        [control, test].map(|label| [COUNTS_SUFFIX, DURATION_SUFFIX].map(|suffix| format!("{label}{suffix}")));
    columns.extend(frame_columns(rows, &Row::COLUMNS, labelled.as_flattened()));
    columns.push(Comparison::marked(control, test, CHANGE, &signs)?);
    Ok(DataFrame::new(rows.len(), columns)?)
}

/// Returns the column of names. Rows of one name share its text: with hundreds of ranks it would be copied as often.
fn names(key: &str, rows: &[Row<'_>]) -> Result<Column> {
    let mut number_of: BTreeMap<&str, u32> = BTreeMap::new();
    let mut texts: Vec<&str> = Vec::new();
    let mut numbers = Vec::with_capacity(rows.len());
    for row in rows {
        numbers.push(*number_of.entry(row.name).or_insert_with(|| {
            texts.push(row.name);
            texts.len() as u32 - 1
        }));
    }
    Ok(Series::new(key.into(), texts).take(&IdxCa::from_vec("row".into(), numbers))?.into_column())
}

/// Says how the time of GPU work changed, in all groups and in those that changed most; `None` without GPU work.
fn device_note(by: By, pairs: &[Pair], device: &(BTreeMap<i64, i128>, BTreeMap<i64, i128>)) -> Option<String> {
    let nanos = |side: &BTreeMap<i64, i128>, group: Option<i64>| group.and_then(|group| side.get(&group)).copied();
    let mut both: Vec<(i64, i128, i128)> = pairs
        .iter()
        .filter_map(|pair| Some((pair.number?, nanos(&device.0, pair.control)?, nanos(&device.1, pair.test)?)))
        .collect();
    if both.is_empty() {
        return None;
    }
    let (before, after) = both.iter().fold((0, 0), |(before, after), row| (before + row.1, after + row.2));
    let mut note = format!("Time of GPU work in {}: {}", counted(both.len(), by.word()), change(before, after));
    both.retain(|row| row.1 != row.2);
    both.sort_by_key(|&(group, before, after)| (-(after - before).abs(), group));
    if both.len() > 1 {
        let most = both.iter().take(MOST_NAMED);
        let named: Vec<String> =
            most.map(|&(group, a, b)| format!("{} {}", named(by, &[group]), change(a, b))).collect();
        note.push_str(&format!("; largest changes: {}", named.join(", ")));
    }
    note.push('.');
    Some(note)
}

/// `12.3 ms → 13.2 ms (+7.3 %)`
fn change(before: i128, after: i128) -> String {
    let share = if before == 0 {
        "none before".to_owned()
    } else {
        let percent = (100 * (after - before)) as f64 / before as f64;
        format!("{percent:+.1} %").replace('-', "−")
    };
    format!("{} → {} ({share})", nanoseconds(before), nanoseconds(after))
}
