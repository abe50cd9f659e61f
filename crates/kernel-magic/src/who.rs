//! `%who`: the variables of Rust cells.

use super::api::Magic;
use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;
use trace_view::{Header, Kind, Part, Report, Table, TableValue, Unit};

pub(super) struct Who;

impl Magic for Who {
    fn name(&self) -> &'static str {
        "who"
    }

    fn summary(&self) -> &'static str {
        "List the variables of the notebook: yours, loaded traces, results of magics."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%who"]
    }

    fn run(&self, _: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let variables = context.cells.variables();
        if variables.is_empty() {
            context.print_line("No variables yet: `let x = 1;` creates one, and so does %trace_load PATH --as NAME.");
            return Ok(());
        }
        let rows: Vec<Vec<TableValue>> = variables
            .into_iter()
            .map(|variable| vec![TableValue::Text(variable.name), TableValue::Text(variable.type_name)])
            .collect();
        context.show(&Report::of(Part::Table(Table {
            caption: "variables".to_owned(),
            headers: vec![Header::new("name", Unit::None, Kind::Name), Header::new("type", Unit::None, Kind::Name)],
            total_rows: rows.len(),
            rows,
            notes: Vec::new(),
            ..Table::default()
        })));
        Ok(())
    }
}
