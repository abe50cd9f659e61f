//! Generated traces: the parser against serde_json with buffers of many sizes; and numbers written in several ways.

use super::oracle::{Collector, agrees, oracle};
use crate::read::json::read_buffered;
use crate::read::{AnomalyCounts, Token};
use std::fmt::Write as _;
use trace_testkit::Random;

/// Generator of valid JSON: a trace at the top, anything below.
pub(crate) struct Writer {
    random: Random,
    text: String,
}

impl Writer {
    fn blank(&mut self) {
        let blank = self.random.of(&["", "", "", " ", "\n  ", "\t", "\r\n", "    \n\n    "]);
        self.text.push_str(blank);
    }

    /// Writes a text with its quotes.
    fn string(&mut self) {
        const PIECES: &[&str] = &[
            "a",
            "aten::mm",
            "void gemm<float>(int)",
            r#"\""#,
            r"\\",
            r"\\\\",
            r"\n",
            r"\u0041",
            r"\ud83d\ude00",
            r"\/",
            "é",
            "☃",
            "😀",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "},{",
            r#"\"traceEvents\": ["#,
            "0123456789abcdef",
            " ",
            "",
        ];
        self.text.push('"');
        for _ in 0..self.random.below(5) {
            let piece = self.random.of(PIECES);
            self.text.push_str(piece);
        }
        self.text.push('"');
    }

    fn number(&mut self) {
        let value = self.random.next() as i64 >> self.random.below(64);
        let end = self.random.of(&["", "", "", ".0", ".5", ".407", ".123456", "e3", "E-2", "e+1", ".25e2"]);
        let _ = write!(self.text, "{value}{end}");
    }

    fn value(&mut self, depth: usize) {
        match self.random.below(if depth < 4 { 9 } else { 6 }) {
            0 => self.text.push_str("null"),
            1 => self.text.push_str("true"),
            2 => self.text.push_str("false"),
            3 => self.string(),
            4 | 5 => self.number(),
            6 | 7 => self.list(|writer| writer.value(depth + 1)),
            _ => self.object(&["name", "traceEvents", "args", "x", "stream"], |writer, _| writer.value(depth + 1)),
        }
    }

    fn list(&mut self, mut entry: impl FnMut(&mut Self)) {
        self.text.push('[');
        for at in 0..self.random.below(5) {
            self.text.push_str(if at == 0 { "" } else { "," });
            self.blank();
            entry(self);
            self.blank();
        }
        self.text.push(']');
    }

    fn object(&mut self, keys: &[&str], mut member: impl FnMut(&mut Self, &str)) {
        self.text.push('{');
        for at in 0..self.random.below(8) {
            self.text.push_str(if at == 0 { "" } else { "," });
            self.blank();
            let key = self.random.of(keys);
            // A key may contain an escape.
            match key.strip_prefix('n').filter(|_| self.random.below(8) == 0) {
                Some(rest) => self.text.push_str(&format!("\"\\u006e{rest}\"")),
                None => self.text.push_str(&format!("\"{key}\"")),
            }
            self.blank();
            self.text.push(':');
            self.blank();
            member(self, key);
            self.blank();
        }
        self.text.push('}');
    }

    fn event(&mut self) {
        const KEYS: &[&str] = &["ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "args"];
        const ARGS: &[&str] = &["stream", "External id", "Input Dims", "Sequence number", "nested"];
        self.object(KEYS, |writer, key| match key {
            "args" if writer.random.below(4) > 0 => writer.object(ARGS, |writer, _| writer.value(0)),
            _ => writer.value(2),
        });
    }

    pub(crate) fn trace(seed: u64) -> String {
        const METADATA: &[&str] = &["schemaVersion", "distributedInfo", "name", "with_flops", "traceName"];
        let mut writer = Self { random: Random::new(seed), text: String::new() };
        writer.blank();
        writer.text.push('{');
        for side in ["before", "after"] {
            for _ in 0..writer.random.below(4) {
                let key = writer.random.of(METADATA);
                let _ = write!(writer.text, "\"{side} {key}\": ");
                writer.value(0);
                writer.blank();
                writer.text.push(',');
                writer.blank();
            }
            if side == "before" {
                writer.text.push_str("\"traceEvents\"");
                writer.blank();
                writer.text.push(':');
                writer.blank();
                writer.list(|writer| writer.event());
                writer.text.push(',');
            }
        }
        writer.text.push_str("\"end\": 0}");
        writer.blank();
        writer.text
    }
}

#[test]
fn generated_traces_equal_serde_json_with_every_buffer_size() {
    let mut seen = 0;
    for seed in 0..600 {
        let json = Writer::trace(seed);
        let (events, metadata) = oracle(&serde_json::from_str(&json).unwrap()).unwrap();
        seen += events.len();
        for size in [1, 2, 3, 5, 7, 16, 61, 256, 1021, 4096, 65_536] {
            let mut sink = Collector::default();
            let outcome = read_buffered(json.as_bytes(), size, "test", &mut sink).unwrap();
            assert_eq!(sink.0, events, "seed {seed} by {size}: {json}");
            assert_eq!(outcome.metadata, metadata, "seed {seed} by {size}: {json}");
            assert_eq!((outcome.cut, outcome.skipped), (None, None), "seed {seed} by {size}: {json}");
            assert_eq!(outcome.anomalies, AnomalyCounts::default(), "seed {seed} by {size}: {json}");
        }
    }
    assert!(seen > 1000, "{seen} events");
}

#[test]
fn nanoseconds_survive_every_notation() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let expected = random.next() as i64 >> random.below(63);
        let (sign, all) = (if expected < 0 { "-" } else { "" }, expected.unsigned_abs());
        let (micros, rest) = (all / 1000, all % 1000);
        for text in [
            format!("{sign}{micros}.{rest:03}"),
            format!("{sign}{micros}.{rest:03}000"),
            format!("{sign}{all}e-3"),
            format!("{sign}{all}000E-6"),
            format!("{sign}0.{all:020}e17"),
        ] {
            assert_eq!(Token::of(text.as_bytes()).nanos(), Ok(expected), "{text}");
        }
    }
}

/// Changes, removes, inserts or copies some bytes.
pub(crate) fn mutated(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let (one, other) = (random.below(bytes.len()), random.below(bytes.len() + 1));
        let (from, to) = (one.min(other), one.max(other));
        match random.below(6) {
            0 => bytes[one] = random.next() as u8,
            1 => bytes[one] = b"\"\\{}[],:ntf0-.eu\x00\xff"[random.below(18)],
            2 => bytes.truncate(one),
            3 => drop(bytes.drain(from..to.min(from + 40))),
            4 => {
                let copied = bytes[from..to.min(from + 40)].to_vec();
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, copied);
            }
            _ => bytes.insert(one, b"\"\\{}[],"[random.below(7)]),
        }
    }
    bytes
}

#[test]
fn mutated_traces_agree_with_buffers_of_every_size() {
    let mut random = Random::new(2);
    for seed in 0..400 {
        let json = Writer::trace(seed);
        for _ in 0..5 {
            let bytes = mutated(&mut random, json.as_bytes());
            agrees(&bytes, [1, 3, 64, 1000]);
        }
    }
}
