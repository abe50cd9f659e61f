//! Partial results as bytes, and back.
//!
//! The labels come first, as the texts that were recorded; all that is derived from them is made anew.

use super::bytes::{Damaged, Reader, Writer};
use super::cause::{Cause, Dependency};
use super::divide::{Idle, Piece};
use super::packed::{PackedLeaf, PackedMark, PackedNode, PackedTree};
use super::partial::{Communication, Partial, PartialSample};
use super::sample::Sample;
use super::spent::{Spending, Spent};
use super::waits::{LabelledWait, Waits};
use crate::input::family::Family;
use crate::input::kind::Class;
use crate::input::label::{LabelId, Labels};
use crate::input::reason::Reason;
use crate::tree::node::Role;
use std::collections::HashMap;

/// Version of the encoding.
const VERSION: u8 = 2;

/// The causes, in the order of their numbers.
const CAUSES: [Cause; 8] = [
    Cause::Host,
    Cause::LaunchCall,
    Cause::LaunchLatency,
    Cause::Dependency(Dependency::Collective),
    Cause::Dependency(Dependency::Stream),
    Cause::Dependency(Dependency::Event),
    Cause::Dependency(Dependency::Unknown),
    Cause::Drain,
];

impl Partial {
    /// Encodes it; `labels` are those of its recording.
    pub fn to_bytes(&self, labels: &Labels) -> Vec<u8> {
        let mut body = Encoder::default();
        body.partial(self);
        let mut bytes = Writer { bytes: vec![VERSION] };
        bytes.labels(&body.order, labels);
        bytes.bytes.append(&mut body.writer.bytes);
        bytes.bytes
    }

    /// Decodes it, and adds its labels to those of the comparison.
    ///
    /// # Errors
    /// If the bytes are damaged or of another version. No bytes make it panic.
    pub fn from_bytes(bytes: &[u8], labels: &mut Labels) -> Result<Self, Damaged> {
        let mut reader = Reader { rest: bytes };
        if reader.byte()? != VERSION {
            return Err(Damaged("it has another version"));
        }
        let table = reader.labels(labels)?;
        let mut decoder = Decoder { reader, labels: table };
        let partial = decoder.partial()?;
        if decoder.reader.rest.is_empty() { Ok(partial) } else { Err(Damaged("it is too long")) }
    }
}

/// Number of a value among all of its kind.
fn position<T: PartialEq>(values: &[T], value: &T) -> usize {
    values.iter().position(|one| one == value).unwrap_or(0)
}

#[derive(Default)]
struct Encoder {
    writer: Writer,
    numbers: HashMap<LabelId, u64>,
    /// Labels in the order of their numbers.
    order: Vec<LabelId>,
}

impl Encoder {
    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.writer.length(items.len());
        items.iter().for_each(|one| item(self, one));
    }

    fn label(&mut self, label: LabelId) {
        let next = self.order.len() as u64;
        let number = *self.numbers.entry(label).or_insert(next);
        if number == next {
            self.order.push(label);
        }
        self.writer.number(number);
    }

    fn some_label(&mut self, label: Option<LabelId>) {
        self.writer.number(u64::from(label.is_some()));
        label.into_iter().for_each(|label| self.label(label));
    }

    fn partial(&mut self, partial: &Partial) {
        let Partial { has_gpu, is_whole, keeps_events, .. } = *partial;
        self.writer.signed(partial.rank);
        for flag in [has_gpu, is_whole, keeps_events] {
            self.writer.number(u64::from(flag));
        }
        self.list(&partial.samples, Self::sample);
        self.list(&partial.others, |to, &number| to.writer.signed(number));
        self.list(&partial.left_out, |to, &(ns, events)| {
            to.writer.signed(ns);
            to.writer.number(events);
        });
        self.list(&partial.left_out_rows, |to, &(row, reason)| {
            to.writer.number(u64::from(row));
            to.writer.number(reason as u64);
        });
        self.writer.signed(partial.begin);
        self.list(&partial.communication, |to, one| {
            to.writer.number(u64::from(one.row));
            to.writer.signed(one.start.wrapping_sub(partial.begin));
            to.writer.signed(one.end.wrapping_sub(one.start));
        });
        self.list(&partial.spent, |to, spent| {
            to.writer.signed(spent.until.wrapping_sub(partial.begin));
            to.list(&spent.on, |to, &(spending, label, ns)| {
                let (of, number) = match spending {
                    Spending::Class(class) => (0, class as usize),
                    Spending::Idle(cause) => (1, position(&CAUSES, &cause)),
                };
                to.writer.number(of);
                to.writer.length(number);
                to.some_label(label);
                to.writer.signed(ns);
            });
        });
    }

    fn sample(&mut self, one: &PartialSample) {
        let Sample { iteration, step_ns, classes_ns, idle_ns, causes_ns, unattributed_ns, .. } = one.sample;
        let rest = causes_ns.into_iter().chain([idle_ns, unattributed_ns]);
        for number in [iteration, step_ns].into_iter().chain(classes_ns).chain(rest) {
            self.writer.signed(number);
        }
        self.writer.number(one.left_out.map_or(0, |reason| reason as u64 + 1));
        self.tree(&one.tree);
        self.list(&one.elsewhere, |to, &(sample, leaf, ns)| {
            to.writer.number(u64::from(sample));
            to.writer.number(u64::from(leaf));
            to.writer.signed(ns);
        });
        self.list(&one.nowhere, |to, &(row, ns)| {
            to.writer.number(u64::from(row));
            to.writer.signed(ns);
        });
        self.list(&one.idle, |to, idle| {
            to.writer.length(position(&CAUSES, &idle.cause));
            to.some_label(idle.frame);
            to.writer.signed(idle.ns);
        });
        self.list(&one.waits, |to, (wait, waits)| {
            to.label(wait.call);
            to.some_label(wait.caller);
            to.writer.signed(waits.calls);
            to.writer.signed(waits.ns);
        });
        self.list(&one.exposed, |to, (row, pieces)| {
            to.writer.number(u64::from(*row));
            to.list(pieces, |to, piece| {
                to.writer.signed(piece.from);
                to.writer.signed(piece.to.wrapping_sub(piece.from));
                to.writer.signed(piece.ns);
            });
        });
    }

    fn tree(&mut self, tree: &PackedTree) {
        let (mut from, mut id) = (0, 0);
        self.list(&tree.nodes, |to, node| {
            id += 1;
            to.writer.number(node.role as u64 * Family::ALL.len() as u64 + node.family as u64);
            to.writer.number(id - u64::from(node.parent));
            to.writer.number(u64::from(node.labels_end - from));
            let chain = &tree.labels[from as usize..node.labels_end as usize];
            chain.iter().for_each(|&label| to.label(label));
            from = node.labels_end;
        });
        for leaf in &tree.leaves {
            self.writer.signed(leaf.ns);
            self.writer.signed(leaf.ns.wrapping_sub(leaf.attributed_ns));
            self.writer.number(u64::from(leaf.row) << 1 | u64::from(leaf.is_chosen));
        }
        self.list(&tree.paths, |to, path| to.list(path, |to, &label| to.label(label)));
        self.list(&tree.marks, |to, mark| {
            for number in [mark.leaf, mark.path, mark.graph_node] {
                to.writer.number(u64::from(number));
            }
        });
    }
}

struct Decoder<'b> {
    reader: Reader<'b>,
    /// Labels by number.
    labels: Vec<LabelId>,
}

type Done<T> = Result<T, Damaged>;

impl Decoder<'_> {
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Done<T>) -> Done<Vec<T>> {
        let mut items = Vec::new();
        for _ in 0..self.reader.length()? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn label(&mut self) -> Done<LabelId> {
        self.reader.one_of(&self.labels)
    }

    fn some_label(&mut self) -> Done<Option<LabelId>> {
        if self.reader.flag()? { self.label().map(Some) } else { Ok(None) }
    }

    fn partial(&mut self) -> Done<Partial> {
        let rank = self.reader.signed()?;
        let (has_gpu, is_whole, keeps_events) = (self.reader.flag()?, self.reader.flag()?, self.reader.flag()?);
        let samples = self.list(|from| from.sample(has_gpu))?;
        let others = self.reader.list(Reader::signed)?;
        let left_out = self.reader.list(|from| Ok((from.signed()?, from.number()?)))?;
        let left_out_rows = self.reader.list(|from| Ok((from.short()?, from.one_of(&Reason::ALL)?)))?;
        let begin = self.reader.signed()?;
        let communication = self.reader.list(|from| {
            let (row, start) = (from.short()?, begin.wrapping_add(from.signed()?));
            Ok(Communication { row, start, end: start.wrapping_add(from.signed()?).max(start) })
        })?;
        let spent = self.list(|from| {
            let until = begin.wrapping_add(from.reader.signed()?);
            let on = from.list(|from| {
                let spending = match from.reader.flag()? {
                    false => Spending::Class(from.reader.one_of(&Sample::CLASSES)?),
                    true => Spending::Idle(from.reader.one_of(&CAUSES)?),
                };
                Ok((spending, from.some_label()?, from.reader.signed()?))
            })?;
            Ok(Spent { until, on })
        })?;
        Ok(Partial {
            run: 0,
            rank,
            has_gpu,
            is_whole,
            keeps_events,
            samples,
            others,
            left_out: left_out.try_into().map_err(|_| Damaged("it has other reasons"))?,
            left_out_rows,
            begin,
            communication,
            spent,
            meetings: Vec::new(),
        })
    }

    fn sample(&mut self, has_gpu: bool) -> Done<PartialSample> {
        let from = &mut self.reader;
        let (iteration, step_ns) = (from.signed()?, from.signed()?);
        let classes_ns = [from.signed()?, from.signed()?, from.signed()?, from.signed()?];
        let mut causes_ns = [0; Cause::COUNT];
        for cause in &mut causes_ns {
            *cause = from.signed()?;
        }
        let (idle_ns, unattributed_ns) = (from.signed()?, from.signed()?);
        let sample =
            Sample { recording: 0, iteration, has_gpu, step_ns, classes_ns, idle_ns, causes_ns, unattributed_ns };
        let left_out = match from.number()? {
            0 => None,
            number => {
                let reason = usize::try_from(number - 1).ok().and_then(|number| Reason::ALL.get(number));
                Some(*reason.ok_or(Damaged("a number is out of range"))?)
            }
        };
        Ok(PartialSample {
            sample,
            left_out,
            tree: self.tree()?,
            elsewhere: self.reader.list(|from| Ok((from.short()?, from.short()?, from.signed()?)))?,
            nowhere: self.reader.list(|from| Ok((from.short()?, from.signed()?)))?,
            idle: self.list(|from| {
                let cause = from.reader.one_of(&CAUSES)?;
                Ok(Idle { cause, frame: from.some_label()?, ns: from.reader.signed()? })
            })?,
            waits: self.list(|from| {
                let wait = LabelledWait { call: from.label()?, caller: from.some_label()? };
                Ok((wait, Waits { calls: from.reader.signed()?, ns: from.reader.signed()? }))
            })?,
            exposed: self.list(|from| {
                let row = from.reader.short()?;
                Ok((row, from.reader.list(piece)?))
            })?,
        })
    }

    fn tree(&mut self) -> Done<PackedTree> {
        let mut tree = PackedTree::default();
        let mut leaves = 0;
        for id in 1..=self.reader.length()? as u64 {
            let kind = self.reader.number()?;
            let of = |number: u64| usize::try_from(number).map_err(|_| Damaged("a number is out of range"));
            let families = Family::ALL.len() as u64;
            let family = Family::ALL[of(kind % families)?];
            let role = *Role::ALL.get(of(kind / families)?).ok_or(Damaged("a number is out of range"))?;
            let above = self.reader.number()?;
            let parent = id.checked_sub(above).filter(|&parent| parent < id).ok_or(Damaged("a node has no parent"))?;
            let chain = self.reader.length()?;
            for _ in 0..chain {
                let label = self.label()?;
                tree.labels.push(label);
            }
            let has_label = matches!(role, Role::Host | Role::Graph | Role::Leaf);
            let is_below_leaf = parent > 0 && tree.nodes[parent as usize - 1].role == Role::Leaf;
            if role == Role::Root || has_label != (chain > 0) || is_below_leaf {
                return Err(Damaged("a node is at the wrong place"));
            }
            leaves += usize::from(role == Role::Leaf);
            let labels_end = u32::try_from(tree.labels.len()).map_err(|_| Damaged("it is too long"))?;
            let parent = u32::try_from(parent).map_err(|_| Damaged("it is too long"))?;
            tree.nodes.push(PackedNode { parent, labels_end, role, family });
        }
        for _ in 0..leaves {
            let (ns, hidden) = (self.reader.signed()?, self.reader.signed()?);
            let row = self.reader.number()?;
            let (is_chosen, row) = (row & 1 == 1, row >> 1);
            let row = u32::try_from(row).map_err(|_| Damaged("a number is out of range"))?;
            tree.leaves.push(PackedLeaf { ns, attributed_ns: ns.wrapping_sub(hidden), row, is_chosen });
        }
        tree.paths = self.list(|from| from.list(Self::label))?;
        tree.marks = self
            .reader
            .list(|from| Ok(PackedMark { leaf: from.short()?, path: from.short()?, graph_node: from.short()? }))?;
        Ok(tree)
    }
}

fn piece(from: &mut Reader<'_>) -> Done<Piece> {
    let (start, length, ns) = (from.signed()?, from.signed()?, from.signed()?);
    let end = start.checked_add(length).filter(|&end| start < end).ok_or(Damaged("an interval is empty"))?;
    Ok(Piece { from: start, to: end, ns })
}

/// The classes have the numbers of their order among samples.
const _: () = assert!(Class::Compute as usize == 0 && Class::Host as usize == 3);
