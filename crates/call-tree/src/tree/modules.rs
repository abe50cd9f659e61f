//! Modules of work that has none of them above it in its tree.

use super::nesting::Nested;
use super::node::NONE;
use crate::input::kind::Kind;
use crate::input::label::LabelId;
use crate::input::recording::Recording;
use foldhash::HashMap;
use std::sync::Arc;

/// Modules, the outermost first.
pub(crate) type Path = Arc<Vec<LabelId>>;

/// A backward operator whose forward operator is a backward one, too, and so on: so many of them are followed.
const MOST_ORDERS: usize = 8;

/// Finds the module that a call works for: the innermost one around it, of a backward operator the one around its forward operator.
/// Returns it with the number of forward operators on the way.
///
/// # Example
/// ```
/// use call_tree::module_of;
///
/// // A module (0) with an operator (1), whose backward operator (3) is inside of a call (2) of another thread.
/// let forward = |call: u32| (call == 3).then_some(1);
/// let parent = |call: u32| [None, Some(0), None, Some(2)][call as usize];
/// assert_eq!(module_of(1, |call| call == 0, forward, parent), Some((0, 0)));
/// assert_eq!(module_of(3, |call| call == 0, forward, parent), Some((0, 1)));
/// assert_eq!(module_of(2, |call| call == 0, forward, parent), None);
/// ```
pub fn module_of(
    call: u32,
    is_module: impl Fn(u32) -> bool,
    forward: impl Fn(u32) -> Option<u32>,
    parent: impl Fn(u32) -> Option<u32>,
) -> Option<(u32, usize)> {
    let (mut at, mut orders) = (Some(call), 0);
    while let Some(call) = at {
        if is_module(call) {
            return Some((call, orders));
        }
        at = match forward(call) {
            Some(forward) if orders < MOST_ORDERS => {
                orders += 1;
                Some(forward)
            }
            _ => parent(call),
        };
    }
    None
}

/// Finds the modules of calls by the forward operator, and by frames that the tree leaves out.
pub(crate) struct Modules<'r> {
    recording: &'r Recording,
    /// Event that each event is in, frames of Python included.
    parent: Vec<u32>,
    /// Frames are in the tree, so that it tells the modules of all but backward operators.
    in_tree: bool,
    /// By the event around a call.
    known: HashMap<u32, Option<Path>>,
}

impl<'r> Modules<'r> {
    /// Prepares a recording; `None` if it has no module that its tree does not tell.
    pub(crate) fn of(recording: &'r Recording, nested: &Nested, without_stacks: bool) -> Option<Self> {
        let events = &recording.events;
        if !without_stacks && recording.forward.is_empty() || !events.iter().any(|event| event.kind == Kind::Module) {
            return None;
        }
        let parent = if without_stacks { Nested::of(events, false).parent } else { nested.parent.clone() };
        Some(Self { recording, parent, in_tree: !without_stacks, known: HashMap::default() })
    }

    /// Returns the modules of a call; `None` without any, and if the tree tells them.
    pub(crate) fn of_call(&mut self, at: u32) -> Option<Path> {
        let around = self.parent[at as usize];
        // A call of the backward thread may be a backward operator itself.
        if self.forward(at).is_some() || around == NONE {
            return self.find(at);
        }
        if let Some(known) = self.known.get(&around) {
            return known.clone();
        }
        let found = self.find(around);
        self.known.insert(around, found.clone());
        found
    }

    fn find(&self, at: u32) -> Option<Path> {
        let is_module = |at: u32| self.recording.events[at as usize].kind == Kind::Module;
        let parent = |at: u32| Some(self.parent[at as usize]).filter(|&up| up != NONE);
        let (module, orders) = module_of(at, is_module, |at| self.forward(at), parent)?;
        (orders > 0 || !self.in_tree).then(|| self.path(module))
    }

    fn forward(&self, at: u32) -> Option<u32> {
        let pairs = &self.recording.forward;
        let index = pairs.binary_search_by_key(&at, |&(backward, _)| backward).ok()?;
        Some(pairs[index].1)
    }

    /// The modules around an event and the event itself, which is one.
    fn path(&self, at: u32) -> Path {
        let up = |at: &u32| Some(self.parent[*at as usize]).filter(|&up| up != NONE);
        let events = std::iter::successors(Some(at), up).map(|at| &self.recording.events[at as usize]);
        let mut path: Vec<LabelId> =
            events.filter(|event| event.kind == Kind::Module).map(|event| event.label).collect();
        path.reverse();
        Arc::new(path)
    }
}
