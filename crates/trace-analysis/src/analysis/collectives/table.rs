//! Columns of collectives and of arrivals.

use super::joined::{Arrivals, Joined, Row};
use crate::Result;
use crate::analysis::compare_ranks::Divided;
use crate::present::{Field, answer_frame};
use polars::prelude::DataFrame;
use std::collections::BTreeMap;
use trace_view::Unit;

impl Row<'_> {
    pub(super) const COLUMNS: [Field<Self>; 17] = [
        Field::name("process_group", "process group as recorded: what it is for, and its name", |row| {
            known(&row.call.group)
        }),
        Field::name("group_ranks", "ranks of the process group, as recorded", |row| known(&row.call.group_ranks)),
        Field::whole("group_size", Unit::Count, "number of ranks in the process group", |row| {
            Some(row.call.group_size as i64).filter(|&size| size > 0)
        }),
        Field::word("collective", "kind of the collective; none of a custom kernel", |row| known(&row.call.collective)),
        Field::name("name", "kernel", |row| Some(&row.call.name)),
        Field::word("dtype", "type of the elements of a message", |row| known(&row.call.element)),
        Field::whole(
            "size",
            Unit::Bytes,
            "mean size of a message as nccl-tests count it: of the whole input or result",
            |row| row.size().map(|size| size as i64),
        ),
        Field::whole("count", Unit::Count, "kernels on all analysed ranks", |row| Some(row.count as i64)),
        Field::number("time (us)", Unit::Micros, "their durations", |row| Some(micros(row.time))),
        Field::number("mean (us)", Unit::Micros, "mean duration of a kernel", |row| {
            Some(micros(row.time) / row.count.max(1) as f64)
        }),
        Field::whole("joined", Unit::Count, "kernels that were matched with those of other ranks", |row| {
            Some(row.joined() as i64)
        }),
        Field::number("waiting (us)", Unit::Micros, "time before the last rank arrives, of all ranks", |row| {
            (row.divided > 0).then(|| micros(row.waiting))
        }),
        Field::number("transfer (us)", Unit::Micros, "time after the last rank has arrived, of all ranks", |row| {
            (row.divided > 0).then(|| micros(row.transfer))
        }),
        Field::number(
            "exposed_share",
            Unit::Percent,
            "share of the time during which no computation of the rank runs",
            |row| row.exposed_share(),
        ),
        Field::number("algbw", Unit::GigabytesPerSecond, "algorithm bandwidth: size by time of a transfer", |row| {
            Some(row.bandwidth()?.algorithm)
        }),
        Field::number(
            "busbw",
            Unit::GigabytesPerSecond,
            "bus bandwidth: what a link carries, to be compared with that of links",
            |row| Some(row.bandwidth()?.bus),
        ),
        Field::word(
            "bandwidth_by",
            "time of a transfer: the shortest duration over the ranks, or the own duration, which may include waiting",
            |row| row.bandwidth().map(|_| if row.joined() > 0 { "shortest of ranks" } else { "own duration" }),
        ),
    ];
}

/// Arrivals of a rank, with the time that other ranks wait for it.
pub(super) struct RankRow<'a> {
    rank: i64,
    arrivals: &'a Arrivals,
    waited_for_ns: i64,
    last_in: usize,
}

impl RankRow<'_> {
    pub(super) const COLUMNS: [Field<Self>; 6] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::whole("collectives", Unit::Count, "collectives that were matched with other ranks", |row| {
            Some(row.arrivals.count as i64)
        }),
        Field::number("waited (us)", Unit::Micros, "time that the rank waits in them for the last rank", |row| {
            Some(micros(row.arrivals.waited))
        }),
        Field::time("waited_for (us)", "time that all other ranks wait where this rank is the last", |row| {
            Some(row.waited_for_ns)
        }),
        Field::whole("last_in", Unit::Count, "collectives at which it arrives last", |row| Some(row.last_in as i64)),
        Field::number("skew (us)", Unit::Micros, "mean time from the first rank's arrival to this rank's", |row| {
            Some(micros(row.arrivals.skew) / row.arrivals.count.max(1) as f64)
        }),
    ];
}

/// Returns the arrivals by rank.
pub(super) fn ranks(joined: &Joined<'_>, divided: &Divided) -> Result<DataFrame> {
    let charged: BTreeMap<i64, (i64, usize)> =
        divided.stragglers.ranks.iter().map(|rank| (rank.rank, (rank.charged_ns, rank.last_in))).collect();
    let row = |(&rank, arrivals)| {
        let (waited_for_ns, last_in) = charged.get(&rank).copied().unwrap_or_default();
        RankRow { rank, arrivals, waited_for_ns, last_in }
    };
    answer_frame(&joined.arrivals.iter().map(row).collect::<Vec<_>>(), &RankRow::COLUMNS)
}

/// Converts nanoseconds to µs.
fn micros(nanos: i128) -> f64 {
    nanos as f64 / 1e3
}

/// Returns a text that was recorded.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
