//! The sums of the operators of a rank: one walk over its call trees.

use super::by::OperatorsBy;
use super::sums::Sums;
use super::work::RankWork;
use crate::analysis::call_inputs::CallInputs;
use crate::analysis::call_trees::CallTrees;
use crate::analysis::roofline::types_in_words;
use crate::domain::EventKind;
use crate::frame::RankEvents;
use call_tree::nesting::{Kernels, Walk};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
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

/// Shapes and types of the inputs of a call, as codes.
type InputCodes = [Option<u32>; 2];

/// The rows of the answer: operators by name, stacks of names, or names with shapes and types.
struct Keys {
    by: OperatorsBy,
    /// By the stack around it, the codes of its inputs, and the name.
    numbers: HashMap<(Option<u32>, InputCodes, u32), u32, FixedState>,
    keys: Vec<Key>,
}

/// A row of the answer.
struct Key {
    /// The stack around it.
    around: Option<u32>,
    inputs: InputCodes,
    name: u32,
    sums: Sums,
    /// Number of open calls.
    open: u32,
}

impl Keys {
    fn number(&mut self, around: Option<u32>, inputs: InputCodes, name: u32) -> u32 {
        let around = around.filter(|_| self.by == OperatorsBy::Stack);
        let next = self.keys.len() as u32;
        *self.numbers.entry((around, inputs, name)).or_insert_with(|| {
            self.keys.push(Key { around, inputs, name, sums: Sums::default(), open: 0 });
            next
        })
    }

    fn sums(&mut self, key: u32) -> &mut Sums {
        &mut self.keys[key as usize].sums
    }

    /// Returns the names, those of a stack joined.
    fn named(self, rows: &RankEvents) -> BTreeMap<String, Sums> {
        let mut texts: Vec<String> = Vec::with_capacity(self.keys.len());
        let mut named: BTreeMap<String, Sums> = BTreeMap::new();
        // The stack around a key has a smaller number.
        for Key { around, inputs, name, sums, .. } in self.keys {
            let name = rows.text(name);
            let around = around.and_then(|around| texts.get(around as usize));
            let mut text = around.map_or_else(|| name.to_owned(), |around| format!("{around}{INSIDE}{name}"));
            let [shapes, types] = inputs.map(|code| code.map(|code| rows.text(code)).filter(|text| *text != "-1"));
            for input in shapes.map(str::to_owned).into_iter().chain(types.map(types_in_words)) {
                text.push(' ');
                text.push_str(&input);
            }
            named.entry(text.clone()).or_default().add(&sums);
            texts.push(if self.by == OperatorsBy::Stack { text } else { String::new() });
        }
        named
    }
}

/// Adds up the operators of a rank; rows differ by `inputs`, shapes and types, if there are any.
pub(super) fn operator_sums(
    trees: &CallTrees,
    by: OperatorsBy,
    inputs: Option<&CallInputs<2>>,
    work: Option<&RankWork>,
) -> BTreeMap<String, Sums> {
    let (rows, graph) = (trees.rows(), trees.graph());
    let kinds = rows.kinds();
    let mut keys = Keys { by, numbers: HashMap::default(), keys: Vec::new() };
    let mut open: Vec<Open> = Vec::new();
    let mut launches = 0_i64;
    graph.forest().walk(
        |row| row,
        |step| match step {
            Walk::Enter(row) if graph.is_launched(rows, row) => {
                if let Some(around) = open.last() {
                    let Kernels { ns, .. } = *graph.kernels(row);
                    let is_borrowed = trees.is_borrowed(around.row);
                    let sums = keys.sums(around.key);
                    sums.kernel_own = sums.kernel_own.saturating_add(ns);
                    if is_borrowed {
                        sums.borrowed = sums.borrowed.saturating_add(ns);
                    }
                }
            }
            Walk::Enter(row) => {
                if kinds[row] == EventKind::Operator {
                    let inputs = inputs.map(|inputs| inputs.codes(trees, row)).unwrap_or_default();
                    let key = keys.number(open.last().map(|around| around.key), inputs, rows.name(row));
                    let entry = &mut keys.keys[key as usize];
                    let is_outermost = entry.open == 0;
                    entry.open += 1;
                    if let Some(work) = work {
                        work.add_to(&mut entry.sums, row);
                    }
                    open.push(Open { row, key, launches, is_outermost });
                }
                launches = launches.saturating_add(trees.launch_ns(row));
                if let Some(around) = open.last() {
                    let own = &mut keys.sums(around.key).own;
                    *own = own.saturating_add(graph.self_ns(row));
                }
            }
            Walk::Leave(row) => {
                let Some(Open { key, launches: before, is_outermost, .. }) = open.pop_if(|open| open.row == row) else {
                    return;
                };
                keys.keys[key as usize].open -= 1;
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
