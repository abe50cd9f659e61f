//! Asks the graph and its replay: paths of windows, savings of names, changes.

use super::answer::{BoundWindow, CriticalPathAnswer, Interval, OnPath};
use super::borrowed::{self, BorrowedOperators};
use super::edges::edges;
use super::hidden_waits;
use super::job::unless_cancelled;
use super::lanes::lanes;
use super::operators::Outermost;
use super::proposed::proposal;
use super::query::CriticalPath;
use super::ranks::{Extent, LoadedRank, Names, load};
use super::savings::{Saved, grouped};
use super::steps::{IndexedWindow, Steps};
use super::tried::{changes, sweeps};
use super::windows::{Chosen, known_annotations};
use crate::error::CriticalPathReason;
use crate::exec::checkpoint::{self, guarded};
use crate::{Result, TraceSet};
use causal::{Graph, Savings, Segment, Window};

/// Names on the path of each window that are candidates for a proposal, for each proposal.
const CANDIDATES: usize = 4;

/// Finds what bounds windows of a recording, and what would help. It sees all rows, the last profiler step included.
///
/// # Errors
/// If a rank or an annotation does not exist, a change names an unknown column, or memory does not suffice for the ranks that are
/// asked for.
pub fn critical_path(traces: &TraceSet, query: &CriticalPath) -> Result<CriticalPathAnswer> {
    guarded(|| solve(traces, query))
}

fn solve(traces: &TraceSet, query: &CriticalPath) -> Result<CriticalPathAnswer> {
    let asked = asked(traces, query);
    let loaded = load(traces, &asked, query, Extent::Whole)?;
    let graph = loaded.graph;
    let ranks = loaded.ranks;
    let mut notes = loaded.notes;
    let (chosen, cut) = chosen(&ranks, &asked, &graph, traces.label(), query)?;
    notes.extend(cut);
    let asked_windows: Vec<Window> = chosen.iter().map(|(_, window, _)| *window).collect();
    let steps = Steps::of(&graph, &chosen);
    let mut names = Names::default();
    let operators = ranks.iter().map(|rank| Outermost::of(&rank.rows)).collect::<Result<Vec<_>>>()?;
    let borrowed = BorrowedOperators::of(&ranks, query)?;
    notes.extend(borrowed.note(traces.label()));
    let mut found = Vec::with_capacity(chosen.len());
    for (index, window, of) in &chosen {
        checkpoint::check()?;
        let path = graph.path(window);
        let intervals = path.iter().map(|segment| {
            let rank = segment.rank as usize;
            let found = interval(segment, &ranks[rank], &operators[rank], &mut names);
            let operator = segment.event.and_then(|row| borrowed.above(rank, row));
            Interval { borrowed_operator: operator.map(|code| names.of(&ranks[rank], code)), ..found }
        });
        let intervals: Vec<Interval> = intervals.collect();
        found.push((*index, grouped(&path, &ranks), intervals, of));
    }
    let longest = query.top.max(query.proposals.saturating_mul(CANDIDATES));
    let mut savings = Saved::of(&graph, &asked_windows, &ranks);
    let mut bound = Vec::with_capacity(found.len());
    for (at, (index, groups, intervals, of)) in found.into_iter().enumerate() {
        let mut on_path = Vec::with_capacity(groups.len());
        let mut operators = borrowed::by_name(&intervals, &names);
        for (position, (key, group)) in groups.into_iter().enumerate() {
            let saved_ns = if position < longest { Some(savings.both(key, at)?) } else { None };
            let name = key.1.map(|code| names.of(&ranks[index], code));
            let (bound_by, borrowed_operators) = (key.0, operators.remove(&(key.0, name)));
            let (count, duration_ns) = (group.count, group.ns);
            on_path.push(OnPath { bound_by, name, count, duration_ns, saved_ns, borrowed_operators });
        }
        bound.push(BoundWindow {
            rank: ranks[index].trace.rank(),
            annotation: of.annotation.clone(),
            instances: of.instances,
            of: of.of,
            start: of.start,
            end: of.end,
            intervals,
            names: on_path,
            lanes: Vec::new(),
        });
    }
    if let ([window], [(index, ..)]) = (bound.as_mut_slice(), chosen.as_slice()) {
        window.lanes = lanes(window, *index, &ranks, &graph)?;
    }
    let mut what_if = changes(query, &ranks, &graph, &asked_windows, &steps)?;
    let sweeps = sweeps(query, &ranks, &graph, &asked_windows, &steps)?;
    if query.proposals > 0 {
        what_if.extend(savings.proposals(query.proposals, &bound, &names, &steps)?);
    }
    drop(savings);
    let edges = if query.edges { Some(edges(&graph, &ranks)?) } else { None };
    let replay_error_ns = unless_cancelled(|check| Savings::of(&graph).error_ns(check))?;
    let left_out = graph.left_out();
    // The search for a marker needs as much memory as the graph.
    drop(graph);
    notes.extend(hidden_waits::note(&bound, &ranks));
    if let (None, Some((index, ..)), true) =
        (&query.annotation, chosen.first(), bound.iter().all(|window| window.instances.is_none()))
    {
        notes.extend(proposal(traces, &ranks[*index].rows)?);
    }
    if left_out.kernels_without_launch > 0 {
        notes.push(format!(
            "{} have no launch in the trace: what they waited for is not known.",
            trace_view::format::counted(
                usize::try_from(left_out.kernels_without_launch).unwrap_or(usize::MAX),
                "kernel"
            )
        ));
    }
    Ok(CriticalPathAnswer {
        label: traces.label().to_owned(),
        windows: bound,
        what_if,
        sweeps,
        origin: traces.origin(),
        proposes: query.proposals > 0,
        notes,
        edges,
        replay_error_ns,
        names: names.texts,
        borrows: !query.companions.is_empty(),
    })
}

/// Returns the ranks that are asked for.
pub(super) fn asked(traces: &TraceSet, query: &CriticalPath) -> Vec<i64> {
    query.ranks.clone().unwrap_or_else(|| traces.ranks().into_iter().take(1).collect())
}

/// Returns the windows of the ranks that are asked for, and what to say of those that are left out.
pub(super) fn chosen(
    ranks: &[LoadedRank],
    asked: &[i64],
    graph: &Graph,
    label: &str,
    query: &CriticalPath,
) -> Result<(Vec<IndexedWindow>, Option<String>)> {
    let mut found = Vec::new();
    let (mut without, mut cut) = (Vec::new(), Vec::new());
    for (index, rank) in ranks.iter().enumerate().filter(|(_, rank)| asked.contains(&rank.trace.rank())) {
        let number = rank.trace.rank();
        let Some(of_rank) = &rank.windows else {
            without.push(number);
            continue;
        };
        cut.extend(of_rank.is_cut.then_some(number));
        for chosen in &of_rank.windows {
            let window = on_graph(graph, index, rank, chosen)?;
            found.push((index, window, Chosen { start: window.start, end: window.end, ..chosen.clone() }));
        }
    }
    if found.is_empty() {
        let known = ranks
            .iter()
            .find(|rank| asked.contains(&rank.trace.rank()))
            .map_or_else(Vec::new, |rank| known_annotations(&rank.rows));
        return Err(CriticalPathReason::NoAnnotation {
            label: label.to_owned(),
            annotation: query.annotation.clone().unwrap_or_else(|| "ProfilerStep".to_owned()),
            known,
        }
        .into());
    }
    let numbered = |ranks: &[i64]| trace_view::format::numbered("rank", ranks);
    let mut sentences = Vec::new();
    if !without.is_empty() {
        sentences.push(format!("No such annotation on {}.", numbered(&without)));
    }
    if !cut.is_empty() {
        sentences.push(format!("The last annotation is cut off and left out on {}.", numbered(&cut)));
    }
    Ok((found, (!sentences.is_empty()).then(|| sentences.join(" "))))
}

/// Returns a window of a rank, which is at this place among the ranks of the graph; the whole recording is as long as the graph of the
/// rank.
///
/// # Errors
/// [`CriticalPathReason::EmptyWindow`].
pub(super) fn on_graph(graph: &Graph, index: usize, rank: &LoadedRank, chosen: &Chosen) -> Result<Window> {
    let window = rank.tracks.window(index, chosen);
    if chosen.thread.is_some() {
        return Ok(window);
    }
    let empty = CriticalPathReason::EmptyWindow { rank: rank.trace.rank() };
    Ok(graph.whole(window.rank).ok_or(empty)?)
}

fn interval(segment: &Segment, rank: &LoadedRank, operators: &Outermost, names: &mut Names) -> Interval {
    let row = segment.event.map(|row| row as usize);
    let (device, stream, (pid, tid)) = match segment.track {
        causal::Track::Thread(thread) => {
            (None, None, rank.tracks.threads.get(thread as usize).copied().unwrap_or((None, None)))
        }
        causal::Track::Stream(stream) => {
            let stream = rank.tracks.streams.get(stream as usize);
            (stream.map(|of| of.device), stream.map(|of| of.stream), (None, None))
        }
    };
    let operator = row.and_then(|row| operators.around(&rank.rows, row));
    Interval {
        start: segment.start,
        end: segment.end,
        rank: rank.trace.rank(),
        device,
        pid,
        tid,
        stream,
        event: row.map(|row| rank.rows.index(row)),
        name: row.map(|row| names.of(rank, rank.rows.name(row))),
        operator: operator.map(|row| names.of(rank, rank.rows.name(row))),
        borrowed_operator: None,
        bound_by: segment.bound_by,
        because: segment.because,
    }
}
