//! A decoded recording: its events in file order, with names, tracks and arguments resolved.

use super::args::annotation;
use super::clocks::Clocks;
use super::event::{Arguments, Event, Keys, Kind, UNFINISHED};
use super::flows::Flows;
use super::packets::{Packets, Stop};
use super::sequence::Sequence;
use super::slices::Slices;
use super::strings::{Strings, Symbol};
use super::tracks::{Lane, Tracks};
use super::wire::{Malformed, Message};
use crate::error::StorageReason;
use crate::exec::memory::{Budget, Task};
use crate::read::source::Damage;
use hashbrown::HashMap;
use std::io::{Error, ErrorKind, Read};

/// Bytes of packets between two looks at the memory budget.
const CHECK: u64 = 16 << 20;
/// Bytes that a compressed packet may hold.
const MAX_PACKET: u64 = 64 << 20;

const FORMAT: &str = "Perfetto";

/// A recording.
#[derive(Default)]
pub(super) struct Recording {
    pub(super) strings: Strings,
    pub(super) tracks: Tracks,
    pub(super) clocks: Clocks,
    pub(super) events: Vec<Event>,
    pub(super) args: Arguments,
    pub(super) flows: Flows,
    pub(super) slices: Slices,
    /// Names of GPU counters that are not interned.
    pub(super) global_counters: HashMap<u64, Symbol, foldhash::fast::FixedState>,
    pub(super) packets: u64,
    /// Packets that were left out since they are malformed, and the first.
    pub(super) malformed: Option<(u64, Malformed)>,
    /// Why the recording ends early.
    pub(super) damage: Option<Error>,
    sequences: HashMap<u32, Sequence, foldhash::fast::FixedState>,
}

impl Recording {
    /// Decodes all packets that can be read. Damage is kept, with what was found before it.
    ///
    /// # Errors
    /// If the load is cancelled, the memory budget is spent, or the machine fails.
    pub(super) fn decode(reader: impl Read) -> std::io::Result<Self> {
        let mut recording = Self::default();
        let mut packets = Packets::new(reader);
        let mut checked = 0;
        loop {
            match packets.next() {
                Ok(None) => break,
                Ok(Some(packet)) => {
                    if packet.offset.saturating_sub(checked) > CHECK {
                        checked = packet.offset;
                        check_memory()?;
                    }
                    recording.packets += 1;
                    if let Err(malformed) = recording.packet(packet, true) {
                        recording.malformed.get_or_insert((0, malformed)).0 += 1;
                    }
                }
                Err(Stop::Failed(error)) if is_of_machine(&error) => return Err(error),
                Err(stop) => {
                    recording.damage = Some(damage(stop));
                    break;
                }
            }
        }
        let Self { slices, sequences, events, .. } = &mut recording;
        for sequence in sequences.values_mut() {
            slices.close(&mut sequence.run, events);
        }
        slices.pair(events);
        recording.sequences.clear();
        Ok(recording)
    }

    /// Takes a packet.
    fn packet(&mut self, packet: Message<'_>, may_be_compressed: bool) -> Result<(), Malformed> {
        let (mut id, mut clock, mut ts, mut cleared) = (0, None, 0, false);
        let (mut interned, mut defaults, mut snapshot, mut described) = (None, None, None, None);
        let (mut event, mut stage, mut counters, mut compressed) = (None, None, None, None);
        for field in packet.fields() {
            match field? {
                (6, value) => snapshot = Some(value.message()),
                (8, value) => ts = value.number(),
                (10, value) => id = value.number() as u32,
                (11, value) => event = Some(value.message()),
                (12, value) => interned = Some(value.message()),
                (13, value) => cleared |= value.number() & 1 != 0,
                (41, value) => cleared |= value.number() != 0,
                (number @ (50 | 133), value) => compressed = Some((number, value.message())),
                (52, value) => counters = Some(value.message()),
                (53, value) => stage = Some(value.message()),
                (58, value) => clock = Some(value.number() as u32),
                (59, value) => defaults = Some(value.message()),
                (60, value) => described = Some(value.message()),
                _ => {}
            }
        }
        if let Some((number, message)) = compressed.filter(|_| may_be_compressed) {
            return self.compressed(number, message);
        }
        if let Some(message) = snapshot {
            self.clocks.snapshot(id, message)?;
        }
        if let Some(message) = described {
            self.tracks.describe(message, &mut self.strings)?;
        }
        // Taken out while it is used, since it needs the rest of the recording.
        let mut sequence = self.sequences.remove(&id).unwrap_or_default();
        let result = (|| {
            if cleared {
                sequence.clear();
            }
            if let Some(message) = interned {
                sequence.intern(message, &mut self.strings)?;
            }
            if let Some(message) = defaults {
                sequence.set_defaults(message)?;
            }
            let has_time = event.is_some() || stage.is_some() || counters.is_some();
            let clock = clock.unwrap_or(sequence.default_clock);
            let ts = if has_time { self.clocks.time(id, clock, ts) } else { 0 };
            if let Some(message) = event {
                self.track_event(message, ts, &mut sequence)?;
            }
            if let Some(message) = stage {
                self.render_stage(message, ts, &sequence)?;
            }
            if let Some(message) = counters {
                self.gpu_counters(message, ts, &sequence)?;
            }
            Ok(())
        })();
        self.sequences.insert(id, sequence);
        result
    }

    /// Takes packets that are compressed in one.
    fn compressed(&mut self, number: u32, message: Message<'_>) -> Result<(), Malformed> {
        let broken = Malformed { what: "a compressed packet that is damaged", offset: message.offset };
        let mut bytes = Vec::new();
        let read = match number {
            50 => flate2::read::ZlibDecoder::new(message.bytes).take(MAX_PACKET).read_to_end(&mut bytes),
            _ => {
                zstd::Decoder::with_buffer(message.bytes).and_then(|read| read.take(MAX_PACKET).read_to_end(&mut bytes))
            }
        };
        read.map_err(|_| broken.clone())?;
        let mut packets = Packets::new(&bytes[..]);
        loop {
            match packets.next() {
                Ok(None) => return Ok(()),
                Ok(Some(packet)) => self.packet(packet, false)?,
                Err(_) => return Err(broken),
            }
        }
    }

    /// Takes a `TrackEvent`.
    fn track_event(&mut self, message: Message<'_>, ts: i64, sequence: &mut Sequence) -> Result<(), Malformed> {
        let (mut kind, mut uuid, mut name) = (0, sequence.default_track, Symbol::EMPTY);
        let (mut categories, mut value) = (Vec::new(), None);
        let (mut args, mut keys, mut flows) = (Vec::new(), Keys::default(), Vec::new());
        for field in message.fields() {
            match field? {
                (3, value) => value.each_number(false, |id| categories.extend(sequence.categories.get(&id).copied())),
                (4, value) => annotation(&mut args, &mut keys, value.message(), sequence, &self.strings)?,
                (9, value) => kind = value.number(),
                (10, value) => name = sequence.names.get(&value.number()).copied().unwrap_or(Symbol::EMPTY),
                (11, value) => uuid = Some(value.number()),
                (22, value) => categories.push(self.strings.symbol(&value.message().text())),
                (23, value) => name = self.strings.symbol(&value.message().text()),
                (30, number) => value = Some(number.signed().to_string().into_bytes()),
                (36 | 42, value) => value.each_number(false, |id| flows.push(id)),
                (44, number) => {
                    let mut text = Vec::new();
                    super::args::write_double(&mut text, f64::from_bits(number.number()));
                    value = Some(text);
                }
                (47 | 48, value) => value.each_number(true, |id| flows.push(id)),
                _ => {}
            }
        }
        let lane = self.tracks.lane(uuid.unwrap_or(0));
        if kind == 2 {
            self.slices.end(&mut sequence.run, lane, ts);
            return Ok(());
        }
        let number = self.events.len() as u32;
        let (event, dur) = match kind {
            1 => (Kind::Slice, UNFINISHED),
            3 => (Kind::Instant, 0),
            4 => {
                let Some(value) = value else { return Ok(()) };
                name = self.counter_of(lane, name, &value, &mut args);
                (Kind::Counter, 0)
            }
            _ => return Ok(()),
        };
        let category = match categories[..] {
            [] => Symbol::EMPTY,
            [one] => one,
            _ => {
                let all: Vec<&str> = categories.iter().map(|one| self.strings.text(*one)).collect();
                let all = all.join(",");
                self.strings.symbol(&all)
            }
        };
        let args = self.args.push(&args);
        self.flows.add(&flows, number);
        self.events.push(Event { ts, dur, name, category, lane, args, keys, kind: event });
        if kind == 1 {
            self.slices.begin(&mut sequence.run, &mut self.events, number, lane, ts);
        }
        Ok(())
    }

    /// Writes the value of a counter track as an argument, and returns the name of the counter: that of the track, or of the
    /// track above it, whose tracks are then series of one counter.
    fn counter_of(&mut self, lane: Lane, name: Symbol, value: &[u8], args: &mut Vec<u8>) -> Symbol {
        let track = self.tracks.of(lane);
        let own = track.map_or(name, |track| if track.name == Symbol::EMPTY { name } else { track.name });
        let group = track.and_then(|track| self.tracks.group_of(track)).map(|group| group.name);
        let group = group.filter(|group| *group != Symbol::EMPTY);
        let series = if group.is_some() { self.strings.text(own) } else { "" };
        args.clear();
        super::args::member(args, series, |out| out.extend_from_slice(value));
        group.unwrap_or(own)
    }
}

/// Whether the machine is at fault, or the load was cancelled, rather than the data.
fn is_of_machine(error: &Error) -> bool {
    let is_of_data =
        matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData);
    !is_of_data || error.get_ref().is_some_and(|inner| inner.is::<StorageReason>())
}

fn damage(stop: Stop) -> Error {
    match stop {
        Stop::Failed(error) => error,
        Stop::EndsInside(byte) => {
            Damage::Corrupt(FORMAT, format!("it ends inside the packet that begins at byte {byte}")).into()
        }
        Stop::Malformed(Malformed { what, offset }) => {
            Damage::Corrupt(FORMAT, format!("{what} at byte {offset}")).into()
        }
    }
}

/// Fails once the memory budget is spent.
fn check_memory() -> std::io::Result<()> {
    let fits = Budget::now().is_ok_and(|budget| budget.check(Task::Load("a Perfetto trace"), 0).is_ok());
    if fits { Ok(()) } else { Err(ErrorKind::OutOfMemory.into()) }
}
