//! `%lsmagic`: all magics with their summaries.

use super::api::{Magic, Topic};
use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;
use trace_view::{Header, Kind, Part, Report, Table, TableValue, Unit};

/// Lists what the function returns: the table of which it is a row.
pub struct LsMagic(pub fn() -> Vec<Topic>);

impl Magic for LsMagic {
    fn name(&self) -> &'static str {
        "lsmagic"
    }

    fn summary(&self) -> &'static str {
        "List all magics."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%lsmagic"]
    }

    fn run(&self, _: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let text = |text: String| TableValue::Text(text);
        let row = |name: String, summary: &str| vec![text(name), text(summary.to_owned())];
        // A heading is a row of its own: a column of headings would leave the summaries no room in a terminal.
        let rows: Vec<Vec<TableValue>> = (self.0)()
            .into_iter()
            .flat_map(|(topic, magics)| {
                let magics = magics.into_iter().map(|magic| row(magic.spelled(), magic.summary()));
                std::iter::once(row(topic.to_owned(), "")).chain(magics).collect::<Vec<_>>()
            })
            .collect();
        context.show(&Report::of(Part::Table(Table {
            caption: "magics".to_owned(),
            headers: vec![
                Header::new("magic", Unit::None, Kind::Name),
                Header::new("what it does", Unit::None, Kind::Text),
            ],
            total_rows: rows.len(),
            rows,
            notes: vec!["%NAME? shows the help of one".to_owned()],
            ..Table::default()
        })));
        Ok(())
    }
}
