//! The names of a comparison, grouped by change.

use crate::error::FrameReason;
use crate::frame::columns::{DIFF_COUNTS, GROUP, NAME, SHORT_NAME};
use crate::{Change, Comparison};
use crate::{Error, Result};
use polars::prelude::{DataFrame, DataType};
use serde::{Deserialize, Serialize};
use trace_view::{Changes, Header, Kind, Part, Present, Report, Table, TableValue, Unit};

/// The names of a comparison, grouped by change; serialised in this order.
///
/// # Source
/// HTA `TraceDiff.ops_diff`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpsDiff {
    /// In test only.
    pub added: Vec<String>,
    /// In control only.
    pub deleted: Vec<String>,
    /// In both, more often in test.
    pub increased: Vec<String>,
    /// In both, less often in test.
    pub decreased: Vec<String>,
    /// In both, equally often.
    pub unchanged: Vec<String>,
}

impl OpsDiff {
    /// Groups the operators of a comparison by how their count changed. Returns the rows `name`, `group`, the counts of
    /// both sides and `diff_counts`, and the lists; both in the order of `compared`.
    ///
    /// # Errors
    /// If `compared` is not a result of [`TraceDiff::compare_traces`](crate::TraceDiff::compare_traces), or lacks its
    /// columns.
    pub fn of_comparison(compared: &DataFrame) -> Result<(DataFrame, Self)> {
        let not = |reason| Error::NotAComparison { reason };
        let sides = Comparison::of(compared).ok_or_else(|| not(FrameReason::NotMarked))?;
        let name = [NAME, SHORT_NAME].into_iter().find_map(|name| compared.column(name).ok());
        let name = name.or(compared.columns().first()).ok_or_else(|| not(FrameReason::NoColumns))?.clone();
        let changes = sides.changes(compared)?;
        let names = name.cast(&DataType::String)?;
        let names = names.str()?.iter().map(|name| name.unwrap_or_default().to_owned());
        let groups = changes.iter().copied().zip(names).collect();
        let words: Vec<&str> = changes.iter().map(|change| change.word()).collect();
        let [control, test] = sides.counts();
        let columns = vec![
            name,
            Comparison::marked(sides.control(), sides.test(), GROUP, &words)?,
            compared.column(&control)?.clone(),
            compared.column(&test)?.clone(),
            compared.column(DIFF_COUNTS)?.clone(),
        ];
        Ok((DataFrame::new(compared.height(), columns)?, groups))
    }

    /// Returns the lists with their names, in HTA's order.
    pub fn lists(&self) -> [(&'static str, &[String]); 5] {
        Change::ALL.map(|change| (change.word(), self.list(change)))
    }

    /// Returns the names with this change.
    pub fn list(&self, change: Change) -> &[String] {
        match change {
            Change::Added => &self.added,
            Change::Deleted => &self.deleted,
            Change::Increased => &self.increased,
            Change::Decreased => &self.decreased,
            Change::Unchanged => &self.unchanged,
        }
    }

    fn list_mut(&mut self, change: Change) -> &mut Vec<String> {
        match change {
            Change::Added => &mut self.added,
            Change::Deleted => &mut self.deleted,
            Change::Increased => &mut self.increased,
            Change::Decreased => &mut self.decreased,
            Change::Unchanged => &mut self.unchanged,
        }
    }
}

/// Groups names by their changes, in their order.
impl FromIterator<(Change, String)> for OpsDiff {
    fn from_iter<I: IntoIterator<Item = (Change, String)>>(names: I) -> Self {
        let mut groups = Self::default();
        for (change, name) in names {
            groups.list_mut(change).push(name);
        }
        groups
    }
}

/// One table with a row per name, list after list.
impl Present for OpsDiff {
    fn present(&self) -> Report {
        let counts: Vec<String> =
            self.lists().iter().map(|(change, names)| format!("{} {change}", names.len())).collect();
        let rows: Vec<Vec<TableValue>> = Change::ALL
            .into_iter()
            .flat_map(|change| {
                let row = move |name: &String| {
                    vec![TableValue::Text(change.word().to_owned()), TableValue::Text(name.clone())]
                };
                self.list(change).iter().map(row)
            })
            .collect();
        let kinds = Change::ALL.iter().enumerate();
        let kinds = kinds.flat_map(|(kind, &change)| self.list(change).iter().map(move |_| kind)).collect();
        let header = |name: &str, kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, Unit::None, kind)
        };
        Report::of(Part::Table(Table {
            caption: format!("ops_diff · {}", counts.join(" · ")),
            headers: vec![
                header("change", Kind::Change, "how the number of events changed from control to test"),
                header("name", Kind::Name, "name of the operator, runtime call or kernel"),
            ],
            total_rows: rows.len(),
            rows,
            notes: Vec::new(),
            changes: Some(Changes { column: "change".to_owned(), kinds: &Change::WORDS, rows: kinds }),
            ..Table::default()
        }))
    }
}
