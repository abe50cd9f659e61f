//! `%show`: the data frame of a Rust variable as a table or a figure.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::view::{
    FIGURE, FIGURE_NOTES, Frame, ROWS, ROWS_WHERE, SHOWN, SelectedRows, bars, check_form, deliver, histogram, size,
    write_csv,
};
use super::visualize;
use crate::Error;
use trace_core::polars::prelude::DataFrame;

pub(super) struct Show;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required("VARIABLE", Kind::Variable, "a data frame: a variable, or a quoted expression")],
    ),
    ROWS,
    Group::new("Condition", &[ROWS_WHERE]),
    SHOWN,
    FIGURE,
    Group::new(
        "Output",
        &[
            Argument::flag("csv", Kind::File, "write all rows, unrounded, durations in µs; the flags under Rows apply"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
];

impl Magic for Show {
    fn name(&self) -> &'static str {
        "show"
    }

    fn summary(&self) -> &'static str {
        "Show a data frame as a table, as bars or as a histogram."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame of the selected rows and columns")
    }

    fn notes(&self) -> &'static str {
        FIGURE_NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%show df",
            "%show df --filter '^aten::' --sort diff_counts --csv aten.csv",
            "%show df --as bar --sort diff_duration --top 10",
            "%show df --as bar --x name --y control_counts,test_counts",
            "%show 'control.events()' --as histogram --x dur --bins 100 --log",
            "%show 'df.head(Some(3))'",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.bind_name()?.map(str::to_owned);
        let form = check_form(call)?;
        let variable = call.required("VARIABLE");
        let df = context.frame(call, variable)?;
        let draw = match form {
            "bar" => bars,
            "histogram" => histogram,
            _ => {
                return deliver(call, context, Frame::of(df, variable), bind.as_deref());
            }
        };
        let rows = SelectedRows::select(call, df)?;
        // The figure is made first, so that a wrong flag leaves no file and no variable behind.
        let figure = draw(call, &rows, variable)?;
        if let Some(name) = &bind {
            context.bind_frame(call, name, &rows.df)?;
        }
        if let Some(path) = call.path("csv") {
            write_csv(&path, &rows.df)?;
        }
        visualize::deliver(call, context, figure)?;
        print_results(call, context, bind.as_deref(), &rows.df);
        Ok(())
    }
}

/// Prints what was bound and written.
fn print_results(call: &Call<'_>, context: &Context<'_>, bind: Option<&str>, df: &DataFrame) {
    if call.quiet() {
        return;
    }
    if let Some(name) = bind {
        context.print_line(format!("{name}: DataFrame {}", size(df)));
    }
    if let Some(path) = call.path("csv") {
        context.print_line(format!("wrote {}: {}", path.display(), size(df)));
    }
}
