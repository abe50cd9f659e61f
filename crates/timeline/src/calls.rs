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

/// A list of calls. Most calls of graphs have no time of their own, and start with the call before them: they take eight bytes.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// Index of the call around each call, or [`NONE`].
    parents: Vec<u32>,
    names: Vec<Name>,
    /// Calls with time of their own, ascending.
    own: Vec<(u32, i64)>,
    /// The first of the calls that start at each time.
    starts: Runs<i64>,
    sides: Runs<u8>,
}

/// No call.
const NONE: u32 = u32::MAX;

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
        self.parents.len()
    }

    /// Tells whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Adds a call; returns its index.
    pub fn push(&mut self, call: Call) -> u32 {
        let index = self.parents.len() as u32;
        self.parents.push(call.parent.unwrap_or(NONE));
        self.names.push(call.name);
        if call.own != 0 {
            self.own.push((index, call.own));
        }
        self.starts.push(index, call.at);
        self.sides.push(index, call.side);
        index
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
        let before = self.len() as u32;
        let moved = |call: Call| Call { parent: call.parent.map(|parent| parent + before), ..call };
        for call in behind.iter() {
            self.push(moved(call));
        }
    }

    /// Returns the calls in order.
    pub fn iter(&self) -> impl Iterator<Item = Call> {
        let mut own = self.own.iter().peekable();
        let columns = self.parents.iter().zip(&self.names).zip(self.starts.iter()).zip(self.sides.iter());
        columns.zip(0..).map(move |((((&parent, &name), at), side), index)| {
            let own = own.next_if(|(of, _)| *of == index).map_or(0, |&(_, own)| own);
            Call { parent: Some(parent).filter(|&parent| parent != NONE), name, own, side, at }
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
    fn divided_times_add_up_to_the_divided_sum() {
        let mut calls: Calls = [5, 0, -7, 5, 5].map(|own| call(None, own, 0, 0)).into_iter().collect();
        calls.divide(4);
        assert_eq!(calls.iter().map(|call| call.own).collect::<Vec<_>>(), [1, 0, 0, 1, 1]);
    }
}
