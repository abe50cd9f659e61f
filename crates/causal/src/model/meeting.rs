//! Collectives: points at which the ranks of one meet.

use super::number::RankDraft;
use crate::input::event::{Collective, NONE};

/// A kernel of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) rank: u32,
    pub(crate) kernel: u32,
}

/// The collectives of a job.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// Members of all meetings, meeting by meeting.
    pub(crate) members: Vec<Member>,
    /// By meeting its first member, and one past the last member of all.
    pub(crate) first: Vec<u32>,
    /// By meeting when the last of its ranks began.
    pub(crate) ts: Vec<i64>,
    /// By rank and kernel its meeting; [`NONE`] without one.
    pub(crate) of: Vec<Vec<u32>>,
    /// By meeting for how long it waits for ranks whose trace is missing, in ns.
    pub(crate) waits: Vec<i64>,
    /// Collectives that would have ended on one rank before they began on another.
    pub(crate) apart: u64,
}

impl Meetings {
    /// Matches the collectives of the ranks.
    pub(crate) fn of(ranks: &[RankDraft]) -> Self {
        let mut all: Vec<(u64, u64, u32, u32, u32, Collective)> = Vec::new();
        for (number, rank) in (0..).zip(ranks) {
            let mut of_rank: Vec<(u64, u64, i64, u32, Collective)> = Vec::new();
            for kernel in 0..rank.kernels.event.len() as u32 {
                let event = rank.kernel(kernel);
                if let Some(&key) = rank.events.collectives.get(event.collective as usize) {
                    of_rank.push((key.group, key.number, event.start, kernel, key));
                }
            }
            of_rank.sort_unstable();
            // Equal keys of one rank are told apart by their order.
            for equal in of_rank.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
                all.extend((0..).zip(equal).map(|(at, one)| (one.0, one.1, at, number, one.3, one.4)));
            }
        }
        all.sort_unstable();
        let mut found =
            Self { of: ranks.iter().map(|rank| vec![NONE; rank.kernels.event.len()]).collect(), ..Self::default() };
        let mut missing: Vec<(u64, u64, i64, u32)> = Vec::new();
        for one in all.chunk_by(|one, other| (one.0, one.1, one.2) == (other.0, other.1, other.2)) {
            let event = |member: &(u64, u64, u32, u32, u32, Collective)| ranks[member.3 as usize].kernel(member.4);
            let (Some(last), Some(end)) =
                (one.iter().map(|member| event(member).start).max(), one.iter().map(|member| event(member).end).min())
            else {
                continue;
            };
            let is_complete = one.iter().all(|member| member.5.size as usize <= one.len());
            if end < last {
                found.apart += 1;
                continue;
            }
            if one.len() == 1 && is_complete {
                continue;
            }
            let meeting = found.ts.len() as u32;
            found.first.push(found.members.len() as u32);
            found.ts.push(last);
            found.waits.push(0);
            for member in one {
                found.members.push(Member { rank: member.3, kernel: member.4 });
                found.of[member.3 as usize][member.4 as usize] = meeting;
            }
            if !is_complete {
                missing.push((one[0].0, one[0].5.amount, end - last, meeting));
            }
        }
        found.first.push(found.members.len() as u32);
        // The shortest one of a group and size did not wait.
        missing.sort_unstable();
        for group in missing.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let transfer = group[0].2;
            for &(_, _, time, meeting) in group {
                found.waits[meeting as usize] = time - transfer;
            }
        }
        found
    }

    /// The members of a meeting.
    pub(crate) fn members(&self, meeting: u32) -> &[Member] {
        &self.members[self.first[meeting as usize] as usize..self.first[meeting as usize + 1] as usize]
    }
}
