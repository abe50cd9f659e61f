//! `%pwd`: the current folder.

use super::api::Magic;
use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;

pub(super) struct Pwd;

impl Magic for Pwd {
    fn name(&self) -> &'static str {
        "pwd"
    }

    fn summary(&self) -> &'static str {
        "Print the current folder, the base of relative paths in magics and Rust cells."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%pwd"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let gone = |error: std::io::Error| {
            call.cannot("print the current folder", error.to_string()).hint("%cd PATH goes to another")
        };
        context.print_line(std::env::current_dir().map_err(gone)?.display());
        Ok(())
    }
}
