//! `%what_if`: what changes would do to the step, by replay.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::critical_path::{Answered, TITLE, WINDOWS, deliver, query, top};
use crate::Error;
use trace_core::{CriticalPath as Query, Questions};

pub(super) struct WhatIf;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("NAME", Kind::Trace, "the trace"),
            Argument::optional(
                "CHANGE",
                Kind::Change,
                "what takes another time, and the factor; several are tried alone and together",
            )
            .repeatable(),
        ],
    ),
    WINDOWS,
    Group::new(
        "Changes",
        &[
            Argument::flag("sweep", Kind::Switch, "draw the step over the factor, from 0 to 2"),
            Argument::flag("top", Kind::Whole, "without a change: propose this many single changes").or("10"),
        ],
    ),
    Group::new(
        "Output",
        &[
            Argument::flag("json", Kind::File, "write windows, what bounds them, names and changes, times in ns"),
            Argument::flag("html", Kind::File, "write the same page as one self-contained file"),
            Argument::flag("csv", Kind::File, "write the table, durations in µs"),
            Argument::flag("as", Kind::Name, "also bind the table to this Rust variable"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
];

/// Changes that are proposed by default.
const PROPOSALS: usize = 10;

impl Magic for WhatIf {
    fn name(&self) -> &'static str {
        "what_if"
    }

    fn summary(&self) -> &'static str {
        "Replay a step with changed times: what each change would save, and which saves most."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with one row per change, durations in µs")
    }

    fn notes(&self) -> &'static str {
        "The whole recording is replayed with the changed times, as in %critical_path, whose window is the step here: everything waits for what \
         it waited for, so a change saves only what nothing else then takes. Changes that overlap multiply. Of several ranks the slowest counts \
         (of whole recordings the time from the first start to the last end), of several instances the mean. \
         Proposals are names and classes of time on the critical path, each twice as fast: copy one to try it out."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%what_if control",
            "%what_if control communication x 0",
            "%what_if control 'name ~ \"gemm\" x 0.5' 'cat = \"cuda_runtime\" x 0'",
            "%what_if control 'bound_by = \"python\" x 0' --rank all --instance all",
            "%what_if control 'name ~ \"^nccl\" x 0.5' --sweep",
            "saved = %what_if control 'dur > 100us x 0.5'",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let changes = call.changes("CHANGE");
        if changes.is_empty() && call.switch("sweep") {
            let error = call.cannot("draw the step over the factor", "there is no change");
            return Err(error.hint("add one: 'name ~ \"gemm\" x 0.5'").into());
        }
        let proposals = if changes.is_empty() { top(call).unwrap_or(PROPOSALS) } else { 0 };
        let query = query(call)?;
        let traces = context.trace(call, call.required("NAME"))?;
        let ranks = call.pick("rank", || traces.ranks());
        let query = Query { ranks, changes, proposals, sweep: call.switch("sweep"), top: 0, ..query };
        let answer = context.run_blocking(move || traces.critical_path(&query))?;
        context.check_interrupt()?;
        let answered = Answered {
            title: TITLE,
            report: answer.what_if_report()?,
            tables: vec![("", answer.what_if()?)],
            json: call.has("json").then(|| answer.to_json()),
            copies: Vec::new(),
        };
        deliver(call, context, bind.as_deref(), &answered)
    }
}
