//! The aligned call tree: both sides of a difference as one tree, whose entries add up to the step.

use super::entry::{Entry, Measures, TreeKind};
use super::merge::merge;
use super::{certainty, cut};
use crate::error::ExplainReason;
use crate::explain::certainty::Judged;
use crate::explain::explanation::{Explanation, StepChange};
use crate::explain::modules::SidesWithModules;
use crate::explain::side_summary::SideSummary;
use crate::{Result, Warning};
use call_tree::{Change, Grade};

/// One row of the aligned tree. Times are means in µs, as of [`Explanation`](crate::Explanation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TreeRow {
    /// Place in the tree; a parent stands before what is below it.
    pub id: usize,
    /// Row of the call above; `None` at the top.
    pub parent: Option<usize>,
    /// Number of calls above; 0 at the top.
    pub depth: usize,
    /// Names of the rows above, the outermost first.
    pub path: Vec<String>,
    /// Name of the call; of a region its operator and kernel, `a → b` where control and test differ.
    pub name: String,
    /// What the row stands for.
    pub kind: TreeKind,
    /// Grade of the region; of a call that of all regions below it, if they agree; `unattributed` of unattributed time.
    pub grade: Option<&'static str>,
    /// Why the two sides were brought together; of what moved, where it is in test.
    pub why: String,
    /// Number of the region among those of the explanation.
    pub region: Option<usize>,
    /// GPU events a step, of control and of test.
    pub count: [f64; 2],
    /// Share of the step, of control and of test: the sum of the rows below.
    pub us: [f64; 2],
    /// Test − control of it.
    pub delta_us: f64,
    /// Share of the change of the step, in percent; `None` if the step did not change.
    pub share: Option<f64>,
    /// Share of the step of the call's own kernels, without the calls below it, of control and of test.
    pub self_us: [f64; 2],
    /// Sum of durations of GPU events, overlap counted twice, of control and of test.
    pub total_us: [f64; 2],
    /// How certain the change is; absent below a thousandth of the step, for rows that a cut added up, and with too few samples.
    pub judged: Option<Judged>,
}

/// The aligned call tree of control and test.
///
/// Calls are paired by structure; leaves are the regions of the [`Explanation`], and the kernels of a region that only one side
/// has. Deleted calls stand at their place among
/// control's, added ones behind the call before them in test. Idle time by cause and unattributed time are rows at the top, so
/// that the rows at the top add up to the step, and the rows below a row to that row: exactly, in ns. It holds after every
/// cut, since what a cut leaves out is added up in a row of its own.
#[derive(Debug, Clone)]
pub struct TreeDiff {
    /// Control and test.
    pub sides: [SideSummary; 2],
    /// Length of a step.
    pub step: StepChange,
    /// Warnings about the recordings.
    pub warnings: Vec<Warning>,
    pub(super) entries: Vec<Entry>,
    pub(super) step_ns: Change,
    pub(super) lead: String,
    pub(super) caption: String,
    pub(super) without_stacks: bool,
    pub(super) with_modules: SidesWithModules,
    /// What was left out, and by how much it changed.
    pub(super) notes: Vec<String>,
}

impl Explanation {
    /// Returns the aligned call tree. Where a condition chooses regions, the others are added up.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
    /// let test = TraceSet::load("../../notebooks/data/test")?.with_label("test");
    /// let tree = Explain::new(&control, &test).warmup(1).run()?.tree();
    /// let top: f64 = tree.rows().iter().filter(|row| row.depth == 0).map(|row| row.delta_us).sum();
    /// assert!((top - tree.step.delta_us).abs() < 1e-6);
    /// let large = tree.min_us(100.0).depth(3);
    /// assert!(large.frame()?.height() < tree.frame()?.height());
    /// # Ok(())
    /// # }
    /// ```
    pub fn tree(&self) -> TreeDiff {
        let mut entries = merge(&self.found, &self.labels, self.with_modules);
        certainty::judge(self, &mut entries);
        let tree = TreeDiff {
            sides: self.sides.clone(),
            step: self.step,
            warnings: self.warnings.clone(),
            entries,
            step_ns: self.found.step_ns,
            lead: self.lead(),
            caption: self.caption(),
            without_stacks: self.is_without_stacks(),
            with_modules: self.with_modules,
            notes: Vec::new(),
        };
        if self.chosen.is_none() {
            return tree;
        }
        let mut is_chosen = Vec::with_capacity(tree.entries.len());
        for entry in &tree.entries {
            let above = entry.parent.is_some_and(|parent| is_chosen[parent]);
            is_chosen.push(entry.region.map_or(above, |region| self.is_chosen(region)));
        }
        let (entries, left_out) = cut::keep(&tree.entries, &|id| is_chosen[id]);
        TreeDiff { entries, notes: left_out.note("that the condition does not choose").into_iter().collect(), ..tree }
    }
}

impl TreeDiff {
    /// The grades of regions, the best first.
    pub const GRADES: [Grade; 7] =
        [Grade::Exact, Grade::Name, Grade::Family, Grade::Region, Grade::Moved, Grade::Added, Grade::Deleted];

    /// Keeps `levels` levels: 1 keeps the rows at the top.
    #[must_use]
    pub fn depth(&self, levels: usize) -> Self {
        Self { entries: cut::depth(&self.entries, levels), ..self.clone() }
    }

    /// Keeps the rows that changed by at least `us` µs a step, either way, and the calls above them. Of the others, a row
    /// under each call adds up those that it had.
    #[must_use]
    pub fn min_us(&self, us: f64) -> Self {
        let least = |entry: &Entry| (entry.all.attributed_ns.delta() / 1e3).abs() >= us;
        self.keep(&least, &format!("that changed by less than {us} µs"))
    }

    /// Keeps the regions of these grades and the calls above them. Of the others, a row under each call adds up those that it
    /// had.
    #[must_use]
    pub fn grades(&self, grades: &[Grade]) -> Self {
        let words: Vec<&str> = grades.iter().map(|grade| grade.word()).collect();
        let is_wanted = |entry: &Entry| {
            matches!(entry.kind, TreeKind::Region | TreeKind::Kernel)
                && entry.grade.is_some_and(|word| words.contains(&word))
        };
        self.keep(&is_wanted, "of other grades")
    }

    fn keep(&self, is_retained: &dyn Fn(&Entry) -> bool, which: &str) -> Self {
        let (entries, left_out) = cut::keep(&self.entries, &|id| is_retained(&self.entries[id]));
        let mut notes = self.notes.clone();
        notes.extend(left_out.note(which));
        Self { entries, notes, ..self.clone() }
    }

    /// Cuts the tree at modules: the calls of a module are added up, but for the modules that it calls. What no module called is
    /// one row. A backward operator counts in the modules of its forward operator. Where only one side has modules, what is
    /// compared with each other counts in its modules, and what only the other side does is a row of its own.
    ///
    /// # Errors
    /// If no side has modules.
    pub fn modules(&self) -> Result<Self> {
        if !self.with_modules.control && !self.with_modules.test {
            let [control, test] = self.sides.clone().map(|side| side.label);
            return Err(ExplainReason::NoModules { control, test, ignored: self.without_stacks }.into());
        }
        let mut notes = self.notes.clone();
        if let Some(side) = self.with_modules.only() {
            let (with, without) = (&self.sides[side].label, &self.sides[1 - side].label);
            notes.push(format!(
                "only {with} was recorded with modules: what {without} does counts in the module of what it is compared with; \
                 what only {without} does has no module"
            ));
        }
        Ok(Self { entries: cut::modules(&self.entries), notes, ..self.clone() })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The rows, each before those below it, in the order of control; what is only in test stands behind its neighbour there.
    pub fn rows(&self) -> Vec<TreeRow> {
        let mut rows: Vec<TreeRow> = Vec::with_capacity(self.entries.len());
        let step = self.step_ns.numerator();
        for (id, entry) in self.entries.iter().enumerate() {
            let above = entry.parent.map(|parent| &rows[parent]);
            let path = above.map_or_else(Vec::new, |above| {
                let mut path = above.path.clone();
                path.push(above.name.clone());
                path
            });
            let depth = path.len();
            let both = |change: Change, unit: f64| [change.control.value() / unit, change.test.value() / unit];
            let Measures { count, attributed_ns, total_ns } = entry.all;
            rows.push(TreeRow {
                id,
                parent: entry.parent,
                depth,
                path,
                name: entry.name.clone(),
                kind: entry.kind,
                grade: entry.grade,
                why: entry.why.clone(),
                region: entry.region,
                count: both(count, 1.0),
                us: both(attributed_ns, 1e3),
                delta_us: attributed_ns.delta() / 1e3,
                share: (step != 0).then(|| entry.all.change() as f64 / step as f64 * 100.0),
                self_us: both(entry.own.attributed_ns, 1e3),
                total_us: both(total_ns, 1e3),
                judged: entry.judged,
            });
        }
        rows
    }
}
