//! `%waterfall`: the difference of two steps as a waterfall chart.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::explain::{RUNS, SAMPLES, explanation};
use super::visualize;
use crate::Error;
use trace_core::answers::WaterfallLevel;

pub(super) struct Waterfall;

/// Flags of the figure.
const FIGURE: Group = Group::new(
    "Figure",
    &[
        Argument::flag("level", Kind::Choice(&["class", "op", "region", "module"]), "granularity of the bars").or("op"),
        Argument::flag("html", Kind::File, "write a page with the interactive figure; works offline"),
        Argument::flag("png", Kind::File, "write a picture"),
        Argument::flag("quiet", Kind::Switch, "show only warnings"),
    ],
);

impl Magic for Waterfall {
    fn name(&self) -> &'static str {
        "waterfall"
    }

    fn summary(&self) -> &'static str {
        "Draw the difference of two steps as a waterfall, from control's step to test's."
    }

    fn arguments(&self) -> &'static [Group] {
        &[RUNS, SAMPLES, FIGURE]
    }

    fn notes(&self) -> &'static str {
        "The bars add up exactly: step of control, changes, step of test. The ten largest changes have one bar each, the rest \
         share one. Lines on the bars are 95 % intervals, where there are enough samples. The axis does not start at zero if the changes would be too small to see. %explain shows the numbers."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%waterfall control test",
            "%waterfall control test --level class",
            "%waterfall control test --level module --png step.png",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let explanation = explanation(call, context)?;
        context.warn_of(call, &explanation.warnings);
        let level =
            call.text("level").and_then(|word| WaterfallLevel::WORDS.into_iter().find(|(known, _)| *known == word));
        visualize::deliver(
            call,
            context,
            explanation.waterfall(level.map_or_else(WaterfallLevel::default, |(_, level)| level)),
        )
    }
}
