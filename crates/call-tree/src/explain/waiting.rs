//! Exposed communication divided into waiting and transfer, and waiting charged to what made the late rank late.
//!
//! ```text
//! rank 0   |-- compute --|--- waiting ---|-- transfer --|
//! rank 1   |-- compute --|--- waiting ---|-- transfer --|
//! rank 2   |-- compute --|idle: a copy   |-- transfer --|
//!          ^ the collective before       ^ rank 2 arrives; until here it spent more on idle time than the others
//! ```

use super::cause::Cause;
use super::divide::{Division, Timeline};
use crate::input::kind::{Class, Kind};
use crate::input::label::{LabelId, Labels, Symbol};
use crate::input::recording::Recording;
use crate::input::window::Window;
use std::collections::{BTreeMap, HashMap};

/// Part of exposed communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Before the last rank arrived.
    Waiting,
    /// After it.
    Transfer,
    /// Collectives that no other recording has, and communication that does not wait for all ranks.
    Undivided,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Transfer, Self::Undivided];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Transfer => "transfer",
            Self::Undivided => "not divided",
        }
    }
}

/// Work or idle time on which a rank spent its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doing {
    /// Work of a class on its GPU, by operator, or by kernel without an operator.
    Class(Class, Option<Symbol>),
    /// Idle time of a cause, by frame of the host.
    Idle(Cause, Option<Symbol>),
    /// It began later: the collective before ended later, or its recording began later.
    Began,
    /// Not known: it spent no time longer than the other ranks.
    Unknown,
}

/// A late rank, and what it spent longer on than the other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Late {
    /// The rank.
    pub rank: i64,
    /// Work or idle time that took longer than on the other ranks.
    pub doing: Doing,
}

/// Exposed communication of one side, in ns over all samples.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) parts: [i64; 3],
    /// Adds up to the part of waiting.
    pub(super) late: BTreeMap<Late, i64>,
}

/// An event of a collective, of one recording.
#[derive(Debug, Clone, Copy)]
struct Member {
    recording: usize,
    /// Place of the event in its recording.
    at: u32,
    start: i64,
    end: i64,
    /// Until when it was level with the other members: the end of the collective before, or the begin of its recording.
    level: i64,
}

/// The collectives of one side.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// By number, the members that recorded each; those of fewer than two are empty.
    members: Vec<Vec<Member>>,
    /// By recording, the number of the collective of each row.
    rows: Vec<HashMap<u32, u32>>,
    parts: [i64; 3],
    /// By collective, exposed waiting of all members.
    waited: Vec<i64>,
    /// By collective, the time that its members spent since they were level: of the late one times the number of the others,
    /// less that of the others.
    spent: Vec<BTreeMap<Doing, i64>>,
}

impl Meetings {
    pub(super) fn of(recordings: &[Recording]) -> Self {
        let count = recordings.iter().flat_map(|one| &one.meetings).map(|met| met.collective as usize + 1).max();
        let mut members: Vec<Vec<Member>> = vec![Vec::new(); count.unwrap_or(0)];
        for (recording, one) in recordings.iter().enumerate().filter(|(_, one)| !one.meetings.is_empty()) {
            let places: HashMap<u32, u32> = one.events.iter().zip(0..).map(|(event, at)| (event.row, at)).collect();
            let level = one.events.iter().map(|event| event.start).min().unwrap_or(0);
            for met in &one.meetings {
                let Some(&at) = places.get(&met.row) else { continue };
                let event = &one.events[at as usize];
                let (start, end) = (event.start, event.end.max(event.start));
                members[met.collective as usize].push(Member { recording, at, start, end, level });
            }
        }
        members.iter_mut().filter(|members| members.len() < 2).for_each(Vec::clear);
        level_with_the_one_before(&mut members);
        let mut rows = vec![HashMap::new(); recordings.len()];
        for (number, members) in (0..).zip(&members) {
            for member in members {
                rows[member.recording].insert(recordings[member.recording].events[member.at as usize].row, number);
            }
        }
        let count = members.len();
        Self { members, rows, parts: [0; 3], waited: vec![0; count], spent: vec![BTreeMap::new(); count] }
    }

    /// When the last rank arrived, by row of a recording.
    pub(super) fn arrivals(&self, recording: usize) -> HashMap<u32, i64> {
        let arrived = |(&row, &number): (&u32, &u32)| Some((row, self.late(number)?.start));
        self.rows[recording].iter().filter_map(arrived).collect()
    }

    /// The member of a collective that arrived last; of several the first recording.
    fn late(&self, number: u32) -> Option<Member> {
        self.members[number as usize]
            .iter()
            .copied()
            .reduce(|late, one| if one.start > late.start { one } else { late })
    }

    /// Adds what a recording did before each of its collectives.
    pub(super) fn spent_before(&mut self, recording: usize, of: &Recording, timeline: &Timeline<'_>, labels: &Labels) {
        let mut numbers: Vec<u32> = self.rows[recording].values().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some(late) = self.late(number) else { continue };
            let others = self.members[number as usize].len() as i64 - 1;
            let Some(member) = self.members[number as usize].iter().find(|one| one.recording == recording).copied()
            else {
                continue;
            };
            let factor = if late.recording == recording { others } else { -1 };
            let spent = &mut self.spent[number as usize];
            let mut add = |doing: Doing, ns: i64| *spent.entry(doing).or_default() += factor * ns;
            // Times since then, so that sums of them stay small.
            add(Doing::Began, member.level - late.level);
            let window = Window { iteration: 0, start: member.level, end: member.start, thread: 0 };
            if window.end <= window.start {
                continue;
            }
            let division = timeline.sweep(window, Some(member.at));
            for share in &division.shares {
                add(Doing::Class(share.class, operator(of, share.at, timeline, labels)), share.ns);
            }
            for idle in &division.idle {
                let name = idle.frame.and_then(|frame| name(frame, labels));
                add(Doing::Idle(idle.cause, name), idle.ns);
            }
        }
    }

    /// Adds the exposed communication of a step of a recording.
    pub(super) fn add(&mut self, recording: usize, division: &Division) {
        for share in division.shares.iter().filter(|share| share.class == Class::Communication) {
            let number = self.rows[recording].get(&share.row);
            match (number, share.waiting_ns) {
                (Some(&number), Some(waiting)) => {
                    self.parts[Part::Waiting as usize] += waiting;
                    self.parts[Part::Transfer as usize] += share.ns - waiting;
                    self.waited[number as usize] += waiting;
                }
                _ => self.parts[Part::Undivided as usize] += share.ns,
            }
        }
    }

    /// Charges the waiting for each late rank to what it spent longer on than the mean of the other ranks, in proportion.
    pub(super) fn waiting(self, recordings: &[Recording]) -> Waiting {
        // By late rank: waiting, and time by what it was spent on.
        let mut ranks: BTreeMap<i64, (i64, BTreeMap<Doing, i64>)> = BTreeMap::new();
        for number in 0..self.members.len() as u32 {
            let waited = self.waited[number as usize];
            let Some(late) = self.late(number).filter(|_| waited > 0) else { continue };
            let others = self.members[number as usize].len() as i64 - 1;
            let (sum, spent) = ranks.entry(recordings[late.recording].rank).or_default();
            *sum += waited;
            for (&doing, ns) in &self.spent[number as usize] {
                *spent.entry(doing).or_default() += ns / others;
            }
        }
        let mut late = BTreeMap::new();
        for (rank, (waited, spent)) in ranks {
            let mut longer: Vec<(Doing, i64)> = spent.into_iter().filter(|&(_, ns)| ns > 0).collect();
            if longer.is_empty() {
                longer.push((Doing::Unknown, 1));
            }
            longer.sort_by_key(|&(doing, ns)| (std::cmp::Reverse(ns), doing));
            let all: i128 = longer.iter().map(|&(_, ns)| i128::from(ns)).sum();
            let part = |ns: i64| (i128::from(waited) * i128::from(ns) / all) as i64;
            let rest = waited - longer.iter().map(|&(_, ns)| part(ns)).sum::<i64>();
            for ((doing, ns), place) in longer.into_iter().zip(0..) {
                // What is left of the division goes to the largest ones, ns by ns.
                let ns = part(ns) + i64::from(place < rest);
                if ns > 0 {
                    late.insert(Late { rank, doing }, ns);
                }
            }
        }
        Waiting { parts: self.parts, late }
    }
}

/// Sets until when the members of each collective were level: the end of the last one before of the same recordings that all
/// of them had ended when they arrived.
fn level_with_the_one_before(members: &mut [Vec<Member>]) {
    let mut order: Vec<(i64, usize)> = members
        .iter()
        .enumerate()
        .filter_map(|(number, members)| Some((members.iter().map(|member| member.start).max()?, number)))
        .collect();
    order.sort_unstable();
    let mut before: HashMap<Vec<usize>, usize> = HashMap::new();
    for (_, number) in order {
        let recordings = members[number].iter().map(|member| member.recording).collect();
        if let Some(last) = before.insert(recordings, number) {
            let last = members[last].clone();
            let ended = members[number].iter().zip(&last).all(|(one, last)| last.end <= one.start);
            for (one, last) in members[number].iter_mut().zip(&last) {
                one.level = if ended { last.end } else { last.level };
            }
        }
    }
}

/// The operator that launched an event, else the event.
fn operator(of: &Recording, at: u32, timeline: &Timeline<'_>, labels: &Labels) -> Option<Symbol> {
    let is_operator = |at: u32| of.events[at as usize].kind == Kind::Operator;
    let operator = timeline.launch(at).and_then(|launch| timeline.hosts.around(launch).find(|&at| is_operator(at)));
    name(of.events[operator.unwrap_or(at) as usize].label, labels)
}

/// Name of a frame or an event; of a step none, since each has another one.
fn name(label: LabelId, labels: &Labels) -> Option<Symbol> {
    (!labels.is_step(label)).then(|| labels.symbol_of(label))
}
