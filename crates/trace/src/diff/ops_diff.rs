//! Which operators were added, deleted, called more or less often.

use serde::{Deserialize, Serialize};
use trace_view::{Cell, Header, Kind, Part, Present, Report, Table, Unit};

/// The names of a comparison, by how their count changed; serialised in this order.
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
    /// The lists and what they are called, in HTA's order.
    pub fn lists(&self) -> [(&'static str, &[String]); 5] {
        [
            ("added", &self.added),
            ("deleted", &self.deleted),
            ("increased", &self.increased),
            ("decreased", &self.decreased),
            ("unchanged", &self.unchanged),
        ]
    }
}

/// One table, a row per name, the lists below each other.
impl Present for OpsDiff {
    fn present(&self) -> Report {
        let counts: Vec<String> =
            self.lists().iter().map(|(change, names)| format!("{} {change}", names.len())).collect();
        let rows: Vec<Vec<Cell>> = self
            .lists()
            .iter()
            .flat_map(|(change, names)| {
                names.iter().map(|name| vec![Cell::Text((*change).to_owned()), Cell::Text(name.clone())])
            })
            .collect();
        let header = |name: &str, kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, Unit::None, kind)
        };
        Report::of(Part::Table(Table {
            caption: format!("ops_diff · {}", counts.join(" · ")),
            headers: vec![
                header("change", Kind::Category, "how the number of events changed from control to test"),
                header("name", Kind::Name, "name of the operator, runtime call or kernel"),
            ],
            total_rows: rows.len(),
            page: None,
            rows,
            notes: Vec::new(),
        }))
    }
}
