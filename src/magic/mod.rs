//! The magics: one file each, one row each in [`MAGICS`]; `ask.rs` makes one of every question of the trace library.
//!
//! `line/` reads what was typed (arguments, help, completion), `view/` shapes and shows data frames, `scene/` is what
//! a magic may touch. They read the table; none of them knows a magic by name.

mod line;
mod scene;
mod view;

mod ask;
mod cd;
mod compare_traces;
mod describe;
mod events;
mod help;
mod lsmagic;
#[allow(clippy::module_inception)]
mod magic;
mod ops_diff;
mod opt;
mod parser_args;
mod pwd;
mod show;
pub mod terminal;
mod time;
mod timeit;
mod trace_drop;
mod trace_info;
mod trace_list;
mod trace_load;
mod visualize;
mod who;

pub use line::{
    Argument, Call, Candidate, CandidateKind, Completion, Form, Group, Kind, Listed, Next, Timing, Value, complete,
    inspect, reference, run, table,
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
        &events::Events,
    ];
    magics.extend(ask::ASKS.iter().map(|ask| ask as &dyn Magic));
    magics.extend([
        &show::Show as &dyn Magic,
        &who::Who,
        &time::Time,
        &timeit::TimeIt,
        &opt::Opt,
        &cd::Cd,
        &pwd::Pwd,
        &lsmagic::LsMagic,
        &magic::About,
        &help::Help,
    ]);
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
    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error>;
}

/// The magic called `name`.
pub fn find(name: &str) -> Option<&'static dyn Magic> {
    MAGICS.iter().copied().find(|magic| magic.name() == name)
}

#[cfg(test)]
mod tests;
