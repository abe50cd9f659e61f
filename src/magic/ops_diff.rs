//! `%ops_diff`: which operators were added, deleted, called more or less often.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::compare_traces::SIDES;
use super::context::Context;
use super::context::write;
use super::view::{Frame, RESULT, ROWS, SELECTION, SHOWN, caption, deliver, drill_down_by_side, grouped, trace_diff};
use crate::Error;
use crate::session::Binding;
use trace::error::FrameReason;
use trace::polars::prelude::{DataFrame, DataType};
use trace::{Comparison, OpsDiff as Groups};
use trace_view::{Part, Report};

pub(super) struct OpsDiff;

/// The column that holds the kind of change.
const GROUP: &str = "group";

/// What it takes.
const ARGUMENTS: &[Group] = &[
    SIDES,
    SELECTION,
    ROWS,
    SHOWN,
    Group::new(
        "File of groups",
        &[Argument::flag("json", Kind::File, "write all names by group, as one object of five lists")],
    ),
    RESULT,
];

impl Magic for OpsDiff {
    fn name(&self) -> &'static str {
        "ops_diff"
    }

    fn summary(&self) -> &'static str {
        "Group the operators of two traces: added, deleted, increased, decreased, unchanged."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn compared_columns(&self, control: &str, test: &str) -> Vec<String> {
        let counts = |label: &str| format!("{label}_counts");
        vec!["name".to_owned(), GROUP.to_owned(), counts(control), counts(test), "diff_counts".to_owned()]
    }

    fn result(&self) -> Option<&'static str> {
        Some("an OpsDiff with the lists added, deleted, increased, decreased, unchanged")
    }

    fn notes(&self) -> &'static str {
        "The file of --json and the bound variable hold all names in HTA's order, whatever the other flags; --csv holds \
         the rows of the table as %compare_traces does."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%ops_diff control test --device-type cpu",
            "%ops_diff control test --category added,deleted --top 0",
            "%ops_diff control test --json ops.json",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let diff = trace_diff(call, call.required("CONTROL"), call.required("TEST"), context)?;
        if let Some(name) = &bind {
            context.check_free(call, name)?;
        }
        let selection = diff.selection()?;
        let caption = format!("ops_diff · {}", caption(&selection));
        let asked = diff.clone();
        let (df, groups) = grouping(&context.run_blocking(move || asked.compare_traces())?)?;
        context.check_interrupt()?;
        context.warn(diff.warnings());
        let summary = summary(&groups);
        if call.shows() {
            context.show(&Report::of(Part::Text(summary.clone())));
        }
        deliver(
            call,
            context,
            Frame {
                df,
                caption: &caption,
                order: "diff_counts",
                columns: None,
                events: Some(drill_down_by_side(call, &selection)),
            },
            None,
        )?;
        if let Some(path) = call.path("json") {
            write(&path, |out| {
                serde_json::to_writer_pretty(&mut *out, &groups)?;
                writeln!(out)
            })?;
            if !call.quiet() {
                context.print_line(format!("wrote {}: {summary}", path.display()));
            }
        }
        if let Some(name) = bind {
            context.session.remove_frame(&name);
            context.cells.bind(&name, Binding::OpsDiff(groups));
            if !call.quiet() {
                context.print_line(format!("{name}: OpsDiff {summary}"));
            }
        }
        Ok(())
    }
}

/// A comparison as rows of name, group and counts, and as lists of names by group; both in HTA's order.
pub(crate) fn grouping(compared: &DataFrame) -> Result<(DataFrame, Groups), Error> {
    let not = |reason| trace::Error::NotAComparison { reason };
    let sides = Comparison::of(compared).ok_or_else(|| not(FrameReason::NotMarked))?;
    let name = compared.columns().first().ok_or_else(|| not(FrameReason::NoColumns))?.clone();
    let changes = sides.changes(compared)?;
    let names = name.cast(&DataType::String).map_err(trace::Error::from)?;
    let names = names.str().map_err(trace::Error::from)?.iter().map(|name| name.unwrap_or_default().to_owned());
    let groups = changes.iter().copied().zip(names).collect();
    let words: Vec<&str> = changes.iter().map(|change| change.word()).collect();
    let column = |name: &str| compared.column(name).cloned().map_err(trace::Error::from);
    let [control, test] = sides.counts();
    let columns = vec![
        name,
        Comparison::marked(sides.control(), sides.test(), GROUP, &words).map_err(trace::Error::from)?,
        column(&control)?,
        column(&test)?,
        column("diff_counts")?,
    ];
    Ok((DataFrame::new(compared.height(), columns).map_err(trace::Error::from)?, groups))
}

/// `added 12 · deleted 3 · increased 5 · decreased 6 · unchanged 1,258`
pub(crate) fn summary(groups: &Groups) -> String {
    let counts: Vec<String> =
        groups.lists().iter().map(|(word, names)| format!("{word} {}", grouped(names.len()))).collect();
    counts.join(" · ")
}
