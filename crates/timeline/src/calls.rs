//! Calls of flame graphs, column by column.

use crate::Name;

/// A call, with the time that is its own and not that of the calls inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Index of the call around it, which is before it in the list.
    pub parent: Option<u32>,
    /// Its name.
    pub name: Name,
    /// Its own time in ns; a negative one counts as 0.
    pub own: i64,
    /// 0 for control, or if there is one side; 1 for test.
    pub side: u8,
    /// When it starts, in ns after the start of its side: the order of the layout by time.
    pub at: i64,
}

/// A list of calls. Most calls of graphs have no time of their own, and start with the call before them: they take eight bytes. Those of a
/// graph that is launched again are a repetition of the first ones, and take nothing.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// Number of calls, repeated ones included.
    count: u32,
    /// Index of the call around each stored call, or [`NONE`]; repeated calls are not stored.
    parents: Vec<u32>,
    /// Their names.
    names: Vec<Name>,
    repetitions: Vec<Repetition>,
    /// Calls with time of their own, ascending.
    own: Vec<(u32, i64)>,
    /// The first of the calls that start at each time.
    starts: Runs<i64>,
    sides: Runs<u8>,
}

/// No call.
pub(crate) const NONE: u32 = u32::MAX;

/// Calls that repeat earlier ones below another call.
#[derive(Debug, Clone, Copy)]
struct Repetition {
    /// Index of its first call.
    index: u32,
    count: u32,
    /// Index of the first of the calls that it repeats.
    first: u32,
    /// Position of that call in the columns of names and parents.
    position: u32,
    /// Index of the call around it.
    parent: u32,
    /// Number of repeated calls up to its end.
    repeated: u32,
}

/// A call, or several that repeat earlier ones.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece<'c> {
    Call(Call),
    Repeated(Repeated<'c>),
}

/// Calls that repeat earlier ones: they have the same names, and are around each other in the same way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Repeated<'c> {
    /// Index of the first call.
    pub(crate) index: u32,
    /// Index of the first of the calls that are repeated.
    pub(crate) first: u32,
    /// The calls around these: at or behind `first` if they are among them.
    pub(crate) parents: &'c [u32],
    pub(crate) names: &'c [Name],
    /// Index of the call around all that are not inside each other.
    pub(crate) parent: u32,
    /// The calls with time of their own, by index.
    pub(crate) own: &'c [(u32, i64)],
    pub(crate) side: u8,
    pub(crate) at: i64,
}

impl<'c> Repeated<'c> {
    /// Returns the calls in order.
    pub(crate) fn calls(self) -> impl Iterator<Item = Call> + use<'c> {
        let mut own = self.own.iter().peekable();
        self.parents.iter().zip(self.names).zip(self.index..).map(move |((&parent, &name), index)| {
            let inside = parent != NONE && parent >= self.first;
            let parent = if inside { parent - self.first + self.index } else { self.parent };
            let own = own.next_if(|(of, _)| *of == index).map_or(0, |&(_, own)| own);
            Call { parent: Some(parent), name, own, side: self.side, at: self.at }
        })
    }
}

/// Values of calls, of which neighbours are mostly equal: the first call of each value.
#[derive(Debug, Clone, Default)]
struct Runs<T>(Vec<(u32, T)>);

impl<T: Copy + PartialEq> Runs<T> {
    fn push(&mut self, call: u32, value: T) {
        if self.0.last().is_none_or(|&(_, last)| last != value) {
            self.0.push((call, value));
        }
    }

    /// Returns the value of each call, in order.
    fn iter(&self) -> impl Iterator<Item = T> {
        let ends = self.0.iter().skip(1).map(|&(next, _)| next).chain([NONE]);
        self.0.iter().zip(ends).flat_map(|(&(first, value), end)| std::iter::repeat_n(value, (end - first) as usize))
    }
}

impl Calls {
    /// Number of calls.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Tells whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Tells whether there are calls of test.
    pub(crate) fn has_test(&self) -> bool {
        self.sides.0.iter().any(|&(_, side)| side > 0)
    }

    /// Adds a call, which is not inside a repeated one; returns its index.
    pub fn push(&mut self, call: Call) -> u32 {
        let index = self.count;
        self.count += 1;
        self.parents.push(call.parent.unwrap_or(NONE));
        self.names.push(call.name);
        if call.own != 0 {
            self.own.push((index, call.own));
        }
        self.starts.push(index, call.at);
        self.sides.push(index, call.side);
        index
    }

    /// Adds calls that repeat earlier ones below another call: as many names, around each other in the same way. `own` are the times of calls
    /// by their position among `repeated`, ascending.
    ///
    /// `repeated` are indices of calls that were added by [`Self::push`], one after the other; each is inside one of them, or inside
    /// the call around the first of them. The other fields of `like` are those of all calls, its name and time are not read.
    pub fn repeat(&mut self, repeated: std::ops::Range<u32>, like: Call, own: impl IntoIterator<Item = (u32, i64)>) {
        let (index, count) = (self.count, repeated.len() as u32);
        let before = self.repetitions.partition_point(|repetition| repetition.index <= repeated.start);
        let moved = before.checked_sub(1).map_or(0, |last| self.repetitions[last].repeated);
        self.repetitions.push(Repetition {
            index,
            count,
            first: repeated.start,
            position: repeated.start - moved,
            parent: like.parent.unwrap_or(NONE),
            repeated: self.repetitions.last().map_or(0, |last| last.repeated) + count,
        });
        self.count += count;
        self.own.extend(own.into_iter().filter(|&(_, ns)| ns != 0).map(|(offset, ns)| (index + offset, ns)));
        self.starts.push(index, like.at);
        self.sides.push(index, like.side);
    }

    /// Adds to the own time of a call.
    pub fn add_own(&mut self, index: u32, ns: i64) {
        match self.own.binary_search_by_key(&index, |&(of, _)| of) {
            Ok(at) => self.own[at].1 = self.own[at].1.saturating_add(ns),
            Err(at) => self.own.insert(at, (index, ns)),
        }
    }

    /// Divides times by a number of steps, so that their sum is the rounded sum, to the ns.
    pub fn divide(&mut self, steps: i64) {
        let (mut sum, mut assigned) = (0_i64, 0_i64);
        for (_, own) in &mut self.own {
            sum = sum.saturating_add((*own).max(0));
            let part = sum.div_euclid(steps.max(1));
            *own = part - assigned;
            assigned = part;
        }
    }

    /// Adds calls behind these.
    pub fn append(&mut self, behind: &Self) {
        let (before, position) = (self.count, self.parents.len() as u32);
        let repeated = self.repetitions.last().map_or(0, |last| last.repeated);
        self.count += behind.count;
        let moved = |parent: &u32| if *parent == NONE { NONE } else { parent + before };
        self.parents.extend(behind.parents.iter().map(moved));
        self.names.extend(&behind.names);
        self.repetitions.extend(behind.repetitions.iter().map(|of| Repetition {
            index: of.index + before,
            count: of.count,
            first: of.first + before,
            position: of.position + position,
            parent: moved(&of.parent),
            repeated: of.repeated + repeated,
        }));
        self.own.extend(behind.own.iter().map(|&(of, ns)| (of + before, ns)));
        behind.starts.0.iter().for_each(|&(call, at)| self.starts.push(call + before, at));
        behind.sides.0.iter().for_each(|&(call, side)| self.sides.push(call + before, side));
    }

    /// Returns the indices of the first calls that are repeated, ascending, each once.
    pub(crate) fn repeated(&self) -> Vec<u32> {
        let mut first: Vec<u32> = self.repetitions.iter().map(|repetition| repetition.first).collect();
        first.sort_unstable();
        first.dedup();
        first
    }

    /// Returns the calls in order, repetitions as they are.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let (mut repetitions, mut own) = (self.repetitions.iter().peekable(), &self.own[..]);
        let (mut starts, mut sides) = (self.starts.iter(), self.sides.iter());
        let mut columns = self.parents.iter().zip(&self.names);
        let mut index = 0;
        std::iter::from_fn(move || {
            let (at, side) = (starts.next()?, sides.next()?);
            let of = repetitions.next_if(|repetition| repetition.index == index);
            let count = of.map_or(1, |repetition| repetition.count);
            let (times, rest) = own.split_at(own.iter().take_while(|(of, _)| *of < index + count).count());
            own = rest;
            let Some(of) = of else {
                let (&parent, &name) = columns.next()?;
                index += 1;
                let (parent, own) = (Some(parent).filter(|&parent| parent != NONE), times.first());
                return Some(Piece::Call(Call { parent, name, own: own.map_or(0, |&(_, own)| own), side, at }));
            };
            if count > 1 {
                starts.nth(count as usize - 2);
                sides.nth(count as usize - 2);
            }
            index += count;
            let columns = of.position as usize..(of.position + count) as usize;
            let (parents, names) = (&self.parents[columns.clone()], &self.names[columns]);
            let (index, first, parent) = (of.index, of.first, of.parent);
            Some(Piece::Repeated(Repeated { index, first, parents, names, parent, own: times, side, at }))
        })
    }

    /// Returns the calls in order.
    pub fn iter(&self) -> impl Iterator<Item = Call> {
        self.pieces().flat_map(|piece| {
            let (call, repeated) = match piece {
                Piece::Call(call) => (Some(call), None),
                Piece::Repeated(repeated) => (None, Some(repeated)),
            };
            call.into_iter().chain(repeated.into_iter().flat_map(Repeated::calls))
        })
    }
}

impl FromIterator<Call> for Calls {
    fn from_iter<I: IntoIterator<Item = Call>>(calls: I) -> Self {
        let mut all = Self::default();
        for call in calls {
            all.push(call);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(parent: Option<u32>, own: i64, side: u8, at: i64) -> Call {
        Call { parent, name: 7, own, side, at }
    }

    #[test]
    fn calls_are_those_that_were_added() {
        let all = [
            call(None, 5, 0, 0),
            call(Some(0), 0, 0, 0),
            call(Some(1), -3, 0, 4),
            call(None, 2, 1, 4),
            call(Some(3), 0, 0, 0),
        ];
        let mut calls: Calls = all.into_iter().collect();
        assert_eq!((calls.iter().collect::<Vec<_>>(), calls.len()), (all.to_vec(), 5));
        calls.add_own(1, 9);
        calls.add_own(0, -4);
        let own: Vec<i64> = calls.iter().map(|call| call.own).collect();
        assert_eq!(own, [1, 9, -3, 2, 0]);
        let mut twice = calls.clone();
        twice.append(&calls);
        assert_eq!(twice.iter().map(|call| call.own).collect::<Vec<_>>(), [own.clone(), own].concat());
        assert_eq!(twice.iter().nth(6).and_then(|call| call.parent), Some(5));
        assert_eq!(Calls::default().iter().count(), 0);
    }

    #[test]
    fn repeated_calls_are_those_that_are_repeated() {
        let launch = |at| call(None, 0, 0, at);
        let mut plain: Vec<Call> =
            vec![launch(0), call(Some(0), 0, 0, 0), call(Some(1), 4, 0, 0), call(Some(0), 5, 0, 0)];
        let mut calls: Calls = plain.iter().copied().collect();
        for (at, own) in [(7, [6, 0]), (9, [0, 8])] {
            let parent = calls.push(launch(at));
            calls.repeat(1..4, call(Some(parent), 0, 0, at), [(1, own[0]), (2, own[1])]);
            plain.push(launch(at));
            plain.extend([
                call(Some(parent), 0, 0, at),
                call(Some(parent + 1), own[0], 0, at),
                call(Some(parent), own[1], 0, at),
            ]);
        }
        assert_eq!((calls.iter().collect::<Vec<_>>(), calls.len()), (plain.clone(), plain.len()));
        let mut twice = calls.clone();
        twice.append(&calls);
        let mut of_both: Calls = plain.iter().copied().collect();
        of_both.append(&plain.into_iter().collect());
        assert_eq!(twice.iter().collect::<Vec<_>>(), of_both.iter().collect::<Vec<_>>());
        assert_eq!((twice.repeated(), twice.has_test()), (vec![1, 13], false));
    }

    #[test]
    fn divided_times_add_up_to_the_divided_sum() {
        let mut calls: Calls = [5, 0, -7, 5, 5].map(|own| call(None, own, 0, 0)).into_iter().collect();
        calls.divide(4);
        assert_eq!(calls.iter().map(|call| call.own).collect::<Vec<_>>(), [1, 0, 0, 1, 1]);
    }
}
