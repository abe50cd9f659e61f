//! The interface of a magic.

use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;

/// A command of the notebook: `%name …`.
///
/// Name, summary, arguments and examples are data, read by parser, help, completion and the reference page.
pub trait Magic: Sync {
    /// The name behind the `%`; its file is called the same.
    fn name(&self) -> &'static str;

    /// `%`, or `%%` for what stands on the first line of a cell and changes how the lines below run.
    fn sigil(&self) -> &'static str {
        "%"
    }

    /// The name with its sigil.
    fn spelled(&self) -> String {
        format!("{}{}", self.sigil(), self.name())
    }

    /// What asks for its help page.
    fn help_hint(&self) -> String {
        format!("%{}?", self.name())
    }

    /// One line for help and completion.
    fn summary(&self) -> &'static str;

    /// What it takes.
    fn arguments(&self) -> &'static [Group];

    /// Whether it may stand on the first line of a cell as `%%name`, and is about the lines below.
    fn owns_cells(&self) -> bool {
        self.sigil() == "%%"
    }

    /// How it times the code that it is given; `None` if it times none.
    fn timing(&self, _call: &Call<'_>) -> Option<Timing> {
        None
    }

    /// The columns of the tables it shows, where they are known before it runs; Tab offers them.
    fn columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// The columns of the table that compares two traces; Tab offers them.
    fn compared_columns(&self, control: &str, test: &str) -> Vec<String> {
        let of = |label: &str| [format!("{label}_counts"), format!("{label}_total_duration")];
        let same = ["diff_counts", "diff_duration", "counts_change_categories"].map(str::to_owned);
        std::iter::once("name".to_owned()).chain(of(control)).chain(of(test)).chain(same).collect()
    }

    /// What `x = %name …` gives `x`, in words; `None` if there is nothing to bind.
    fn result(&self) -> Option<&'static str> {
        None
    }

    /// What else the help page says.
    fn notes(&self) -> &'static str {
        ""
    }

    /// Lines to try.
    fn examples(&self) -> &'static [&'static str];

    /// Does it.
    ///
    /// # Errors
    /// One [`Error`], which ends the cell; what was loaded and bound before stays.
    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error>;
}

/// How code is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// It runs once, and shows what it shows.
    Once,
    /// It runs again and again, and shows nothing.
    Repeated {
        /// How often in each run; `None` for as often as takes 0.2 s.
        loops: Option<u64>,
        /// How many runs; `None` for seven, fewer of slow code.
        runs: Option<u64>,
    },
}
