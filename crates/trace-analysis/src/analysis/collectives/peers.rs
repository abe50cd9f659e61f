//! Bytes by peer of all-to-alls with shares of different sizes.

use crate::Result;
use crate::present::{Field, answer_frame};
use efficiency::{DataType, Splits};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::Unit;
use trace_view::format::bytes;

/// Least imbalance that a note names.
const WORTH_NAMING: f64 = 1.1;

/// Bytes that a rank exchanges with the peers of a process group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peers {
    group: String,
    group_ranks: String,
    /// Sent and received, by position in the group.
    bytes: Vec<[u64; 2]>,
}

impl Peers {
    fn add(&mut self, direction: usize, splits: &Splits) {
        if self.bytes.len() < splits.bytes.len() {
            self.bytes.resize(splits.bytes.len(), [0; 2]);
        }
        for (sums, &bytes) in self.bytes.iter_mut().zip(&splits.bytes) {
            sums[direction] = sums[direction].saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        }
    }

    /// Returns the rank at a position of the group, or the position.
    fn rank_at(&self, position: usize) -> i64 {
        let list = self.group_ranks.trim_matches(['[', ']']);
        let ranks: Option<Vec<i64>> = list.split(',').map(|rank| rank.trim().parse().ok()).collect();
        let rank = ranks.filter(|ranks| ranks.len() == self.bytes.len()).and_then(|ranks| ranks.get(position).copied());
        rank.unwrap_or(position as i64)
    }

    fn mean_sent(&self) -> f64 {
        self.bytes.iter().map(|&[sent, _]| sent as f64).sum::<f64>() / self.bytes.len().max(1) as f64
    }

    fn imbalance(&self, position: usize) -> Option<f64> {
        let mean = self.mean_sent();
        (mean > 0.0).then(|| self.bytes[position][0] as f64 / mean)
    }
}

/// Adds the shares of a collective, sent and received, with the number of its elements. Returns how many lists are cut, and left out.
pub(super) fn add_splits(
    peers: &mut BTreeMap<(String, String), Peers>,
    group: (String, String),
    texts: [&str; 2],
    elements: [u64; 2],
    element: DataType,
) -> u64 {
    let mut cut = 0;
    for (direction, (text, elements)) in texts.into_iter().zip(elements).enumerate() {
        // Lists count rows of the tensor, messages its elements.
        let Some(rows) = Splits::parse(text, 1, DataType::I8) else { continue };
        if rows.is_cut {
            cut += 1;
            continue;
        }
        let values = u128::from(elements).checked_div(rows.total()).and_then(|values| u64::try_from(values).ok());
        let Some(splits) = Splits::parse(text, values.unwrap_or(0), element) else { continue };
        let new = || Peers { group: group.0.clone(), group_ranks: group.1.clone(), bytes: Vec::new() };
        peers.entry(group.clone()).or_insert_with(new).add(direction, &splits);
    }
    cut
}

/// Bytes that a rank exchanges with the peer at a position of a process group.
pub(super) struct PeerRow<'p> {
    peers: &'p Peers,
    rank: i64,
    position: usize,
}

impl PeerRow<'_> {
    pub(super) const COLUMNS: [Field<Self>; 6] = [
        Field::name("process_group", "process group, as recorded", |row| {
            Some(row.peers.group.as_str()).filter(|group| !group.is_empty())
        }),
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::id(
            "peer",
            "the other rank; its position in the process group where its ranks are not recorded",
            |row| Some(row.peers.rank_at(row.position)),
        ),
        Field::whole(
            "sent",
            Unit::Bytes,
            "bytes that the rank sends to the peer in all-to-alls with uneven shares",
            |row| Some(row.bytes(0)),
        ),
        Field::whole("received", Unit::Bytes, "bytes that the rank receives from the peer in them", |row| {
            Some(row.bytes(1))
        }),
        Field::number(
            "imbalance",
            Unit::None,
            "sent, divided by the mean over the peers of the rank: 1 if all get the same",
            |row| row.peers.imbalance(row.position),
        ),
    ];

    fn bytes(&self, direction: usize) -> i64 {
        i64::try_from(self.peers.bytes[self.position][direction]).unwrap_or(i64::MAX)
    }
}

/// Returns each peer with the rank that exchanges bytes with it, and its position in the group.
fn positions<'p>(ranks: &[(i64, &'p [Peers])]) -> Vec<PeerRow<'p>> {
    let mut rows = Vec::new();
    for &(rank, groups) in ranks {
        for peers in groups {
            rows.extend((0..peers.bytes.len()).map(|position| PeerRow { peers, rank, position }));
        }
    }
    rows
}

/// Returns the bytes by group, rank and peer.
pub(super) fn frame_of_peers(ranks: &[(i64, &[Peers])]) -> Result<DataFrame> {
    let mut rows = positions(ranks);
    rows.sort_by_key(|row| (&row.peers.group, &row.peers.group_ranks, row.rank, row.position));
    answer_frame(&rows, &PeerRow::COLUMNS)
}

/// Names the largest imbalance.
pub(super) fn largest_imbalance(ranks: &[(i64, &[Peers])]) -> Option<String> {
    let mut most: Option<(f64, &Peers, i64, usize)> = None;
    for PeerRow { peers, rank, position } in positions(ranks) {
        let Some(imbalance) = peers.imbalance(position) else { continue };
        if most.is_none_or(|(largest, ..)| imbalance > largest) {
            most = Some((imbalance, peers, rank, position));
        }
    }
    let (imbalance, peers, rank, position) = most.filter(|&(imbalance, ..)| imbalance >= WORTH_NAMING)?;
    Some(format!(
        "Shares of all-to-alls are uneven: rank {rank} sends {} to rank {}, {imbalance:.2} times the mean over its peers.",
        bytes(peers.bytes[position][0]),
        peers.rank_at(position)
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn shares_count_rows_of_as_many_values_as_fit() {
        let mut peers = BTreeMap::new();
        let group = || ("ep".to_owned(), "[4, 6]".to_owned());
        // 3 + 1 rows of 8 values of 2 bytes sent; 4 + 4 rows received.
        let cut = add_splits(&mut peers, group(), ["[3, 1]", "[4, 4]"], [32, 64], DataType::Bf16);
        assert_eq!(cut + add_splits(&mut peers, group(), ["[1, ...]", "[]"], [32, 32], DataType::Bf16), 1);
        let found = peers.values().next().unwrap();
        assert_eq!(found.bytes, [[48, 64], [16, 64]]);
        assert_eq!((found.rank_at(0), found.rank_at(1), found.imbalance(0)), (4, 6, Some(1.5)));
    }
}
