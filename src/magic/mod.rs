//! The magics: one file each, one row each in [`MAGICS`]; `ask.rs` makes one of every question of the trace library.
//!
//! `line/` reads what was typed (arguments, help, completion), `view/` shapes and shows data frames, `scene/` is what
//! a magic may touch. They read the table; none of them knows a magic by name.

mod line;
mod scene;
mod view;

mod ask;
mod compare_traces;
mod describe;
mod lsmagic;
#[allow(clippy::module_inception)]
mod magic;
mod ops_diff;
mod opt;
mod parser_args;
mod show;
pub mod terminal;
mod trace_drop;
mod trace_info;
mod trace_list;
mod trace_load;
mod visualize;
mod who;

pub use line::{
    Argument, Call, Candidate, CandidateKind, Completion, Form, Group, Kind, Value, complete, inspect, reference, run,
    table,
};
pub use scene::Scene;

use crate::Error;
use std::sync::LazyLock;

/// Every magic, in the order the help pages list them: those that compare, those that ask, those for the notebook.
pub static MAGICS: LazyLock<Vec<&'static dyn Magic>> = LazyLock::new(|| {
    let mut magics: Vec<&'static dyn Magic> = vec![
        &trace_load::TraceLoad,
        &trace_list::TraceList,
        &trace_info::TraceInfo,
        &describe::Describe,
        &trace_drop::TraceDrop,
        &parser_args::ParserArgs,
        &compare_traces::CompareTraces,
        &ops_diff::OpsDiff,
        &visualize::Visualize,
    ];
    magics.extend(ask::ASKS.iter().map(|ask| ask as &dyn Magic));
    magics.extend([&show::Show as &dyn Magic, &who::Who, &opt::Opt, &lsmagic::LsMagic, &magic::About]);
    magics
});

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

    /// The columns of the tables it shows, where they are known before it runs; Tab offers them.
    fn columns(&self) -> &'static [&'static str] {
        &[]
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
    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error>;
}

/// The magic called `name`.
pub fn find(name: &str) -> Option<&'static dyn Magic> {
    MAGICS.iter().copied().find(|magic| magic.name() == name)
}

#[cfg(test)]
mod tests;
