//! `%%opt`: compiles the cell with optimisation.

use super::api::Magic;
use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;

pub(super) struct Opt;

impl Magic for Opt {
    fn name(&self) -> &'static str {
        "opt"
    }

    fn sigil(&self) -> &'static str {
        "%%"
    }

    fn summary(&self) -> &'static str {
        "Compile this cell with optimisation, for loops over many rows."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn notes(&self) -> &'static str {
        "Cells are compiled without optimisation (opt-level 0) to start quickly; the code they call in trace and polars is \
         optimised anyway. A cell with its own loops runs many times faster at opt-level 2, and takes about a second \
         longer to compile. Functions of earlier cells are recompiled with it. Integer overflow is an error at both \
         levels."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%%opt",
            "let mut total = 0i64;",
            "for duration in control.events().column(\"dur\")?.i64()?.iter().flatten() { total += duration; }",
        ]
    }

    fn run(&self, _: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        context.cells.optimise(true);
        Ok(())
    }
}
