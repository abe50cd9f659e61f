//! One side of a comparison: its recordings folded into a template, its steps divided.

use super::cause::Cause;
use super::change::Mean;
use super::divide::Timeline;
use super::explanation::Coverage;
use super::sample::{Place, Placed, Sample};
use super::waiting::{Meetings, Waiting};
use super::waits::{Wait, Waits, waits};
use crate::input::event::Event;
use crate::input::label::{LabelId, Labels};
use crate::input::reason::Reason;
use crate::input::recording::Recording;
use crate::template::Template;
use crate::tree::build::{Builder, Iteration, LeftOut};
use crate::tree::node::{NONE, NodeId, Tree};
use std::collections::{BTreeMap, HashMap};

/// One side, folded.
pub(super) struct Side {
    pub(super) template: Template,
    pub(super) samples: Vec<Sample>,
    /// Idle time by cause and frame over all samples.
    pub(super) idle: BTreeMap<(Cause, Option<LabelId>), i64>,
    /// Calls that wait for the GPU, over all samples.
    pub(super) waits: BTreeMap<Wait, Waits>,
    pub(super) coverage: Coverage,
    /// Exposed communication in parts.
    pub(super) waiting: Waiting,
    /// By recording the events that are work, by row, if they are kept.
    events: Vec<Vec<Found>>,
}

/// An event that is work: its leaf and the sample that launched it, or why it is left out; its attributed time.
#[derive(Debug, Clone, Copy)]
struct Found {
    row: u32,
    leaf: Result<(NodeId, u32), Reason>,
    attributed_ns: i64,
}

impl Side {
    pub(super) fn of(recordings: &[Recording], builder: Builder, labels: &Labels, keep_events: bool) -> Self {
        let mut template: Option<Template> = None;
        let mut side = Self {
            template: Template::new(Tree::new()),
            samples: Vec::new(),
            idle: BTreeMap::new(),
            waits: BTreeMap::new(),
            coverage: Coverage::default(),
            waiting: Waiting::default(),
            events: Vec::new(),
        };
        let mut meetings = Meetings::of(recordings);
        for (place, recording) in recordings.iter().enumerate() {
            let first = side.samples.len() as u32;
            let mut leaves: HashMap<u32, (NodeId, u32)> = HashMap::new();
            let mut sample = first;
            let left_out = builder.build_each(recording, labels, |Iteration { tree, rows, .. }| {
                match &mut template {
                    None => {
                        leaves.extend(rows.iter().map(|&(leaf, row)| (row, (leaf, sample))));
                        template = Some(Template::new(tree));
                    }
                    Some(template) => {
                        let to = template.fold(tree, labels);
                        leaves.extend(rows.iter().map(|&(leaf, row)| (row, (to[leaf as usize], sample))));
                    }
                }
                sample += 1;
            });
            side.cover(recording, &left_out);
            let has_gpu = recording.events.iter().any(|event| event.kind.is_gpu());
            let mut shares: HashMap<u32, i64> = HashMap::new();
            // Where no iteration is selected, nothing is divided, not even the whole recording.
            let is_left_out = recording.windows.is_empty() && !recording.others.is_empty();
            let timeline = Timeline::of(&recording.events, labels, meetings.arrivals(place));
            meetings.spent_before(place, recording, &timeline, labels);
            let divisions = if is_left_out { Vec::new() } else { timeline.steps(&recording.windows) };
            let waits = |windows| waits(&recording.events, &timeline.hosts, windows, labels);
            for (wait, sum) in if is_left_out { BTreeMap::new() } else { waits(&recording.windows) } {
                let waits = side.waits.entry(wait).or_default();
                waits.calls += sum.calls;
                waits.ns += sum.ns;
            }
            for (number, division) in (first..).zip(divisions) {
                meetings.add(place, &division);
                let mut sample = Sample::of(place as u32, has_gpu, &division);
                for share in &division.shares {
                    match (leaves.get(&share.row), &mut template) {
                        (Some(&(leaf, _)), Some(template)) => template.attribute(leaf, number, share.ns),
                        _ => sample.unattributed_ns += share.ns,
                    }
                    if keep_events {
                        *shares.entry(share.row).or_default() += share.ns;
                    }
                }
                for idle in &division.idle {
                    *side.idle.entry((idle.cause, idle.frame)).or_default() += idle.ns;
                }
                side.samples.push(sample);
            }
            if keep_events {
                side.events.push(found(recording, has_gpu, &leaves, &left_out, &shares));
            }
        }
        if let Some(template) = template {
            side.template = template;
        }
        side.waiting = meetings.waiting(recordings);
        side
    }

    fn cover(&mut self, recording: &Recording, left_out: &[LeftOut]) {
        let length = |event: &Event| (event.end - event.start).max(0);
        let coverage = &mut self.coverage;
        let out: HashMap<u32, Reason> = left_out.iter().map(|out| (out.row, out.reason)).collect();
        for event in recording.events.iter().filter(|event| event.kind.is_gpu()) {
            if let Some(&reason) = out.get(&event.row) {
                coverage.leave_out(reason, length(event), 1);
            } else {
                coverage.recorded_ns += length(event);
                coverage.recorded += 1;
                coverage.selected_ns += length(event);
                coverage.selected += 1;
            }
        }
    }

    /// Returns the places of the kept events, by recording; `leaves` are those of each region of this side.
    pub(super) fn places<'r>(&self, leaves: impl Iterator<Item = &'r [NodeId]>) -> Vec<Vec<Placed>> {
        if self.events.is_empty() {
            return Vec::new();
        }
        let mut regions = vec![NONE; self.template.tree().nodes().len()];
        for (region, leaves) in (0..).zip(leaves) {
            for &leaf in leaves {
                regions[leaf as usize] = region;
            }
        }
        let place = |found: &Found| Placed {
            row: found.row,
            place: match found.leaf {
                Ok((leaf, sample)) => Place::Region { region: regions[leaf as usize], sample },
                Err(reason) => Place::LeftOut(reason),
            },
            attributed_ns: found.attributed_ns,
        };
        self.events.iter().map(|events| events.iter().map(place).collect()).collect()
    }

    /// Returns the mean over samples of a total.
    pub(super) fn mean(&self, total: i64) -> Mean {
        Mean { total, samples: self.samples.len() as u32 }
    }

    /// Returns the mean over samples of a measure of each.
    pub(super) fn mean_of(&self, of: impl Fn(&Sample) -> i64) -> Mean {
        self.mean(self.samples.iter().map(of).sum())
    }
}

/// The GPU events of a recording, by row; without GPU work, its host events that are leaves.
fn found(
    recording: &Recording,
    has_gpu: bool,
    leaves: &HashMap<u32, (NodeId, u32)>,
    left_out: &[LeftOut],
    shares: &HashMap<u32, i64>,
) -> Vec<Found> {
    let reasons: HashMap<u32, Reason> = left_out.iter().map(|out| (out.row, out.reason)).collect();
    let work = recording.events.iter().filter(|event| event.kind.is_gpu() || !has_gpu).map(|event| event.row);
    let mut found: Vec<Found> = work
        .filter_map(|row| {
            let reason = || reasons.get(&row).copied().map(Err);
            let leaf = leaves.get(&row).copied().map(Ok).or_else(reason)?;
            Some(Found { row, leaf, attributed_ns: shares.get(&row).copied().unwrap_or(0) })
        })
        .collect();
    found.sort_unstable_by_key(|found| found.row);
    found
}
