//! Work and counters of the GPU: `GpuRenderStageEvent` and `GpuCounterEvent`, which PyTorch writes in place of slices.

use super::args::{member, write_double};
use super::event::{Event, Keys, Kind};
use super::recording::Recording;
use super::sequence::{Sequence, counter_names};
use super::strings::{Symbol, write_text};
use super::wire::{Malformed, Message};
use crate::domain::EventKind;

/// Categories of JSON by the names of PyTorch's render stages.
const STAGES: [(&str, &str); 6] = [
    ("Kernel", EventKind::KERNEL),
    ("Memcpy", EventKind::MEMCPY),
    ("Memset", EventKind::MEMSET),
    ("Annotation", EventKind::DEVICE_ANNOTATION),
    ("EventRecord", "graph_event_node"),
    ("HostNode", "graph_host_node"),
];

/// Names of arguments: in the protobuf form, and in JSON.
const NAMES: [(&str, &str); 5] = [
    ("device id", "device"),
    ("context id", "context"),
    ("stream id", "stream"),
    ("registers_per_thread", "registers per thread"),
    // JSON has the sum with the static part, which this form lacks.
    ("shared_mem_dynamic", "dynamic shared memory"),
];

/// Arguments that are the same for every event of a file, and that no JSON has.
const CONSTANT: [&str; 4] = ["arch", "process_id", "process_name", "thread_count"];

fn json_name(name: &str) -> &str {
    NAMES.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours)
}

impl Recording {
    /// Takes a render stage: an event of its own, with a duration.
    ///
    /// # Errors
    /// If it is malformed.
    pub(super) fn render_stage(&mut self, message: Message<'_>, ts: i64, sequence: &Sequence) -> Result<(), Malformed> {
        let (mut gpu, mut queue, mut stage, mut kernel) = (0, 0, 0, 0);
        let (mut dur, mut name, mut event_id) = (None, None, 0);
        let (mut args, mut keys) = (Vec::new(), Keys::default());
        let mut waits = Vec::new();
        for field in message.fields() {
            match field? {
                (1, value) => event_id = value.number(),
                (2, value) => dur = Some(value.signed()),
                (6, value) => extra(&mut args, &mut keys, value.message())?,
                (11, value) => gpu = value.signed(),
                (13, value) => queue = value.number(),
                (14, value) => stage = value.number(),
                (17, value) => name = Some(self.strings.symbol(&value.message().text())),
                (18, value) => value.each_number(false, |id| waits.push(id)),
                (19, value) => kernel = value.number(),
                (20, value) => name = sequence.names.get(&value.number()).copied(),
                (21, value) => self.launch(&mut args, &mut keys, value.message(), sequence)?,
                _ => {}
            }
        }
        let Some(dur) = dur else { return Ok(()) };
        let of_stage = sequence.specifications.get(&stage).copied().unwrap_or(Symbol::EMPTY);
        let name = name.or_else(|| sequence.kernels.get(&kernel).copied()).unwrap_or(of_stage);
        let stage = self.strings.text(of_stage);
        let category = STAGES.iter().find(|(theirs, _)| *theirs == stage).map_or("gpu_render_stage", |(_, ours)| ours);
        let category = self.strings.symbol(category);
        let lane = sequence.specifications.get(&queue).copied().unwrap_or(Symbol::EMPTY);
        let stream = stream_of(self.strings.text(lane)).unwrap_or(queue.cast_signed());
        let lane = self.tracks.lane_at(gpu.to_string(), stream.to_string());
        let args = self.args.push(&args);
        let number = self.events.len() as u32;
        self.flows.stage(event_id, &waits, number);
        self.events.push(Event { ts, dur, name, category, lane, args, keys, kind: Kind::Slice });
        Ok(())
    }

    /// Appends grid, block and further values of a `ComputeKernelLaunch`.
    fn launch(
        &mut self,
        args: &mut Vec<u8>,
        keys: &mut Keys,
        message: Message<'_>,
        sequence: &Sequence,
    ) -> Result<(), Malformed> {
        for field in message.fields() {
            match field? {
                (1, value) => dimensions(args, keys, "grid", value.message())?,
                (2, value) => dimensions(args, keys, "block", value.message())?,
                (3, value) => {
                    let (mut name, mut number) = (Symbol::EMPTY, Vec::new());
                    for field in value.message().fields() {
                        match field? {
                            (1, value) => name = sequence.launch_args.get(&value.number()).copied().unwrap_or(name),
                            (2, value) => name = self.strings.symbol(&value.message().text()),
                            (3, value) => number = value.signed().to_string().into_bytes(),
                            (4, value) => number = value.number().to_string().into_bytes(),
                            (5, value) => write_double(&mut number, f64::from_bits(value.number())),
                            (6, value) => write_text(&mut number, &value.message().text()),
                            _ => {}
                        }
                    }
                    let name = json_name(self.strings.text(name));
                    if !number.is_empty() && !CONSTANT.contains(&name) {
                        keys.add(name);
                        member(args, name, |out| out.extend_from_slice(&number));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes samples of GPU counters.
    ///
    /// # Errors
    /// If they are malformed.
    pub(super) fn gpu_counters(&mut self, message: Message<'_>, ts: i64, sequence: &Sequence) -> Result<(), Malformed> {
        let (mut gpu, mut descriptor, mut samples) = (None, None, Vec::new());
        for field in message.fields() {
            match field? {
                (1, value) => {
                    let names = counter_names(value.message(), &mut self.strings)?;
                    self.global_counters.extend(names);
                }
                (2, value) => samples.push(value.message()),
                (3, value) => gpu = Some(value.signed()),
                (4, value) => descriptor = Some(value.number()),
                _ => {}
            }
        }
        let interned = descriptor.and_then(|id| sequence.counters.get(&id));
        let gpu = interned.and_then(|(gpu, _)| *gpu).or(gpu).unwrap_or(0);
        let names = interned.map(|(_, names)| names);
        for sample in samples {
            let (mut id, mut number) = (0, b"null".to_vec());
            for field in sample.fields() {
                match field? {
                    (1, value) => id = value.number(),
                    (2, value) => number = value.signed().to_string().into_bytes(),
                    (3, value) => {
                        number.clear();
                        write_double(&mut number, f64::from_bits(value.number()));
                    }
                    _ => {}
                }
            }
            let name = names.unwrap_or(&self.global_counters).get(&id).copied();
            let name = name.unwrap_or_else(|| self.strings.symbol(&format!("counter {id}")));
            let mut args = Vec::new();
            member(&mut args, "", |out| out.extend_from_slice(&number));
            self.counter(ts, name, &args, format!("\"GPU {gpu} Counters\""));
        }
        Ok(())
    }

    /// Adds a sample of a counter; `pid` is JSON.
    fn counter(&mut self, ts: i64, name: Symbol, args: &[u8], pid: String) {
        let lane = self.tracks.lane_at(pid, "0".to_owned());
        let args = self.args.push(args);
        let (category, keys) = (Symbol::EMPTY, Keys::default());
        self.events.push(Event { ts, dur: 0, name, category, lane, args, keys, kind: Kind::Counter });
    }
}

/// Appends an `ExtraData`, whose value is always a text; one that is a number in JSON is written as such.
fn extra(args: &mut Vec<u8>, keys: &mut Keys, message: Message<'_>) -> Result<(), Malformed> {
    let (mut name, mut value) = (Message { bytes: &[], offset: 0 }, Message { bytes: &[], offset: 0 });
    for field in message.fields() {
        match field? {
            (1, field) => name = field.message(),
            (2, field) => value = field.message(),
            _ => {}
        }
    }
    let (name, value) = (name.text(), value.text());
    let name = json_name(&name);
    if CONSTANT.contains(&name) {
        return Ok(());
    }
    keys.add(name);
    let is_number = serde_json::from_str::<serde_json::Number>(&value).is_ok();
    member(args, name, |out| {
        if is_number {
            out.extend_from_slice(value.as_bytes());
        } else {
            write_text(out, &value);
        }
    });
    Ok(())
}

/// Appends a `Dim3` as a list.
fn dimensions(args: &mut Vec<u8>, keys: &mut Keys, name: &str, message: Message<'_>) -> Result<(), Malformed> {
    let mut of = [0_u64; 3];
    for field in message.fields() {
        if let (number @ 1..=3, value) = field? {
            of[number as usize - 1] = value.number();
        }
    }
    keys.add(name);
    member(args, name, |out| out.extend_from_slice(format!("[{}, {}, {}]", of[0], of[1], of[2]).as_bytes()));
    Ok(())
}

/// Returns the stream in the name of a hardware queue: `[07] stream 7`.
fn stream_of(name: &str) -> Option<i64> {
    let digits = name.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    digits.parse().ok()
}
