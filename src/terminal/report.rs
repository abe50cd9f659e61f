//! `tracebook report`: the difference of two steps as one page to send.

use super::explain::{SIDES, runs, warn_of};
use super::{LOADING, QUIET};
use crate::Error;
use crate::magic::Magic;
use crate::magic::argument::{Call, Group};
use crate::magic::context::{Context, labeled};
use crate::magic::explain::{SAMPLES, query};
use crate::magic::report::{NOTES, Page, file};
use crate::terminal::screen::Screen;

pub(super) struct ReportCommand;

const ARGUMENTS: &[Group] = &[SIDES[0], SIDES[1], SAMPLES, LOADING, Group::new("Output", &[super::HTML, QUIET])];

impl Magic for ReportCommand {
    fn name(&self) -> &'static str {
        "report"
    }

    fn spelled(&self) -> String {
        "tracebook report".to_owned()
    }

    fn help_hint(&self) -> String {
        "tracebook report --help".to_owned()
    }

    fn summary(&self) -> &'static str {
        "Write the difference of two steps as one page to send to a colleague."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "tracebook report runs/monday runs/tuesday --html why.html",
            "tracebook report 'runs/control-*' 'runs/test-*' --warmup 2 --html why.html --quiet",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
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
}
