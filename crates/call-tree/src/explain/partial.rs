//! Partial result of one recording, without its events.

use super::divide::{Division, Idle, Piece, Timeline};
use super::packed::PackedTree;
use super::sample::Sample;
use super::spent::{Spent, spent};
use super::waits::{LabelledWait, Waits, waits};
use crate::input::event::Event;
use crate::input::kind::{Class, Kind};
use crate::input::label::{LabelId, Labels, Symbol};
use crate::input::meeting::Meeting;
use crate::input::reason::Reason;
use crate::input::recording::Recording;
use crate::portable::{Damaged, HasLabels};
use crate::tree::build::{Builder, LeftOut};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Reduces recordings to partial results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reducer {
    /// Ignores modules and Python frames, since the other side of a comparison has none.
    pub without_stacks: bool,
    /// Keeps the row of every event that is work, for [`Explanation::events`](crate::Explanation::events).
    pub keep_events: bool,
    /// Keeps communication apart, for collectives that other recordings have, too.
    pub keep_communication: bool,
}

/// Partial result of one recording: its call trees, divided steps and communication, without its events.
///
/// Those of a side are made one by one, on any machine ([`Portable`](crate::Portable)), and explained together
/// ([`explain_partials`](crate::explain_partials)).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partial {
    /// Place of its run in its side, which is not serialized.
    #[serde(skip)]
    pub(super) run: u32,
    pub(super) rank: i64,
    pub(super) has_gpu: bool,
    /// The whole recording is one sample, since it has no iterations.
    pub(super) is_whole: bool,
    pub(super) keeps_events: bool,
    pub(super) samples: Vec<PartialSample>,
    /// Numbers of the iterations that were left out before.
    pub(super) others: Vec<i64>,
    /// Time in ns and number of GPU events that are left out, by reason.
    pub(super) left_out: [(i64, u64); Reason::ALL.len()],
    /// Rows of GPU events that are left out, if events are kept.
    pub(super) left_out_rows: Vec<(u32, Reason)>,
    /// Begin of the recording.
    pub(super) begin: i64,
    /// Work that communicates, in the order of the file, if communication is kept.
    pub(super) communication: Vec<Communication>,
    /// Work between the begins and ends of communication.
    pub(super) spent: Vec<Spent>,
    /// Its part in collectives that other recordings have, too: found when all of them are known, not serialized.
    #[serde(skip)]
    pub(super) meetings: Vec<Meeting>,
}

/// One iteration of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PartialSample {
    pub(super) sample: Sample,
    /// Why it does not count, if it was left out after it was divided.
    pub(super) left_out: Option<Reason>,
    pub(super) tree: PackedTree,
    /// Shares of leaves of other samples of the recording: sample, leaf, ns.
    pub(super) elsewhere: Vec<(u32, u32, i64)>,
    /// Shares of events that are in no tree, by row, if events are kept.
    pub(super) nowhere: Vec<(u32, i64)>,
    pub(super) idle: Vec<Idle>,
    pub(super) waits: Vec<(LabelledWait, Waits)>,
    /// Pieces of the shares of communication, by row, if communication is kept.
    pub(super) exposed: Vec<(u32, Vec<Piece>)>,
}

/// A GPU event that communicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Communication {
    pub(super) row: u32,
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Reducer {
    /// Reduces a recording. Regions of events for which `is_chosen` holds, by row, are marked
    /// ([`Explanation::chosen`](crate::Explanation::chosen)).
    pub fn partial(self, recording: &Recording, labels: &Labels, is_chosen: impl Fn(u32) -> bool) -> Partial {
        let events = &recording.events[..];
        let has_gpu = events.iter().any(|event| event.kind.is_gpu());
        let mut trees = Vec::with_capacity(recording.windows.len());
        // By row, the sample and the leaf of an event that is work.
        let mut work: Vec<(u32, u32, u32)> = Vec::new();
        let builder = Builder { without_stacks: self.without_stacks };
        let mut left_out = builder.build_bare(recording, labels, |iteration| {
            let sample = trees.len() as u32;
            work.extend(iteration.rows.iter().zip(0..).map(|(&(_, row), leaf)| (row, sample, leaf)));
            trees.push(PackedTree::of(&iteration.tree, &iteration.rows, self.keep_events, &is_chosen));
        });
        work.sort_unstable();
        left_out.sort_unstable_by_key(|out| out.row);
        // Where no iteration is selected, nothing is divided, not even the whole recording.
        let is_whole = recording.windows.is_empty() && recording.others.is_empty();
        let timeline = Timeline::of(events, labels);
        let divisions = if trees.is_empty() { Vec::new() } else { timeline.steps(&recording.windows) };
        let mut waiting = waits(events, &timeline.hosts, &recording.windows, labels).into_iter();
        let mut partial = Partial {
            run: 0,
            rank: recording.rank,
            has_gpu,
            is_whole,
            keeps_events: self.keep_events,
            samples: Vec::with_capacity(trees.len()),
            others: recording.others.iter().map(|(window, _)| window.iteration).collect(),
            left_out: sums(events, &left_out),
            left_out_rows: Vec::new(),
            begin: events.iter().map(|event| event.start).min().unwrap_or(0),
            communication: Vec::new(),
            spent: Vec::new(),
            meetings: recording.meetings.clone(),
        };
        for (mut tree, division) in trees.into_iter().zip(divisions) {
            let at = partial.samples.len() as u32;
            let mut sample = Sample::of(0, has_gpu, &division);
            let (mut elsewhere, mut nowhere) = (Vec::new(), Vec::new());
            for share in division.shares.iter().filter(|share| share.ns != 0) {
                let found = work.binary_search_by_key(&share.row, |&(row, ..)| row).map(|index| work[index]);
                match found {
                    Ok((_, of, leaf)) if of == at => tree.leaves[leaf as usize].hidden_ns -= share.ns,
                    Ok((_, of, leaf)) => elsewhere.push((of, leaf, share.ns)),
                    Err(_) => {
                        sample.unattributed_ns += share.ns;
                        if self.keep_events {
                            nowhere.push((share.row, share.ns));
                        }
                    }
                }
            }
            let Division { idle, mut exposed, .. } = division;
            if !self.keep_communication {
                exposed = Vec::new();
            }
            let waits = waiting.next().unwrap_or_default().into_iter().collect();
            partial.samples.push(PartialSample {
                sample,
                left_out: None,
                tree,
                elsewhere,
                nowhere,
                idle,
                waits,
                exposed,
            });
        }
        if self.keep_events {
            partial.left_out_rows = left_out.iter().map(|out| (out.row, out.reason)).collect();
        }
        if self.keep_communication {
            partial.communication = communication(events);
            let mut moments: Vec<i64> = partial.communication.iter().flat_map(|one| [one.start, one.end]).collect();
            moments.sort_unstable();
            moments.dedup();
            partial.spent = spent(recording, &timeline, labels, partial.begin, &moments);
        }
        partial
    }
}

impl Partial {
    /// Number of the rank.
    pub fn rank(&self) -> i64 {
        self.rank
    }

    /// Tells whether it has no iterations, so that the whole recording is one sample.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Numbers and lengths in ns of the iterations that count; 0 is that of a whole recording.
    pub fn iterations(&self) -> impl Iterator<Item = (i64, i64)> {
        let counts = self.samples.iter().filter(|one| one.left_out.is_none());
        counts.map(|one| (one.sample.iteration, one.sample.step_ns))
    }

    /// Returns the GPU work of each iteration that counts: time in ns by name of kernel, without template arguments, parameters and digits.
    /// Nothing for recordings without a GPU.
    pub fn work(&self, labels: &Labels) -> Vec<(i64, BTreeMap<Symbol, i64>)> {
        let counts = self.samples.iter().filter(|one| one.left_out.is_none());
        let work = |one: &PartialSample| if self.has_gpu { one.tree.work(labels) } else { BTreeMap::new() };
        counts.map(|one| (one.sample.iteration, work(one))).collect()
    }

    /// Numbers of all iterations, also of those that are left out.
    pub fn all_iterations(&self) -> impl Iterator<Item = i64> {
        let samples = self.samples.iter().filter(|_| !self.is_whole).map(|one| one.sample.iteration);
        samples.chain(self.others.iter().copied())
    }

    /// Leaves the iterations out for which `counts` does not hold. Their GPU events are then left out for the reason, and the time
    /// of others' events that run in them does not count.
    pub fn keep(&mut self, reason: Reason, counts: impl Fn(i64) -> bool) {
        for one in self.samples.iter_mut().filter(|one| one.left_out.is_none()) {
            one.left_out = (!counts(one.sample.iteration)).then_some(reason);
        }
    }

    /// Sets the place of its run in its side. Recordings of the same run, 0 unless this says otherwise, are its ranks.
    pub fn belong_to(&mut self, run: u32) {
        self.run = run;
    }

    /// Returns the memory of its trees in bytes, by far the largest part.
    pub fn bytes(&self) -> usize {
        self.samples.iter().map(|one| one.tree.bytes()).sum()
    }

    /// Tells which of its events are collectives that other recordings of its side have, too.
    pub fn meet(&mut self, meeting: Meeting) {
        self.meetings.push(meeting);
    }
}

impl HasLabels for Partial {
    fn visit_labels(&mut self, visit: &mut dyn FnMut(&mut LabelId)) {
        for one in &mut self.samples {
            one.tree.visit_labels(visit);
            one.idle.iter_mut().filter_map(|idle| idle.frame.as_mut()).for_each(&mut *visit);
            for (wait, _) in &mut one.waits {
                visit(&mut wait.call);
                wait.caller.iter_mut().for_each(&mut *visit);
            }
        }
        let spent = self.spent.iter_mut().flat_map(|spent| &mut spent.on);
        spent.filter_map(|(_, label, _)| label.as_mut()).for_each(visit);
    }

    fn check(&self) -> Result<(), Damaged> {
        for one in &self.samples {
            one.tree.check()?;
            if (one.sample.recording, one.sample.has_gpu) != (0, self.has_gpu) {
                return Err(Damaged("a step is one of another recording"));
            }
            if one.exposed.iter().flat_map(|(_, pieces)| pieces).any(|piece| piece.from >= piece.to) {
                return Err(Damaged("an interval is empty"));
            }
        }
        let is_negative = self.communication.iter().any(|one| one.end < one.start);
        if is_negative { Err(Damaged("an interval ends before it begins")) } else { Ok(()) }
    }
}

/// Sums of time and number of the events that are left out, by reason.
fn sums(events: &[Event], left_out: &[LeftOut]) -> [(i64, u64); Reason::ALL.len()] {
    let mut sums = [(0, 0); Reason::ALL.len()];
    for event in events.iter().filter(|event| event.kind.is_gpu()) {
        if let Ok(at) = left_out.binary_search_by_key(&event.row, |out| out.row) {
            let sum = &mut sums[left_out[at].reason as usize];
            *sum = (sum.0 + (event.end - event.start).max(0), sum.1 + 1);
        }
    }
    sums
}

/// The work of a recording that communicates.
fn communication(events: &[Event]) -> Vec<Communication> {
    let communicates = events.iter().filter(|event| event.kind == Kind::Gpu(Class::Communication));
    communicates
        .map(|event| Communication { row: event.row, start: event.start, end: event.end.max(event.start) })
        .collect()
}
