//! `%show`: a data frame of a Rust variable as a table.

use super::view::{Frame, RESULT, ROWS, SHOWN, deliver};
use super::{Argument, Call, Group, Kind, Magic, Scene};
use crate::Error;

pub(super) struct Show;

/// What it takes.
const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required("VARIABLE", Kind::Variable, "a variable, or a quoted expression, that is a data frame")],
    ),
    ROWS,
    SHOWN,
    RESULT,
];

impl Magic for Show {
    fn name(&self) -> &'static str {
        "show"
    }

    fn summary(&self) -> &'static str {
        "Show the data frame in a Rust variable as a table."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame of the rows and columns that the flags leave")
    }

    fn notes(&self) -> &'static str {
        "The rows stand in the order of the variable unless --sort is given."
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%show df", "%show df --filter '^aten::' --sort diff_counts --csv aten.csv", "%show 'df.head(Some(3))'"]
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let variable = call.required("VARIABLE");
        let df = scene.frame(call, variable)?;
        deliver(call, scene, Frame { df, caption: variable, order: "" }, bind.as_deref())
    }
}
