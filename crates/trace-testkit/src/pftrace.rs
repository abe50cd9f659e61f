//! JSON traces → Perfetto's protobuf form, by its public schema: track events with interned names and typed annotations, laid
//! out as different writers do.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// How the events are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As PyTorch does: the begins of all slices in the order of the JSON, then their ends.
    Columns,
    /// As Perfetto's own library does: in the order of time. Slices that do not nest get tracks of their own.
    Timed,
    /// As PyTorch does since its second form: kernels, copies and fills as render stages, all others as [`Layout::Columns`].
    Stages,
}

/// A message that is being written.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(&mut self, field: u64, number: u64) -> &mut Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn signed(&mut self, field: u64, number: i64) -> &mut Self {
        self.number(field, number.cast_unsigned())
    }

    fn fixed(&mut self, field: u64, bits: u64) -> &mut Self {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&bits.to_le_bytes());
        self
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(&mut self, field: u64, write: impl FnOnce(&mut Self)) -> &mut Self {
        let mut message = Self::default();
        write(&mut message);
        self.bytes(field, &message.0)
    }
}

/// Names by their numbers, from 1.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    numbers: HashMap<String, u64>,
}

impl Table {
    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_owned());
        let number = self.names.len() as u64;
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn write(&self, field: u64, out: &mut Writer) {
        for (at, name) in self.names.iter().enumerate() {
            out.message(field, |entry| {
                entry.number(1, at as u64 + 1).bytes(2, name.as_bytes());
            });
        }
    }
}

/// One packet with a time, before it is written.
struct Packet {
    ts: i64,
    bytes: Vec<u8>,
}

/// The numbers of everything that packets refer to.
#[derive(Default)]
struct Tables {
    names: Table,
    categories: Table,
    keys: Table,
    kernels: Table,
    stages: Table,
    tracks: Writer,
    uuids: HashMap<String, u64>,
    thread_names: HashMap<String, String>,
}

/// Returns a JSON trace in Perfetto's form. Of the top level only `baseTimeNanoseconds` has a place there.
///
/// # Panics
/// If the text is not a JSON trace.
pub fn pftrace(json: &str, layout: Layout) -> Vec<u8> {
    let trace: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("no JSON: {error}"));
    let events = trace.get("traceEvents").unwrap_or(&trace).as_array().cloned().unwrap_or_default();
    let base = trace.get("baseTimeNanoseconds").and_then(Value::as_i64);
    let mut tables = Tables::default();
    for event in events.iter().filter(|event| text(event, "name") == "thread_name") {
        let name = event.get("args").map_or("", |args| text(args, "name"));
        tables.thread_names.insert(thread_key(event), name.to_owned());
    }
    let (mut begins, mut ends, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut open: HashMap<String, Vec<Vec<i64>>> = HashMap::new();
    let mut order: Vec<&Value> = events.iter().collect();
    if layout == Layout::Timed {
        // Outer slices before those inside.
        order.sort_by_key(|event| (nanos(event, "ts"), -nanos(event, "dur")));
    }
    for event in order {
        let ts = nanos(event, "ts") + base.unwrap_or(0);
        match text(event, "ph") {
            "X" if event.get("dur").is_some() && event.get("ts").is_some() => {
                let end = ts + nanos(event, "dur");
                if layout == Layout::Stages && is_device_work(event) {
                    others.push(Packet { ts, bytes: tables.stage(event) });
                    continue;
                }
                let lane =
                    if layout == Layout::Timed { lane(open.entry(thread_key(event)).or_default(), ts, end) } else { 0 };
                let track = tables.track(event, lane);
                begins.push(Packet { ts, bytes: tables.track_event(event, 1, track) });
                let mut packet = Writer::default();
                packet.message(11, |of| {
                    of.number(9, 2).number(11, track);
                });
                ends.push(Packet { ts: end, bytes: packet.0 });
            }
            "i" | "I" => {
                let track = tables.track(event, 0);
                others.push(Packet { ts, bytes: tables.track_event(event, 3, track) });
            }
            "C" => others.extend(tables.counters(event).into_iter().map(|bytes| Packet { ts, bytes })),
            _ => {}
        }
    }
    let mut out = Writer::default();
    if let Some(base) = base {
        out.message(1, |packet| {
            packet.signed(8, base).number(10, 1).message(6, |snapshot| {
                for clock in [6, 1] {
                    snapshot.message(1, |of| {
                        of.number(1, clock).signed(2, base);
                    });
                }
            });
        });
    }
    out.0.extend_from_slice(&tables.tracks.0);
    out.message(1, |packet| {
        packet.number(10, 1).number(13, 1).message(12, |interned| tables.write(interned));
    });
    let packets: Vec<Packet> = if layout == Layout::Timed {
        // Inner slices end before those around them, and slices of no length before they begin elsewhere.
        let mut all: Vec<(i64, usize, Packet)> = Vec::new();
        let zero: Vec<bool> = begins.iter().zip(&ends).map(|(begin, end)| begin.ts == end.ts).collect();
        for (at, (begin, end)) in begins.into_iter().zip(ends).enumerate() {
            all.push((begin.ts, usize::MAX / 2 + 2 * at, begin));
            let of_end = if zero[at] { usize::MAX / 2 + 2 * at + 1 } else { usize::MAX / 2 - 1 - at };
            all.push((end.ts, of_end, end));
        }
        all.extend(
            others.into_iter().enumerate().map(|(at, packet)| (packet.ts, usize::MAX - 1_000_000_000 + at, packet)),
        );
        all.sort_by_key(|(ts, order, _)| (*ts, *order));
        all.into_iter().map(|(_, _, packet)| packet).collect()
    } else {
        begins.into_iter().chain(ends).chain(others).collect()
    };
    for Packet { ts, bytes } in packets {
        out.message(1, |packet| {
            packet.signed(8, ts).number(10, 1).number(13, 2);
            packet.0.extend_from_slice(&bytes);
        });
    }
    out.0
}

impl Tables {
    fn write(&self, out: &mut Writer) {
        self.categories.write(1, out);
        self.names.write(2, out);
        self.keys.write(3, out);
        for (at, name) in self.stages.names.iter().enumerate() {
            out.message(24, |entry| {
                entry.number(1, at as u64 + 1).bytes(2, name.as_bytes());
            });
        }
        for (at, name) in self.kernels.names.iter().enumerate() {
            out.message(1000, |entry| {
                entry.number(1, at as u64 + 1).bytes(3, name.as_bytes());
            });
        }
    }

    /// Returns the track of an event: lane number `lane` of its thread. Slices that do not nest are on several lanes.
    fn track(&mut self, event: &Value, lane: usize) -> u64 {
        let pid = self.uuid(&format!("p{}", id_text(event, "pid")), |track| {
            track.message(3, |process| {
                process.signed(1, id(event, "pid")).bytes(6, id_text(event, "pid").as_bytes());
            });
        });
        let key = thread_key(event);
        let tid = id(event, "tid");
        let name = self.thread_names.get(&key).filter(|_| i32::try_from(tid).is_ok()).cloned();
        let name = name.unwrap_or_else(|| format!("thread {tid} (python)"));
        let thread = self.uuid(&format!("t{key}"), |track| {
            track.number(5, pid).message(4, |thread| {
                let short = if i32::try_from(tid).is_ok() { tid } else { tid & 0x7fff_ffff };
                thread.signed(1, id(event, "pid")).signed(2, short).bytes(5, name.as_bytes());
            });
        });
        if lane == 0 {
            return thread;
        }
        self.uuid(&format!("l{key}/{lane}"), |track| {
            track.number(5, thread).bytes(2, b"overlapping");
        })
    }

    /// Returns the number of a track, described when it is first wanted.
    fn uuid(&mut self, key: &str, describe: impl FnOnce(&mut Writer)) -> u64 {
        if let Some(uuid) = self.uuids.get(key) {
            return *uuid;
        }
        let uuid = self.uuids.len() as u64 + 1;
        self.uuids.insert(key.to_owned(), uuid);
        self.tracks.message(1, |packet| {
            packet.message(60, |track| {
                track.number(1, uuid);
                describe(track);
            });
        });
        uuid
    }

    fn track_event(&mut self, event: &Value, kind: u64, track: u64) -> Vec<u8> {
        let mut packet = Writer::default();
        packet.message(11, |out| {
            out.number(9, kind).number(11, track).number(10, self.names.number(text(event, "name")));
            if let Some(category) = event.get("cat").and_then(Value::as_str) {
                out.number(3, self.categories.number(category));
            }
            if let Some(flow) = event.get("args").and_then(|args| args.get("correlation")).and_then(Value::as_u64) {
                out.fixed(47, flow);
            }
            for (key, value) in args(event) {
                let key = self.keys.number(key);
                out.message(4, |annotation| {
                    annotation.number(1, key);
                    write_value(annotation, value);
                });
            }
        });
        packet.0
    }

    /// Returns a packet for each series of a counter event.
    fn counters(&mut self, event: &Value) -> Vec<Vec<u8>> {
        let (name, pid) = (text(event, "name").to_owned(), id_text(event, "pid"));
        let mut packets = Vec::new();
        for (series, value) in args(event) {
            let Some(number) = value.as_f64() else { continue };
            let process = self.uuid(&format!("p{pid}"), |track| {
                track.message(3, |process| {
                    process.signed(1, id(event, "pid")).bytes(6, pid.as_bytes());
                });
            });
            let group = self.uuid(&format!("g{pid}/{name}"), |track| {
                track.number(5, process).bytes(2, name.as_bytes());
            });
            let track = self.uuid(&format!("c{pid}/{name}/{series}"), |track| {
                track.number(5, group).bytes(2, series.as_bytes()).bytes(8, b"");
            });
            let mut packet = Writer::default();
            packet.message(11, |out| {
                out.number(9, 4).number(11, track);
                match value.as_i64() {
                    Some(whole) => out.signed(30, whole),
                    None => out.fixed(44, number.to_bits()),
                };
            });
            packets.push(packet.0);
        }
        packets
    }

    fn stage(&mut self, event: &Value) -> Vec<u8> {
        let stage = match text(event, "cat") {
            "kernel" => "Kernel",
            "gpu_memcpy" => "Memcpy",
            _ => "Memset",
        };
        let (stage, stream) = (self.stages.number(stage), id(event, "tid"));
        let queue = self.stages.number(&format!("[{stream:05}] stream {stream}"));
        let kernel = self.kernels.number(text(event, "name"));
        let mut packet = Writer::default();
        packet.message(53, |out| {
            out.signed(2, nanos(event, "dur")).number(13, queue).number(14, stage).signed(11, id(event, "pid"));
            out.number(19, kernel);
            for (key, value) in args(event) {
                let key = match key.as_str() {
                    "device" => "device id",
                    "stream" => "stream id",
                    "context" => "context id",
                    "grid" | "block" => continue,
                    key => key,
                };
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                out.message(6, |extra| {
                    extra.bytes(1, key.as_bytes()).bytes(2, value.as_bytes());
                });
            }
            out.message(21, |launch| {
                for (field, key) in [(1, "grid"), (2, "block")] {
                    let of = event.get("args").and_then(|args| args.get(key)).and_then(Value::as_array);
                    let Some(of) = of else { continue };
                    launch.message(field, |dimensions| {
                        for (axis, size) in of.iter().enumerate() {
                            dimensions.number(axis as u64 + 1, size.as_u64().unwrap_or(0));
                        }
                    });
                }
            });
        });
        packet.0
    }
}

fn is_device_work(event: &Value) -> bool {
    matches!(text(event, "cat"), "kernel" | "gpu_memcpy" | "gpu_memset")
}

/// Returns the first lane on which a slice nests in those that are open, and keeps its end there.
fn lane(lanes: &mut Vec<Vec<i64>>, ts: i64, end: i64) -> usize {
    for (number, open) in lanes.iter_mut().enumerate() {
        while open.last().is_some_and(|last| *last <= ts) {
            open.pop();
        }
        if open.last().is_none_or(|last| end <= *last) {
            open.push(end);
            return number;
        }
    }
    lanes.push(vec![end]);
    lanes.len() - 1
}

fn write_value(out: &mut Writer, value: &Value) {
    match value {
        Value::Null => out.bytes(6, b"null"),
        Value::Bool(is) => out.number(2, u64::from(*is)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => out.signed(4, number),
            (None, Some(number)) => out.number(3, number),
            _ => out.fixed(5, number.as_f64().unwrap_or(f64::NAN).to_bits()),
        },
        Value::String(text) => out.bytes(6, text.as_bytes()),
        Value::Array(entries) => {
            for entry in entries {
                out.message(12, |of| write_value(of, entry));
            }
            out
        }
        Value::Object(members) => {
            for (key, value) in members {
                out.message(11, |of| {
                    of.bytes(10, key.as_bytes());
                    write_value(of, value);
                });
            }
            out
        }
    };
}

fn args(event: &Value) -> impl Iterator<Item = (&String, &Value)> {
    event.get("args").and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn text<'v>(event: &'v Value, key: &str) -> &'v str {
    event.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Returns the number of a process or thread; of a text a number of its own, as PyTorch does.
fn id(event: &Value, key: &str) -> i64 {
    let number = event.get(key).and_then(|id| id.as_i64().or_else(|| id.as_str()?.parse().ok()));
    number.unwrap_or_else(|| id_text(event, key).bytes().map(i64::from).sum())
}

fn id_text(event: &Value, key: &str) -> String {
    event.get(key).map_or_else(String::new, |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned))
}

fn thread_key(event: &Value) -> String {
    format!("{}/{}", id_text(event, "pid"), id_text(event, "tid"))
}

/// Returns a time in nanoseconds: exact, as far as a float of 64 bits holds it in µs.
fn nanos(event: &Value, key: &str) -> i64 {
    let Some(time) = event.get(key) else { return 0 };
    let time = time.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| time.clone());
    match (time.as_i64(), time.as_f64()) {
        (Some(whole), _) => whole * 1000,
        (None, Some(micros)) => micros.trunc() as i64 * 1000 + (micros.fract() * 1e3).round() as i64,
        (None, None) => 0,
    }
}
