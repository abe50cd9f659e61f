//! `%compare_traces`: counts and durations of all operators of two traces.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::view::{
    Frame, GROUPS, RESULT, ROWS, SELECTION, SHOWN, STATS, caption, compare_stats, deliver, drill_down_by_side,
    refuse_without_stats, trace_diff, unused_iterations,
};
use crate::Error;
use trace_core::Compared;
use trace_core::columns::DIFF_DURATION;
use trace_view::{Part, Report};

pub(super) struct CompareTraces;

/// The two traces of a comparison of one run with another.
pub(super) const SIDES: Group = Group::new(
    "Arguments",
    &[
        Argument::required("CONTROL", Kind::Trace, "the baseline"),
        Argument::required("TEST", Kind::Trace, "the trace to compare with it; differences are test − control"),
    ],
);

/// The sides of a comparison that may have several runs.
const RUNS: Group = Group::new(
    "Arguments",
    &[
        Argument::required("CONTROL", Kind::Runs, "the baseline; with --stats also several runs, or a group of runs"),
        Argument::required("TEST", Kind::Runs, "the trace to compare with it; differences are test − control"),
    ],
);

impl Magic for CompareTraces {
    fn name(&self) -> &'static str {
        "compare_traces"
    }

    fn summary(&self) -> &'static str {
        "Compare how often and how long the operators of two traces ran."
    }

    fn arguments(&self) -> &'static [Group] {
        &[RUNS, SELECTION, STATS, GROUPS, ROWS, SHOWN, RESULT]
    }

    fn result(&self) -> Option<&'static str> {
        Some(
            "a polars DataFrame with HTA's columns (with --by the rank or iteration first), durations in µs, all rows in HTA's order; \
             with --stats means of an iteration, intervals, ratio, p, q and verdict",
        )
    }

    fn notes(&self) -> &'static str {
        "The table is sorted by the magnitude of diff_duration unless --sort is given. --filter, --category, --sort and \
         --columns also apply to the file of --csv and to the bound variable; --top, --min-us, --unit and the default \
         order apply only to the table. Its column diff is diff_duration in percent of control, a dash if control took no \
         time; file and variable lack it.\n\n\
         --by rank compares equal ranks, --by iteration equal iterations; if no number exists on both sides, those at equal \
         positions, and the output says so. Operators of a rank or iteration that only one side has are added or deleted. \
         --csv writes the rows of all groups.\n\n\
         --stats compares all iterations instead of the first with the first: samples are iterations, whose ranks are averaged, \
         or runs if both sides have several (%trace_load A1 A2 A3 A4 --as control); of one iteration a side, the same ranks are compared in \
         pairs. Durations are then those of an iteration, with 95 % intervals; q is p corrected for all operators, and a verdict needs 4 \
         samples a side, or 6 ranks. The sentences name the \
         scope (these recordings, or the programs), what changed in structure, and whether the recordings can be compared at all.\n\n\
         Click a row, or hit Enter on it, to get cells that list its events (%events)."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%compare_traces control test",
            "%compare_traces control test --control-rank 3 --test-rank 1 --control-iteration 1010 --test-iteration 1010 --device-type gpu",
            "%compare_traces control test --sort diff_counts:asc --top 10 --category deleted,decreased",
            "%compare_traces control test --where 'name ~ \"^nccl\" and dur > 100us'",
            "%compare_traces control test --by rank --device-type gpu --csv ranks.csv",
            "%compare_traces control test --stats --device-type gpu",
            "df = %compare_traces control test --use-short-name",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        if call.switch("stats") {
            return compare_stats(call, context);
        }
        refuse_without_stats(call)?;
        let bind = call.result_name()?.map(str::to_owned);
        let diff = trace_diff(call, call.required("CONTROL"), call.required("TEST"), context)?;
        let selection = diff.selection()?;
        let caption = format!("compare_traces · {}", caption(&selection));
        let comparison = diff.clone();
        let Compared { frame: df, mut notes, .. } = context.run_blocking(move || comparison.run())?;
        context.check_interrupt()?;
        context.warn_of(call, &diff.warnings());
        if df.height() == 0 && !call.quiet() {
            context.print_line(
                "nothing to compare: neither trace has such events; `%describe NAME` shows what a trace contains",
            );
        }
        notes.extend(unused_iterations(call, &diff, &selection));
        if call.shows() && !notes.is_empty() {
            context.show(&Report { parts: notes.into_iter().map(Part::Text).collect() });
        }
        // %events does not number iterations by a marker.
        let events = selection.marker.is_none().then(|| drill_down_by_side(call, &selection));
        deliver(call, context, Frame { order: DIFF_DURATION, events, ..Frame::of(df, &caption) }, bind.as_deref())
    }
}
