//! What stands between the values of events, learnt as they come.
//!
//! A profiler writes events of one kind alike, to the byte: of
//!
//! ```text
//! {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 5.25, "dur": 2, "args": {"stream": 7}}
//! ```
//!
//! everything but `"gemm"`, `5.25`, `2` and `7` stands in the next kernel again. So the bytes between two values are
//! remembered together with what they mean, as a tree from the brace on, and compared as a whole; only bytes that were
//! not seen at this place are looked at one by one. That changes the speed, never the answer.

use super::odd::OddCounts;
use super::scan::{Bad, Scanner, Stop};
use super::text;

/// What a value is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Member {
    Name,
    Cat,
    Ts,
    Dur,
    Pid,
    Tid,
    /// Arguments that are no object.
    Args,
    /// An argument with a slot.
    Arg(u16),
    /// What nobody wants.
    Other,
    /// No value follows here.
    #[default]
    Nothing,
    /// The event is over.
    End,
}

/// From behind a value, or the brace, to the next value. Places count from where it begins; zero means that there is none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Step {
    pub(super) member: Member,
    /// Whether there is any of the next three.
    pub(super) is_kind: bool,
    /// The brace that opens `args`.
    pub(super) args_start: u32,
    /// Behind the brace that closes them.
    pub(super) args_end: u32,
    /// What stands between the quotes of `cat`.
    pub(super) cat: (u32, u32),
    /// Where the event goes on behind the value.
    pub(super) next: Place,
}

/// A place between two values: what was seen behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place(u32);

/// The brace of an event.
pub(super) const START: Place = Place(0);
/// Somewhere in an event.
const OUTSIDE: Place = Place(1);
/// Somewhere in its arguments.
const INSIDE: Place = Place(2);

/// The steps that were seen.
#[derive(Debug)]
pub(super) struct Layouts {
    places: Vec<Behind>,
    bytes: Vec<u8>,
    /// The last step that is not remembered.
    passing: Step,
    /// The sink's count of known arguments when they were learnt.
    args_known: usize,
}

/// What was seen behind a place, the most frequent first.
#[derive(Debug)]
struct Behind {
    in_args: bool,
    /// Eight bytes from here on tell the ways to go on apart, or nearly.
    tells: usize,
    seen: Vec<Seen>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Its eight bytes that tell, as a number, and which bits of them are its own.
    tells: u64,
    mask: u64,
    start: u32,
    len: u32,
    hits: u32,
    step: Step,
}

/// So many places are remembered, and so many ways to go on behind each: a trace whose events are all different is read
/// without memory.
const MOST_PLACES: usize = 4096;
const MOST_WAYS: usize = 24;
/// Longer ones are not remembered.
const LONGEST_STEP: usize = 512;
/// A `ph` or `cat` no longer than this is part of the step.
const LONGEST_KIND: usize = 32;

impl Default for Layouts {
    fn default() -> Self {
        let places = [false, false, true].map(|in_args| Behind { in_args, tells: 0, seen: Vec::new() });
        Self { places: places.into(), bytes: Vec::new(), passing: Step::default(), args_known: 0 }
    }
}

impl Layouts {
    /// Forgets everything if the sink knows other arguments than before: they would get other slots now.
    #[inline]
    pub(super) fn learnt_with(&mut self, args_known: usize) {
        if self.args_known != args_known {
            *self = Self { args_known, ..Self::default() };
        }
    }

    /// Moves to the next value; `slot` says where an argument belongs.
    #[inline]
    pub(super) fn step(
        &mut self,
        place: Place,
        scanner: &mut Scanner<'_>,
        slot: &mut impl FnMut(&[u8]) -> Option<u16>,
    ) -> Result<&Step, Stop> {
        let rest = scanner.rest();
        let Behind { tells, seen, .. } = &self.places[place.0 as usize];
        if let Some(word) = rest.get(*tells..).and_then(|rest| rest.first_chunk()) {
            let word = u64::from_le_bytes(*word);
            let same = |seen: &Seen| {
                word & seen.mask == seen.tells
                    && starts_with(rest, &self.bytes[seen.start as usize..(seen.start + seen.len) as usize])
            };
            if let Some(at) = seen.iter().position(same) {
                scanner.skip(seen[at].len as usize);
                return Ok(self.found(place, at));
            }
        }
        self.look(place, scanner, slot)
    }

    /// A step that was seen before; those that come often move to the front.
    #[inline(always)]
    fn found(&mut self, place: Place, at: usize) -> &Step {
        let seen = &mut self.places[place.0 as usize].seen;
        if at == 0 {
            return &seen[0].step;
        }
        seen[at].hits = seen[at].hits.wrapping_add(1);
        if seen[at].hits.is_multiple_of(8) {
            seen.swap(at, at - 1);
            return &seen[at - 1].step;
        }
        &seen[at].step
    }

    /// The same, byte by byte.
    #[cold]
    fn look(
        &mut self,
        place: Place,
        scanner: &mut Scanner<'_>,
        slot: &mut impl FnMut(&[u8]) -> Option<u16>,
    ) -> Result<&Step, Stop> {
        let start = scanner.position();
        let here = |scanner: &Scanner<'_>| (scanner.position() - start) as u32;
        let mut in_args = self.places[place.0 as usize].in_args;
        let mut behind_value = place != START;
        if !behind_value {
            scanner.skip(1);
        }
        let mut step = Step::default();
        loop {
            if behind_value {
                match scanner.peek()? {
                    b',' => scanner.skip(1),
                    b'}' => {}
                    _ => return Err(Stop::Bad(Bad::Comma)),
                }
            }
            match scanner.peek()? {
                b'"' => {}
                b'}' => {
                    scanner.skip(1);
                    if !in_args {
                        step.member = Member::End;
                        break;
                    }
                    in_args = false;
                    step.args_end = here(scanner);
                    behind_value = true;
                    continue;
                }
                _ => return Err(Stop::Bad(Bad::Key)),
            }
            let (key, escaped) = scanner.text_or_escaped()?;
            scanner.colon()?;
            let opens = scanner.peek()? == b'{';
            let plain = escaped.then(|| text::decode(key, &mut OddCounts::default()).into_owned());
            let key = plain.as_ref().map_or(key, String::as_bytes);
            if in_args {
                step.member = slot(key).map_or(Member::Other, Member::Arg);
                break;
            }
            step.member = match key {
                b"args" if opens => {
                    if step.args_end != 0 {
                        // Arguments once more, before any value: a step of its own.
                        scanner.back_to(start + step.args_end as usize);
                        step.cat = (0, 0);
                        break;
                    }
                    step.args_start = here(scanner);
                    scanner.skip(1);
                    (in_args, behind_value) = (true, false);
                    continue;
                }
                b"args" => Member::Args,
                b"name" => Member::Name,
                b"ts" => Member::Ts,
                b"dur" => Member::Dur,
                b"pid" => Member::Pid,
                b"tid" => Member::Tid,
                b"ph" | b"cat" => {
                    let from = scanner.position();
                    let kind = if scanner.peek()? == b'"' { scanner.text_or_escaped()? } else { (&[][..], true) };
                    if matches!(kind, (text, false) if text.len() <= LONGEST_KIND) {
                        if key == b"cat" {
                            let open = (from - start) as u32;
                            step.cat = (open + 1, here(scanner) - 1);
                        }
                        behind_value = true;
                        continue;
                    }
                    scanner.back_to(from);
                    if key == b"cat" { Member::Cat } else { Member::Other }
                }
                _ => Member::Other,
            };
            break;
        }
        Ok(self.remember(place, scanner.since(start), step, in_args))
    }

    /// The step, with what comes behind it.
    fn remember(&mut self, place: Place, bytes: &[u8], step: Step, in_args: bool) -> &Step {
        let is_kind = step.args_start != 0 || step.args_end != 0 || step.cat.0 != 0;
        // The same bytes may stand before arguments that are an object, or not come again.
        let particular = matches!(step.member, Member::Args | Member::Nothing);
        let full = self.places.len() >= MOST_PLACES || self.places[place.0 as usize].seen.len() >= MOST_WAYS;
        if particular || full || bytes.len() > LONGEST_STEP {
            self.passing = Step { is_kind, next: if in_args { INSIDE } else { OUTSIDE }, ..step };
            return &self.passing;
        }
        let step = Step { is_kind, next: Place(self.places.len() as u32), ..step };
        self.places.push(Behind { in_args, tells: 0, seen: Vec::new() });
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        let Self { places, bytes: all, .. } = self;
        let Behind { tells, seen, .. } = &mut places[place.0 as usize];
        seen.push(Seen { tells: 0, mask: 0, start, len: bytes.len() as u32, hits: 1, step });
        let of = |seen: &Seen| &all[seen.start as usize..(seen.start + seen.len) as usize];
        let alike = |other: &Seen| of(other).iter().zip(bytes).take_while(|(one, other)| one == other).count();
        let shortest = seen.iter().map(|seen| seen.len as usize).min().unwrap_or(0);
        *tells = seen.iter().map(alike).min().unwrap_or(0).min(shortest.saturating_sub(8));
        let last = seen.len() - 1;
        for seen in seen.iter_mut() {
            let own = &of(seen)[*tells..];
            let word = |byte: &dyn Fn(usize) -> u8| u64::from_le_bytes(std::array::from_fn(byte));
            seen.mask = word(&|at| if at < own.len() { u8::MAX } else { 0 });
            seen.tells = word(&|at| own.get(at).copied().unwrap_or(0));
        }
        &seen[last].step
    }
}

/// Whether `text` begins with `bytes`, sixteen at a time: they are too few to be worth a call.
#[inline]
fn starts_with(text: &[u8], bytes: &[u8]) -> bool {
    let Some(text) = text.get(..bytes.len()) else { return false };
    if let (Some(last), Some(wanted)) = (text.last_chunk::<16>(), bytes.last_chunk::<16>()) {
        let mut chunks = text.as_chunks::<16>().0.iter().zip(bytes.as_chunks::<16>().0);
        return last == wanted && chunks.all(|(chunk, wanted)| chunk == wanted);
    }
    match (text.first_chunk::<8>(), bytes.first_chunk::<8>(), text.last_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(wanted_first), Some(last), Some(wanted_last)) => {
            first == wanted_first && last == wanted_last
        }
        _ => text == bytes,
    }
}
