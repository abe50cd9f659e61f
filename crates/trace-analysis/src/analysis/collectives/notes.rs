//! Sentences about collectives: late ranks, different sizes, what is missing.

use super::joined::Joined;
use super::peers::largest_imbalance;
use super::recorded::State;
use crate::analysis::compare_ranks::Divided;
use crate::analysis::nothing_on;
use efficiency::CollectiveKind;
use trace_view::format::{counted, numbered};

/// Returns the sentences of an answer: what to look at first, then what is missing.
pub(super) fn notes(state: &State, joined: &Joined<'_>, divided: &Divided) -> Vec<String> {
    let mut notes: Vec<String> = divided.stragglers.sentence().into_iter().collect();
    let (named, different) = &joined.different;
    notes.extend(named.iter().cloned());
    if *different > named.len() {
        notes.push(format!(
            "Ranks recorded different sizes of {} more.",
            counted(different - named.len(), "collective")
        ));
    }
    notes.extend(largest_imbalance(&state.peers()));
    let cut: u64 = state.ranks.0.values().map(|rank| rank.cut).sum();
    if cut > 0 {
        notes.push(format!(
            "Bytes by peer lack {cut} lists of shares, which PyTorch recorded for the first peers only."
        ));
    }
    let without = state.ranks.ranks_where(|rank| rank.kernels.is_empty());
    notes.extend(nothing_on(&without, "No collective runs on the GPU"));
    let on_cpu: u64 = state.ranks.0.values().map(|rank| rank.on_cpu).sum();
    if on_cpu > 0 {
        let on_cpu = counted(usize::try_from(on_cpu).unwrap_or(usize::MAX), "collective");
        notes.push(format!("{on_cpu} on the CPU (gloo, MPI or UCC) not in the table, which has those of GPUs."));
    }
    if joined.rows.is_empty() {
        return notes;
    }
    notes.extend(state.exposed().sentence().map(|sentence| format!("{sentence}.")));
    notes.extend(divided.notes());
    notes.extend(sizes(joined));
    notes.extend(ranks(state, joined));
    notes
}

/// Says which kernels have no bandwidth, and why.
fn sizes(joined: &Joined<'_>) -> Vec<String> {
    let (mut without_size, mut custom, mut all) = (0, 0, 0);
    for row in &joined.rows {
        all += row.count;
        match CollectiveKind::named(&row.call.collective) {
            Some(CollectiveKind::Barrier) => {}
            None if row.call.collective.is_empty() => custom += row.count,
            _ if row.call.size().is_none() => without_size += row.count,
            _ => {}
        }
    }
    let kernels = |count: u64| counted(usize::try_from(count).unwrap_or(usize::MAX), "kernel");
    let mut notes = Vec::new();
    if without_size > 0 {
        notes.push(format!(
            "No size is recorded for {without_size} of {}: no bandwidth. A recent PyTorch records sizes with collectives when CPU and GPU \
             are recorded together.",
            kernels(all)
        ));
    }
    if custom > 0 {
        notes.push(format!(
            "No kind and size is known of {}: libraries that PyTorch does not see record none.",
            kernels(custom)
        ));
    }
    notes
}

/// Says what bandwidth is computed from if ranks are missing.
fn ranks(state: &State, joined: &Joined<'_>) -> Option<String> {
    let ranks: Vec<i64> = state.ranks.0.keys().copied().collect();
    if ranks.len() == 1 {
        return Some(format!(
            "Only {} was analysed: durations include waiting for other ranks, so bandwidths are lower bounds.",
            numbered("rank", &ranks)
        ));
    }
    if !joined.is_joined {
        return Some(
            "No collective was matched across ranks: durations include waiting, so bandwidths are lower bounds."
                .to_owned(),
        );
    }
    let largest = joined.rows.iter().map(|row| row.call.group_size).max().unwrap_or(0);
    (largest > ranks.len() as u64).then(|| {
        format!(
            "{} of the {largest} ranks of the largest process group were analysed: if another one arrives last, transfers are shorter and \
             bandwidths higher.",
            ranks.len()
        )
    })
}
