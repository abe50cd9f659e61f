//! `tracebook tree-diff`: the aligned call tree of two steps.

use super::entry::CommandEntry;
use super::explain::{PIPES, SIDES, deliver, explanation};
use super::screen::Screen;
use super::{HTML, JSON, LOADING, QUIET};
use crate::Error;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::Context;
use kernel_magic::explain::{Answer, EVENTS, SAMPLES};
use kernel_magic::tree_diff::{CUTS, NOTES, TITLE, tree};
use trace_view::Present;

const ARGUMENTS: &[Group] = &[
    SIDES[0],
    SIDES[1],
    SAMPLES,
    CUTS,
    LOADING,
    Group::new(
        "Output",
        &[
            Argument::flag("csv", Kind::File, "write all rows, times per step in µs; - is standard output"),
            JSON,
            HTML,
            EVENTS,
            QUIET,
        ],
    ),
];

/// The command.
pub(super) const TREE_DIFF: CommandEntry = CommandEntry {
    name: "tree-diff",
    summary: "Show the aligned call tree of two steps, open where something changed.",
    arguments: ARGUMENTS,
    notes: NOTES,
    examples: &[
        "tracebook tree-diff runs/monday runs/tuesday --warmup 1",
        "tracebook tree-diff a.json.gz b.json.gz --grade added,deleted",
        "tracebook tree-diff runs/main runs/branch --modules --html tree.html --quiet",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let wanted = Screen::is_free(call, PIPES)?;
    let explanation = explanation(call, context, std::convert::identity)?;
    let tree = tree(call, &explanation)?;
    let answer = Answer { title: TITLE, report: &|| tree.present(), rows: &|| tree.frame(), json: &|| tree.to_json() };
    deliver(call, &explanation, &answer, wanted)
}
