//! Collectives by process group, kind and size: bandwidth, waiting, and how much of them is hidden behind computation.

mod joined;
mod notes;
mod peers;
mod recorded;

use super::compare_ranks::Divided;
use super::{Analysis, Answer, AnswerTable, Parameter, RankView, TableSchema, TraceAnalysis};
use crate::Result;
use efficiency::Bandwidth;
use joined::{Joined, Row, by_size};
use peers::{PEER_COLUMNS, frame_of_peers};
use polars::df;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, Column, Figure, Mark, Points, Series, Unit};

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
/// `COLUMNS`, the longest time first; arrivals by rank: `RANK_COLUMNS`; bytes by peer of all-to-alls with uneven shares: `PEER_COLUMNS`.
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

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("process_group", Unit::None, "process group as recorded: what it is for, and its name"),
    Column::new("group_ranks", Unit::None, "ranks of the process group, as recorded"),
    Column::new("group_size", Unit::Count, "number of ranks in the process group"),
    Column::new("collective", Unit::None, "kind of the collective; none of a custom kernel"),
    Column::new("name", Unit::None, "kernel"),
    Column::new("dtype", Unit::None, "type of the elements of a message"),
    Column::new("size", Unit::Bytes, "mean size of a message as nccl-tests count it: of the whole input or result"),
    Column::new("count", Unit::Count, "kernels on all analysed ranks"),
    Column::new("time (us)", Unit::Micros, "their durations"),
    Column::new("mean (us)", Unit::Micros, "mean duration of a kernel"),
    Column::new("joined", Unit::Count, "kernels that were matched with those of other ranks"),
    Column::new("waiting (us)", Unit::Micros, "time before the last rank arrives, of all ranks"),
    Column::new("transfer (us)", Unit::Micros, "time after the last rank has arrived, of all ranks"),
    Column::new("exposed_share", Unit::Percent, "share of the time during which no computation of the rank runs"),
    Column::new("algbw", Unit::GigabytesPerSecond, "algorithm bandwidth: size by time of a transfer"),
    Column::new(
        "busbw",
        Unit::GigabytesPerSecond,
        "bus bandwidth: what a link carries, to be compared with that of links",
    ),
    Column::new(
        "bandwidth_by",
        Unit::None,
        "time of a transfer: the shortest duration over the ranks, or the own duration, which may include waiting",
    ),
];

/// The columns of the arrivals.
const RANK_COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("collectives", Unit::Count, "collectives that were matched with other ranks"),
    Column::new("waited (us)", Unit::Micros, "time that the rank waits in them for the last rank"),
    Column::new("waited_for (us)", Unit::Micros, "time that all other ranks wait where this rank is the last"),
    Column::new("last_in", Unit::Count, "collectives at which it arrives last"),
    Column::new("skew (us)", Unit::Micros, "mean time from the first rank's arrival to this rank's"),
];

impl Analysis for Collectives {
    const NAME: &'static str = "collectives";
    const SUMMARY: &'static str = "Show bandwidth, waiting and exposed time of collectives by group, kind and size.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", COLUMNS).of_named_events().with_short_names().joined(
            &["process_group", "collective", "name", "dtype", "size"],
            &["time (us)", "count", "waiting (us)", "transfer (us)", "exposed_share", "busbw"],
        ),
        TableSchema::new("ranks", RANK_COLUMNS),
        TableSchema::new("peers", PEER_COLUMNS),
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
        let (ranks, peers) = (frame_of_ranks(&joined, &divided)?, frame_of_peers(&state.peers())?);
        let (has_ranks, has_peers) = (ranks.height() > 0, peers.height() > 0);
        Ok(Answer {
            tables: vec![
                AnswerTable::new(&Self::TABLES[0], frame(&joined.rows)?),
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

/// Converts nanoseconds to µs.
fn micros(nanos: i128) -> f64 {
    nanos as f64 / 1e3
}

fn frame(rows: &[Row<'_>]) -> Result<DataFrame> {
    let divided = |row: &Row<'_>, time: i128| (row.divided > 0).then(|| micros(time));
    let bandwidths: Vec<Option<Bandwidth>> = rows.iter().map(Row::bandwidth).collect();
    let group_sizes = rows.iter().map(|row| Some(row.call.group_size as i64).filter(|&size| size > 0));
    let by = |(row, found): (&Row<'_>, &Option<Bandwidth>)| {
        let word = if row.joined() > 0 { "shortest of ranks" } else { "own duration" };
        found.map(|_| word)
    };
    Ok(df!(
        COLUMNS[0].name => rows.iter().map(|row| known(&row.call.group)).collect::<Vec<_>>(),
        COLUMNS[1].name => rows.iter().map(|row| known(&row.call.group_ranks)).collect::<Vec<_>>(),
        COLUMNS[2].name => group_sizes.collect::<Vec<_>>(),
        COLUMNS[3].name => rows.iter().map(|row| known(&row.call.collective)).collect::<Vec<_>>(),
        COLUMNS[4].name => rows.iter().map(|row| row.call.name.as_str()).collect::<Vec<_>>(),
        COLUMNS[5].name => rows.iter().map(|row| known(&row.call.element)).collect::<Vec<_>>(),
        COLUMNS[6].name => rows.iter().map(|row| row.size().map(|size| size as i64)).collect::<Vec<_>>(),
        COLUMNS[7].name => rows.iter().map(|row| row.count as i64).collect::<Vec<_>>(),
        COLUMNS[8].name => rows.iter().map(|row| micros(row.time)).collect::<Vec<_>>(),
        COLUMNS[9].name => rows.iter().map(|row| micros(row.time) / row.count.max(1) as f64).collect::<Vec<_>>(),
        COLUMNS[10].name => rows.iter().map(|row| row.joined() as i64).collect::<Vec<_>>(),
        COLUMNS[11].name => rows.iter().map(|row| divided(row, row.waiting)).collect::<Vec<_>>(),
        COLUMNS[12].name => rows.iter().map(|row| divided(row, row.transfer)).collect::<Vec<_>>(),
        COLUMNS[13].name => rows.iter().map(Row::exposed_share).collect::<Vec<_>>(),
        COLUMNS[14].name => bandwidths.iter().map(|found| found.map(|found| found.algorithm)).collect::<Vec<_>>(),
        COLUMNS[15].name => bandwidths.iter().map(|found| found.map(|found| found.bus)).collect::<Vec<_>>(),
        COLUMNS[16].name => rows.iter().zip(&bandwidths).map(by).collect::<Vec<_>>(),
    )?)
}

/// Returns a text that was recorded.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Returns the arrivals by rank.
fn frame_of_ranks(joined: &Joined<'_>, divided: &Divided) -> Result<DataFrame> {
    let charged: BTreeMap<i64, (i64, usize)> =
        divided.stragglers.ranks.iter().map(|rank| (rank.rank, (rank.charged_ns, rank.last_in))).collect();
    let of = |rank: &i64| charged.get(rank).copied().unwrap_or_default();
    let arrivals = &joined.arrivals;
    Ok(df!(
        "rank" => arrivals.keys().copied().collect::<Vec<_>>(),
        "collectives" => arrivals.values().map(|rank| rank.count as i64).collect::<Vec<_>>(),
        "waited (us)" => arrivals.values().map(|rank| micros(rank.waited)).collect::<Vec<_>>(),
        "waited_for (us)" => arrivals.keys().map(|rank| micros(of(rank).0.into())).collect::<Vec<_>>(),
        "last_in" => arrivals.keys().map(|rank| of(rank).1 as i64).collect::<Vec<_>>(),
        "skew (us)" => arrivals.values().map(|rank| micros(rank.skew) / rank.count.max(1) as f64).collect::<Vec<_>>(),
    )?)
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
