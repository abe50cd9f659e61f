//! The explanation of a difference, as numbers and frames.

use super::certainty::{Certainty, Judged};
use super::choice::Chosen;
use super::columns::{
    CONTROL_TOTAL_US, CONTROL_US, DELTA_US, GRADE, INTERVAL_HIGH_US, INTERVAL_LOW_US, Q, TEST_TOTAL_US, TEST_US,
    VERDICT, WHY,
};
use super::modules::{RegionModules, SidesWithModules};
use super::phase_match::PhaseMatch;
use super::region_group::Group;
use super::side_summary::SideSummary;
use super::sides::RecordedRank;
use super::tree_diff::{either, main_leaf};
use crate::certainty::Judging;
use crate::frame::columns::NAME;
use crate::present::{Field, answer_frame};
use crate::{LabeledTrace, Result, Warning};
use call_tree::{
    Cause, Change, Class, Coverage, Grade, HostWork, LabelId, Labels, NodeId, RegionChange, Tree, largest,
};
use polars::prelude::DataFrame;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use trace_view::Unit;

/// The mean of a measure on both sides, in µs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StepChange {
    /// Control.
    pub control_us: f64,
    /// Test.
    pub test_us: f64,
    /// Test − control.
    pub delta_us: f64,
}

/// Time of one class of a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassChange {
    /// `compute`, `exposed_communication`, `exposed_copy`, `idle`, or `host` of recordings without GPU work.
    pub class: &'static str,
    /// Control, µs a step.
    pub control_us: f64,
    /// Test, µs a step.
    pub test_us: f64,
    /// Test − control.
    pub delta_us: f64,
}

/// Idle time by cause.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IdleChange {
    /// `host`, `launch call`, `launch latency`, `dependency` or `drain`.
    pub cause: &'static str,
    /// Of `host`, the kind of the frame: `data loader`, `synchronising call`, `Python`, `operator`, `runtime call`, `annotation`,
    /// `not recorded`; of `dependency`, what was waited for: `collective`, `another stream`, `event`, `unknown`; else empty.
    pub kind: &'static str,
    /// Innermost frame of the host that ran then; empty for other causes, and between frames.
    pub frame: String,
    /// Control, µs a step.
    pub control_us: f64,
    /// Test, µs a step.
    pub test_us: f64,
    /// Test − control.
    pub delta_us: f64,
}

/// One region: what of control and what of test is compared with each other.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegionRow {
    /// Number of the region, by its place in control.
    pub id: usize,
    /// Calls from the outermost to the kernel.
    pub path: Vec<String>,
    /// Name of the kernel; of several that with most time.
    pub kernel: String,
    /// Name of the kernel; of several that with most time, and how many more there are. Of both sides where they differ:
    /// `gemm_a → gemm_b`.
    pub name: String,
    /// `exact`, `name`, `family`, `region`, `moved`, `added` or `deleted`.
    pub grade: &'static str,
    /// Why the two sides were brought together.
    pub why: &'static str,
    /// Events a step, of control and of test.
    pub count: [f64; 2],
    /// Share of the step, µs, of control and of test.
    pub attributed_us: [f64; 2],
    /// Sum of durations a step, overlap counted twice, µs, of control and of test.
    pub total_us: [f64; 2],
    /// Test − control of the share of the step, µs.
    pub delta_us: f64,
    /// Part of it that comes from another number of events, µs.
    pub count_part_us: f64,
    /// Part of it that comes from other costs of each event, µs.
    pub cost_part_us: f64,
}

/// A region with what the samples say of it.
struct JudgedRegion {
    row: RegionRow,
    judged: Option<Judged>,
}

impl JudgedRegion {
    const COLUMNS: [Field<Self>; 18] = [
        Field::id("region", "number among the regions", |of| i64::try_from(of.row.id).ok()),
        Field::text("path", "calls from the outermost on", |of| Some(of.row.path.join(" > "))),
        Field::name(NAME, "kernel, of both sides where they differ", |of| Some(&of.row.name)),
        Field::known_word(GRADE, |of| Some(of.row.grade)),
        Field::known_word(WHY, |of| Some(of.row.why)),
        Field::number("control_count", Unit::Count, "events a step of control", |of| Some(of.row.count[0])),
        Field::number("test_count", Unit::Count, "events a step of test", |of| Some(of.row.count[1])),
        Field::known_number(CONTROL_US, |of| Some(of.row.attributed_us[0])),
        Field::known_number(TEST_US, |of| Some(of.row.attributed_us[1])),
        Field::known_number(DELTA_US, |of| Some(of.row.delta_us)),
        Field::number("count_part_us", Unit::Micros, "part of it that comes from another number of events", |of| {
            Some(of.row.count_part_us)
        }),
        Field::number("cost_part_us", Unit::Micros, "part of it that comes from another cost of each event", |of| {
            Some(of.row.cost_part_us)
        }),
        Field::known_number(CONTROL_TOTAL_US, |of| Some(of.row.total_us[0])),
        Field::known_number(TEST_TOTAL_US, |of| Some(of.row.total_us[1])),
        Field::known_number(INTERVAL_LOW_US, |of| Some(of.judged?.interval_us?[0])),
        Field::known_number(INTERVAL_HIGH_US, |of| Some(of.judged?.interval_us?[1])),
        Field::known_number(Q, |of| of.judged?.q),
        Field::known_text(VERDICT, |of| Certainty::word(of.judged)),
    ];
}

/// Explanation of the difference of two steps. Step = classes + idle time; regions add up to the classes. Times are means in which each
/// run of a side counts the same, in a run each iteration, and in an iteration each rank.
#[derive(Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// Control and test.
    pub sides: [SideSummary; 2],
    /// Length of a step.
    pub step: StepChange,
    /// Compute, exposed communication, exposed copies, idle time; `host` instead of the first three without GPU work.
    pub classes: Vec<ClassChange>,
    /// Idle time by cause, the largest change first.
    pub idle: Vec<IdleChange>,
    /// Time of events that run in a selected step, but that another step launched.
    pub unattributed: StepChange,
    /// Warnings about the recordings.
    pub warnings: Vec<Warning>,
    /// How iterations were matched whose marker names different phases; `None` if all runs have the same ones.
    pub phases: Option<PhaseMatch>,
    pub(super) found: call_tree::Explanation,
    pub(super) labels: Labels,
    pub(super) ranks: [Vec<RecordedRank>; 2],
    pub(super) chosen: Option<Chosen>,
    /// Iterations are those of a marker.
    pub(super) is_marked: bool,
    pub(super) keeps_events: bool,
    pub(super) judging: Judging,
    pub(super) groups: OnceLock<Vec<Group>>,
    pub(super) certainty: OnceLock<Certainty>,
    pub(super) with_modules: SidesWithModules,
}

/// What an explanation knows of its sides beside their numbers.
pub(super) struct Origin {
    pub(super) phases: Option<PhaseMatch>,
    pub(super) sides: [SideSummary; 2],
    pub(super) ranks: [Vec<RecordedRank>; 2],
    pub(super) warnings: Vec<Warning>,
    pub(super) chosen: Option<Chosen>,
    pub(super) is_marked: bool,
    pub(super) keeps_events: bool,
    pub(super) judging: Judging,
}

impl Explanation {
    /// The condition, if it chooses no region.
    pub(crate) fn chooses_nothing(&self) -> Option<&str> {
        let chosen = self.chosen.as_ref()?;
        (!chosen.regions.contains(&true)).then_some(chosen.text.as_str())
    }

    pub(super) fn of(mut found: call_tree::Explanation, labels: Labels, origin: Origin) -> Self {
        let Origin { phases, sides, mut ranks, warnings, chosen, is_marked, keeps_events, judging } = origin;
        if !keeps_events {
            found.events = Default::default();
            // The numbers of samples stay, the traces need not.
            ranks.iter_mut().flatten().for_each(RecordedRank::forget);
        }
        let change = |change: Change| StepChange {
            control_us: change.control.value() / 1e3,
            test_us: change.test.value() / 1e3,
            delta_us: change.delta() / 1e3,
        };
        let class = |name: &'static str, of: Change| {
            let StepChange { control_us, test_us, delta_us } = change(of);
            ClassChange { class: name, control_us, test_us, delta_us }
        };
        let is_there = |of: Change| of.control.total != 0 || of.test.total != 0;
        let has_gpu = found.coverage.iter().any(|coverage| coverage.recorded > 0);
        let mut classes: Vec<ClassChange> = found
            .classes
            .iter()
            .filter(|(class, of)| if *class == Class::Host { is_there(*of) } else { has_gpu })
            .map(|&(of, time)| class(word(of), time))
            .collect();
        classes.push(class("idle", found.idle_ns));
        // The same frame with other inputs is one row; so are the annotations of the steps.
        let mut gaps: BTreeMap<(&'static str, &'static str, &str), Change> = BTreeMap::new();
        for &((cause, frame), of) in &found.idle {
            let kind = idle_kind(cause, frame, &labels);
            let frame =
                frame.map_or("", |frame| if labels.is_step(frame) { "ProfilerStep" } else { labels.text(frame) });
            gaps.entry((cause_word(cause), kind, frame)).and_modify(|sum| *sum = *sum + of).or_insert(of);
        }
        let mut idle: Vec<IdleChange> = gaps
            .into_iter()
            .map(|((cause, kind, frame), of)| {
                let StepChange { control_us, test_us, delta_us } = change(of);
                IdleChange { cause, kind, frame: frame.to_owned(), control_us, test_us, delta_us }
            })
            .collect();
        idle.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
        Self {
            with_modules: SidesWithModules::of(&found.alignment, &labels),
            sides,
            step: change(found.step_ns),
            classes,
            idle,
            unattributed: change(found.unattributed_ns),
            warnings,
            phases,
            found,
            labels,
            ranks,
            chosen,
            is_marked,
            keeps_events,
            judging,
            groups: OnceLock::new(),
            certainty: OnceLock::new(),
        }
    }

    /// Holds the traces of both sides, whose events are asked for.
    pub(super) fn hold_traces(&mut self, sides: [&[LabeledTrace]; 2]) {
        for (ranks, runs) in self.ranks.iter_mut().zip(sides) {
            for rank in ranks {
                let run = runs.get(rank.run).map(|run| run.trace().traces());
                rank.trace = run.and_then(|run| run.iter().find(|trace| trace.rank() == rank.rank)).cloned();
            }
        }
    }

    /// Number of regions, chosen or not.
    pub fn region_count(&self) -> usize {
        self.found.regions.len()
    }

    /// GPU time accounted for, of control and of test: recorded = selected + left out, and selected is the sum of all regions.
    pub fn coverage(&self) -> [Coverage; 2] {
        self.found.coverage
    }

    /// Tells whether modules and frames of Python were left out, since only one side has them.
    pub fn is_without_stacks(&self) -> bool {
        self.found.without_stacks
    }

    /// The regions with the largest change of their share of the step, either way; of those chosen by a filter, if there is one.
    pub fn largest(&self, most: usize) -> Vec<RegionRow> {
        let mut ids = largest(&self.found.regions, self.region_count());
        ids.retain(|&id| self.is_chosen(id));
        ids.truncate(most);
        ids.into_iter().map(|id| self.row(id, &self.found.regions[id])).collect()
    }

    /// All regions, in the order of control; those chosen by a filter, if there is one.
    pub fn rows(&self) -> Vec<RegionRow> {
        self.chosen_regions().map(|(id, region)| self.row(id, region)).collect()
    }

    /// Change of the step that the regions chosen by a filter hold, in µs; `None` without a filter.
    pub fn chosen_us(&self) -> Option<f64> {
        self.chosen.as_ref()?;
        Some(self.chosen_regions().map(|(_, region)| region.attributed_ns.delta()).sum::<f64>() / 1e3)
    }

    /// The regions that are shown, with their numbers.
    pub(super) fn chosen_regions(&self) -> impl Iterator<Item = (usize, &RegionChange)> {
        self.found.regions.iter().enumerate().filter(move |(id, _)| self.is_chosen(*id))
    }

    pub(super) fn is_chosen(&self, id: usize) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.regions.get(id) == Some(&true))
    }

    /// All regions as a frame, in the order of control; those chosen by a filter, if there is one.
    ///
    /// # Columns
    /// `region`, `path` (calls from the outermost on, joined by ` > `), `name`, `grade`, `why`; of both sides `control_count`,
    /// `test_count` (events a step), `control_us`, `test_us` (share of the step), `delta_us`, `count_part_us`, `cost_part_us`,
    /// `control_total_us`, `test_total_us` (sums of durations); `interval_low_us`, `interval_high_us` (95 % interval of `delta_us`), `q`,
    /// `verdict`, null for regions below a thousandth of the step ([`Explanation::certainty`]). Times are means in µs.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn regions(&self) -> Result<DataFrame> {
        let certainty = self.certainty();
        let judged = |row: RegionRow| JudgedRegion { judged: certainty.regions.get(row.id).copied().flatten(), row };
        answer_frame(&self.rows().into_iter().map(judged).collect::<Vec<_>>(), &JudgedRegion::COLUMNS)
    }

    pub(super) fn row(&self, id: usize, region: &RegionChange) -> RegionRow {
        let both = |change: Change, unit: f64| [change.control.value() / unit, change.test.value() / unit];
        let (tree, leaf) = self.naming_leaf(region);
        let mut path: Vec<String> = tree.path(leaf, &self.labels).into_iter().map(str::to_owned).collect();
        let kernel = path.pop().unwrap_or_default();
        let leaves = region.region.control.len().max(region.region.test.len());
        let names = self.main_leaves(region).map(|(tree, leaf)| {
            tree.node(leaf).chain.last().map_or_else(String::new, |&label| self.labels.text(label).to_owned())
        });
        let name = either(names);
        let name = if leaves > 1 { format!("{name} and {} more", leaves - 1) } else { name };
        RegionRow {
            id,
            path,
            kernel,
            name,
            grade: region.region.grade.word(),
            why: region.region.why.sentence(),
            count: both(region.count, 1.0),
            attributed_us: both(region.attributed_ns, 1e3),
            total_us: both(region.ns, 1e3),
            delta_us: region.attributed_ns.delta() / 1e3,
            count_part_us: region.count_part_ns() / 1e3,
            cost_part_us: region.cost_part_ns() / 1e3,
        }
    }

    /// The tree that names a region, and its leaf with most time there: control's, or test's of what was added.
    pub(super) fn naming_leaf(&self, region: &RegionChange) -> (&Tree, NodeId) {
        let alignment = &self.found.alignment;
        match main_leaf(&alignment.control, &region.region.control) {
            Some(leaf) => (&alignment.control, leaf),
            None => (&alignment.test, main_leaf(&alignment.test, &region.region.test).unwrap_or_default()),
        }
    }

    /// The leaf with most time of each side of a region that has leaves: control's, then test's.
    pub(super) fn main_leaves<'e>(&'e self, region: &'e RegionChange) -> impl Iterator<Item = (&'e Tree, NodeId)> {
        let alignment = &self.found.alignment;
        let sides = [(&alignment.control, &region.region.control), (&alignment.test, &region.region.test)];
        sides.into_iter().filter_map(|(tree, leaves)| Some((tree, main_leaf(tree, leaves)?)))
    }

    /// The modules that a region belongs to.
    pub(super) fn modules_of(&self, region: &RegionChange) -> RegionModules {
        self.with_modules.modules(&self.found.alignment, &region.region, &self.labels)
    }

    /// Number of shown regions of a grade.
    pub(super) fn graded(&self, grade: Grade) -> usize {
        self.chosen_regions().filter(|(_, region)| region.region.grade == grade).count()
    }
}

/// Word of a class in tables and files.
pub(super) fn word(class: Class) -> &'static str {
    match class {
        Class::Compute => "compute",
        Class::Communication => "exposed_communication",
        Class::Copy => "exposed_copy",
        Class::Host => "host",
    }
}

/// Causes of idle time in tables and files, by [`Cause::index`].
pub(super) const CAUSES: [&str; Cause::COUNT] = ["host", "launch call", "launch latency", "dependency", "drain"];

pub(super) fn cause_word(cause: Cause) -> &'static str {
    CAUSES[cause.index()]
}

/// Kind of the frame of the host, or what was waited for; empty for other causes.
pub(super) fn idle_kind(cause: Cause, frame: Option<LabelId>, labels: &Labels) -> &'static str {
    match cause {
        Cause::Host => HostWork::of(frame, labels).word(),
        Cause::Dependency(on) => on.word(),
        _ => "",
    }
}
