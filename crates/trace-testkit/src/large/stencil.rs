//! Text of events with gaps for times, durations and ids, which differ in each repetition.

use crate::random::Random;

/// Events as text with gaps.
#[derive(Default)]
pub(super) struct Stencil {
    text: String,
    /// The offset of each gap, and its content.
    gaps: Vec<(usize, Gap)>,
    /// The end of each event: its offset in the text and its index in `gaps`.
    ends: Vec<(usize, usize)>,
    /// The time from the start of these events to the start of the next repetition, in nanoseconds.
    pub(super) length: u64,
    /// The least number above all ids.
    pub(super) ids: u64,
}

/// The content of a gap.
#[derive(Clone, Copy)]
pub(super) enum Gap {
    /// A point in time, in nanoseconds since the start of the events.
    Time(u64),
    /// A duration in nanoseconds, shortened by a random share of up to an eighth.
    Length(u64),
    /// An id.
    Id(u64),
}

/// Offsets of times and ids in one repetition.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    pub(super) time: u64,
    pub(super) id: u64,
}

impl Stencil {
    /// Creates a stencil without events that covers `length` nanoseconds.
    pub(super) fn of(length: u64) -> Self {
        Self { length, ..Self::default() }
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    pub(super) fn gap(&mut self, gap: Gap) -> &mut Self {
        if let Gap::Id(id) = gap {
            self.ids = self.ids.max(id + 1);
        }
        self.gaps.push((self.text.len(), gap));
        self
    }

    pub(super) fn end_event(&mut self) {
        self.ends.push((self.text.len(), self.gaps.len()));
    }

    /// Returns the approximate size of the written events, in bytes.
    pub(super) fn typical_bytes(&self) -> u64 {
        (self.text.len() + 9 * self.gaps.len()) as u64
    }

    pub(super) fn events(&self) -> impl Iterator<Item = StencilEvent<'_>> {
        let starts = std::iter::once((0, 0)).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|((text, gap), &(text_end, gap_end))| StencilEvent {
            text: &self.text[..text_end],
            from: text,
            gaps: &self.gaps[gap..gap_end],
        })
    }
}

/// An event of a stencil.
pub(super) struct StencilEvent<'s> {
    /// The stencil's text up to the end of the event.
    text: &'s str,
    from: usize,
    gaps: &'s [(usize, Gap)],
}

impl StencilEvent<'_> {
    pub(super) fn write(&self, out: &mut Vec<u8>, shift: Shift, random: &mut Random) {
        let mut from = self.from;
        for &(at, gap) in self.gaps {
            out.extend_from_slice(&self.text.as_bytes()[from..at]);
            match gap {
                Gap::Time(time) => micros(out, shift.time + time),
                Gap::Length(length) => micros(out, length - random.next() % (length / 8 + 1)),
                Gap::Id(id) => decimal(out, shift.id + id),
            }
            from = at;
        }
        out.extend_from_slice(&self.text.as_bytes()[from..]);
    }
}

/// Nanoseconds, formatted as microseconds with three decimals.
pub(super) struct Micros(pub(super) u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// Writes nanoseconds as [`Micros`] does, without the formatter, which would take half of the time.
pub(super) fn micros(out: &mut Vec<u8>, nanos: u64) {
    decimal(out, nanos / 1000);
    let rest = nanos % 1000;
    out.extend_from_slice(&[b'.', digit(rest / 100), digit(rest / 10), digit(rest)]);
}

pub(super) fn decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = digit(number);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Returns the last digit of a number.
const fn digit(number: u64) -> u8 {
    b'0' + (number % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_like_formatter() {
        for number in [0, 7, 10, 999, 1000, 1_001, 5_349_821_034_512_347, u64::MAX] {
            let mut out = Vec::new();
            micros(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), Micros(number).to_string());
        }
    }
}
