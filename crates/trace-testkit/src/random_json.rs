//! Random JSON of the form of a trace, and random damage of a text.

use crate::Random;
use std::fmt::Write as _;

/// Returns a trace whose events, arguments and metadata are any valid JSON.
pub fn random_json(seed: u64) -> String {
    Writer::trace(seed)
}

/// Changes, removes, inserts or copies some bytes.
pub fn mutated(random: &mut Random, text: &[u8]) -> Vec<u8> {
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

/// Generator of valid JSON: a trace at the top, anything below.
struct Writer {
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

    fn trace(seed: u64) -> String {
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
