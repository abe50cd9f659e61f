//! Captures of graphs: which one a replayed graph was made of.

use crate::input::batch::Batch;
use crate::input::borrowed::BorrowedCall;
use crate::input::label::{LabelId, Labels, Level};
use crate::tree::node::NONE;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A kernel of a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Launched {
    pub(crate) label: LabelId,
    /// The innermost call around its launch, or [`NONE`].
    pub(crate) call: u32,
}

/// The capture of a graph in a companion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Captured {
    /// The batch that its annotation names.
    pub(crate) batch: Option<Batch>,
    /// The kernels of the graph, in the order of their launches.
    pub(crate) kernels: Vec<Launched>,
}

/// What the captures of a recording say of a replayed graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Match {
    /// No capture fits.
    None,
    /// Captures that differ in their calls fit.
    Ambiguous,
    /// The innermost call of each kernel.
    Calls(Vec<Option<u32>>),
    /// The innermost call of each kernel, whose inputs are unknown: captures that differ in inputs alone fit.
    WithoutInputs(Vec<Option<u32>>),
}

/// How well a capture fits; the best first.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fit {
    /// The same kernels in the same order.
    Sequence(Level),
    /// The same kernels in another order, since branches of a graph run side by side.
    Set(Level),
    /// As many kernels, copies and fills in the same order, without the names of kernels.
    Kinds,
}

const FITS: [Fit; 5] = [
    Fit::Sequence(Level::Exact),
    Fit::Sequence(Level::Name),
    Fit::Set(Level::Exact),
    Fit::Set(Level::Name),
    Fit::Kinds,
];

/// A capture that fits a graph, and for each kernel of the graph the launch of the capture that it stands for.
type Fitting<'c> = (&'c Captured, Vec<usize>);

/// Finds the capture that a graph was made of, by its kernels and the batch that annotations say it runs. `calls` are those of the recording:
/// the one around each, and its labels. The batch decides among captures that fit equally well and differ.
pub(crate) fn find(
    captures: &[Captured],
    calls: &[BorrowedCall],
    (kernels, batch): (&[LabelId], Option<Batch>),
    labels: &Labels,
) -> Match {
    for fit in FITS {
        let fitting: Vec<Fitting<'_>> = captures
            .iter()
            .filter_map(|capture| Some((capture, order(&capture.kernels, kernels, fit, labels)?)))
            .collect();
        if !fitting.is_empty() {
            return decided(fitting, calls, batch, labels);
        }
    }
    Match::None
}

/// Returns groups of captures in a row, one group for each annotation and one without: where a group has as many captures as the step launches
/// graphs, or a part of them, and each graph fits the capture at its place. Pieces of a model are captured in the order in which they run, so
/// order tells them apart. Without an annotation around several captures, one graph that is launched again looks the same: then the `ids` of the
/// graphs have to differ.
pub(crate) fn in_order<'c>(
    captures: &'c [Captured],
    graphs: &[&[LabelId]],
    ids: &[Option<i64>],
    labels: &Labels,
) -> Vec<&'c [Captured]> {
    let differ = |pieces: usize| {
        let first: BTreeSet<i64> = ids.iter().take(pieces).copied().flatten().collect();
        first.len() == pieces && ids.iter().enumerate().all(|(at, id)| *id == ids[at % pieces])
    };
    let fits = |group: &&[Captured]| {
        let pieces = group.len();
        pieces > 1
            && graphs.len().is_multiple_of(pieces)
            && (group[0].batch.is_some() || differ(pieces))
            && graphs.iter().enumerate().all(|(at, kernels)| best(&group[at % pieces], kernels, labels).is_some())
    };
    captures.chunk_by(|one, other| one.batch == other.batch).filter(fits).collect()
}

/// Finds the capture of a graph as [`find`] does, among those at its place in groups of captures in a row.
pub(crate) fn find_at(
    groups: &[&[Captured]],
    at: usize,
    calls: &[BorrowedCall],
    (kernels, batch): (&[LabelId], Option<Batch>),
    labels: &Labels,
) -> Match {
    let captures = groups.iter().map(|group| &group[at % group.len()]);
    decided(captures.filter_map(|capture| best(capture, kernels, labels)).collect(), calls, batch, labels)
}

/// Returns how a capture fits a graph best.
fn best<'c>(capture: &'c Captured, kernels: &[LabelId], labels: &Labels) -> Option<Fitting<'c>> {
    FITS.into_iter().find_map(|fit| Some((capture, order(&capture.kernels, kernels, fit, labels)?)))
}

/// Returns the calls on which captures that fit agree, else those of the captures of the batch.
fn decided(mut fitting: Vec<Fitting<'_>>, calls: &[BorrowedCall], batch: Option<Batch>, labels: &Labels) -> Match {
    let all = agreed(&fitting, calls, labels);
    if matches!(all, Match::Calls(_)) {
        return all;
    }
    fitting.retain(|(capture, _)| capture.batch.zip(batch).is_some_and(|(of, batch)| of.is_of(batch)));
    if fitting.is_empty() { all } else { agreed(&fitting, calls, labels) }
}

/// Returns the calls on which captures agree.
fn agreed(fitting: &[Fitting<'_>], calls: &[BorrowedCall], labels: &Labels) -> Match {
    let Some((first, order)) = fitting.first() else { return Match::None };
    let paths = |capture: &Captured, order: &[usize]| -> Vec<Vec<LabelId>> {
        order.iter().map(|&at| path(capture.kernels[at].call, calls)).collect()
    };
    let (expected, mut agree) = (paths(first, order), true);
    for (capture, order) in fitting.iter().skip(1) {
        let found = paths(capture, order);
        if found == expected {
            continue;
        }
        if !agree_in_names(&found, &expected, labels) {
            return Match::Ambiguous;
        }
        agree = false;
    }
    let calls = order.iter().map(|&at| Some(first.kernels[at].call).filter(|&call| call != NONE)).collect();
    if agree { Match::Calls(calls) } else { Match::WithoutInputs(calls) }
}

/// For each kernel of the graph the launch of the capture that it stands for.
fn order(capture: &[Launched], kernels: &[LabelId], fit: Fit, labels: &Labels) -> Option<Vec<usize>> {
    if capture.len() != kernels.len() || kernels.is_empty() {
        return None;
    }
    let is_named = |one: &Launched| !labels.text(one.label).is_empty();
    match fit {
        Fit::Kinds => {
            let number = |label: LabelId| labels.get(label).at(Level::Name).number();
            let fits = capture.iter().zip(kernels).all(|(one, &kernel)| match is_named(one) {
                true => number(one.label) == number(kernel),
                false => labels.kind(one.label) == labels.kind(kernel) || labels.kind(kernel).is_kernel(),
            });
            (fits && !capture.iter().all(is_named)).then(|| (0..kernels.len()).collect())
        }
        Fit::Sequence(level) => {
            let number = |label: LabelId| labels.get(label).at(level).number();
            let fits =
                capture.iter().zip(kernels).all(|(one, &kernel)| is_named(one) && number(one.label) == number(kernel));
            fits.then(|| (0..kernels.len()).collect())
        }
        Fit::Set(level) => {
            let number = |label: LabelId| labels.get(label).at(level).number();
            let mut ours: Vec<(u64, usize)> = kernels.iter().map(|&label| number(label)).zip(0..).collect();
            let mut theirs: Vec<(u64, usize)> = capture.iter().map(|one| number(one.label)).zip(0..).collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            let fits = capture.iter().all(is_named) && ours.iter().zip(&theirs).all(|(one, other)| one.0 == other.0);
            fits.then(|| {
                let mut order = vec![0; kernels.len()];
                ours.iter().zip(&theirs).for_each(|(&(_, our), &(_, their))| order[our] = their);
                order
            })
        }
    }
}

/// The labels of a call and of those around it, the innermost first.
fn path(call: u32, calls: &[BorrowedCall]) -> Vec<LabelId> {
    let (mut path, mut at) = (Vec::new(), call);
    while at != NONE {
        let BorrowedCall { around, label, .. } = calls[at as usize];
        path.push(label);
        at = around;
    }
    path
}

/// Tells whether the calls above all kernels agree but for their inputs.
fn agree_in_names(one: &[Vec<LabelId>], other: &[Vec<LabelId>], labels: &Labels) -> bool {
    let agree = |(a, b): (&Vec<LabelId>, &Vec<LabelId>)| {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| labels.agree_in_name(a, b))
    };
    one.len() == other.len() && one.iter().zip(other).all(agree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::kind::{Class, Kind};

    /// Launches of kernels by name, each with a call of its own.
    fn capture(names: &[&str], calls: &mut Vec<BorrowedCall>, operator: &str, labels: &mut Labels) -> Captured {
        let (operator, inputs) = operator.split_once(' ').unwrap_or((operator, ""));
        let launched = names.iter().map(|name| {
            let label = labels.add(Kind::Operator, operator, inputs);
            calls.push(BorrowedCall { around: NONE, label, run: 0, row: 0, has_inputs: true });
            Launched { label: kernel(name, labels), call: calls.len() as u32 - 1 }
        });
        Captured { batch: None, kernels: launched.collect() }
    }

    fn kernel(name: &str, labels: &mut Labels) -> LabelId {
        let class = if name.starts_with("Mem") { Class::Copy } else { Class::Compute };
        labels.add(Kind::Gpu(class), name, "")
    }

    #[test]
    fn a_graph_finds_its_capture() {
        let (mut labels, mut calls) = (Labels::default(), Vec::new());
        let captures = [
            capture(&["gemm", "gelu", "gemm"], &mut calls, "one", &mut labels),
            capture(&["gemm", "norm", "gemm"], &mut calls, "two", &mut labels),
            capture(&["", "Memcpy DtoD", ""], &mut calls, "three", &mut labels),
        ];
        let mut found = |names: &[&str]| {
            let kernels: Vec<LabelId> = names.iter().map(|name| kernel(name, &mut labels)).collect();
            find(&captures, &calls, (&kernels, None), &labels)
        };
        let all = |from: u32| Match::Calls((from..from + 3).map(Some).collect());
        assert_eq!(found(&["gemm", "norm", "gemm"]), all(3));
        // Branches ran in another order.
        assert_eq!(found(&["norm", "gemm", "gemm"]), Match::Calls(vec![Some(4), Some(3), Some(5)]));
        // Names of kernels are not known.
        assert_eq!(found(&["softmax", "Memcpy DtoD", "cat"]), all(6));
        assert_eq!(found(&["softmax", "cat", "Memcpy DtoD"]), Match::None);
        assert_eq!(found(&["gemm", "norm"]), Match::None);
        assert_eq!(found(&[]), Match::None);
    }

    #[test]
    fn captures_that_differ_are_no_answer() {
        let (mut labels, mut calls) = (Labels::default(), Vec::new());
        let mut captures = vec![
            capture(&["gemm", "gelu"], &mut calls, "one", &mut labels),
            capture(&["gemm", "gelu"], &mut calls, "one", &mut labels),
        ];
        let kernels = ["gemm", "gelu"].map(|name| kernel(name, &mut labels));
        let wanted = (&kernels[..], None);
        assert_eq!(find(&captures, &calls, wanted, &labels), Match::Calls(vec![Some(0), Some(1)]));
        captures.push(capture(&["gemm", "gelu"], &mut calls, "one [[8]]", &mut labels));
        assert_eq!(find(&captures, &calls, wanted, &labels), Match::WithoutInputs(vec![Some(0), Some(1)]));
        captures.push(capture(&["gemm", "gelu"], &mut calls, "two", &mut labels));
        assert_eq!(find(&captures, &calls, wanted, &labels), Match::Ambiguous);
    }

    #[test]
    fn order_of_a_step_decides_among_equal_pieces() {
        let (mut labels, mut calls) = (Labels::default(), Vec::new());
        let mut piece = |operator: &str, labels: &mut Labels| capture(&["gemm", "gelu"], &mut calls, operator, labels);
        let captures = [piece("one", &mut labels), piece("two", &mut labels), piece("three", &mut labels)];
        let kernels = ["gemm", "gelu"].map(|name| kernel(name, &mut labels)).to_vec();
        let other = vec![kernel("norm", &mut labels); 2];
        assert_eq!(find(&captures, &calls, (&kernels, None), &labels), Match::Ambiguous);
        let groups = |captures: &[Captured], graphs: &[&Vec<LabelId>], ids: &[i64]| -> Vec<usize> {
            let graphs: Vec<&[LabelId]> = graphs.iter().map(|graph| &graph[..]).collect();
            let ids: Vec<Option<i64>> = ids.iter().map(|&id| Some(id).filter(|&id| id > 0)).collect();
            in_order(captures, &graphs, &ids, &labels).into_iter().map(<[Captured]>::len).collect()
        };
        // The step launches three graphs twice.
        assert_eq!(groups(&captures, &[&kernels; 6], &[7, 5, 6, 7, 5, 6]), [3]);
        let found = |at| find_at(&[&captures], at, &calls, (&kernels, None), &labels);
        assert_eq!([found(1), found(3)], [Match::Calls(vec![Some(2), Some(3)]), Match::Calls(vec![Some(0), Some(1)])]);
        // One graph, unknown graphs, graphs in another order, of another number, and another graph: the order says nothing.
        for ids in [[7, 7, 7, 7, 7, 7], [0, 0, 0, 0, 0, 0], [7, 5, 6, 5, 6, 7]] {
            assert!(groups(&captures, &[&kernels; 6], &ids).is_empty(), "{ids:?}");
        }
        assert!(groups(&captures, &[&kernels; 4], &[1, 2, 3, 4]).is_empty());
        assert!(groups(&captures, &[&kernels, &other, &kernels], &[1, 2, 3]).is_empty());
        // An annotation around several captures says that they are pieces; the batch of the step decides among annotations.
        let of = |size: u64, captures: &[Captured]| -> Vec<Captured> {
            let batch = Some(Batch { size, decodes: true, prefills: false });
            captures.iter().map(|one| Captured { batch, ..one.clone() }).collect()
        };
        let [one, two, three] = captures.clone();
        let both = [of(8, &captures), of(4, &[three, one, two])].concat();
        assert_eq!(groups(&both, &[&kernels; 3], &[0; 3]), [3, 3]);
        let of_batch = |size| Some(Batch { size, decodes: true, prefills: false });
        let found = |batch| find_at(&[&both[..3], &both[3..]], 1, &calls, (&kernels, batch), &labels);
        assert_eq!(found(of_batch(8)), Match::Calls(vec![Some(2), Some(3)]));
        assert_eq!(found(of_batch(4)), Match::Calls(vec![Some(0), Some(1)]));
        assert_eq!([found(of_batch(2)), found(None)], [Match::Ambiguous, Match::Ambiguous]);
    }

    #[test]
    fn batch_decides_among_captures_that_differ() {
        let (mut labels, mut calls) = (Labels::default(), Vec::new());
        let batch = |size, decodes, prefills| Batch { size, decodes, prefills };
        let of = |batch: Option<Batch>, capture: Captured| Captured { batch, ..capture };
        let mut captures = vec![
            of(Some(batch(8, true, true)), capture(&["gemm", "gelu"], &mut calls, "one [[8]]", &mut labels)),
            of(Some(batch(32, true, false)), capture(&["gemm", "gelu"], &mut calls, "one [[32]]", &mut labels)),
            of(None, capture(&["gemm", "gelu"], &mut calls, "one [[64]]", &mut labels)),
        ];
        let kernels = ["gemm", "gelu"].map(|name| kernel(name, &mut labels));
        let found =
            |captures: &[Captured], calls: &[BorrowedCall], batch| find(captures, calls, (&kernels, batch), &labels);
        let unknown = Match::WithoutInputs(vec![Some(0), Some(1)]);
        assert_eq!(found(&captures, &calls, Some(batch(8, true, false))), Match::Calls(vec![Some(0), Some(1)]));
        assert_eq!(found(&captures, &calls, Some(batch(8, false, true))), Match::Calls(vec![Some(0), Some(1)]));
        assert_eq!(found(&captures, &calls, Some(batch(32, true, false))), Match::Calls(vec![Some(2), Some(3)]));
        // Another size, another phase, and no annotation: nothing is guessed.
        for wanted in [Some(batch(64, true, false)), Some(batch(32, false, true)), None] {
            assert_eq!(found(&captures, &calls, wanted), unknown);
        }
        // Captures of one batch that differ stay ambiguous; those of another batch are no reason to doubt.
        captures.push(of(Some(batch(32, true, false)), capture(&["gemm", "gelu"], &mut calls, "two", &mut labels)));
        let found = |wanted| find(&captures, &calls, (&kernels, Some(wanted)), &labels);
        assert_eq!(found(batch(32, true, false)), Match::Ambiguous);
        assert_eq!(found(batch(8, true, false)), Match::Calls(vec![Some(0), Some(1)]));
        assert_eq!(found(batch(64, true, false)), Match::Ambiguous);
    }
}
