//! Collectives by process group, kind and size: bandwidth, waiting, and how much of them is hidden behind computation.

mod exposed;
mod joined;
mod notes;
mod peers;
mod recorded;
mod table;

use super::compare_ranks::Divided;
use super::{Analysis, Answer, AnswerTable, Parameter, RankView, TableSchema, TraceAnalysis};
use crate::Result;
use crate::present::{answer_frame, declared};
pub use exposed::ExposedCollectives;
use joined::{Joined, Row, by_size};
use peers::{PeerRow, frame_of_peers};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use table::RankRow;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

pub(super) use recorded::State;

/// Collectives by process group, kind, message size and type of elements: count, time, bandwidth, waiting, exposed time.
///
/// ```text
/// rank 0   |-- waiting --|-- transfer --|
/// rank 1        |waiting |-- transfer --|
/// rank 2                 |-- transfer --|    the last to arrive: bandwidth is size / its duration
/// ```
///
/// Bandwidth is that of nccl-tests: the algorithm bandwidth is size by time, the bus bandwidth what a link carries, to be compared with
/// the bandwidth of links. The time is the shortest duration over the ranks, which is that of the last to arrive, so clocks need not agree.
/// A collective that is recorded on one rank only has its own duration, which includes waiting: the bandwidth is a lower bound.
///
/// # Columns
/// `Row::COLUMNS`, the longest time first; arrivals by rank: `RankRow::COLUMNS`; bytes by peer of all-to-alls with uneven shares:
/// `PeerRow::COLUMNS`.
///
/// # Example
/// ```
/// use trace::analysis::Collectives;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let df = TraceAnalysis::new(&job)?.collectives(&Collectives::default())?;
/// assert!(df.column("busbw").is_ok() && df.height() > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collectives {}

impl Analysis for Collectives {
    const NAME: &'static str = "collectives";
    const SUMMARY: &'static str = "Show bandwidth, waiting and exposed time of collectives by group, kind and size.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", &declared(&Row::COLUMNS)).of_named_events().with_short_names().joined(
            &["process_group", "collective", "name", "dtype", "size"],
            &["time (us)", "count", "waiting (us)", "transfer (us)", "exposed_share", "busbw"],
        ),
        TableSchema::new("ranks", &declared(&RankRow::COLUMNS)),
        TableSchema::new("peers", &declared(&PeerRow::COLUMNS)),
    ];
    const NOTES: &'static str = "Bandwidths are those of nccl-tests: algbw is size / time, busbw is what a link carries (all_reduce: \
        2 (n - 1) / n of algbw), to be compared with the bandwidth of links. The time is the shortest duration over the ranks: the last to \
        arrive does not wait. A collective that only one rank recorded has its own duration, which includes waiting: its bandwidth is a \
        lower bound. Broadcasts and sends do, too, since they may end before all ranks have begun.\n\n\
        Sizes need the arguments that PyTorch records with collectives: record CPU and GPU together. Custom kernels (cross_device_reduce, \
        DeepEP, NVSHMEM) have none. Uneven all-to-alls are put together by powers of two of their sizes; the table peers has their bytes \
        by peer.\n\n\
        Collectives are matched as in %compare_ranks. Waiting and transfer are told apart only if the clocks of the ranks agree.";
    const BYTES_PER_ROW: usize = 96;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        State::of(rank)
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let divided = Divided::of(&state.matching, state.ranks.0.len());
        let joined = Joined::of(&state, &divided);
        let (ranks, peers) = (table::ranks(&joined, &divided)?, frame_of_peers(&state.peers())?);
        let (has_ranks, has_peers) = (ranks.height() > 0, peers.height() > 0);
        Ok(Answer {
            tables: vec![
                AnswerTable::new(&Self::TABLES[0], answer_frame(&joined.rows, &Row::COLUMNS)?),
                AnswerTable::new(&Self::TABLES[1], ranks).shown_if(has_ranks),
                AnswerTable::new(&Self::TABLES[2], peers).shown_if(has_peers),
            ],
            figures: figure(&joined.rows).into_iter().collect(),
            notes: notes::notes(&state, &joined, &divided),
            ..Answer::default()
        })
    }
}

impl TraceAnalysis {
    /// Returns the collectives by process group, kind and size, with their time and bandwidth.
    ///
    /// # Columns
    /// Those of [`Collectives`]; times in µs, sizes in bytes, bandwidth in GB/s.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn collectives(&self, query: &Collectives) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

/// Collectives of one number, by the sizes that their ranks recorded.
#[derive(Debug, Default)]
pub(super) struct ComparedSizes {
    /// Those of which at least two ranks recorded a size.
    pub(super) compared: usize,
    /// Those whose ranks recorded different sizes.
    pub(super) different: usize,
    /// A sentence about each of the first of them.
    pub(super) named: Vec<String>,
}

/// Compares the sizes that the ranks of a collective recorded.
pub(super) fn compared_sizes(state: &State) -> ComparedSizes {
    let joined = Joined::of(state, &Divided::of(&state.matching, state.ranks.0.len()));
    let (named, different) = joined.different;
    ComparedSizes { compared: joined.compared, different, named }
}

/// Draws bus bandwidth against size; `None` without bandwidth.
fn figure(rows: &[Row<'_>]) -> Option<Figure> {
    let series = |((kind, ranks), points): ((efficiency::CollectiveKind, u64), Vec<(f64, f64)>)| Series {
        name: if ranks > 0 { format!("{}, {ranks} ranks", kind.word()) } else { kind.word().to_owned() },
        mark: Mark::Line,
        x: Points::Numbers(points.iter().map(|&(size, _)| size).collect()),
        y: points.iter().map(|&(_, bus)| bus).collect(),
    };
    let series: Vec<Series> = by_size(rows).into_iter().map(series).collect();
    (!series.is_empty()).then(|| Figure {
        title: "Bus bandwidth of collectives".to_owned(),
        x: Axis { title: "Message size".to_owned(), unit: Unit::Bytes, log: true, ..Axis::default() },
        y: Axis { title: "Bus bandwidth".to_owned(), unit: Unit::GigabytesPerSecond, ..Axis::default() },
        series,
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests;
