//! `%timeit` and `%%timeit`: the duration of code, measured over many executions.

use super::api::{Magic, Timing};
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;

pub(super) struct TimeIt;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required(
            "CODE",
            Kind::Code,
            "Rust or magics; for %%timeit, the lines below: code on its own line is untimed setup",
        )],
    ),
    Group::new(
        "Flags, before the code",
        &[
            Argument::flag("loops", Kind::Whole, "executions per run (-n)").or("as many as take 0.2 s"),
            Argument::flag("repeat", Kind::Whole, "number of runs (-r)").or("7, fewer for slow code"),
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
        "Run code many times, and print how long one execution takes."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn timing(&self, call: &Call<'_>) -> Option<Timing> {
        Some(Timing::Repeated { loops: call.whole("loops"), runs: call.whole("repeat") })
    }

    fn notes(&self) -> &'static str {
        "Outputs of the code are discarded. Rust is compiled once, untimed, and without optimisation (opt-level 0) like \
         all cells: calls of trace and polars run optimised, your own loops do not. The code becomes the body of a closure: \
         it may use `?`, but cannot move variables, and its definitions are local."
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
