//! `%trace_copy`: copies the file of a rank, with another rank, or with its events only.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use crate::Error;
use trace_core::write::{TopLevel, TraceCopy};
use trace_view::format::{bytes, grouped};

pub(super) struct TraceCopyMagic;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("NAME", Kind::Trace, "the trace"),
            Argument::required("FILE", Kind::Target, "the file to write: gzip, unless its name ends in .json"),
        ],
    ),
    Group::new(
        "Flags",
        &[
            Argument::flag("rank", Kind::List(IdKind::Ranks), "the rank whose file is copied").or("the only one"),
            Argument::flag("set-rank", Kind::Whole, "the rank that the copy says it is of: distributedInfo.rank")
                .or("as it is"),
            Argument::flag(
                "events-only",
                Kind::Switch,
                "leave out all but traceEvents, as HTA's convert_to_perfetto does",
            ),
            Argument::flag("quiet", Kind::Switch, "show only warnings and errors"),
        ],
    ),
];

impl Magic for TraceCopyMagic {
    fn name(&self) -> &'static str {
        "trace_copy"
    }

    fn summary(&self) -> &'static str {
        "Copy the trace file of a rank, with another rank, or with its events only."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "The copy has all that the file has, also events without a duration. The file itself is never changed. A trace that was recorded \
         without a rank gets one, so that a folder of such traces loads as one job. Invalid events are left out, and a truncated file is \
         closed. %open_perfetto copies chosen events."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%trace_copy control rank-5.json.gz --rank 3 --set-rank 5",
            "%trace_copy control events.json.gz --rank 3 --events-only",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let label = call.required("NAME");
        let trace = context.trace(call, label)?;
        let target = call.path("FILE").unwrap_or_default();
        let ranks = call.pick("rank", || trace.ranks()).unwrap_or_else(|| trace.ranks());
        let &[rank] = &ranks[..] else {
            let reason = format!("{} ranks have a file each", ranks.len());
            return Err(call.cannot("copy one file", reason).hint("name one of them with --rank").into());
        };
        let set_rank = call.whole("set-rank").map(|rank| i64::try_from(rank).unwrap_or(i64::MAX));
        let change = TopLevel { rank: set_rank, events_only: call.switch("events-only") };
        let mut copy = TraceCopy::of_rank(trace.rank(rank)?.info(), &target, change);
        copy.source = context.session.file_of(label, &copy.source);
        let out = context.out;
        let copied = copy.save_while(&mut || !out.interrupted())?;
        if !call.quiet() {
            let size = std::fs::metadata(&target).map_or(0, |file| file.len());
            let events = grouped(usize::try_from(copied.events).unwrap_or(usize::MAX));
            context.print_line(format!("wrote {}: {events} events of rank {rank}, {}", target.display(), bytes(size)));
        }
        Ok(())
    }
}
