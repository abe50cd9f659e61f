//! Operators that companions lend to the kernels of graphs on a path.

use super::answer::Interval;
use super::query::CriticalPath;
use super::ranks::{LoadedRank, Names};
use crate::Result;
use crate::companion::{KernelOperators, Lending, borrowed_in_words, merge_lending};
use causal::BoundBy;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Operators of one name of kernels that a table lists.
const MOST_OPERATORS: usize = 3;

/// The operators above the kernels of the ranks of an answer.
pub(super) struct BorrowedOperators(Vec<Arc<KernelOperators>>);

impl BorrowedOperators {
    /// Finds the operators of ranks; none without companions.
    ///
    /// # Errors
    /// If events cannot be read.
    pub(super) fn of(ranks: &[LoadedRank], query: &CriticalPath) -> Result<Self> {
        if query.companions.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let of_rank = |rank: &LoadedRank| KernelOperators::of_rows(&rank.trace, &rank.rows, &query.companions);
        Ok(Self(ranks.iter().map(of_rank).collect::<Result<_>>()?))
    }

    /// Returns the code of the name of the operator that is lent to a row of a rank, by its place among the ranks.
    pub(super) fn above(&self, rank: usize, row: u32) -> Option<u32> {
        let found = self.0.get(rank)?.above(row)?;
        found.is_borrowed.then_some(found.name)
    }

    /// Says how many kernels of graphs got operators; nothing without companions.
    pub(super) fn note(&self, label: &str) -> Option<String> {
        let mut all: Option<Lending> = None;
        self.0.iter().for_each(|rank| merge_lending(&mut all, Some(rank.lending().clone())));
        Some(borrowed_in_words(&[(&all?, label)]))
    }
}

/// Returns the borrowed operators of the intervals of each class and name: those of most time first, separated by commas.
pub(super) fn by_name(intervals: &[Interval], names: &Names) -> BTreeMap<(BoundBy, Option<u32>), String> {
    let mut times: BTreeMap<(BoundBy, Option<u32>), BTreeMap<u32, i64>> = BTreeMap::new();
    for interval in intervals {
        let Some(operator) = interval.borrowed_operator else { continue };
        let of_name = times.entry((interval.bound_by, interval.name)).or_default();
        *of_name.entry(operator).or_default() += interval.duration();
    }
    let listed = |times: BTreeMap<u32, i64>| {
        let mut times: Vec<(u32, i64)> = times.into_iter().collect();
        times.sort_by_key(|&(name, ns)| (Reverse(ns), name));
        let text = |&(name, _): &(u32, i64)| names.texts.get(name as usize).map_or("", String::as_str);
        let mut listed: Vec<&str> = times.iter().take(MOST_OPERATORS).map(text).collect();
        listed.extend((times.len() > MOST_OPERATORS).then_some("…"));
        listed.join(", ")
    };
    times.into_iter().map(|(key, times)| (key, listed(times))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::critical_path::critical_path;
    use polars::prelude::{DataFrame, DataType};
    use trace_data::TraceSet;
    use trace_testkit::{Stream, TraceBuilder};

    /// A step that waits for a graph of three kernels, two of which have one name.
    fn replay() -> TraceSet {
        let trace = TraceBuilder::new()
            .step(1, 0..200)
            .runtime("hipGraphLaunch", 1, 10..20)
            .kernel("gemm", Stream(7), 20..60)
            .correlation(1)
            .kernel("relu", Stream(7), 60..80)
            .correlation(1)
            .kernel("gemm", Stream(7), 80..150)
            .correlation(1)
            .runtime("hipDeviceSynchronize", 2, 20..160);
        TraceSet::from_bytes(trace.json()).unwrap().with_label("replay")
    }

    fn capture() -> TraceSet {
        let mut trace = TraceBuilder::new().runtime("hipStreamBeginCapture", 8, 1..2);
        for (at, operator, kernel) in [(10, "aten::mm", "gemm"), (20, "aten::relu", "relu"), (30, "aten::bmm", "gemm")]
        {
            trace = trace.operator(operator, at..at + 8);
            trace = trace.runtime("hipLaunchKernel", at, at + 2..at + 3).arg("kernel", &format!("\"{kernel}\""));
        }
        let trace = trace.runtime("hipStreamEndCapture", 9, 50..51);
        TraceSet::from_bytes(trace.json()).unwrap().with_label("capture")
    }

    /// The values of two columns, without null.
    fn pairs(frame: &DataFrame, [key, value]: [&str; 2]) -> Vec<(String, String)> {
        let texts = |name: &str| frame.column(name).unwrap().cast(&DataType::String).unwrap();
        let (keys, values) = (texts(key), texts(value));
        let pairs = keys.str().unwrap().iter().zip(values.str().unwrap().iter());
        pairs.filter_map(|(key, value)| Some((key?.to_owned(), value?.to_owned()))).collect()
    }

    #[test]
    fn kernels_of_graphs_name_their_borrowed_operator() {
        let bare = critical_path(&replay(), &CriticalPath::default()).unwrap();
        let query = CriticalPath { companions: vec![capture()], ..CriticalPath::default() };
        let answer = critical_path(&replay(), &query).unwrap();
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        // In order of time, the latency of the launch first; by name the operator of 70 µs stands before that of 40 µs.
        let path = pairs(&answer.path().unwrap(), ["name", "borrowed_operator"]);
        let first = pair("gemm", "aten::mm");
        assert_eq!(path, [first.clone(), first.clone(), pair("relu", "aten::relu"), pair("gemm", "aten::bmm")]);
        let names = pairs(&answer.by_name().unwrap(), ["name", "borrowed_operator"]);
        assert_eq!(names, [pair("gemm", "aten::bmm, aten::mm"), pair("relu", "aten::relu"), first]);
        let by_name = &answer.to_json()["windows"][0]["by_name"];
        assert_eq!(by_name[0]["borrowed_operator"], "aten::bmm, aten::mm");
        // Time is attributed as before.
        for (with, without) in [(answer.path(), bare.path()), (answer.by_name(), bare.by_name())] {
            assert!(without.as_ref().unwrap().column("borrowed_operator").is_err());
            assert!(with.unwrap().drop("borrowed_operator").unwrap().equals_missing(&without.unwrap()));
        }
        let sentence = "Kernels of graphs with operators from capture: 3 of 3.";
        assert!(answer.notes.iter().any(|note| note == sentence), "{:?}", answer.notes);
        assert!(bare.to_json()["windows"][0]["by_name"][0].get("borrowed_operator").is_none());
    }

    #[test]
    fn names_list_the_longest_operators() {
        let mut names = Names::default();
        names.texts.extend(["k", "a", "b", "c", "d"].map(str::to_owned));
        let answer = critical_path(&replay(), &CriticalPath::default()).unwrap();
        let one = answer.windows()[0].intervals.iter().find(|interval| interval.stream.is_some()).copied().unwrap();
        let of = |operator: u32, ns: i64| Interval {
            start: 0,
            end: ns,
            name: Some(0),
            borrowed_operator: Some(operator),
            ..one
        };
        let listed = by_name(&[of(1, 5), of(2, 9), of(3, 5), of(4, 1), of(1, 6)], &names);
        assert_eq!(listed.into_values().collect::<Vec<_>>(), ["a, b, c, …"]);
    }
}
