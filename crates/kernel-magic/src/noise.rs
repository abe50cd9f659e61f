//! `%noise`: how much operators vary within a run and between runs.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::view::{
    DEVICE_TYPE, Frame, MARKER_OF_SAMPLES, PHASE, RESULT, SHOWN, USE_SHORT_NAME, WHERE, deliver, selected_events,
};
use crate::Error;
use std::sync::Arc;
use trace_core::{MeasuredNoise, Noise as Query, SelectEvents};
use trace_view::{Part, Report};

pub(super) struct Noise;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required(
            "NAME",
            Kind::Runs,
            "a run, several runs of one program (control_1,control_2), or a group",
        )],
    ),
    Group::new(
        "Selection",
        &[
            Argument::flag(
                "rank",
                Kind::List(IdKind::Ranks),
                "only these ranks, or all; those of an iteration are averaged",
            )
            .or("all"),
            Argument::flag("iteration", Kind::List(IdKind::Iterations), "only these iterations, or all").or("all"),
            Argument::flag("warmup", Kind::Whole, "leave out this many first iterations of each run")
                .or("those before a change in the first third"),
            MARKER_OF_SAMPLES,
            PHASE,
            DEVICE_TYPE,
            WHERE,
            USE_SHORT_NAME,
        ],
    ),
    Group::new(
        "Rows (of table, file and variable)",
        &[
            Argument::flag("filter", Kind::Regex, "only rows whose name matches; quote it: 'nccl|memcpy'")
                .or("all rows"),
            Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
        ],
    ),
    SHOWN,
    RESULT,
];

/// The columns of the table.
const COLUMNS: &[&str] = &[
    "name",
    "mean_duration",
    "within_percent",
    "between_percent",
    "autocorrelation",
    "effective_iterations",
    "iterations_for_1_percent",
    "runs_for_1_percent",
    "smallest_change_percent",
];

impl Magic for Noise {
    fn name(&self) -> &'static str {
        "noise"
    }

    fn summary(&self) -> &'static str {
        "Show how much operators vary within a run and between runs: the noise floor."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn columns(&self) -> &'static [&'static str] {
        COLUMNS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with a row for the step and one per operator, the longest first; durations in µs")
    }

    fn notes(&self) -> &'static str {
        "Within a run: the standard deviation of iterations after warm-up, and their correlation with the next one, which makes many \
         iterations worth fewer independent ones. Between runs: the standard deviation of the means of runs; with one run it is \
         unknown, however many iterations it has. How many iterations or runs a side show a change of 1 % is said for 4 of 5 \
         comparisons at a level of 5 %: iterations between two recordings, runs between two programs."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%noise control",
            "%noise control --device-type gpu --use-short-name",
            "df = %noise control_1,control_2 --warmup 2",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let query = query(call, context)?;
        let noise: MeasuredNoise = context.run_blocking(move || query.run())?;
        context.check_interrupt()?;
        context.warn_of(call, noise.warnings());
        let df = noise.frame()?;
        let caption = format!("noise · {}", call.required("NAME"));
        if call.shows() {
            context
                .show(&Report { parts: vec![Part::Text(noise.sentences().join("\n")), Part::Figure(noise.figure())] });
        }
        // The frame is in the order of time.
        let frame = Frame::of(df, &caption);
        deliver(call, context, frame, bind.as_deref())
    }
}

fn query(call: &Call<'_>, context: &Context<'_>) -> Result<Query, Error> {
    let runs = context.runs(call, call.required("NAME"))?;
    let runs = runs.iter().map(|run| Arc::as_ref(run).into()).collect();
    Ok(Query::of_runs(runs).select(selected_events(call)).use_short_name(call.switch("use-short-name")))
}
