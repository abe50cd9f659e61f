//! `%help`: an overview of all help, or the help page of one magic.

use super::api::{Magic, Topic};
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::usage;
use crate::Error;
use crate::display::Output;

/// Finds a magic by its name; the error says which names there are.
type Find = fn(&str) -> Result<&'static dyn Magic, Error>;

/// The magic `%help`: how to find a magic, and the table that it lists.
pub struct Help(pub Find, pub fn() -> Vec<Topic>);

const ARGUMENTS: &[Group] =
    &[Group::new("Arguments", &[Argument::optional("NAME", Kind::Text, "a magic to explain, with or without its %")])];

/// What to type, and what it does.
const GUIDE: &[(&str, &str)] = &[
    ("%trace_load PATH --as NAME", "load a trace, the first thing to do"),
    ("%lsmagic", "list all magics with what they do"),
    ("%magic", "explain how magics work: values, results, paths"),
    ("%NAME?", "explain one magic and its flags, as %help NAME does"),
    ("%who", "list the variables of the notebook"),
    ("?name", "show the type of a variable"),
    ("Tab", "complete what is typed: magics, flags, values, paths, Rust"),
    ("Shift-Tab", "explain the word at the cursor"),
];

/// The most magics of a heading that the overview names.
const SHOWN: usize = 6;

impl Magic for Help {
    fn name(&self) -> &'static str {
        "help"
    }

    fn summary(&self) -> &'static str {
        "List the ways to get help; with NAME, explain that magic."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%help", "%help compare_traces"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        if let Some(name) = call.text("NAME") {
            let name = name.trim_matches(['%', '?']);
            let magic = (self.0)(name)?;
            context.out.emit(Output::Display { bundle: usage::page(magic), id: None });
            return Ok(());
        }
        let width = GUIDE.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
        for (typed, does) in GUIDE {
            context.print_line(format!("{typed:width$}  {does}"));
        }
        let topics = (self.1)();
        let width = topics.iter().map(|(topic, _)| topic.len()).max().unwrap_or(0);
        context.print_line("");
        for (topic, magics) in &topics {
            let shown = magics.iter().take(SHOWN).map(|magic| magic.spelled());
            let more = magics.len().saturating_sub(SHOWN);
            let more = (more > 0).then(|| format!("and {more} more"));
            context.print_line(format!("{topic:width$}  {}", shown.chain(more).collect::<Vec<_>>().join("  ")));
        }
        Ok(())
    }
}
