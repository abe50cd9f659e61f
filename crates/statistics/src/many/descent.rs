//! Descent through a tree of quantities: step; class; region; operator and shape.

use crate::numbers::error::Error;

/// Adjusted p of groups of nodes, of all groups of a level together.
pub type Adjust<'a> = dyn Fn(&[Vec<usize>]) -> Result<Vec<f64>, Error> + 'a;

/// The test that opens a descent below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// Its own, or that of its whole subtree: two tests of the root, each with its own false alarms.
    Either,
    /// That of its whole subtree, which the root needs for its own q, too: one test, so that anything at all is called changed with a
    /// probability of at most α where nothing is.
    Subtree,
}

/// What a descent found for each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// The q of each node among the nodes of its level that were reached; nothing for nodes below what was not kept.
    pub q: Vec<Option<f64>>,
    /// Whether the node is kept: something in its subtree, itself included, has changed.
    pub selected: Vec<bool>,
}

/// Goes down level by level, only below nodes that are kept (Yekutieli, 2008). `parents` names the parent of each node, which comes before
/// it; `adjust` returns adjusted p of groups of nodes, of all groups of a level together.
///
/// A node is kept if the group of its **whole subtree** has an adjusted p of at most `alpha`: +5 % on an operator with a tenth of the step
/// moves the step by less than its noise, and would never be reached. With [`Opens::Either`] a node is kept for its own adjusted p, too:
/// of a step that certainly changed, the classes that did are not hidden by many regions that did not. A root without anything below is
/// judged for itself.
///
/// # Errors
/// [`Error::Shape`] if a parent does not come before its child, or `adjust` returns another number of p; errors of `adjust`.
pub fn descend(parents: &[Option<usize>], alpha: f64, opens: Opens, adjust: &Adjust<'_>) -> Result<Descent, Error> {
    let count = parents.len();
    let mut subtrees: Vec<Vec<usize>> = (0..count).map(|at| vec![at]).collect();
    let mut depths = vec![0usize; count];
    for (at, parent) in parents.iter().enumerate() {
        let mut above = *parent;
        depths[at] = match above {
            Some(parent) if parent < at => depths[parent] + 1,
            Some(_) => return Err(Error::Shape),
            None => 0,
        };
        while let Some(ancestor) = above {
            subtrees[ancestor].push(at);
            above = parents[ancestor];
        }
    }
    let mut descent = Descent { q: vec![None; count], selected: vec![false; count] };
    for depth in 0..=depths.iter().copied().max().unwrap_or(0) {
        let is_open = |at: usize| depths[at] == depth && parents[at].is_none_or(|parent| descent.selected[parent]);
        let open: Vec<usize> = (0..count).filter(|&at| is_open(at)).collect();
        if open.is_empty() {
            break;
        }
        let own = adjust(&open.iter().map(|&at| vec![at]).collect::<Vec<_>>())?;
        let below = adjust(&open.iter().map(|&at| subtrees[at].clone()).collect::<Vec<_>>())?;
        if own.len() != open.len() || below.len() != open.len() {
            return Err(Error::Shape);
        }
        for (slot, &at) in open.iter().enumerate() {
            let is_tree = parents[at].is_none() && subtrees[at].len() > 1;
            let q = if is_tree && opens == Opens::Subtree { own[slot].max(below[slot]) } else { own[slot] };
            descent.q[at] = Some(q).filter(|_| !own[slot].is_nan());
            descent.selected[at] = below[slot] <= alpha || (opens == Opens::Either && own[slot] <= alpha);
        }
    }
    Ok(descent)
}
