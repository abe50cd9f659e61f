//! `%time` and `%%time`: the duration of one execution.

use super::api::{Magic, Timing};
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;

pub(super) struct Time;

const ARGUMENTS: &[Group] = &[Group::new(
    "Arguments",
    &[Argument::required("CODE", Kind::Code, "Rust or a magic; for %%time, the lines below")],
)];

impl Magic for Time {
    fn name(&self) -> &'static str {
        "time"
    }

    fn owns_cells(&self) -> bool {
        true
    }

    fn summary(&self) -> &'static str {
        "Run a line, or with %%time a cell, and print how long it took."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn timing(&self, _: &Call<'_>) -> Option<Timing> {
        Some(Timing::Once)
    }

    fn notes(&self) -> &'static str {
        "The code runs as it would without %time: outputs are shown, variables are bound. For Rust, compile time and run \
         time are printed separately."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%time %compare_traces control test",
            "%time df = %compare_traces control test",
            "%time let rows = control.events().height();",
        ]
    }

    fn run(&self, _: &Call<'_>, _: &mut Context<'_>) -> Result<(), Error> {
        Ok(())
    }
}
