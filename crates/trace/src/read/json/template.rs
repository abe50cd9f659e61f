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

use super::scan::{Scanner, Stop};

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
    /// Of a first step: where the next event starts.
    pub(super) start: Place,
}

/// A place between two values: what was seen behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place(u32);

/// The brace of an event. Each kind of event has another such place behind it, since what follows depends on it.
const START: Place = Place(0);
/// Somewhere in an event.
const OUTSIDE: Place = Place(1);
/// Somewhere in its arguments.
const INSIDE: Place = Place(2);

/// The steps that were seen.
#[derive(Debug)]
pub(super) struct Layouts {
    /// Where the next event starts.
    pub(super) start: Place,
    places: Vec<Behind>,
    bytes: Vec<u8>,
    /// The last step that is not remembered.
    passing: Step,
    /// The sink's count of known arguments when they were learnt.
    args_known: usize,
}

/// What was seen behind a place.
#[derive(Debug)]
struct Behind {
    /// It is the brace of an event.
    starts: bool,
    in_args: bool,
    /// The way on that came most often.
    way: Way,
    others: Vec<Way>,
    /// Eight bytes from here on tell the others apart, or nearly.
    tells: usize,
}

/// Bytes that were seen, and what they mean.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// The first sixteen bytes, as a number, and which bits of them are its own.
    head: u128,
    mask: u128,
    /// The last sixteen bytes, if there are so many.
    tail: [u8; 16],
    start: u32,
    len: u32,
    step: Step,
    /// The eight bytes that tell it from others, as a number, and which bits of them are its own.
    tells: (u64, u64),
    hits: u32,
}

impl Way {
    /// Is never found.
    const NONE: Self = Self {
        head: 0,
        mask: u128::MAX,
        tail: [0; 16],
        start: 0,
        len: u32::MAX,
        step: Step {
            member: Member::Nothing,
            is_kind: false,
            args_start: 0,
            args_end: 0,
            cat: (0, 0),
            next: OUTSIDE,
            start: START,
        },
        tells: (0, 0),
        hits: 0,
    };

    fn bytes<'b>(&self, all: &'b [u8]) -> &'b [u8] {
        &all[self.start as usize..(self.start + self.len) as usize]
    }

    /// Whether `text`, which starts with `first`, goes on this way.
    #[inline(always)]
    fn leads(&self, text: &[u8], first: u128, all: &[u8]) -> bool {
        if (first ^ self.head) & self.mask != 0 {
            return false;
        }
        let len = self.len as usize;
        len <= 16
            || text.get(len - 16..len) == Some(&self.tail)
                && (len <= 32 || text[16..len - 16] == self.bytes(all)[16..len - 16])
    }
}

/// So many places are remembered, and so many ways to go on behind each: a trace whose events are all different is read
/// without memory.
const MOST_PLACES: usize = 4096;
const MOST_WAYS: usize = 24;
/// Longer ones are not remembered.
const LONGEST_STEP: usize = 512;
/// A `ph` or `cat` no longer than this is part of the step.
const LONGEST_KIND: usize = 32;

impl Behind {
    fn new(starts: bool, in_args: bool) -> Self {
        Self { starts, in_args, way: Way::NONE, others: Vec::new(), tells: 0 }
    }
}

impl Default for Layouts {
    fn default() -> Self {
        let places =
            [(true, false), (false, false), (false, true)].map(|(starts, in_args)| Behind::new(starts, in_args));
        Self { start: START, places: places.into(), bytes: Vec::new(), passing: Step::default(), args_known: 0 }
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
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        place: Place,
        scanner: &mut Scanner<'_>,
        slot: &mut impl FnMut(&[u8]) -> Option<u16>,
    ) -> Result<&Step, Stop> {
        let rest = scanner.rest();
        let place = place.0 as usize;
        if let Some(first) = rest.first_chunk() {
            let first = u128::from_le_bytes(*first);
            if self.places[place].way.leads(rest, first, &self.bytes) || self.other(place, rest, first) {
                let way = &mut self.places[place].way;
                way.hits = way.hits.wrapping_add(1);
                scanner.skip(way.len as usize);
                return Ok(&way.step);
            }
        }
        self.look(place, scanner, slot)
    }

    /// Whether it is another way, which then stands first for now.
    #[inline(never)]
    fn other(&mut self, place: usize, rest: &[u8], first: u128) -> bool {
        let Behind { starts, way, others, tells, .. } = &mut self.places[place];
        let word = rest.get(*tells..).and_then(|rest| rest.first_chunk()).map(|word| u64::from_le_bytes(*word));
        let leads = |other: &Way| {
            word.is_some_and(|word| word & other.tells.1 == other.tells.0) && other.leads(rest, first, &self.bytes)
        };
        if let Some(at) = others.iter().position(leads) {
            std::mem::swap(way, &mut others[at]);
            // Those that come often are found early.
            if at > 0 && others[at].hits > others[at - 1].hits {
                others.swap(at, at - 1);
            }
            return true;
        }
        let unknown_here = *starts && place != 0 && others.len() < MOST_WAYS;
        if !unknown_here {
            return false;
        }
        // What was seen at the start of another event.
        let root = &self.places[0];
        let Some(known) = [&root.way].into_iter().chain(&root.others).find(|way| way.leads(rest, first, &self.bytes))
        else {
            return false;
        };
        let known = Way { hits: 0, ..*known };
        self.add(place, known);
        true
    }

    /// The same, byte by byte.
    #[cold]
    fn look(
        &mut self,
        place: usize,
        scanner: &mut Scanner<'_>,
        slot: &mut impl FnMut(&[u8]) -> Option<u16>,
    ) -> Result<&Step, Stop> {
        let start = scanner.position();
        let here = |scanner: &Scanner<'_>| (scanner.position() - start) as u32;
        let mut in_args = self.places[place].in_args;
        let mut behind_value = !self.places[place].starts;
        if !behind_value {
            scanner.skip(1);
        }
        let mut step = Step::default();
        loop {
            let Some(key) = scanner.key(behind_value)? else {
                if !in_args {
                    step.member = Member::End;
                    break;
                }
                in_args = false;
                step.args_end = here(scanner);
                behind_value = true;
                continue;
            };
            let opens = scanner.peek()? == b'{';
            if in_args {
                step.member = slot(&key).map_or(Member::Other, Member::Arg);
                break;
            }
            step.member = match &*key {
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
                        if *key == *b"cat" {
                            let open = (from - start) as u32;
                            step.cat = (open + 1, here(scanner) - 1);
                        }
                        behind_value = true;
                        continue;
                    }
                    scanner.back_to(from);
                    if *key == *b"cat" { Member::Cat } else { Member::Other }
                }
                _ => Member::Other,
            };
            break;
        }
        Ok(self.remember(place, scanner.since(start), step, in_args))
    }

    /// The step, with what comes behind it.
    fn remember(&mut self, place: usize, bytes: &[u8], step: Step, in_args: bool) -> &Step {
        let is_kind = step.args_start != 0 || step.args_end != 0 || step.cat.0 != 0;
        // The same bytes may stand before arguments that are an object, or not come again.
        let particular = matches!(step.member, Member::Args | Member::Nothing);
        let starts = self.places[place].starts;
        // Behind whatever came before, events start alike.
        let place = if starts { 0 } else { place };
        let full = self.places.len() >= MOST_PLACES || self.places[place].others.len() >= MOST_WAYS;
        if particular || full || bytes.len() > LONGEST_STEP {
            let next = if in_args { INSIDE } else { OUTSIDE };
            self.passing = Step { is_kind, next, start: START, ..step };
            return &self.passing;
        }
        let mut step = Step { is_kind, next: Place(self.places.len() as u32), start: START, ..step };
        self.places.push(Behind::new(false, in_args));
        if starts {
            step.start = Place(self.places.len() as u32);
            self.places.push(Behind::new(true, false));
        }
        let of = |at: usize, byte: u8| if at < bytes.len() { byte } else { 0 };
        let way = Way {
            head: u128::from_le_bytes(std::array::from_fn(|at| of(at, bytes[at.min(bytes.len() - 1)]))),
            mask: u128::from_le_bytes(std::array::from_fn(|at| of(at, u8::MAX))),
            tail: bytes.last_chunk().copied().unwrap_or_default(),
            start: self.bytes.len() as u32,
            len: bytes.len() as u32,
            step,
            tells: (0, 0),
            hits: 0,
        };
        self.bytes.extend_from_slice(bytes);
        self.add(place, way);
        &self.places[place].way.step
    }

    /// One more way on, which stands first for now.
    fn add(&mut self, place: usize, way: Way) {
        let behind = &mut self.places[place];
        let before = std::mem::replace(&mut behind.way, way);
        if before.len != u32::MAX {
            behind.others.push(before);
            behind.tell_apart(&self.bytes);
        }
    }
}

impl Behind {
    /// Finds out what tells the ways on apart.
    fn tell_apart(&mut self, all: &[u8]) {
        let Self { way, others, tells, .. } = self;
        let bytes = way.bytes(all);
        let alike = |other: &Way| other.bytes(all).iter().zip(bytes).take_while(|(one, other)| one == other).count();
        let shortest = others.iter().map(|other| other.len).min().unwrap_or(0).min(way.len) as usize;
        *tells = others.iter().map(alike).min().unwrap_or(0).min(shortest.saturating_sub(8));
        for way in others.iter_mut().chain([way]) {
            let own = &way.bytes(all)[*tells..];
            let word = |byte: &dyn Fn(usize) -> u8| u64::from_le_bytes(std::array::from_fn(byte));
            let mask = word(&|at| if at < own.len() { u8::MAX } else { 0 });
            way.tells = (word(&|at| own.get(at).copied().unwrap_or(0)), mask);
        }
    }
}
