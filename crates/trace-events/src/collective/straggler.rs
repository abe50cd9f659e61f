//! The ranks that other ranks wait for in collectives.

use super::matching::{Collectives, Matched, is_plausible};
use serde::Serialize;
use std::collections::BTreeMap;
use trace_view::format::{counted, nanoseconds};

/// Least share of all waiting beyond an equal share that is charged to a straggler.
const BEYOND_EQUAL: f64 = 0.1;
/// Least share of the time in collectives that is waiting, for a rank to be called a straggler.
const WORTH_NAMING: f64 = 0.01;

/// How long the ranks of a trace wait for each other in collectives, charged to the rank that arrives last.
///
/// ```text
/// rank 0   |-- waiting --|-- transfer --|
/// rank 1        |waiting |-- transfer --|
/// rank 2                 |-- transfer --|    arrives last: the waiting of ranks 0 and 1 is charged to it
/// ```
///
/// Covers the profiler steps without the last one, as all analyses do. All answers that name a straggler use this type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stragglers {
    /// Collectives that at least two ranks recorded.
    pub collectives: usize,
    /// Those of them that do not overlap on all their ranks; nothing of them is charged.
    pub apart: usize,
    /// Time of all ranks in the others, in ns.
    pub time_ns: i64,
    /// Waiting of all ranks in them, in ns.
    pub waiting_ns: i64,
    /// The ranks that took part, the one that most waiting is charged to first.
    pub ranks: Vec<ChargedRank>,
}

/// A rank, and the waiting that is charged to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ChargedRank {
    /// The rank.
    pub rank: i64,
    /// Waiting of the other ranks until it arrived, in ns.
    pub charged_ns: i64,
    /// Collectives at which it arrived last.
    pub last_in: usize,
}

impl Stragglers {
    /// Charges the waiting in the collectives of the `loaded` ranks.
    #[doc(hidden)]
    pub fn of(collectives: &Collectives, loaded: usize) -> Self {
        let mut charges = Charges::default();
        collectives.matched(loaded, |matched| charges.add(&matched));
        charges.finish()
    }

    /// Tells whether the clocks of the ranks agree: collectives overlap on all their ranks, but for one in twenty.
    #[doc(hidden)]
    pub fn is_plausible(&self) -> bool {
        is_plausible(self.collectives, self.apart)
    }

    /// Returns the ranks that stand out, the one that most waiting is charged to first: at least a tenth of all waiting beyond an equal
    /// share. None if ranks wait for less than a hundredth of the time in collectives, or their clocks disagree.
    pub fn named(&self) -> &[ChargedRank] {
        let is_small = (self.waiting_ns as f64) < WORTH_NAMING * self.time_ns as f64;
        if is_small || self.waiting_ns <= 0 || !self.is_plausible() {
            return &[];
        }
        let least = 1.0 / self.ranks.len().max(1) as f64 + BEYOND_EQUAL;
        let stands_out = |rank: &ChargedRank| self.share(rank) >= least;
        &self.ranks[..self.ranks.iter().take_while(|rank| stands_out(rank)).count()]
    }

    /// Names the stragglers, or says why there is none; `None` without collectives of several ranks whose clocks agree.
    ///
    /// `Ranks wait 46.8 ms for each other in 8 collectives: 35.6 ms (76 %) for rank 7, which arrives last at 5.`
    pub fn sentence(&self) -> Option<String> {
        if !self.is_plausible() {
            return None;
        }
        let all = counted(self.collectives - self.apart, "collective");
        let waiting = nanoseconds(self.waiting_ns);
        let share =
            |rank: &ChargedRank| format!("{} ({:.0} %)", nanoseconds(rank.charged_ns), 100.0 * self.share(rank));
        let named = self.named();
        if !named.is_empty() {
            let of = |rank: &ChargedRank| {
                format!("{} for rank {}, which arrives last at {}", share(rank), rank.rank, rank.last_in)
            };
            let named: Vec<String> = named.iter().map(of).collect();
            let often = self.most_often().map(|rank| {
                format!("; rank {} arrives last most often, at {}: {}", rank.rank, rank.last_in, share(rank))
            });
            let often = often.unwrap_or_default();
            return Some(format!("Ranks wait {waiting} for each other in {all}: {}{often}.", named.join("; ")));
        }
        let most = self.ranks.first().filter(|rank| rank.charged_ns > 0);
        let enough = self.waiting_ns as f64 >= WORTH_NAMING * self.time_ns as f64;
        Some(match most {
            Some(most) if enough => format!(
                "No rank stands out as a straggler: ranks wait {waiting} for each other in {all}, at most {} for one of them, rank {}.",
                share(most),
                most.rank
            ),
            _ => format!(
                "No rank is a straggler: ranks wait {waiting} for each other in {all}, less than {:.0} % of the time in them.",
                100.0 * WORTH_NAMING
            ),
        })
    }

    /// Returns the rank that arrives last most often, if it does not stand out by the waiting that is charged to it: one long delay of another
    /// rank may outweigh many short ones.
    fn most_often(&self) -> Option<&ChargedRank> {
        let most = self.ranks.iter().max_by_key(|rank| rank.last_in)?;
        let named = self.named();
        let is_more = named.iter().all(|rank| rank.last_in < most.last_in);
        (is_more && !named.is_empty()).then_some(most)
    }

    fn share(&self, rank: &ChargedRank) -> f64 {
        rank.charged_ns as f64 / self.waiting_ns.max(1) as f64
    }
}

/// Charges of matched collectives, one after the other.
#[derive(Debug, Default)]
pub struct Charges {
    stragglers: Stragglers,
    ranks: BTreeMap<i64, (i64, usize)>,
}

impl Charges {
    /// Charges the waiting in a collective to the rank that arrives last.
    pub fn add(&mut self, collective: &Matched<'_, '_>) {
        self.stragglers.collectives += 1;
        if collective.is_apart() {
            self.stragglers.apart += 1;
            return;
        }
        let (last_start, mut waiting) = (collective.last_start(), 0_i64);
        for member in collective.of {
            waiting = waiting.saturating_add(last_start.saturating_sub(member.start));
            self.stragglers.time_ns = self.stragglers.time_ns.saturating_add(member.end.saturating_sub(member.start));
            self.ranks.entry(member.rank).or_default();
        }
        self.stragglers.waiting_ns = self.stragglers.waiting_ns.saturating_add(waiting);
        // All ranks arrive at once: no rank is last.
        if let Some(last) = collective.of.last().filter(|_| waiting > 0) {
            let (charged, last_in) = self.ranks.entry(last.rank).or_default();
            *charged = charged.saturating_add(waiting);
            *last_in += 1;
        }
    }

    /// Returns the ranks, the one that most is charged to first.
    pub fn finish(self) -> Stragglers {
        let rank = |(rank, (charged_ns, last_in))| ChargedRank { rank, charged_ns, last_in };
        let mut ranks: Vec<ChargedRank> = self.ranks.into_iter().map(rank).collect();
        ranks.sort_by_key(|rank| (std::cmp::Reverse(rank.charged_ns), rank.rank));
        Stragglers { ranks, ..self.stragglers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stragglers(charged: &[(i64, i64)], time_ns: i64) -> Stragglers {
        let rank = |&(rank, charged_ns): &(i64, i64)| ChargedRank { rank, charged_ns, last_in: 1 };
        let waiting_ns = charged.iter().map(|(_, charged)| charged).sum();
        Stragglers { collectives: 4, apart: 0, time_ns, waiting_ns, ranks: charged.iter().map(rank).collect() }
    }

    #[test]
    fn ranks_stand_out_by_a_tenth_beyond_an_equal_share() {
        let named = |charged: &[(i64, i64)]| -> Vec<i64> {
            stragglers(charged, 10_000).named().iter().map(|rank| rank.rank).collect()
        };
        assert_eq!(named(&[(3, 700), (1, 300)]), [3]);
        assert_eq!(named(&[(3, 550), (1, 450)]), [0_i64; 0]);
        assert_eq!(named(&[(3, 400), (5, 400), (0, 100), (1, 100)]), [3, 5]);
        assert_eq!(named(&[(3, 0), (1, 0)]), [0_i64; 0]);
    }

    #[test]
    fn many_short_delays_are_said_beside_a_long_one() {
        let mut job = stragglers(&[(0, 900), (2, 300), (1, 0), (3, 0)], 10_000);
        let rare =
            "Ranks wait 1.20 µs for each other in 4 collectives: 900 ns (75 %) for rank 0, which arrives last at 1";
        assert_eq!(job.sentence().as_deref(), Some(format!("{rare}.").as_str()));
        job.ranks[1].last_in = 3;
        let often = "; rank 2 arrives last most often, at 3: 300 ns (25 %)";
        assert_eq!(job.sentence().as_deref(), Some(format!("{rare}{often}.").as_str()));
    }

    #[test]
    fn short_waiting_names_no_rank() {
        let short = stragglers(&[(3, 9), (1, 0)], 1_000);
        assert_eq!(short.named(), []);
        let expected = "No rank is a straggler: ranks wait 9.00 ns for each other in 4 collectives, less than 1 % of the time in them.";
        assert_eq!(short.sentence().as_deref(), Some(expected));
        let even = stragglers(&[(3, 55), (1, 45)], 1_000);
        let expected = "No rank stands out as a straggler: ranks wait 100 ns for each other in 4 collectives, at most 55.0 ns (55 %) for \
                        one of them, rank 3.";
        assert_eq!(even.sentence().as_deref(), Some(expected));
    }
}
