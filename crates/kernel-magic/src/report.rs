//! `%report`: the difference of two steps as one page to send: sentence, tables, waterfall, flame graph, timeline of a step.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::{Context, labeled, write};
use super::explain::{RUNS, SAMPLES, query};
use super::view::ReportPage;
use crate::{Error, Problem};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::{Explanation, FlameQuery, Select, SelectEvents, TimelineQuery, TraceSet};
use trace_view::format;
use trace_view::{Bundle, Report};

pub(super) struct ReportMagic;

/// Rows of operators and kernels.
const ROWS: usize = 200;

/// Notes of the help page.
const NOTES: &str = "The page is one file: its data, its scripts and its pictures are inside, it opens from disk and loads nothing. It \
    begins with the answer in a sentence. Tables show the rows that changed; the others are folded. The flame graph is the attributed time of \
    the step, both sides in one; the timeline begins with a step of each side, aligned. Both can be zoomed and searched. It follows the light or \
    dark theme of the browser and prints in light colours, with pictures in place of what is drawn. A page stays under 3 MB: a timeline or a \
    flame graph that does not fit is a picture. A reader of the page sees the names of operators, kernels and files that it shows.";

/// The page to write.
const HTML: Argument = Argument::flag("html", Kind::File, "the page to write");

const ARGUMENTS: &[Group] =
    &[RUNS, SAMPLES, Group::new("Files", &[HTML, Argument::flag("quiet", Kind::Switch, "show only warnings")])];

impl Magic for ReportMagic {
    fn name(&self) -> &'static str {
        "report"
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
        &["%report control test --html why.html", "%report control test --warmup 1 --rank 3 --html why.html"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let path = file(call)?;
        let [control, test] = ["CONTROL", "TEST"].map(|side| context.runs(call, call.required(side)));
        let (control, test) = (control?, test?);
        let query = query(call, labeled(&control), labeled(&test));
        let page = context.run_blocking(move || Page::of(&query.run()?, &control, &test))?;
        context.check_interrupt()?;
        page.save(&path)?;
        if !call.quiet() {
            context.print_line(page.written(&path));
        }
        Ok(())
    }
}

/// Returns the path of the page.
///
/// # Errors
/// If the line has none.
fn file(call: &Call<'_>) -> Result<PathBuf, Error> {
    call.path("html").ok_or_else(|| {
        let what = "--html FILE: the page to write".to_owned();
        call.usage(Problem::Missing { what }).into()
    })
}

/// The content of a page.
struct Page {
    title: String,
    report: Report,
    flame: (String, Bundle),
    timeline: (String, Bundle),
}

impl Page {
    /// Draws the difference: of several runs a side, the figures show the first.
    ///
    /// # Errors
    /// If a side has no such rank or no step.
    fn of(explanation: &Explanation, control: &[Arc<TraceSet>], test: &[Arc<TraceSet>]) -> trace_core::Result<Self> {
        let report = explanation.report(ROWS);
        let sides = [control.first(), test.first()];
        let [Some(one), Some(other)] = sides else {
            let (flame, timeline) = Default::default();
            return Ok(Self { title: String::new(), report, flame, timeline });
        };
        let [control, test] = explanation.sides.each_ref().map(|side| (side.ranks.first(), side.iterations.first()));
        let mut select = Select::default();
        if let (Some(&control), Some(&test)) = (control.0, test.0) {
            select = select.control_rank(control).test_rank(test);
        }
        let flame = FlameQuery::compare(one.as_ref(), other.as_ref()).select(select.clone()).run()?;
        if let (Some(&control), Some(&test)) = (control.1, test.1) {
            select = select.control_iteration(control).test_iteration(test);
        }
        let timeline = TimelineQuery::compare(one.as_ref(), other.as_ref()).select(select).run()?;
        let [control, test] = &explanation.sides;
        Ok(Self {
            title: format!("{} → {}", control.label, test.label),
            report,
            flame: (flame.title(), flame.bundle(trace_render::lanes)),
            timeline: (timeline.title(), timeline.bundle(trace_render::lanes)),
        })
    }

    /// Writes the page.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn save(&self, path: &Path) -> Result<(), Error> {
        write(path, |out| self.write(out))
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Those of `out`.
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let page = ReportPage {
            title: &self.title,
            report: &self.report,
            flame: (&self.flame.0, &self.flame.1),
            timeline: (&self.timeline.0, &self.timeline.1),
        };
        page.write(out)
    }

    /// Says what was written.
    fn written(&self, path: &Path) -> String {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        format!("wrote {}: {}, {}", path.display(), self.title, format::bytes(bytes))
    }
}
