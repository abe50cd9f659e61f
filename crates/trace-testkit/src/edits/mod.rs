//! Known edits of recorded traces: copies with other ids, times and noise, in which operators or layers are removed, wrapped,
//! fused, exchanged. Which event of a copy comes from which event of the original is known, so a comparison can be scored.

mod change;
mod disguise;
mod event;
mod layers;
mod nest;
mod score;

use crate::Random;
use event::{Event, Unit};
use nest::Nest;
use serde_json::{Map, Value};
use std::collections::HashMap;

pub use score::{Assignment, Score, score, score_both};

/// A change of a program, as it shows in a trace. Each is made in every step that has the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// An operator without an operator around it is gone, with its GPU work.
    RemoveOperator,
    /// One of several layers is gone: a module, or where there are none, a period of the operators.
    RemoveLayer,
    /// The GPU work of an operator takes three times as long.
    Scale,
    /// So many neighbouring operators get an operator around them.
    Wrap(usize),
    /// An operator has another name.
    Rename,
    /// An operator is called twice, the second time without GPU work of the original.
    Repeat,
    /// Frames of modules and of Python were not recorded.
    WithoutStacks,
    /// Shapes and types of inputs were not recorded.
    WithoutShapes,
    /// Two kernels of an operator become one.
    Fuse,
    /// The kernel of an operator takes over that of its neighbour, which is gone.
    FuseNeighbours,
    /// GPU work of several operators runs on another stream, at another time.
    OtherStream,
    /// Two neighbouring operators are called in the other order.
    Exchange,
    /// Matrix products have kernels of another library.
    OtherLibrary,
}

/// A recorded trace that can be edited.
#[derive(Debug, Clone)]
pub struct Original {
    events: Vec<Event>,
    head: Map<String, Value>,
    unit: Unit,
}

/// An edited copy, and what is known of it.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The trace file.
    pub json: Vec<u8>,
    /// Positions in the original of what each event of the copy stands for: none for a new event, several for a fused one.
    pub origins: Vec<Vec<u32>>,
    /// Number of edits that found a place.
    pub applied: usize,
    /// Equal layers of the original, if one of them was removed.
    pub layers: Option<Layers>,
}

/// Most operators in a row that count as a loop when they are repeated.
const LOOP: usize = 4;

/// Returns how many units before each one stands an equal one of the same loop; `None` for units outside and in the first turn of a loop.
fn periods(names: &[Vec<&str>]) -> Vec<Option<usize>> {
    let mut found = vec![None; names.len()];
    for period in 1..=LOOP {
        let mut start = period;
        for at in period..=names.len() {
            if at < names.len() && names[at] == names[at - period] {
                continue;
            }
            if at - start >= period {
                found[start..at].iter_mut().for_each(|one| *one = one.or(Some(period)));
            }
            start = at + 1;
        }
    }
    found
}

/// Equal layers of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers {
    /// Positions of the work of each layer in the original, in the order of the launches; those of one step behind another.
    pub work: Vec<Vec<u32>>,
    /// The layer that was removed.
    pub removed: usize,
}

impl Original {
    /// Reads the text of a trace file.
    ///
    /// # Errors
    /// If it is no JSON, or has no list of events.
    pub fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        let mut head: Map<String, Value> = serde_json::from_slice(json)?;
        let events: Vec<Value> = serde_json::from_value(head.remove("traceEvents").unwrap_or_default())?;
        let unit = Unit::of(&events);
        let events = events.into_iter().enumerate().map(|(at, value)| Event::of(value, at as u32)).collect();
        Ok(Self { events, head, unit })
    }

    /// Returns the group of each GPU event by its position. Operators in a row that are equal in all names but for instances of modules cannot
    /// be told apart once one of them is removed: their events have a group together, each other event one of its own. A loop over the
    /// parameters of a model calls up to `LOOP` operators in a row again and again: each has a group with those before it. `with_stacks`
    /// says whether the copies have frames of modules.
    pub fn equal_neighbours(&self, with_stacks: bool) -> HashMap<u32, usize> {
        let nest = Nest::of(&self.events);
        let units: Vec<usize> = nest.units.iter().flatten().copied().collect();
        let names: Vec<Vec<&str>> = units.iter().map(|&unit| self.names_around(&nest, unit, with_stacks)).collect();
        let work = |unit: usize| nest.below(unit).into_iter().filter(|&at| self.events[at].role == event::Role::Gpu);
        let mut groups = HashMap::new();
        let mut first: Vec<usize> = Vec::with_capacity(units.len());
        for (number, period) in periods(&names).into_iter().enumerate() {
            first.push(period.map_or(units[number], |period| first[number - period]));
            // An event of the first of the group stands for those of the same rank in the others.
            groups.extend(work(units[number]).zip(work(first[number])).map(|(at, first)| (at as u32, first)));
        }
        groups
    }

    /// Names of a unit, of the calls around it and of all below it.
    fn names_around(&self, nest: &Nest, unit: usize, with_stacks: bool) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let mut add = |at: usize| match self.events[at].role {
            event::Role::Call => {}
            event::Role::Stack if !with_stacks => {}
            event::Role::Stack => names.push(self.events[at].name().trim_end_matches(|c: char| c.is_ascii_digit())),
            _ => names.push(self.events[at].name()),
        };
        nest.below(unit).into_iter().for_each(&mut add);
        let mut above = nest.parent[unit];
        while let Some(at) = above {
            add(at);
            above = nest.parent[at];
        }
        names
    }

    /// Makes a copy with other ids, shifted times and 2 % noise, and with these edits, one after another. Equal seeds make equal
    /// copies.
    pub fn edit(&self, edits: &[Edit], seed: u64) -> Edited {
        let mut random = Random::new(seed);
        let mut events = self.events.clone();
        let (mut applied, mut layers) = (0, None);
        for &edit in edits {
            let nest = Nest::of(&events);
            let done = if edit == Edit::RemoveLayer {
                layers = layers::remove(&mut events, &nest, &mut random);
                layers.is_some()
            } else {
                change::apply(&mut events, &nest, edit, &mut random)
            };
            applied += usize::from(done);
        }
        disguise::disguise(&mut events, &mut random);
        let origins = events.iter().map(|event| event.origins.clone()).collect();
        let events: Vec<Value> = events.into_iter().map(|event| event.into_value(self.unit)).collect();
        let mut document = self.head.clone();
        document.insert("traceEvents".to_owned(), Value::Array(events));
        Edited { json: Value::Object(document).to_string().into_bytes(), origins, applied, layers }
    }
}
