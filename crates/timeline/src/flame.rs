//! Flame graphs: calls with the same stack in one box, whose width is the time of all of them.

use std::cmp::Reverse;

use foldhash::HashMap;

use crate::Name;
use crate::calls::NONE;

/// Order of the boxes inside a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The widest first.
    LeftHeavy,
    /// By the start of their first call.
    Time,
}

/// A box of a flame graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlameBox {
    /// Row of the box below it.
    pub parent: Option<u32>,
    /// Number of boxes below it.
    pub depth: u32,
    /// Its name; `None` for boxes that are too small to be told apart.
    pub name: Option<Name>,
    /// Left edge, in ns.
    pub start: i64,
    /// Own time of both sides, in ns.
    pub own: i64,
    /// Number of calls of both sides.
    pub count: u64,
    /// Width of each side, in ns; the box is as wide as both.
    pub sides: [i64; 2],
}

/// A tree of stacks, with times of one side or two. Column by column: a search reads few of them, and there is a node for each call where
/// calls are in the order of time.
#[derive(Debug, Clone, Default)]
pub struct Flame {
    /// The node around each node, which is before it, or [`NONE`].
    pub(crate) parents: Vec<u32>,
    pub(crate) names: Vec<Name>,
    /// Number of nodes around each node, at most 1,000.
    pub(crate) depths: Vec<u16>,
    /// When the first call of each node starts, in ns.
    pub(crate) starts: Vec<i64>,
    /// One, or two if there are calls of test.
    pub(crate) sides: Vec<Side>,
}

/// The calls of a side by node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Side {
    pub(crate) counts: Vec<u32>,
    /// Nodes with time of their own, ascending, and that time in ns.
    pub(crate) own: Vec<(u32, i64)>,
    /// Their time with that of all nodes inside, in ns.
    pub(crate) totals: Vec<i64>,
}

/// What can be seen of a flame graph at a number of boxes, or fewer.
#[derive(Debug)]
pub struct Visible<'f> {
    flame: &'f Flame,
    /// The nodes that are wide enough, and those inside them.
    nodes: Vec<u32>,
    /// The width of the narrowest box.
    least: i64,
}

impl Visible<'_> {
    /// Returns boxes as [`Flame::boxes`] does, of at most the number that [`Flame::visible`] was asked for.
    pub fn boxes(&self, layout: Layout, most: usize) -> Vec<FlameBox> {
        let flame = self.flame;
        let least = self.least_of(most);
        // No box is wider than that around it, so that the wide ones are a tree.
        let is_wide = |node: u32| flame.width(node) >= least;
        let mut boxes: Vec<FlameBox> = Vec::new();
        // Row and next left edge of the boxes around, by node.
        let mut row_of: HashMap<u32, (u32, i64)> = HashMap::default();
        let mut bottom = 0;
        for node in flame.order(layout, self.nodes.iter().copied().filter(|&node| is_wide(node))) {
            let at = node as usize;
            let (parent, edge) = match row_of.get_mut(&flame.parents[at]) {
                Some((row, edge)) => (Some(*row), edge),
                None => (None, &mut bottom),
            };
            let [control, test] = flame.own(node);
            let row = boxes.len() as u32;
            boxes.push(FlameBox {
                parent,
                depth: u32::from(flame.depths[at]),
                name: Some(flame.names[at]),
                start: *edge,
                own: control.saturating_add(test),
                count: flame.count(node),
                sides: flame.total_of(node),
            });
            let start = *edge;
            *edge = edge.saturating_add(flame.width(node));
            row_of.insert(node, (row, start));
        }
        let mut small: HashMap<u32, FlameBox> = HashMap::default();
        for &node in self.nodes.iter().filter(|&&node| !is_wide(node)) {
            let around = flame.parents[node as usize];
            if around != NONE && !is_wide(around) {
                // Those inside a box that is too small are a part of it.
                continue;
            }
            let parent = row_of.get(&around).map(|&(row, _)| row);
            let depth = u32::from(flame.depths[node as usize]);
            let none = FlameBox { parent, depth, name: None, start: 0, own: 0, count: 0, sides: [0; 2] };
            let sum = small.entry(around).or_insert(none);
            sum.count += flame.count(node);
            let total = flame.total_of(node);
            sum.sides = [0, 1].map(|side: usize| sum.sides[side].saturating_add(total[side]));
        }
        flame.with_small(boxes, &row_of, small, bottom)
    }

    /// The width of the narrowest of so many boxes.
    fn least_of(&self, most: usize) -> i64 {
        let wide = self.nodes.iter().map(|&node| self.flame.width(node)).filter(|&width| width >= self.least);
        let mut widths: Vec<i64> = wide.collect();
        if widths.len() <= most {
            return self.least;
        }
        let (_, least, _) = widths.select_nth_unstable_by_key(most, |&width| Reverse(width));
        least.saturating_add(1)
    }
}

impl Flame {
    /// Adds a node without calls.
    pub(crate) fn add(&mut self, parent: u32, name: Name, depth: u16, start: i64) {
        self.parents.push(parent);
        self.names.push(name);
        self.depths.push(depth);
        self.starts.push(start);
        for side in &mut self.sides {
            side.counts.push(0);
            side.totals.push(0);
        }
    }

    /// Returns a number of each side of a node, of one side and nothing.
    fn of_sides(&self, number: impl Fn(&Side) -> i64) -> [i64; 2] {
        [0, 1].map(|side: usize| self.sides.get(side).map_or(0, &number))
    }

    fn own(&self, node: u32) -> [i64; 2] {
        let own = |side: &Side| Some(side.own[side.own.binary_search_by_key(&node, |&(of, _)| of).ok()?].1);
        self.of_sides(|side| own(side).unwrap_or(0))
    }

    fn total_of(&self, node: u32) -> [i64; 2] {
        self.of_sides(|side| side.totals[node as usize])
    }

    fn count(&self, node: u32) -> u64 {
        self.sides.iter().map(|side| u64::from(side.counts[node as usize])).sum()
    }

    /// Returns the width of a box: the time of both sides.
    fn width(&self, node: u32) -> i64 {
        self.sides.iter().fold(0, |sum: i64, side| sum.saturating_add(side.totals[node as usize]))
    }

    /// Returns the numbers of all nodes.
    fn nodes(&self) -> std::ops::Range<u32> {
        0..self.parents.len() as u32
    }

    /// Number of stacks.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Tells whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the time of each side, in ns: the width of all boxes at the bottom.
    pub fn total(&self) -> [i64; 2] {
        let roots = self.nodes().filter(|&node| self.parents[node as usize] == NONE);
        roots.fold([0; 2], |sum, node| {
            let total = self.total_of(node);
            [0, 1].map(|side: usize| sum[side].saturating_add(total[side]))
        })
    }

    /// Returns every stack with time of its own: its names from the bottom, and the time of each side in ns. In the order of
    /// the layout by time.
    pub fn stacks(&self) -> impl Iterator<Item = (Vec<Name>, [i64; 2])> {
        let timed = self.order(Layout::Time, self.nodes()).into_iter().filter(|&node| self.own(node) != [0; 2]);
        timed.map(|node| (self.stack(node), self.own(node)))
    }

    fn stack(&self, mut node: u32) -> Vec<Name> {
        let mut names = Vec::new();
        while node != NONE {
            names.push(self.names[node as usize]);
            node = self.parents[node as usize];
        }
        names.reverse();
        names
    }

    /// Returns the boxes that have a width, in depth-first order, at most about `most`: those that are too small are added up in one box of
    /// each parent.
    pub fn boxes(&self, layout: Layout, most: usize) -> Vec<FlameBox> {
        self.visible(most).boxes(layout, most)
    }

    /// Finds what can be seen of at most about so many boxes.
    pub fn visible(&self, most: usize) -> Visible<'_> {
        let least = self.least_width(most);
        let is_inside_wide = |node: u32| match self.parents[node as usize] {
            NONE => true,
            // Those inside a box that is too small are a part of it.
            around => self.width(around) >= least,
        };
        let nodes = self.nodes().filter(|&node| self.width(node) > 0 && is_inside_wide(node)).collect();
        Visible { flame: self, nodes, least }
    }

    /// Puts the box of small ones behind the last box inside its parent.
    fn with_small(
        &self,
        boxes: Vec<FlameBox>,
        row_of: &HashMap<u32, (u32, i64)>,
        mut small: HashMap<u32, FlameBox>,
        bottom: i64,
    ) -> Vec<FlameBox> {
        if small.is_empty() {
            return boxes;
        }
        let edges: HashMap<u32, (u32, i64)> = row_of.iter().map(|(&node, &(row, edge))| (row, (node, edge))).collect();
        let mut rest = |node: u32, edge: i64| {
            let mut found = small.remove(&node)?;
            found.start = edge;
            found.own = found.sides[0].saturating_add(found.sides[1]);
            Some(found)
        };
        let mut all: Vec<FlameBox> = Vec::with_capacity(2 * boxes.len());
        let mut new_row: Vec<u32> = Vec::with_capacity(boxes.len());
        // Old rows of the boxes around.
        let mut open: Vec<u32> = Vec::new();
        let mut close = |old: Option<u32>, all: &mut Vec<FlameBox>, new_row: &[u32]| {
            let (node, edge) = match old {
                Some(old) => edges.get(&old).copied().unwrap_or((NONE, 0)),
                None => (NONE, bottom),
            };
            if let Some(found) = rest(node, edge) {
                all.push(FlameBox { parent: old.map(|old| new_row[old as usize]), ..found });
            }
        };
        for (one, row) in boxes.iter().zip(0..) {
            while open.last().copied() != one.parent {
                close(open.pop(), &mut all, &new_row);
            }
            new_row.push(all.len() as u32);
            all.push(FlameBox { parent: one.parent.map(|parent| new_row[parent as usize]), ..*one });
            open.push(row);
        }
        while let Some(row) = open.pop() {
            close(Some(row), &mut all, &new_row);
        }
        close(None, &mut all, &new_row);
        all
    }

    /// The width of the narrowest of so many boxes; 1 if there are not more.
    fn least_width(&self, most: usize) -> i64 {
        if self.len() <= most {
            return 1;
        }
        let mut widths: Vec<i64> = self.nodes().map(|node| self.width(node)).collect();
        let (_, least, _) = widths.select_nth_unstable_by_key(most.min(self.len() - 1), |&width| Reverse(width));
        least.saturating_add(1)
    }

    /// Returns some nodes, with all that are around them, in depth-first order.
    fn order(&self, layout: Layout, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut sorted: Vec<u32> = nodes.collect();
        let parent = |node: u32| self.parents[node as usize];
        // By parent, of one parent the last child first, since the stack below reverses them.
        match layout {
            Layout::LeftHeavy => sorted.sort_by_key(|&node| (parent(node), self.width(node), Reverse(node))),
            Layout::Time => sorted.sort_by_key(|&node| (parent(node), Reverse((self.starts[node as usize], node)))),
        }
        let children = |around: u32| {
            let from = sorted.partition_point(|&node| parent(node) < around);
            let to = sorted.partition_point(|&node| parent(node) <= around);
            &sorted[from..to]
        };
        let mut open: Vec<u32> = children(NONE).to_vec();
        let mut order = Vec::with_capacity(sorted.len());
        while let Some(index) = open.pop() {
            order.push(index);
            open.extend(children(index));
        }
        order
    }
}
