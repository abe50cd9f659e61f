//! `%flame`: the operators of a step by call stack, or what changed of two.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::{Context, write};
use super::view::{COMPANION, HTML, PNG, QUIET, RANKS, TRACES, deliver_drawing, selected_events, shown_runs};
use crate::Error;
use trace_core::{FlameQuery, FlameTime, SelectEvents, TraceSet};
use trace_view::FLAME;

pub(super) struct Flame;

/// Flags that select ranks and iterations, and the meaning of widths.
const SHOWN: Group = Group::new(
    "Selection",
    &[
        Argument::flag("by", Kind::Choice(&["cpu", "gpu", "attributed"]), "what widths are").or("attributed"),
        RANKS[0],
        RANKS[1],
        RANKS[2],
        COMPANION,
        Argument::flag("iteration", Kind::List(IdKind::Iterations), "iteration or iterations").or("all"),
        Argument::flag("control-iteration", Kind::List(IdKind::Iterations), "iteration or iterations of CONTROL")
            .or("all"),
        Argument::flag("test-iteration", Kind::List(IdKind::Iterations), "iteration or iterations of TEST")
            .or("all")
            .of_second_trace(),
    ],
);

/// Flags of output files.
const FILES: Group = Group::new(
    "Files",
    &[
        HTML,
        PNG,
        Argument::flag("speedscope", Kind::File, "write a file for speedscope"),
        Argument::flag("folded", Kind::File, "write folded stacks, times in ns; of two traces both times in a line"),
        QUIET,
    ],
);

impl Magic for Flame {
    fn name(&self) -> &'static str {
        "flame"
    }

    fn summary(&self) -> &'static str {
        "Draw a flame graph of a step: operators by call stack, or what changed of two."
    }

    fn arguments(&self) -> &'static [Group] {
        &[TRACES, SHOWN, FILES]
    }

    fn notes(&self) -> &'static str {
        "Times are those of a step, the mean over iterations and ranks. Attributed time adds up to the step: computation, exposed \
         communication and copies below the calls that launched them, and idle time by cause. CPU time adds up to the step on its \
         thread; other threads have stacks of their own. GPU time is the time of the kernels, which may overlap. Of two traces a box \
         is as wide as the mean of both sides and coloured by its change, so that stacks that vanished are seen, too. With a companion the \
         calls of the capture of a graph are below its launch, each marked (borrowed)."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%flame control",
            "%flame control --by cpu --rank 0 --iteration 551",
            "%flame control test --by gpu",
            "%flame control --speedscope control.speedscope.json --folded control.folded",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let control = context.trace(call, call.required("NAME|CONTROL"))?;
        let test = call.text("TEST").map(|label| context.trace(call, label)).transpose()?;
        let sides = std::iter::once(&control).chain(&test).map(|side| side.label());
        let companions = context.companions(call, sides)?;
        let query = companions.iter().fold(query(call, &control, test.as_deref()), |query, companion| {
            query.companion(TraceSet::clone(companion))
        });
        let query = shown_runs(call, context).into_iter().fold(query, FlameQuery::remark);
        let (flame, bundle) = context.run_blocking(move || -> trace_core::Result<_> {
            let flame = query.run()?;
            let bundle = flame.bundle(trace_render::lanes);
            Ok((flame, bundle))
        })?;
        context.check_interrupt()?;
        let (speedscope, folded) = (call.path("speedscope"), call.path("folded"));
        if let Some(path) = &speedscope {
            write(path, |out| flame.write_speedscope(out))?;
        }
        if let Some(path) = &folded {
            write(path, |out| flame.write_folded(out))?;
        }
        deliver_drawing(call, context, &flame.title(), bundle, FLAME)?;
        if !call.quiet() {
            for path in [speedscope, folded].into_iter().flatten() {
                context.print_line(format!("wrote {}", path.display()));
            }
        }
        Ok(())
    }
}

/// Returns the query of a call.
fn query(call: &Call<'_>, control: &TraceSet, test: Option<&TraceSet>) -> FlameQuery {
    let query = match test {
        Some(test) => FlameQuery::compare(control, test),
        None => FlameQuery::new(control),
    };
    let word = call.text("by");
    let time = FlameTime::WORDS.into_iter().find(|(known, _)| Some(*known) == word);
    query.select(selected_events(call)).time(time.map_or_else(FlameTime::default, |(_, time)| time))
}
