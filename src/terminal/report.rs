//! `tracebook report`: the difference of two steps as one page to send.

use super::entry::CommandEntry;
use super::explain::{SIDES, runs, warn_of};
use super::{LOADING, QUIET};
use crate::Error;
use crate::terminal::screen::Screen;
use kernel_magic::argument::{Call, Group};
use kernel_magic::context::{Context, labeled};
use kernel_magic::explain::{SAMPLES, query};
use kernel_magic::report::{NOTES, Page, file};

const ARGUMENTS: &[Group] = &[SIDES[0], SIDES[1], SAMPLES, LOADING, Group::new("Output", &[super::HTML, QUIET])];

/// The command.
pub(super) const REPORT: CommandEntry = CommandEntry {
    name: "report",
    summary: "Write the difference of two steps as one page to send to a colleague.",
    arguments: ARGUMENTS,
    notes: NOTES,
    examples: &[
        "tracebook report runs/monday runs/tuesday --html why.html",
        "tracebook report 'runs/control-*' 'runs/test-*' --warmup 2 --html why.html --quiet",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let path = file(call)?;
    let prints = Screen::is_free(call, &["html"])?;
    let control = runs(call, context, "CONTROL", "control")?;
    let test = runs(call, context, "TEST", "test")?;
    warn_of(control.iter().chain(&test));
    let explanation = query(call, labeled(&control), labeled(&test)).run()?;
    let page = Page::of(&explanation, &control, &test)?;
    if prints {
        page.save(&path)?;
        return Screen::print(&page.written(&path));
    }
    Screen::file(call, "html", |out| page.write(out))
}
