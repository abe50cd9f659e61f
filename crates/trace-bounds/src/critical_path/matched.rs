//! Rows of ranks that a change selects, by their bound.

use super::change::TimeChange;
use super::ranks::LoadedRank;
use super::short_runs::SHORT_RUN;
use crate::exec::checkpoint;
use crate::filter::{Filter, TraceFilter};
use crate::frame::columns::RANK;
use crate::{Result, Trace};
use causal::BoundBy;
use polars_arrow::bitmap::Bitmap;

/// The column of what bounds an interval of time.
const BOUND_BY: &str = "bound_by";

/// What a change chooses, for each rank.
pub(super) struct Matched {
    factor: f64,
    /// By the place of the rank, then by class of time.
    ranks: Vec<[ClassMatch; BoundBy::ALL.len()]>,
}

/// What a change chooses of the time of one class on one rank.
#[derive(Clone, Default)]
struct ClassMatch {
    rows: Rows,
    /// Time without an event.
    without_event: bool,
}

/// Rows of events.
#[derive(Clone, Default)]
enum Rows {
    #[default]
    None,
    All,
    Some(Bitmap),
}

impl Rows {
    #[inline]
    fn contains(&self, row: usize) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(rows) => row < rows.len() && rows.get_bit(row),
        }
    }

    /// Returns these rows outside `part`, and of `part` those that are `within`.
    fn replaced(self, part: &Bitmap, within: Self) -> Self {
        let outside = match self {
            Self::None => None,
            Self::All => Some(!part),
            Self::Some(rows) => Some(&rows & &!part),
        };
        let within = match within {
            Self::None => None,
            Self::All => Some(part.clone()),
            Self::Some(rows) => Some(&rows & part),
        };
        match (outside, within) {
            (Some(outside), Some(within)) => Self::Some(&outside | &within),
            (Some(rows), None) | (None, Some(rows)) => Self::Some(rows),
            (None, None) => Self::None,
        }
    }
}

impl Matched {
    /// Finds what a change chooses of these ranks.
    ///
    /// # Errors
    /// If the condition names a column that no rank has, or compares one with a value of another type.
    pub(super) fn of(change: &TimeChange, ranks: &[LoadedRank]) -> Result<Self> {
        let condition = change.condition();
        let traces: Vec<Trace> = ranks.iter().map(|rank| rank.trace.clone()).collect();
        let filter = Filter::from(condition).with_text_columns(&traces, &[BOUND_BY, SHORT_RUN])?;
        let (by_class, by_run) = (condition.names_column(BOUND_BY), condition.names_column(SHORT_RUN));
        let is_of_events = !condition.names_only(&[BOUND_BY, SHORT_RUN, RANK]);
        let ranks = ranks.iter().map(|rank| {
            let of_rank = OfRank { filter: &filter, rank, is_of_events };
            match (by_class, by_run) {
                (_, true) => of_rank.by_runs(by_class),
                (true, false) => of_rank.by_classes(),
                (false, false) => of_rank.own_times(),
            }
        });
        Ok(Self { factor: change.factor(), ranks: ranks.collect::<Result<_>>()? })
    }

    /// Returns the factor of an interval of time: 1 if it is not chosen.
    #[inline]
    pub(super) fn factor(&self, rank: usize, row: Option<usize>, class: BoundBy) -> f64 {
        if self.takes(rank, row, class) { self.factor } else { 1.0 }
    }

    /// Tells whether an interval of time is chosen.
    #[inline]
    pub(super) fn takes(&self, rank: usize, row: Option<usize>, class: BoundBy) -> bool {
        let Some(of) = self.ranks.get(rank).map(|classes| &classes[class as usize]) else { return false };
        match row {
            None => of.without_event,
            Some(row) => of.rows.contains(row),
        }
    }
}

/// A condition on one rank.
struct OfRank<'a> {
    filter: &'a TraceFilter,
    rank: &'a LoadedRank,
    /// Whether the condition names a column of events.
    is_of_events: bool,
}

impl OfRank<'_> {
    /// Evaluates the condition on each class of time.
    fn by_classes(&self) -> Result<[ClassMatch; BoundBy::ALL.len()]> {
        let mut found: [ClassMatch; BoundBy::ALL.len()] = Default::default();
        for class in BoundBy::ALL {
            let (rows, without_event) = (self.rows(class.word(), "")?, self.takes(class.word(), "")?);
            found[class as usize] = ClassMatch { rows, without_event };
        }
        Ok(found)
    }

    /// Evaluates the condition on what one launch would replace of runs of short kernels, and, if it names them, on each class of time.
    fn by_runs(&self, by_class: bool) -> Result<[ClassMatch; BoundBy::ALL.len()]> {
        let mut known: Vec<([&str; 2], ClassMatch)> = Vec::new();
        let mut of_words = |class: &'static str, run: &'static str| -> Result<ClassMatch> {
            if let Some((_, found)) = known.iter().find(|(of, _)| *of == [class, run]) {
                return Ok(found.clone());
            }
            let found = ClassMatch { rows: self.rows(class, run)?, without_event: self.takes(class, run)? };
            known.push(([class, run], found.clone()));
            Ok(found)
        };
        let mut found: [ClassMatch; BoundBy::ALL.len()] = Default::default();
        for class in BoundBy::ALL {
            let word = if by_class { class.word() } else { "" };
            let mut of_class = of_words(word, "")?;
            for (run, of_run) in self.rank.short_runs().replaced(class) {
                of_class.rows = of_class.rows.replaced(of_run, of_words(word, run)?.rows);
            }
            found[class as usize] = of_class;
        }
        Ok(found)
    }

    /// Evaluates the condition on events, of which only the own time is chosen.
    fn own_times(&self) -> Result<[ClassMatch; BoundBy::ALL.len()]> {
        let rows = self.rows("", "")?;
        let mut found: [ClassMatch; BoundBy::ALL.len()] = Default::default();
        for class in BoundBy::ALL.into_iter().filter(|class| is_own_time(*class)) {
            found[class as usize] = ClassMatch { rows: rows.clone(), without_event: false };
        }
        Ok(found)
    }

    /// Returns the events that are chosen, were their time of this class and replaced as this word says. Where the condition names no
    /// column of events, these are all events, or none.
    fn rows(&self, class: &str, run: &str) -> Result<Rows> {
        checkpoint::check()?;
        if self.is_of_events {
            let mask = self.filter.mask_with(&self.rank.trace, &[(BOUND_BY, class), (SHORT_RUN, run)])?;
            return Ok(Rows::Some(mask.rechunk().downcast_as_array().values().clone()));
        }
        Ok(if self.takes(class, run)? { Rows::All } else { Rows::None })
    }

    /// Tells whether time without an event is chosen.
    fn takes(&self, class: &str, run: &str) -> Result<bool> {
        self.filter.takes_without_event(self.rank.trace.rank(), &[(BOUND_BY, class), (SHORT_RUN, run)])
    }
}

/// Tells whether time of a class is that of an event itself, not of launching it or of waiting.
const fn is_own_time(class: BoundBy) -> bool {
    match class {
        BoundBy::Cpu
        | BoundBy::DataLoading
        | BoundBy::Python
        | BoundBy::CudaRuntime
        | BoundBy::Compute
        | BoundBy::Communication
        | BoundBy::Memory => true,
        BoundBy::LaunchOverhead
        | BoundBy::KernelKernelOverhead
        | BoundBy::Synchronization
        | BoundBy::WaitingForRank
        | BoundBy::NotRecorded
        | BoundBy::Unexplained => false,
    }
}
