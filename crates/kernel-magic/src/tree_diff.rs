//! `%tree_diff`: the aligned call tree of two steps.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::explain::{Answer, EVENTS, RUNS, SAMPLES, deliver, explanation, free_name};
use super::view::RESULT;
use crate::Error;
use trace_core::call_tree::Grade;
use trace_core::{Explanation, TreeDiff as Tree};
use trace_view::Present;

pub(super) struct TreeDiff;

/// Words of `--grade`.
const GRADES: &[&str] = &["exact", "name", "family", "region", "moved", "added", "deleted"];

/// Flags that cut the tree.
const CUTS: Group = Group::new(
    "Rows (of table, files and variable)",
    &[
        Argument::flag("depth", Kind::Whole, "keep this many levels").or("all"),
        Argument::flag("min-us", Kind::Number, "add up rows that changed by less than this, in µs").or("0"),
        Argument::flag("grade", Kind::Choices(GRADES), "only regions of these grades, with the calls above them")
            .or("all"),
        Argument::flag("modules", Kind::Switch, "only modules (nn.Module): what they call is added up"),
    ],
);

/// Notes on the answer.
const NOTES: &str = "The call trees of both sides, aligned by structure: the times of the rows below a row add up to that row, \
    and the rows at the top to the step. Leaves are regions, as in %explain; a call that launches one kernel is one row with it. \
    Deleted calls are where control has them, added calls behind the call that precedes them in test, moved calls where control has them. \
    Idle time by cause and time that another step launched are rows at the top; idle time stands first where it changed \
    more than all calls together. Verdicts are those of %explain, of a call for all regions below it. At first, the tree is open down to the calls that changed: by at \
    least 5 % of the sum of all changes, or in structure (added, deleted, moved, another number of kernels), at most 40 rows. \
    Siblings in a row without such a change are folded. The table has at most about 2,000 rows, those with the largest change; what \
    a flag or this bound leaves out is added up in a row, so that sums hold.";

/// Flags of output files.
const FILES: Group = Group::new(
    "Files",
    &[
        Argument::flag("json", Kind::File, "write step and rows, times in ns"),
        Argument::flag("html", Kind::File, "write the same page as one self-contained file"),
        EVENTS,
    ],
);

/// Title of the page.
const TITLE: &str = "The aligned call tree";

impl Magic for TreeDiff {
    fn name(&self) -> &'static str {
        "tree_diff"
    }

    fn summary(&self) -> &'static str {
        "Show the aligned call tree of two steps, open where something changed."
    }

    fn arguments(&self) -> &'static [Group] {
        &[RUNS, SAMPLES, CUTS, FILES, RESULT]
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with one row per call and region, times a step in µs")
    }

    fn notes(&self) -> &'static str {
        NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%tree_diff control test",
            "%tree_diff control test --warmup 1 --depth 3 --min-us 10",
            "%tree_diff control test --grade added,deleted",
            "%tree_diff control test --modules --csv modules.csv",
            "tree = %tree_diff control test",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = free_name(call, context)?;
        let explanation = explanation(call, context)?;
        let tree = tree(call, &explanation)?;
        let answer =
            Answer { title: TITLE, report: &|| tree.present(), rows: &|| tree.frame(), json: &|| tree.to_json() };
        deliver(call, context, bind, &explanation, &answer)
    }
}

/// Returns the tree of a call, cut by its flags: at modules first, then by grade, by change, by depth.
///
/// # Errors
/// If the tree has no modules.
fn tree(call: &Call<'_>, explanation: &Explanation) -> Result<Tree, Error> {
    let mut tree = explanation.tree();
    if let Some(words) = call.words("grade") {
        let grades: Vec<Grade> =
            Tree::GRADES.into_iter().filter(|grade| words.iter().any(|word| word == grade.word())).collect();
        tree = tree.grades(&grades);
    }
    if call.switch("modules") {
        tree = tree.modules()?;
    }
    if let Some(least) = call.number("min-us").filter(|&least| least > 0.0) {
        tree = tree.min_us(least);
    }
    if let Some(levels) = call.whole("depth") {
        tree = tree.depth(usize::try_from(levels).unwrap_or(usize::MAX));
    }
    Ok(tree)
}
