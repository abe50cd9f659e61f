//! The sums of the calls of a rank: one walk over its call trees.

use super::by::OperatorsBy;
use super::sums::Sums;
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::frame::columns::INPUT_DIMS;
use crate::frame::{RankEvents, value_of};
use call_tree::nesting::{Kernels, Walk};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, DataFrame};
use polars_arrow::array::PrimitiveArray;
use std::collections::BTreeMap;

/// Between the names of a stack.
pub(in crate::analysis) const INSIDE: &str = " › ";

/// An open call that has a row of its own.
struct Open {
    row: usize,
    key: u32,
    /// Launch time before it.
    launches: i64,
    /// Whether no call of the same row is around it.
    is_outermost: bool,
}

/// The rows of the answer: operators or modules by name, stacks of names, or names with shapes.
struct Keys {
    by: OperatorsBy,
    /// By the stack around it, or the code of the shapes, and the name.
    numbers: HashMap<(Option<u32>, u32), u32, FixedState>,
    /// Stack around it or shapes, name, sums and number of open calls of each.
    keys: Vec<(Option<u32>, u32, Sums, u32)>,
}

impl Keys {
    fn number(&mut self, around: Option<u32>, shapes: Option<u32>, name: u32) -> u32 {
        let around = if self.by == OperatorsBy::Stack { around } else { shapes };
        let next = self.keys.len() as u32;
        *self.numbers.entry((around, name)).or_insert_with(|| {
            self.keys.push((around, name, Sums::default(), 0));
            next
        })
    }

    fn sums(&mut self, key: u32) -> &mut Sums {
        &mut self.keys[key as usize].2
    }

    /// Returns the names, those of a stack joined.
    fn named(self, rows: &RankEvents) -> BTreeMap<String, Sums> {
        let mut texts: Vec<String> = Vec::with_capacity(self.keys.len());
        let mut named: BTreeMap<String, Sums> = BTreeMap::new();
        // The stack around a key has a smaller number.
        for (around, name, sums, _) in self.keys {
            let name = rows.text(name);
            let text = match self.by {
                OperatorsBy::Shape => around.map(|shapes| format!("{name} {}", rows.text(shapes))),
                _ => {
                    around.and_then(|around| texts.get(around as usize)).map(|around| format!("{around}{INSIDE}{name}"))
                }
            };
            let text = text.unwrap_or_else(|| name.to_owned());
            named.entry(text.clone()).or_default().add(&sums);
            texts.push(if self.by == OperatorsBy::Stack { text } else { String::new() });
        }
        named
    }
}

/// Returns the codes of the shapes of inputs by row; `None` if they were not recorded.
pub(super) fn shapes(events: &DataFrame) -> Option<PrimitiveArray<u32>> {
    let column = events.column(INPUT_DIMS).ok()?.as_materialized_series().rechunk();
    Some(column.cat::<Categorical32Type>().ok()?.physical().downcast_as_array().clone())
}

/// Adds up the calls of a rank; `shapes` are the codes of the shapes of inputs, if rows differ by them.
pub(super) fn sums(
    rows: &RankEvents,
    graph: &RankGraph,
    by: OperatorsBy,
    shapes: Option<&PrimitiveArray<u32>>,
) -> BTreeMap<String, Sums> {
    let kinds = rows.kinds();
    let mut is_module = rows.per_text(|name| name.starts_with("nn.Module: "));
    let mut has_row = move |row: usize| match by {
        OperatorsBy::Module => kinds[row] == EventKind::Python && is_module(rows.name(row)),
        _ => kinds[row] == EventKind::Operator,
    };
    let mut keys = Keys { by, numbers: HashMap::default(), keys: Vec::new() };
    let mut open: Vec<Open> = Vec::new();
    let mut launches = 0_i64;
    graph.forest().walk(
        |row| row,
        |step| match step {
            Walk::Enter(row) if graph.is_launched(rows, row) => {
                if let Some(around) = open.last() {
                    let Kernels { ns, .. } = *graph.kernels(row);
                    let own = &mut keys.sums(around.key).kernel_own;
                    *own = own.saturating_add(ns);
                }
            }
            Walk::Enter(row) => {
                if has_row(row) {
                    let shapes = shapes.and_then(|shapes| value_of(shapes, row));
                    let key = keys.number(open.last().map(|around| around.key), shapes, rows.name(row));
                    let opened = &mut keys.keys[key as usize].3;
                    let is_outermost = *opened == 0;
                    *opened += 1;
                    open.push(Open { row, key, launches, is_outermost });
                }
                // Only GPU events are right below it.
                let is_launch = graph.height(row) == Some(1) && graph.kernels(row).count > 0;
                if is_launch {
                    launches = launches.saturating_add(rows.dur(row).max(0));
                }
                if let Some(around) = open.last() {
                    let own = &mut keys.sums(around.key).own;
                    *own = own.saturating_add(graph.self_ns(row));
                }
            }
            Walk::Leave(row) => {
                let Some(Open { key, launches: before, is_outermost, .. }) = open.pop_if(|open| open.row == row) else {
                    return;
                };
                keys.keys[key as usize].3 -= 1;
                let mut call = Sums { count: 1, ..Sums::default() };
                if is_outermost {
                    let below = graph.kernels(row);
                    call.total = rows.dur(row).max(0);
                    call.kernels = u64::from(below.count);
                    call.kernel_total = below.ns;
                    call.kernel_span = below.span();
                    call.launches = launches.saturating_sub(before);
                }
                keys.sums(key).add(&call);
            }
        },
    );
    keys.named(rows)
}
