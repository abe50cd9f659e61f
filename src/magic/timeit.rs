//! `%timeit` and `%%timeit`: how long code takes, measured often.

use super::api::{Magic, Timing};
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;

pub(super) struct TimeIt;

/// What it takes.
const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required(
            "CODE",
            Kind::Code,
            "Rust or magics; %%timeit takes the lines below, and runs the code on its own line once before",
        )],
    ),
    Group::new(
        "Flags, in front of the code",
        &[
            Argument::flag("loops", Kind::Whole, "run the code so often in each run (-n)")
                .or("as often as takes 0.2 s"),
            Argument::flag("repeat", Kind::Whole, "so many runs (-r)").or("7, fewer of slow code"),
        ],
    ),
];

impl Magic for TimeIt {
    fn name(&self) -> &'static str {
        "timeit"
    }

    fn owns_cells(&self) -> bool {
        true
    }

    fn summary(&self) -> &'static str {
        "Run code again and again, and say how long one time takes."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn timing(&self, call: &Call<'_>) -> Option<Timing> {
        Some(Timing::Repeated { loops: call.whole("loops"), runs: call.whole("repeat") })
    }

    fn notes(&self) -> &'static str {
        "What the code shows is not shown. Rust is compiled once, which does not count, and quickly (opt-level 0) as all \
         cells are: calls of trace and polars run optimised, loops of your own do not. It runs as the body of a closure that \
         is called often: it may use `?`, but cannot move variables away, and what it defines is gone afterwards."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%timeit %compare_traces control test --quiet",
            "%timeit control.events().lazy().filter(col(\"dur\").gt(lit(1000))).collect()?",
            "%timeit -n 10 -r 3 control.events().height()",
        ]
    }

    fn run(&self, _: &Call<'_>, _: &mut Context<'_>) -> Result<(), Error> {
        Ok(())
    }
}
