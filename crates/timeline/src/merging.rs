//! Calls of one stack in one node of a flame graph.

use crate::Name;
use crate::calls::{Call, Calls, NONE, Piece, Repeated};
use crate::flame::{Flame, Side};
use foldhash::{HashMap, HashSet};

/// Calls deeper than this count as the call at this depth, so that no stack is too long to write.
const DEEPEST: u16 = 1_000;

impl Flame {
    /// Merges all calls of one stack.
    ///
    /// # Example
    /// ```
    /// use timeline::{Call, Flame, Layout};
    ///
    /// let call = |parent, name, own, at| Call { parent, name, own, side: 0, at };
    /// let calls = [call(None, 0, 5, 0), call(Some(0), 1, 2, 0), call(Some(0), 2, 4, 2), call(Some(0), 1, 3, 6)];
    /// let flame = Flame::merged(&calls.into_iter().collect());
    /// let boxes = flame.boxes(Layout::LeftHeavy, 100);
    /// assert_eq!(flame.total(), [14, 0]);
    /// assert_eq!(boxes[1].name, Some(1));
    /// assert_eq!((boxes[1].start, boxes[1].sides[0], boxes[1].count), (0, 5, 2));
    /// ```
    pub fn merged(calls: &Calls) -> Self {
        Merging::new(calls, Some(HashMap::default())).flame()
    }

    /// Merges calls of one stack that follow each other, in the order of the list.
    pub fn neighbours(calls: &Calls) -> Self {
        Merging::new(calls, None).flame()
    }
}

/// A flame graph under construction.
struct Merging<'c> {
    calls: &'c Calls,
    flame: Flame,
    /// The node of each call; those of repetitions are not needed.
    node_of: Vec<u32>,
    /// The node of each name inside a node, if all calls of one stack are merged; otherwise those that follow each other are.
    known: Option<HashMap<(u32, Name), u32>>,
    last: LastChildren,
    /// Calls whose node was the first inside the one around it, of those that are repeated: repetitions have copies of these nodes.
    first_inside: HashSet<u32>,
}

/// The last call inside each node: its name and its node.
#[derive(Default)]
struct LastChildren {
    bottom: Option<(Name, u32)>,
    inside: Vec<Option<(Name, u32)>>,
}

impl LastChildren {
    fn of(&mut self, parent: u32) -> &mut Option<(Name, u32)> {
        if parent == NONE {
            return &mut self.bottom;
        }
        let at = parent as usize;
        if at >= self.inside.len() {
            self.inside.resize(at + 1, None);
        }
        &mut self.inside[at]
    }
}

impl<'c> Merging<'c> {
    fn new(calls: &'c Calls, known: Option<HashMap<(u32, Name), u32>>) -> Self {
        let sides = if calls.has_test() { 2 } else { 1 };
        let flame = Flame { sides: vec![Side::default(); sides], ..Flame::default() };
        // Pages that only repetitions have are not touched.
        let node_of = vec![0; calls.len()];
        Self { calls, flame, node_of, known, last: LastChildren::default(), first_inside: HashSet::default() }
    }

    /// Merges the calls.
    fn flame(mut self) -> Flame {
        let mut index = 0;
        let repeated = self.calls.repeated();
        for piece in self.calls.pieces() {
            match piece {
                Piece::Call(call) => {
                    let parent = call.parent.map_or(NONE, |parent| self.node_of_call(parent));
                    let is_first = self.known.is_none() && self.last.of(parent).is_none();
                    let node = self.add(parent, &call);
                    // A call that is too deep has the node around it, and no node to copy.
                    if is_first && node != parent && repeated.binary_search(&index).is_ok() {
                        self.first_inside.insert(index);
                    }
                    self.node_of[index as usize] = node;
                    index += 1;
                }
                Piece::Repeated(of) => {
                    self.repeat(&of);
                    index += of.names.len() as u32;
                }
            }
        }
        let mut flame = self.flame;
        for side in &mut flame.sides {
            let timed = |&(_, &ns): &(u32, &i64)| ns != 0;
            side.own = (0..).zip(&side.totals).filter(timed).map(|(node, &ns)| (node, ns)).collect();
            for (node, &parent) in flame.parents.iter().enumerate().rev() {
                if parent != NONE {
                    side.totals[parent as usize] = side.totals[parent as usize].saturating_add(side.totals[node]);
                }
            }
        }
        flame
    }

    /// Adds a call inside a node; returns its node.
    fn add(&mut self, parent: u32, call: &Call) -> u32 {
        let next = self.flame.len() as u32;
        let depth = self.flame.depths.get(parent as usize).map_or(0, |around| around + 1);
        let node = if depth > DEEPEST { parent } else { self.node(parent, call.name, next) };
        if node == next {
            self.flame.add(parent, call.name, depth, call.at);
        }
        self.count(node, call.side, call.at);
        self.take(node, call.side, call.own);
        node
    }

    /// Returns the node of a name inside a node; `next` for a new one.
    fn node(&mut self, parent: u32, name: Name, next: u32) -> u32 {
        let last = self.last.of(parent);
        // Many calls have the name of the one before them.
        if last.is_none_or(|(before, _)| before != name) {
            let known = self.known.as_mut().map(|known| *known.entry((parent, name)).or_insert(next));
            *last = Some((name, known.unwrap_or(next)));
        }
        last.map_or(next, |(_, node)| node)
    }

    fn count(&mut self, node: u32, side: u8, at: i64) {
        let start = &mut self.flame.starts[node as usize];
        *start = at.min(*start);
        let count = &mut self.flame.sides[usize::from(side.min(1))].counts[node as usize];
        *count = count.saturating_add(1);
    }

    fn take(&mut self, node: u32, side: u8, own: i64) {
        let total = &mut self.flame.sides[usize::from(side.min(1))].totals[node as usize];
        *total = total.saturating_add(own.max(0));
    }

    /// Adds calls that repeat earlier ones.
    fn repeat(&mut self, of: &Repeated<'_>) {
        let source = of.parents.first().map_or(NONE, |&parent| self.node_of_call(parent));
        let parent = self.node_of_call(of.parent);
        if self.known.is_some() && parent == source {
            for at in 0..of.names.len() {
                self.count(self.node_of[of.first as usize + at], of.side, of.at);
            }
            for &(call, own) in of.own {
                self.take(self.node_of[(call - of.index + of.first) as usize], of.side, own);
            }
        } else if self.first_inside.contains(&of.first)
            && self.last.of(parent).is_none()
            && self.depth(parent) == self.depth(source)
        {
            self.copy(of, source, parent);
        } else {
            let mut nodes: Vec<u32> = Vec::with_capacity(of.names.len());
            for call in of.calls() {
                let inside = call.parent.and_then(|parent| parent.checked_sub(of.index));
                let around = inside.and_then(|inside| nodes.get(inside as usize)).copied();
                nodes.push(self.add(around.unwrap_or(parent), &call));
            }
        }
    }

    /// Adds calls inside a node without others, as copies of the nodes of the calls that they repeat, which were the first inside theirs.
    fn copy(&mut self, of: &Repeated<'_>, source: u32, parent: u32) {
        let source_nodes = of.first as usize..of.first as usize + of.names.len();
        // Calls that are too deep have the node around them.
        let own = |node: &u32| *node != source;
        let nodes = self.node_of[source_nodes].iter().copied().filter(own);
        let Some((first, last)) = nodes.fold(None, |found: Option<(u32, u32)>, node| {
            let (first, last) = found.unwrap_or((node, node));
            Some((first.min(node), last.max(node)))
        }) else {
            return;
        };
        let moved = self.flame.len() as u32 - first;
        let to = |node: u32| if node == source { parent } else { node + moved };
        let nodes = first as usize..last as usize + 1;
        for node in nodes.clone() {
            self.flame.parents.push(to(self.flame.parents[node]));
        }
        self.flame.names.extend_from_within(nodes.clone());
        self.flame.depths.extend_from_within(nodes);
        let count = self.flame.parents.len();
        self.flame.starts.resize(count, of.at);
        for side in &mut self.flame.sides {
            side.counts.resize(count, 0);
            side.totals.resize(count, 0);
        }
        for (at, (&around, &name)) in of.parents.iter().zip(of.names).enumerate() {
            let node = to(self.node_of[of.first as usize + at]);
            let around = to(self.node_of_call(around));
            if node != around {
                *self.last.of(around) = Some((name, node));
            }
            self.count(node, of.side, of.at);
        }
        for &(call, own) in of.own {
            self.take(to(self.node_of[(call - of.index + of.first) as usize]), of.side, own);
        }
    }

    /// Returns the node of a stored call; [`NONE`] without a call.
    fn node_of_call(&self, call: u32) -> u32 {
        self.node_of.get(call as usize).copied().unwrap_or(NONE)
    }

    fn depth(&self, node: u32) -> Option<u16> {
        self.flame.depths.get(node as usize).copied()
    }
}
