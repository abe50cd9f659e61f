//! Flame graphs: calls with the same stack in one box, whose width is the time of all of them.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::Name;

/// A call, with the time that is its own and not that of the calls inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Place of the call around it, which is before it in the list.
    pub parent: Option<u32>,
    /// Its name.
    pub name: Name,
    /// Its own time in ns; a negative one counts as 0.
    pub own: i64,
    /// 0 for control, or if there is one side; 1 for test.
    pub side: usize,
    /// When it starts, in ns after the start of its side: the order of the layout by time.
    pub at: i64,
}

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

/// A tree of stacks, with times of one side or two.
#[derive(Debug, Clone, Default)]
pub struct Flame {
    /// Parents before their children.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    depth: u32,
    name: Name,
    at: i64,
    count: [u64; 2],
    own: [i64; 2],
    total: [i64; 2],
}

impl Node {
    fn width(&self) -> i64 {
        self.total[0].saturating_add(self.total[1])
    }
}

/// Calls deeper than this count as the call at this depth, so that no stack is too long to write.
const DEEPEST: u32 = 1_000;

/// The parent of a box at the bottom.
const NONE: u32 = u32::MAX;

impl Flame {
    /// Merges all calls of one stack.
    ///
    /// # Example
    /// ```
    /// use timeline::{Call, Flame, Layout};
    ///
    /// let call = |parent, name, own, at| Call { parent, name, own, side: 0, at };
    /// let flame = Flame::merged(&[call(None, 0, 5, 0), call(Some(0), 1, 2, 0), call(Some(0), 2, 4, 2), call(Some(0), 1, 3, 6)]);
    /// let boxes = flame.boxes(Layout::LeftHeavy, 100);
    /// assert_eq!(flame.total(), [14, 0]);
    /// assert_eq!(boxes[1].name, Some(1));
    /// assert_eq!((boxes[1].start, boxes[1].sides[0], boxes[1].count), (0, 5, 2));
    /// ```
    pub fn merged(calls: &[Call]) -> Self {
        let mut known: HashMap<(u32, Name), u32> = HashMap::new();
        Self::new(calls, |parent, name, next| *known.entry((parent, name)).or_insert(next))
    }

    /// Merges calls of one stack that follow each other, in the order of the list.
    pub fn neighbours(calls: &[Call]) -> Self {
        let mut last: HashMap<u32, (Name, u32)> = HashMap::new();
        Self::new(calls, |parent, name, next| {
            let found = last.entry(parent).or_insert((name, next));
            if found.0 != name {
                *found = (name, next);
            }
            found.1
        })
    }

    fn new(calls: &[Call], mut node_for: impl FnMut(u32, Name, u32) -> u32) -> Self {
        let mut nodes: Vec<Node> = Vec::new();
        let mut node_of: Vec<u32> = Vec::with_capacity(calls.len());
        for call in calls {
            let parent = call.parent.and_then(|parent| node_of.get(parent as usize).copied()).unwrap_or(NONE);
            let depth = nodes.get(parent as usize).map_or(0, |above: &Node| above.depth + 1);
            let found = if depth > DEEPEST { parent } else { node_for(parent, call.name, nodes.len() as u32) };
            if found as usize == nodes.len() {
                let (name, at) = (call.name, call.at);
                nodes.push(Node { parent, depth, name, at, count: [0; 2], own: [0; 2], total: [0; 2] });
            }
            let (node, side) = (&mut nodes[found as usize], call.side.min(1));
            node.at = node.at.min(call.at);
            node.count[side] += 1;
            node.own[side] = node.own[side].saturating_add(call.own.max(0));
            node_of.push(found);
        }
        for index in (0..nodes.len()).rev() {
            let (node, above) = (nodes[index], nodes[index].parent);
            let total = [0, 1].map(|side: usize| node.total[side].saturating_add(node.own[side]));
            nodes[index].total = total;
            if above != NONE {
                let parent = &mut nodes[above as usize];
                parent.total = [0, 1].map(|side: usize| parent.total[side].saturating_add(total[side]));
            }
        }
        Self { nodes }
    }

    /// Number of stacks.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Tells whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the time of each side, in ns: the width of all boxes at the bottom.
    pub fn total(&self) -> [i64; 2] {
        let roots = self.nodes.iter().filter(|node| node.parent == NONE);
        roots.fold([0; 2], |sum, node| [0, 1].map(|side: usize| sum[side].saturating_add(node.total[side])))
    }

    /// Returns every stack with time of its own: its names from the bottom, and the time of each side in ns. In the order of
    /// the layout by time.
    pub fn stacks(&self) -> impl Iterator<Item = (Vec<Name>, [i64; 2])> {
        let order = self.order(Layout::Time);
        let timed = order.into_iter().filter(|&node| self.nodes[node as usize].own != [0; 2]);
        timed.map(|node| (self.stack(node), self.nodes[node as usize].own))
    }

    fn stack(&self, mut node: u32) -> Vec<Name> {
        let mut names = Vec::new();
        while node != NONE {
            names.push(self.nodes[node as usize].name);
            node = self.nodes[node as usize].parent;
        }
        names.reverse();
        names
    }

    /// Returns the boxes that have a width, in depth-first order, at most about `most`: those that are too small are added up in one box of
    /// each parent.
    pub fn boxes(&self, layout: Layout, most: usize) -> Vec<FlameBox> {
        let least = self.least_width(most);
        let mut boxes: Vec<FlameBox> = Vec::new();
        // Row and next left edge of the boxes around, by node.
        let mut row_of: HashMap<u32, (u32, i64)> = HashMap::new();
        let mut bottom = 0;
        let mut small: HashMap<u32, FlameBox> = HashMap::new();
        for index in self.order(layout) {
            let node = &self.nodes[index as usize];
            let (parent, edge) = match row_of.get_mut(&node.parent) {
                Some((row, edge)) => (Some(*row), edge),
                None if node.parent == NONE => (None, &mut bottom),
                // Inside a box that is too small.
                None => continue,
            };
            let depth = parent.map_or(0, |parent| boxes[parent as usize].depth + 1);
            let count = node.count[0] + node.count[1];
            if node.width() == 0 {
                continue;
            }
            if node.width() < least {
                let none = FlameBox { parent, depth, name: None, start: 0, own: 0, count: 0, sides: [0; 2] };
                let sum = small.entry(node.parent).or_insert(none);
                sum.count += count;
                sum.sides = [0, 1].map(|side: usize| sum.sides[side].saturating_add(node.total[side]));
                continue;
            }
            let own = node.own[0].saturating_add(node.own[1]);
            let row = boxes.len() as u32;
            boxes.push(FlameBox { parent, depth, name: Some(node.name), start: *edge, own, count, sides: node.total });
            let start = *edge;
            *edge = edge.saturating_add(node.width());
            row_of.insert(index, (row, start));
        }
        self.with_small(boxes, &row_of, small, bottom)
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
        if self.nodes.len() <= most {
            return 1;
        }
        let mut widths: Vec<i64> = self.nodes.iter().map(Node::width).collect();
        let (_, least, _) = widths.select_nth_unstable_by_key(most.min(self.nodes.len() - 1), |&width| Reverse(width));
        least.saturating_add(1)
    }

    /// The nodes in depth-first order.
    fn order(&self, layout: Layout) -> Vec<u32> {
        let mut sorted: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let node = |index: u32| &self.nodes[index as usize];
        // By parent, of one parent the last child first, since the stack below reverses them.
        match layout {
            Layout::LeftHeavy => {
                sorted.sort_by_key(|&index| (node(index).parent, node(index).width(), Reverse(index)));
            }
            Layout::Time => sorted.sort_by_key(|&index| (node(index).parent, Reverse((node(index).at, index)))),
        }
        let children = |parent: u32| {
            let from = sorted.partition_point(|&index| node(index).parent < parent);
            let to = sorted.partition_point(|&index| node(index).parent <= parent);
            &sorted[from..to]
        };
        let mut open: Vec<u32> = children(NONE).to_vec();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(index) = open.pop() {
            order.push(index);
            open.extend(children(index));
        }
        order
    }
}
