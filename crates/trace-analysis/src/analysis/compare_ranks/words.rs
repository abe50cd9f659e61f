//! The outliers in sentences: which ranks differ, in what, by how much.

use super::measures::Class;
use super::outliers::Deviation;
use crate::collective::ChargedRank;
use crate::shorten_name;
use std::collections::BTreeSet;
use trace_view::format::{counted, nanoseconds};

/// Number of ranks with a sentence of their own.
const MOST_RANKS: usize = 5;
/// Number of differences that a sentence names.
const MOST_DIFFERENCES: usize = 3;

/// Classes that are the work of a rank; the rest is what it waits for, or a sum of both.
const OWN: [Class; 6] = [Class::Compute, Class::ExposedCopy, Class::Copy, Class::Host, Class::Transfer, Class::Late];

/// Says in what the ranks with the largest deviations differ; `outliers` are sorted. A rank that other ranks wait for is never faster.
pub(super) fn sentences(outliers: &[Deviation<'_>], ranks: usize, stragglers: &[ChargedRank]) -> Vec<String> {
    let mut order: Vec<i64> = Vec::new();
    for outlier in outliers {
        if !order.contains(&outlier.rank) {
            order.push(outlier.rank);
        }
    }
    let mut sentences: Vec<String> =
        order.iter().take(MOST_RANKS).map(|&rank| of_rank(rank, outliers, stragglers)).collect();
    if order.len() > MOST_RANKS {
        sentences.push(format!("In all {} of {ranks} differ from the others.", counted(order.len(), "rank")));
    }
    sentences
}

fn of_rank(rank: i64, outliers: &[Deviation<'_>], stragglers: &[ChargedRank]) -> String {
    let own: Vec<&Deviation<'_>> = outliers.iter().filter(|one| one.rank == rank).collect();
    // A class says nothing more than the operators of it that are named.
    let named: BTreeSet<Class> = own.iter().filter(|one| !one.name.is_empty()).map(|one| one.class).collect();
    let detailed = |one: &&&Deviation<'_>| !one.name.is_empty() || !named.contains(&one.class);
    let mut shown: Vec<&Deviation<'_>> = own.iter().filter(detailed).copied().collect();
    // What a rank does itself comes before what follows from it.
    shown.sort_by_key(|one| match one.class {
        _ if is_own(one) => 0,
        Class::Waiting | Class::Communication | Class::Host => 1,
        _ => 2,
    });
    let most = own.iter().filter(|one| is_own(one)).map(|one| one.difference());
    let verdict = match most.into_iter().next() {
        Some(difference) if difference > 0.0 => "is slower",
        Some(_) if !stragglers.iter().any(|straggler| straggler.rank == rank) => "is faster",
        _ => "differs",
    };
    let phrases: Vec<String> = shown.iter().take(MOST_DIFFERENCES).map(|one| phrase(one)).collect();
    let more = shown.len().saturating_sub(MOST_DIFFERENCES);
    let more = if more > 0 { format!("; {more} more in the table") } else { String::new() };
    format!("Rank {rank} {verdict}: {}{more}.", phrases.join("; "))
}

/// Whether a deviation is that of work of the rank itself; calls that synchronise wait for the device.
fn is_own(one: &Deviation<'_>) -> bool {
    OWN.contains(&one.class) && !one.name.contains("Synchronize")
}

/// `gemm 1.00 ms longer (3.00 ms, median 2.00 ms)`
fn phrase(one: &Deviation<'_>) -> String {
    let name = if one.name.is_empty() { one.class.word().to_owned() } else { shorten_name(one.name) };
    let by = nanoseconds(one.difference().abs().round() as i64);
    let longer = one.difference() > 0.0;
    let of = format!("{}, median {}", nanoseconds(one.value.round() as i64), nanoseconds(one.median.round() as i64));
    let at = |preposition: &str| if one.name.is_empty() { String::new() } else { format!(" {preposition} {name}") };
    match (one.class, longer) {
        (Class::Late, true) => format!("arrives {by} late{}", at("at")),
        (Class::Late, false) => format!("arrives {by} early{}", at("at")),
        (Class::Waiting, true) => format!("waits {by} longer{} ({of})", at("in")),
        (Class::Waiting, false) => format!("waits {by} less{} ({of})", at("in")),
        (Class::Transfer, true) => format!("transfers {by} longer{} ({of})", at("in")),
        (Class::Transfer, false) => format!("transfers {by} less{} ({of})", at("in")),
        (_, true) => format!("{name} {by} longer ({of})"),
        (_, false) => format!("{name} {by} shorter ({of})"),
    }
}
