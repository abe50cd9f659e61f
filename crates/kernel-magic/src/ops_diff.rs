//! `%ops_diff`: the operators of two traces grouped by how their count changed.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::compare_traces::SIDES;
use super::context::Context;
use super::context::write;
use super::view::{Frame, RESULT, ROWS, SELECTION, SHOWN, caption, deliver, drill_down_by_side, grouped, trace_diff};
use crate::Error;
use crate::session::Binding;
use trace_core::OpsDiff as Groups;
use trace_core::columns::{COUNTS_SUFFIX, DIFF_COUNTS, GROUP, NAME};
use trace_view::{Part, Report};

pub(super) struct OpsDiff;

const ARGUMENTS: &[Group] = &[
    SIDES,
    SELECTION,
    ROWS,
    SHOWN,
    Group::new(
        "File of groups",
        &[Argument::flag("json", Kind::File, "write all names by group: one object with five lists")],
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
        let counts = |label: &str| format!("{label}{COUNTS_SUFFIX}");
        vec![NAME.to_owned(), GROUP.to_owned(), counts(control), counts(test), DIFF_COUNTS.to_owned()]
    }

    fn result(&self) -> Option<&'static str> {
        Some("an OpsDiff with the lists added, deleted, increased, decreased, unchanged")
    }

    fn notes(&self) -> &'static str {
        "The file of --json and the bound variable contain all names in HTA's order, whatever the flags under Rows; the \
         file of --csv contains the rows of the table, as that of %compare_traces does."
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
        let comparison = diff.clone();
        let (df, groups) = Groups::of_comparison(&context.run_blocking(move || comparison.compare_traces())?)?;
        context.check_interrupt()?;
        context.warn_of(call, &diff.warnings());
        let summary = summary(&groups);
        if call.shows() {
            context.show(&Report::of(Part::Text(summary.clone())));
        }
        deliver(
            call,
            context,
            Frame {
                order: DIFF_COUNTS,
                events: selection.marker.is_none().then(|| drill_down_by_side(call, &selection)),
                ..Frame::of(df, &caption)
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

/// Returns `added 12 · deleted 3 · increased 5 · decreased 6 · unchanged 1,258`.
pub fn summary(groups: &Groups) -> String {
    let counts: Vec<String> =
        groups.lists().iter().map(|(word, names)| format!("{word} {}", grouped(names.len()))).collect();
    counts.join(" · ")
}
