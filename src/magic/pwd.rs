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
        "Print the current folder, where relative paths of magics and Rust cells begin."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%pwd"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let gone = |error| {
            call.usage(format!("the current folder is not there any more ({error}); %cd PATH goes to another."))
        };
        context.print_line(std::env::current_dir().map_err(gone)?.display());
        Ok(())
    }
}
