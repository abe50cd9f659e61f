//! The trait of all magics.

use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;
use trace_core::columns::{CHANGE, COUNTS_SUFFIX, DIFF_COUNTS, DIFF_DURATION, DURATION_SUFFIX, NAME};

/// A command of the notebook: `%name …`.
///
/// Name, summary, arguments and examples are data that parser, help, completion and reference page read.
pub trait Magic: Sync {
    /// Returns the name after the `%`, which is the name of its file, too.
    fn name(&self) -> &'static str;

    /// Returns `%`, or `%%` for a magic that is the first line of a cell and controls how the lines below run.
    fn sigil(&self) -> &'static str {
        "%"
    }

    /// Returns the name with its sigil.
    fn spelled(&self) -> String {
        format!("{}{}", self.sigil(), self.name())
    }

    /// Returns what to type for its help page.
    fn help_hint(&self) -> String {
        format!("%{}?", self.name())
    }

    /// Returns one sentence for help and completion.
    fn summary(&self) -> &'static str;

    /// Returns its arguments.
    fn arguments(&self) -> &'static [Group];

    /// Returns whether it may be the first line of a cell as `%%name`, to control the lines below.
    fn owns_cells(&self) -> bool {
        self.sigil() == "%%"
    }

    /// Returns whether its code is a text of its own, such as SQL: flags may be before it on the first line, the rest of the line and
    /// the lines below belong to it, and its result can be bound.
    fn takes_text(&self) -> bool {
        false
    }

    /// Returns how it times its code; `None` if it times none.
    fn timing(&self, _call: &Call<'_>) -> Option<Timing> {
        None
    }

    /// Returns the columns of its tables if they are known in advance, for completion.
    fn columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the columns of its comparison of two traces, for completion.
    fn compared_columns(&self, control: &str, test: &str) -> Vec<String> {
        let of = |label: &str| [format!("{label}{COUNTS_SUFFIX}"), format!("{label}{DURATION_SUFFIX}")];
        let same = [DIFF_COUNTS, DIFF_DURATION, CHANGE].map(str::to_owned);
        std::iter::once(NAME.to_owned()).chain(of(control)).chain(of(test)).chain(same).collect()
    }

    /// Returns what `x = %name …` binds, in words; `None` if nothing.
    fn result(&self) -> Option<&'static str> {
        None
    }

    /// Returns the notes of the help page; may be empty.
    fn notes(&self) -> &'static str {
        ""
    }

    /// Returns examples.
    fn examples(&self) -> &'static [&'static str];

    /// Runs the magic.
    ///
    /// # Errors
    /// The error that ends the cell; traces and variables of earlier magics stay.
    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error>;
}

/// A heading of `%lsmagic` and `%help`, with its magics.
pub type Topic = (&'static str, Vec<&'static dyn Magic>);

/// The way in which code is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// It runs once; its outputs are shown.
    Once,
    /// It runs many times; its outputs are discarded.
    Repeated {
        /// Executions per run; `None`: as many as take 0.2 s.
        loops: Option<u64>,
        /// Number of runs; `None`: seven, or fewer for slow code.
        runs: Option<u64>,
    },
}
