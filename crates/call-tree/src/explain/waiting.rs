//! Exposed communication divided into waiting and transfer, and waiting charged to what made the late rank late.
//!
//! ```text
//! rank 0   |-- compute --|--- waiting ---|-- transfer --|
//! rank 1   |-- compute --|--- waiting ---|-- transfer --|
//! rank 2   |-- compute --|idle: a copy   |-- transfer --|
//!          ^ the collective before       ^ rank 2 arrives; until here it spent more on idle time than the others
//! ```

use super::cause::Cause;
use super::change::Mean;
use super::divide::Piece;
use super::partial::{Partial, PartialSample};
use super::spent::{Spending, Spent};
use crate::input::kind::Class;
use crate::input::label::{Labels, Symbol};
use foldhash::HashMap;
use std::collections::BTreeMap;

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

/// Exposed communication of one side, in ns.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) parts: [Mean; 3],
    /// Adds up to the part of waiting.
    pub(super) late: BTreeMap<Late, Mean>,
}

/// An event of a collective, of one recording.
#[derive(Debug, Clone, Copy)]
struct Member {
    recording: usize,
    row: u32,
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
    parts: [Mean; 3],
    /// By collective, exposed waiting of all members.
    waited: Vec<Mean>,
    /// By collective, the time that its members spent since they were level: of the late one times the number of the others,
    /// less that of the others.
    spent: Vec<BTreeMap<Doing, i64>>,
}

impl Meetings {
    /// Finds the collectives of recordings; `nothing` is the mean of what none of their samples has.
    pub(super) fn of(partials: &[Partial], nothing: Mean) -> Self {
        let count = partials.iter().flat_map(|one| &one.meetings).map(|met| met.collective as usize + 1).max();
        let mut members: Vec<Vec<Member>> = vec![Vec::new(); count.unwrap_or(0)];
        for (recording, one) in partials.iter().enumerate().filter(|(_, one)| !one.meetings.is_empty()) {
            let by_row: HashMap<u32, usize> =
                one.communication.iter().zip(0..).map(|(one, at)| (one.row, at)).collect();
            for met in &one.meetings {
                let Some(&at) = by_row.get(&met.row) else { continue };
                let of = one.communication[at];
                let member = Member { recording, row: of.row, start: of.start, end: of.end, level: one.begin };
                members[met.collective as usize].push(member);
            }
        }
        members.iter_mut().filter(|members| members.len() < 2).for_each(Vec::clear);
        level_with_the_one_before(&mut members);
        let mut rows = vec![HashMap::default(); partials.len()];
        for (number, members) in (0..).zip(&members) {
            for member in members {
                rows[member.recording].insert(member.row, number);
            }
        }
        let count = members.len();
        Self { members, rows, parts: [nothing; 3], waited: vec![nothing; count], spent: vec![BTreeMap::new(); count] }
    }

    /// The member of a collective that arrived last; of several the first recording.
    fn late(&self, number: u32) -> Option<Member> {
        self.members[number as usize]
            .iter()
            .copied()
            .reduce(|late, one| if one.start > late.start { one } else { late })
    }

    /// Adds what a recording did before each of its collectives.
    pub(super) fn spent_before(&mut self, recording: usize, spent: &[Spent], labels: &Labels) {
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
            let sums = &mut self.spent[number as usize];
            let mut add = |doing: Doing, ns: i64| *sums.entry(doing).or_default() += factor * ns;
            // Times since then, so that sums of them stay small.
            add(Doing::Began, member.level - late.level);
            let first = spent.partition_point(|spent| spent.until <= member.level);
            for spent in spent[first..].iter().take_while(|spent| spent.until <= member.start) {
                for &(spending, label, ns) in &spent.on {
                    let name = label.map(|label| labels.symbol_of(label));
                    let doing = match spending {
                        Spending::Class(class) => Doing::Class(class, name),
                        Spending::Idle(cause) => Doing::Idle(cause, name),
                    };
                    add(doing, ns);
                }
            }
        }
    }

    /// Adds the exposed communication of a step of a recording, a sample of this weight.
    pub(super) fn add(&mut self, recording: usize, step: &PartialSample, weight: u64) {
        let mut undivided = step.sample.classes_ns[Class::Communication as usize];
        for (row, pieces) in &step.exposed {
            let Some(&number) = self.rows[recording].get(row) else { continue };
            let Some(arrived) = self.late(number).map(|late| late.start) else { continue };
            let (mut share, mut waiting) = (0, 0);
            for &Piece { from, to, ns } in pieces {
                // The same part of the share as of the time that it is a share of.
                let waited =
                    i128::from(arrived.clamp(from, to) - from) * i128::from(ns) / i128::from((to - from).max(1));
                share += ns;
                waiting += waited as i64;
            }
            self.parts[Part::Waiting as usize].add(waiting, weight);
            self.parts[Part::Transfer as usize].add(share - waiting, weight);
            self.waited[number as usize].add(waiting, weight);
            undivided -= share;
        }
        self.parts[Part::Undivided as usize].add(undivided, weight);
    }

    /// Charges the waiting for each late rank to what it spent longer on than the mean of the other ranks, in proportion.
    /// `recordings` are the ranks of the recordings.
    pub(super) fn waiting(self, recordings: &[i64]) -> Waiting {
        // By late rank: waiting, and time by what it was spent on.
        let mut ranks: BTreeMap<i64, (Mean, BTreeMap<Doing, i64>)> = BTreeMap::new();
        for number in 0..self.members.len() as u32 {
            let waited = self.waited[number as usize];
            let Some(late) = self.late(number).filter(|_| waited.total > 0) else { continue };
            let others = self.members[number as usize].len() as i64 - 1;
            let (sum, spent) = ranks.entry(recordings[late.recording]).or_default();
            *sum = *sum + waited;
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
            let [total, weighted] = [i128::from(waited.total), waited.weighted].map(|whole| parts(whole, &longer));
            for (((doing, _), total), weighted) in longer.into_iter().zip(total).zip(weighted) {
                if total > 0 || weighted > 0 {
                    late.insert(Late { rank, doing }, Mean { total: total as i64, weighted, ..waited });
                }
            }
        }
        Waiting { parts: self.parts, late }
    }
}

/// Divides a time in proportion. What is left of the division goes to the first ones, ns by ns.
fn parts(whole: i128, by: &[(Doing, i64)]) -> Vec<i128> {
    let all: i128 = by.iter().map(|&(_, ns)| i128::from(ns)).sum();
    let part = |ns: i64| {
        let ns = i128::from(ns);
        whole.checked_mul(ns).map_or_else(|| whole / all * ns, |product| product / all)
    };
    let mut parts: Vec<i128> = by.iter().map(|&(_, ns)| part(ns)).collect();
    let (rest, count) = (whole - parts.iter().sum::<i128>(), by.len() as i128);
    for (part, index) in parts.iter_mut().zip(0..) {
        *part += rest / count + i128::from(index < rest % count);
    }
    parts
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
    let mut before: HashMap<Vec<usize>, usize> = HashMap::default();
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
