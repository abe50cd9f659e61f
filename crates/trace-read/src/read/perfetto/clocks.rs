//! Clocks of a recording: times of any of its clocks → the clock of the trace, and that → real time.

use super::wire::{Malformed, Message};
use hashbrown::HashMap;

/// `BUILTIN_CLOCK_REALTIME`.
const REALTIME: u32 = 1;
/// `BUILTIN_CLOCK_BOOTTIME`: the clock of the trace, unless a snapshot names another.
const BOOTTIME: u32 = 6;
/// Ids of clocks that belong to one sequence.
const OF_SEQUENCE: std::ops::RangeInclusive<u32> = 64..=127;

/// How to convert the times of one clock.
struct Clock {
    /// A time of this clock, in its unit, and the same time of the clock of the trace in nanoseconds.
    anchor: (i64, i64),
    unit: i64,
    /// Times count from the last one.
    last: Option<i64>,
}

/// The clocks of a recording.
pub(super) struct Clocks {
    primary: u32,
    clocks: HashMap<(u32, u32), Clock, foldhash::fast::FixedState>,
    /// A time of the clock of the trace, and the same in nanoseconds since 1970.
    pub(super) base: Option<(i64, i64)>,
    /// Times of clocks that no snapshot has.
    pub(super) unknown: u64,
}

impl Default for Clocks {
    fn default() -> Self {
        Self { primary: BOOTTIME, clocks: HashMap::default(), base: None, unknown: 0 }
    }
}

fn key(sequence: u32, clock: u32) -> (u32, u32) {
    (if OF_SEQUENCE.contains(&clock) { sequence } else { 0 }, clock)
}

impl Clocks {
    /// Takes a `ClockSnapshot`: the same moment on several clocks.
    ///
    /// # Errors
    /// If it is malformed.
    pub(super) fn snapshot(&mut self, sequence: u32, message: Message<'_>) -> Result<(), Malformed> {
        let mut times: Vec<(u32, i64, bool, i64)> = Vec::new();
        for field in message.fields() {
            match field? {
                (1, clock) => {
                    let (mut id, mut time, mut counts_on, mut unit) = (0, 0, false, 1);
                    for field in clock.message().fields() {
                        match field? {
                            (1, value) => id = value.number() as u32,
                            (2, value) => time = value.signed(),
                            (3, value) => counts_on = value.number() != 0,
                            (4, value) => unit = value.signed().max(1),
                            _ => {}
                        }
                    }
                    times.push((id, time, counts_on, unit));
                }
                (2, value) if value.number() != 0 => self.primary = value.number() as u32,
                _ => {}
            }
        }
        let Some(now) = times.iter().find(|(id, ..)| *id == self.primary).map(|(_, time, ..)| *time) else {
            return Ok(());
        };
        for (id, time, counts_on, unit) in times {
            if id == REALTIME && self.base.is_none() && self.primary != REALTIME {
                self.base = Some((now, time));
            }
            if id != self.primary {
                let last = counts_on.then_some(time);
                self.clocks.insert(key(sequence, id), Clock { anchor: (time, now), unit, last });
            }
        }
        Ok(())
    }

    /// Returns a time in nanoseconds of the clock of the trace. One of an unknown clock is taken as it is.
    pub(super) fn time(&mut self, sequence: u32, clock: u32, time: u64) -> i64 {
        let time = time.cast_signed();
        if clock == 0 || clock == self.primary {
            return time;
        }
        let Some(clock) = self.clocks.get_mut(&key(sequence, clock)) else {
            self.unknown += 1;
            return time;
        };
        let time = match &mut clock.last {
            Some(last) => {
                *last = last.wrapping_add(time);
                *last
            }
            None => time,
        };
        let since = time.saturating_sub(clock.anchor.0).saturating_mul(clock.unit);
        clock.anchor.1.saturating_add(since)
    }
}
