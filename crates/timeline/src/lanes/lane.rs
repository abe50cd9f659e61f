//! A lane: the events of a thread or a stream, on levels without overlap.

use super::forest::Forest;
use super::sums::Sums;

/// Number of a name, as the caller has it.
pub type Name = u32;

/// An event, as it is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Start in ns.
    pub start: i64,
    /// Duration in ns. In damaged traces negative: such an event is drawn at its start.
    pub dur: i64,
    /// Its name.
    pub name: Name,
    /// Number of the event, such as its row.
    pub event: u32,
}

impl Span {
    /// End in ns; not before the start.
    pub fn end(&self) -> i64 {
        self.start.saturating_add(self.dur.max(0))
    }

    /// The end of the place that it takes: at least 1 ns, so that nothing hides behind it.
    pub(super) fn drawn_end(&self) -> i64 {
        self.end().max(self.start.saturating_add(1))
    }
}

/// The most events of a level that needs no index.
const SHORT: usize = 16;

/// Duration that is in [`Lane::wide`].
const WIDE: u32 = u32::MAX;

/// The events of a thread or a stream: 20 bytes for each, half a byte for the forests, an eighth for the sums. A trace may have as many
/// lanes as events, so what few events do not need is absent: forests and sums of levels that are read faster without.
#[derive(Debug, Clone, Default)]
pub struct Lane {
    /// The events of level `l` are `first[l]..first[l + 1]`, by start.
    first: Box<[u32]>,
    start: Box<[i64]>,
    dur: Box<[u32]>,
    name: Box<[Name]>,
    event: Box<[u32]>,
    /// Durations that do not fit in 32 bits, by place.
    wide: Box<[(u32, i64)]>,
    /// By level; empty if all levels are short.
    indexes: Box<[(Forest, Sums)]>,
}

/// The index of a short level.
static NO_INDEX: (Forest, Sums) = (Forest::EMPTY, Sums::EMPTY);

/// One level of a lane; its events do not overlap and ascend by start.
#[derive(Debug, Clone, Copy)]
pub struct Level<'l> {
    lane: &'l Lane,
    from: usize,
    to: usize,
    forest: &'l Forest,
    sums: &'l Sums,
}

impl Lane {
    /// Creates a lane of events by start, each on its level: that of [`side_by_side`](super::side_by_side), or how deep it is nested. No
    /// two of a level may overlap, where an event takes at least 1 ns.
    pub fn new(spans: &[Span], levels: &[u32]) -> Self {
        let count = levels.iter().max().map_or(0, |&level| level as usize + 1);
        let mut first = vec![0_u32; count + 1].into_boxed_slice();
        levels.iter().for_each(|&level| first[level as usize + 1] += 1);
        (0..count).for_each(|level| first[level + 1] += first[level]);
        let mut next = first.clone();
        let (len, mut wide) = (spans.len(), Vec::new());
        let numbers = || vec![0; len].into_boxed_slice();
        let (dur, name, event) = (numbers(), numbers(), numbers());
        let mut lane = Self { first, start: vec![0; len].into(), dur, name, event, ..Self::default() };
        for (span, &level) in spans.iter().zip(levels) {
            let slot = next[level as usize];
            next[level as usize] += 1;
            let at = slot as usize;
            lane.start[at] = span.start;
            lane.name[at] = span.name;
            lane.event[at] = span.event;
            lane.dur[at] = match u32::try_from(span.dur) {
                Ok(dur) if dur != WIDE => dur,
                _ => {
                    wide.push((slot, span.dur));
                    WIDE
                }
            };
        }
        wide.sort_unstable();
        lane.wide = wide.into();
        let of_level = |level: usize| (lane.first[level] as usize, lane.first[level + 1] as usize);
        if (0..count).map(of_level).any(|(from, to)| to - from > SHORT) {
            let index = |(from, to): (usize, usize)| {
                let length = |position: usize| lane.length(from + position);
                (Forest::new(to - from, length), Sums::new(to - from, length))
            };
            lane.indexes = (0..count).map(of_level).map(index).collect();
        }
        lane
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Tells whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Returns the levels, the outermost first.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = Level<'_>> {
        (0..self.first.len().saturating_sub(1)).map(|level| {
            let (forest, sums) = self.indexes.get(level).unwrap_or(&NO_INDEX);
            Level { lane: self, from: self.first[level] as usize, to: self.first[level + 1] as usize, forest, sums }
        })
    }

    /// Returns the start of the first event and the end of the last one; `None` without events.
    pub fn extent(&self) -> Option<(i64, i64)> {
        let start = self.start.iter().min()?;
        // Ends of a level ascend.
        let end = self.levels().filter_map(|level| level.len().checked_sub(1).map(|last| level.end(last))).max()?;
        Some((*start, end))
    }

    /// Finds an event by its start and number: its level and its place there.
    pub fn find(&self, start: i64, event: u32) -> Option<(u32, usize)> {
        self.levels().zip(0..).find_map(|(level, number)| {
            let position = level.first_from(start);
            (position < level.len() && level.start(position) == start && level.event(position) == event)
                .then_some((number, position))
        })
    }

    /// Returns all events with their levels, level by level.
    pub fn spans(&self) -> impl Iterator<Item = (u32, Span)> {
        self.levels()
            .zip(0..)
            .flat_map(|(level, number)| (0..level.len()).map(move |position| (number, level.span(position))))
    }

    /// Memory, in bytes.
    pub fn bytes(&self) -> usize {
        let indexes = self.indexes.iter().map(|(forest, sums)| forest.bytes() + sums.bytes()).sum::<usize>();
        let own = size_of_val(&*self.first) + size_of_val(&*self.start) + size_of_val(&*self.wide);
        own + 3 * size_of_val(&*self.dur) + size_of_val(&*self.indexes) + indexes
    }

    fn dur(&self, position: usize) -> i64 {
        match self.dur[position] {
            WIDE => {
                let found = self.wide.binary_search_by_key(&(position as u32), |&(position, _)| position);
                found.map_or(i64::from(WIDE), |found| self.wide[found].1)
            }
            dur => i64::from(dur),
        }
    }

    /// Duration as it is drawn.
    fn length(&self, position: usize) -> i64 {
        self.dur(position).max(0)
    }
}

impl Level<'_> {
    /// Number of events.
    pub fn len(&self) -> usize {
        self.to - self.from
    }

    /// Tells whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.to == self.from
    }

    /// Start of the event at a place.
    pub fn start(&self, position: usize) -> i64 {
        self.lane.start[self.from + position]
    }

    /// End of the event at a place; not before its start.
    pub fn end(&self, position: usize) -> i64 {
        self.start(position).saturating_add(self.lane.length(self.from + position))
    }

    /// Duration of the event at a place, as it is recorded.
    pub fn dur(&self, position: usize) -> i64 {
        self.lane.dur(self.from + position)
    }

    /// Name of the event at a place.
    pub fn name(&self, position: usize) -> Name {
        self.lane.name[self.from + position]
    }

    /// Number of the event at a place.
    pub fn event(&self, position: usize) -> u32 {
        self.lane.event[self.from + position]
    }

    /// Returns the event at a place.
    pub fn span(&self, position: usize) -> Span {
        Span {
            start: self.start(position),
            dur: self.dur(position),
            name: self.name(position),
            event: self.event(position),
        }
    }

    /// Returns the place of the first event that starts at a moment or later.
    pub fn first_from(&self, time: i64) -> usize {
        self.lane.start[self.from..self.to].partition_point(|&start| start < time)
    }

    /// Returns the place of the first event that ends after a moment.
    pub fn first_until(&self, time: i64) -> usize {
        let next = self.first_from(time);
        if next > 0 && self.end(next - 1) > time { next - 1 } else { next }
    }

    /// Returns the place behind the events from `position` on that start at `last` or before; fast if there are about as many as guessed.
    pub(super) fn after(&self, position: usize, last: i64, guess: usize) -> usize {
        let starts = &self.lane.start[self.from + position..self.to];
        let is_inside = |at: usize| starts.get(at).is_some_and(|&start| start <= last);
        // The first event is inside. The border is in `low..=high`.
        let (mut low, mut high, mut step) = (0, guess.clamp(1, starts.len()), 1);
        if is_inside(high) {
            low = high;
            while is_inside(low + step) {
                low += step;
                step *= 2;
            }
            high = (low + step).min(starts.len());
        } else {
            while high > step && !is_inside(high - step) {
                high -= step;
                step *= 2;
            }
            low = high.saturating_sub(step).max(low);
        }
        position + low + starts[low..high].partition_point(|&start| start <= last)
    }

    /// Returns the place of the longest event of a range that is not empty.
    pub(super) fn longest(&self, from: usize, to: usize) -> usize {
        self.forest.largest(from, to, |position| self.lane.length(self.from + position))
    }

    /// Returns the time of the events of a range, in ns.
    pub(super) fn time(&self, from: usize, to: usize) -> i64 {
        self.sums.of(from, to, |position| self.lane.length(self.from + position))
    }
}
