//! The rows of the aligned tree that are open at first, and rows folded into groups.

use super::cut::children;
use super::entry::{Entry, Measures, TreeKind};
use crate::explain::certainty::Judged;
use std::cmp::Reverse;

/// A row worth seeing changed by at least this share of the sum of all changes ...
const LARGE: f64 = 0.05;
/// ... or its structure did; no more than so many, the largest changes first.
const MOST: usize = 40;
/// Siblings are folded into groups where there are more than so many ...
const MOST_SIBLINGS: usize = 12;
/// ... and at least so many in a row have nothing worth seeing.
const LEAST_FOLDED: usize = 4;

/// A row to show: an entry, or a group of siblings in a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShownRow {
    pub(super) level: u32,
    pub(super) is_open: bool,
    pub(super) name: String,
    pub(super) measures: Measures,
    pub(super) grade: Option<&'static str>,
    pub(super) judged: Option<Judged>,
}

/// Lays the tree out: paths to what changed are open, siblings without change folded.
pub(super) fn shown(entries: &[Entry]) -> Vec<ShownRow> {
    let (top, below) = children(entries);
    let worth = worth_seeing(entries, &below);
    let mut is_open = vec![false; entries.len()];
    for id in (0..entries.len()).rev() {
        if let Some(parent) = entries[id].parent.filter(|_| worth[id] || is_open[id]) {
            is_open[parent] = true;
        }
    }
    let is_seen = |id: usize| {
        worth[id] || is_open[id] || matches!(entries[id].kind, TreeKind::Idle | TreeKind::Unattributed | TreeKind::Rest)
    };
    let mut rows = Vec::with_capacity(entries.len());
    // Siblings still to show, in reverse order, and their level.
    let mut open: Vec<(Next<'_>, u32)> = Vec::new();
    push(&mut open, &top, 0, true, &is_seen);
    while let Some((next, level)) = open.pop() {
        match next {
            Next::Entry(id) => {
                let entry = &entries[id];
                rows.push(ShownRow {
                    level,
                    is_open: is_open[id],
                    name: entry.name.clone(),
                    measures: entry.all,
                    grade: entry.grade,
                    judged: entry.judged,
                });
                push(&mut open, &below[id], level + 1, is_open[id], &is_seen);
            }
            Next::Group(ids) => {
                rows.push(group(entries, ids, level));
                open.extend(ids.iter().rev().map(|&id| (Next::Entry(id), level + 1)));
            }
        }
    }
    rows
}

enum Next<'p> {
    Entry(usize),
    Group(&'p [usize]),
}

/// Pushes siblings in reverse order, those in a row without anything to see as groups.
fn push<'p>(
    open: &mut Vec<(Next<'p>, u32)>,
    siblings: &'p [usize],
    level: u32,
    folds: bool,
    is_seen: &dyn Fn(usize) -> bool,
) {
    if !folds || siblings.len() <= MOST_SIBLINGS {
        open.extend(siblings.iter().rev().map(|&id| (Next::Entry(id), level)));
        return;
    }
    let runs: Vec<&[usize]> = siblings.chunk_by(|&one, &other| is_seen(one) == is_seen(other)).collect();
    for run in runs.into_iter().rev() {
        if run.len() >= LEAST_FOLDED && !is_seen(run[0]) {
            open.push((Next::Group(run), level));
        } else {
            open.extend(run.iter().rev().map(|&id| (Next::Entry(id), level)));
        }
    }
}

fn group(entries: &[Entry], ids: &[usize], level: u32) -> ShownRow {
    let mut measures = Measures::default();
    for &id in ids {
        measures.add(&entries[id].all);
    }
    let grades = ids.iter().map(|&id| entries[id].grade);
    let grade = grades.reduce(|one, other| if one == other { one } else { None }).flatten();
    let ends = [ids.first(), ids.last()].map(|id| id.map_or("", |&id| entries[id].name.as_str()));
    let name = format!("{} calls: {} … {}", trace_view::grouped(ids.len()), ends[0], ends[1]);
    ShownRow { level, is_open: false, name, measures, grade, judged: None }
}

/// Tells which rows are worth seeing: a large change, or another structure; the largest changes, if there are many.
fn worth_seeing(entries: &[Entry], below: &[Vec<usize>]) -> Vec<bool> {
    let size = |id: usize| entries[id].all.change().unsigned_abs();
    let leaves = (0..entries.len()).filter(|&id| below[id].is_empty());
    let least = leaves.map(|id| size(id) as f64).sum::<f64>() * LARGE;
    let is_large = |id: usize| size(id) > 0 && size(id) as f64 >= least;
    let has_changed = |id: usize| {
        let structure = matches!(entries[id].grade, Some("region" | "moved" | "added" | "deleted"));
        entries[id].kind == TreeKind::Region && structure
    };
    // A region that only one side has is told by its own row.
    let mut is_told = vec![false; entries.len()];
    for id in 0..entries.len() {
        let parent = entries[id].parent;
        is_told[id] = parent.is_some_and(|parent| is_told[parent] || entries[parent].kind == TreeKind::Region);
    }
    let is_worth = |id: usize| !is_told[id] && entries[id].kind != TreeKind::Rest && (is_large(id) || has_changed(id));
    let mut ids: Vec<usize> = (0..entries.len()).filter(|&id| is_worth(id)).collect();
    ids.sort_by_key(|&id| Reverse(size(id)));
    let mut worth = vec![false; entries.len()];
    for id in ids.into_iter().take(MOST) {
        worth[id] = true;
    }
    worth
}
