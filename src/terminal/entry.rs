//! Entry of the table of commands: what the help of a command shows, and what it runs.

use crate::Error;
use crate::magic::Magic;
use kernel_magic::argument::{Call, Group};
use kernel_magic::context::Context;

/// A command: a magic that takes paths in place of labels.
pub(super) struct CommandEntry {
    /// The word after `tracebook`.
    pub(super) name: &'static str,
    /// One sentence for its help page.
    pub(super) summary: &'static str,
    pub(super) arguments: &'static [Group],
    /// Notes of its help page.
    pub(super) notes: &'static str,
    pub(super) examples: &'static [&'static str],
    pub(super) run: fn(&Call<'_>, &mut Context<'_>) -> Result<(), Error>,
}

impl Magic for CommandEntry {
    fn name(&self) -> &'static str {
        self.name
    }

    fn spelled(&self) -> String {
        format!("tracebook {}", self.name)
    }

    fn help_hint(&self) -> String {
        format!("tracebook {} --help", self.name)
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn arguments(&self) -> &'static [Group] {
        self.arguments
    }

    fn notes(&self) -> &'static str {
        self.notes
    }

    fn examples(&self) -> &'static [&'static str] {
        self.examples
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        (self.run)(call, context)
    }
}
