//! Cuts of the aligned tree. What is left out is added up under its parent, so that sums hold.

use super::entry::{Entry, Measures, TreeKind};
use call_tree::Change;
use std::collections::HashMap;

/// What a cut left out.
pub(super) struct LeftOut {
    rows: usize,
    change: Vec<Change>,
}

impl LeftOut {
    /// Returns a sentence that says how much was left out; `None` if nothing was.
    pub(super) fn note(&self, which: &str) -> Option<String> {
        let delta: f64 = self.change.iter().map(|change| change.delta()).sum();
        (self.rows > 0).then(|| {
            format!(
                "{} {which} are added up: {}",
                trace_view::format::counted(self.rows, "row"),
                trace_view::format::microseconds_changed(delta / 1e3)
            )
        })
    }
}

/// The places of the entries at the top, and of those below each entry.
pub(super) fn children(entries: &[Entry]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let (mut top, mut below) = (Vec::new(), vec![Vec::new(); entries.len()]);
    for (id, entry) in entries.iter().enumerate() {
        match entry.parent {
            Some(parent) => below[parent].push(id),
            None => top.push(id),
        }
    }
    (top, below)
}

/// Keeps a number of levels.
pub(super) fn depth(entries: &[Entry], levels: usize) -> Vec<Entry> {
    let mut depths: Vec<usize> = Vec::with_capacity(entries.len());
    for entry in entries {
        depths.push(entry.parent.map_or(0, |parent| depths[parent] + 1));
    }
    copy(entries, |id| depths[id] < levels)
}

/// Copies the entries that are kept; the parents of those must be kept, too.
fn copy(entries: &[Entry], is_retained: impl Fn(usize) -> bool) -> Vec<Entry> {
    let mut made: Vec<Entry> = Vec::new();
    let mut indices: Vec<usize> = vec![0; entries.len()];
    for (id, entry) in entries.iter().enumerate().filter(|&(id, _)| is_retained(id)) {
        indices[id] = made.len();
        made.push(Entry { parent: entry.parent.map(|parent| indices[parent]), ..entry.clone() });
    }
    made
}

/// Keeps some entries and what is above them; the others are added up, in one entry under each parent, behind its siblings.
pub(super) fn keep(entries: &[Entry], is_wanted: &dyn Fn(usize) -> bool) -> (Vec<Entry>, LeftOut) {
    let mut retained: Vec<bool> = (0..entries.len()).map(is_wanted).collect();
    for id in (0..entries.len()).rev() {
        if let Some(parent) = entries[id].parent.filter(|_| retained[id]) {
            retained[parent] = true;
        }
    }
    let (top, below) = children(entries);
    let mut left_out = LeftOut { rows: 0, change: Vec::new() };
    let mut made = Vec::new();
    // What to add next: an entry, or the rest under a new parent.
    let mut open: Vec<(Next<'_>, Option<usize>)> = vec![(Next::Below(&top), None)];
    while let Some((next, parent)) = open.pop() {
        match next {
            Next::Entry(id) => {
                let at = made.len();
                made.push(Entry { parent, ..entries[id].clone() });
                open.push((Next::Below(&below[id]), Some(at)));
            }
            Next::Below(ids) => {
                let dropped: Vec<&Entry> = ids.iter().filter(|&&id| !retained[id]).map(|&id| &entries[id]).collect();
                if !dropped.is_empty() {
                    let rest = rest(&dropped, parent);
                    left_out.rows += rest.rows;
                    left_out.change.push(rest.all.attributed_ns);
                    open.push((Next::Rest(Box::new(rest)), parent));
                }
                open.extend(ids.iter().rev().filter(|&&id| retained[id]).map(|&id| (Next::Entry(id), parent)));
            }
            Next::Rest(rest) => made.push(*rest),
        }
    }
    (made, left_out)
}

enum Next<'p> {
    Entry(usize),
    Below(&'p [usize]),
    Rest(Box<Entry>),
}

fn rest(dropped: &[&Entry], parent: Option<usize>) -> Entry {
    let rows = dropped.iter().map(|entry| entry.rows).sum();
    let mut rest = Entry::new(TreeKind::Rest, rest_name(rows));
    rest.parent = parent;
    rest.rows = rows;
    for entry in dropped {
        rest.all.add(&entry.all);
    }
    rest.own = rest.all;
    rest
}

fn rest_name(rows: usize) -> String {
    format!("{} more", trace_view::grouped(rows))
}

/// Keeps modules: what a module calls is added up, but for other modules.
pub(super) fn modules(entries: &[Entry]) -> Vec<Entry> {
    let mut made: Vec<Entry> = Vec::new();
    // For each entry, the row of the module that it belongs to.
    let mut owners: Vec<Option<usize>> = Vec::with_capacity(entries.len());
    // Rows of modules by name under each row.
    let mut known: HashMap<(Option<usize>, String), usize> = HashMap::new();
    // Rows for what a module itself calls; `None` for what no module called, and for what has none recorded.
    let mut own: HashMap<(Option<usize>, &'static str), usize> = HashMap::new();
    let mut left_out: HashMap<Option<usize>, usize> = HashMap::new();
    let mut is_own = Vec::new();
    let (_, below) = children(entries);
    for (id, entry) in entries.iter().enumerate() {
        let mut owner = entry.parent.and_then(|parent| owners[parent]);
        if matches!(entry.kind, TreeKind::Idle | TreeKind::Unattributed) {
            made.push(Entry { parent: owner, ..entry.clone() });
            owners.push(Some(made.len() - 1));
            is_own.push(false);
            continue;
        }
        for module in &entry.modules {
            made.push(Entry { parent: owner, ..Entry::new(TreeKind::Call, module.clone()) });
            known.entry((owner, module.clone())).or_insert(made.len() - 1);
            owner = Some(made.len() - 1);
            is_own.push(false);
        }
        owners.push(owner);
        if entry.within.is_borrowed && below[id].is_empty() {
            owner = None;
            for module in &entry.within.path {
                owner = Some(*known.entry((owner, module.clone())).or_insert_with(|| {
                    made.push(Entry { parent: owner, ..Entry::new(TreeKind::Call, module.clone()) });
                    is_own.push(false);
                    made.len() - 1
                }));
            }
        }
        if entry.kind == TreeKind::Rest {
            let at = *left_out.entry(owner).or_insert_with(|| {
                made.push(Entry { parent: owner, rows: 0, ..Entry::new(TreeKind::Rest, "") });
                is_own.push(false);
                made.len() - 1
            });
            let made = &mut made[at];
            made.rows += entry.rows;
            made.name = rest_name(made.rows);
            made.all.add(&entry.all);
            made.own.add(&entry.all);
        }
        if entry.kind != TreeKind::Rest && below[id].is_empty() {
            let name = if owner.is_some() { "own calls" } else { entry.within.outside() };
            let at = *own.entry((owner, name)).or_insert_with(|| {
                made.push(Entry { parent: owner, grade: entry.grade, ..Entry::new(TreeKind::Call, name) });
                is_own.push(true);
                made.len() - 1
            });
            let made = &mut made[at];
            made.grade = made.grade.filter(|&grade| entry.grade == Some(grade));
            made.all.add(&entry.all);
            made.own.add(&entry.all);
        }
    }
    let (made, is_own) = in_order(&made, &is_own);
    join(made, &is_own)
}

/// Brings what is below an entry together behind it, since a backward operator comes after the module of its forward one.
fn in_order(entries: &[Entry], is_own: &[bool]) -> (Vec<Entry>, Vec<bool>) {
    let (top, below) = children(entries);
    let (mut made, mut own) = (Vec::with_capacity(entries.len()), Vec::with_capacity(entries.len()));
    let mut open: Vec<(usize, Option<usize>)> = top.into_iter().rev().map(|id| (id, None)).collect();
    while let Some((id, parent)) = open.pop() {
        open.extend(below[id].iter().rev().map(|&child| (child, Some(made.len()))));
        made.push(Entry { parent, ..entries[id].clone() });
        own.push(is_own[id]);
    }
    (made, own)
}

/// Adds modules up, and joins those that call no other module with the row of their own calls.
fn join(mut entries: Vec<Entry>, is_own: &[bool]) -> Vec<Entry> {
    let (_, below) = children(&entries);
    let mut retained = vec![true; entries.len()];
    for id in (0..entries.len()).rev() {
        if entries[id].kind != TreeKind::Call || is_own[id] {
            continue;
        }
        let grades = below[id].iter().map(|&child| entries[child].grade);
        let grade = grades.reduce(|one, other| if one == other { one } else { None }).flatten();
        let mut all = Measures::default();
        for &child in &below[id] {
            all.add(&entries[child].all);
        }
        let own = below[id].iter().find(|&&child| is_own[child]);
        let own_measures = own.map_or_else(Measures::default, |&child| entries[child].all);
        if let [only] = below[id][..] {
            retained[only] &= !is_own[only];
        }
        let entry = &mut entries[id];
        (entry.all, entry.own, entry.grade) = (all, own_measures, grade);
    }
    copy(&entries, |id| retained[id])
}
