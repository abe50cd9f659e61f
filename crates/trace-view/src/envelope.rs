//! How rich output leaves the process of a Rust cell: as envelopes between the bytes that the cell prints.
//!
//! A cell's process writes everything to one pipe, so that order is kept: printed text as it is, and everything else as
//! `RS TRACEBOOK <token> <length> LF <json>`. The token is drawn anew for each kernel, so that no printed text is
//! mistaken for an envelope. evcxr's own blocks (`EVCXR_BEGIN_CONTENT` … `EVCXR_END_CONTENT`) and its request for input
//! are understood too, at the start of a line, because libraries made for evcxr print them.

use crate::Bundle;
use serde::{Deserialize, Serialize};

/// What a cell's process says beside printed text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Envelope {
    /// The value of the last expression.
    Result {
        /// How it can be shown.
        bundle: Bundle,
    },
    /// Something displayed on the way.
    Display {
        /// How it can be shown.
        bundle: Bundle,
        /// The id under which it can be replaced.
        id: Option<String>,
    },
    /// New content for what was displayed under an id.
    Update {
        /// How it can be shown.
        bundle: Bundle,
        /// The id.
        id: String,
    },
    /// Takes away what the cell has shown so far.
    Clear {
        /// Only when the next output comes.
        wait: bool,
    },
    /// Text for standard error, between what the cell prints and shows.
    Stderr {
        /// The text.
        text: String,
    },
    /// The cell waits for a line of input.
    Input {
        /// The prompt.
        prompt: String,
    },
    /// The cell ended early with an error value (`?`).
    Failure {
        /// The error, as `Display` writes it.
        message: String,
    },
    /// Something panicked. Whether that ends the cell is not known yet.
    Panic {
        /// What the panic said.
        message: String,
        /// The source file of the panic.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The thread, unless it is the one that cells run on.
        thread: Option<String>,
    },
    /// A panic ended the cell.
    Panicked,
    /// Everything that the cell wrote to this pipe stands before this; the kernel itself writes it when a cell has ended.
    End,
}

/// One thing read from the pipe.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Printed text, invalid UTF-8 replaced.
    Text(String),
    /// An envelope of ours.
    Envelope(Envelope),
    /// A block of evcxr's: one MIME type and its content.
    Content {
        /// The MIME type.
        mime: String,
        /// The content.
        text: String,
    },
    /// A request for a line of input.
    Input {
        /// The prompt.
        prompt: String,
        /// Whether what is typed must not be seen.
        password: bool,
    },
}

const START: &str = "\u{1e}TRACEBOOK ";
const BLOCK: &[u8] = b"EVCXR_BEGIN_CONTENT ";
const BLOCK_END: &[u8] = b"\nEVCXR_END_CONTENT";
const INPUT: &[u8] = b"EVCXR_INPUT_REQUEST";
const PASSWORD: &str = "EVCXR_INPUT_REQUEST_PASSWORD:";

impl Envelope {
    /// The bytes to write, in one piece.
    pub fn encode(&self, token: &str) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = format!("{START}{token} {}\n", json.len()).into_bytes();
        bytes.extend_from_slice(&json);
        bytes
    }
}

/// Takes the bytes of the pipe apart, however they are cut.
#[derive(Debug)]
pub struct Reader {
    start: Vec<u8>,
    pending: Vec<u8>,
    at_line_start: bool,
}

impl Reader {
    /// A reader for the envelopes of one kernel.
    pub fn new(token: &str) -> Self {
        Self { start: format!("{START}{token} ").into_bytes(), pending: Vec::new(), at_line_start: true }
    }

    /// Reads more bytes; what is whole goes to `event`, in order. A cut code point, marker or envelope waits for the
    /// rest.
    pub fn feed(&mut self, bytes: &[u8], mut event: impl FnMut(Event)) {
        self.pending.extend_from_slice(bytes);
        let mut from = 0;
        loop {
            let rest = &self.pending[from..];
            if rest.is_empty() {
                break;
            }
            match self.next(rest) {
                Step::Text(length) => {
                    let text = &rest[..length];
                    self.at_line_start = text.ends_with(b"\n");
                    event(Event::Text(String::from_utf8_lossy(text).into_owned()));
                    from += length;
                }
                Step::Event(length, found) => {
                    if !matches!(found, Event::Envelope(_)) {
                        self.at_line_start = true;
                    }
                    event(found);
                    from += length;
                }
                Step::Skip(length) => from += length,
                Step::Wait => break,
            }
        }
        self.pending.drain(..from);
    }

    /// Gives out what still waits, as text.
    pub fn flush(&mut self, mut event: impl FnMut(Event)) {
        if !self.pending.is_empty() {
            let text = String::from_utf8_lossy(&self.pending).into_owned();
            self.pending.clear();
            event(Event::Text(text));
        }
        self.at_line_start = true;
    }

    fn next(&self, rest: &[u8]) -> Step {
        if rest[0] == self.start[0] {
            match starts(rest, &self.start) {
                Some(true) => return self.envelope(rest),
                None => return Step::Wait,
                Some(false) => {}
            }
        }
        if self.at_line_start {
            match (starts(rest, BLOCK), starts(rest, INPUT)) {
                (Some(true), _) => return block(rest),
                (_, Some(true)) => return input(rest),
                (Some(false), Some(false)) => {}
                _ => return Step::Wait,
            }
        }
        self.text(rest)
    }

    fn envelope(&self, rest: &[u8]) -> Step {
        let head = &rest[self.start.len()..];
        let Some(end) = head.iter().position(|&byte| byte == b'\n') else {
            return if head.len() > 20 { Step::Text(1) } else { Step::Wait };
        };
        let Some(length) = std::str::from_utf8(&head[..end]).ok().and_then(|text| text.parse::<usize>().ok()) else {
            return Step::Text(1);
        };
        let body = &head[end + 1..];
        let Some(json) = body.get(..length) else { return Step::Wait };
        let whole = self.start.len() + end + 1 + length;
        match serde_json::from_slice(json) {
            Ok(envelope) => Step::Event(whole, Event::Envelope(envelope)),
            Err(_) => Step::Skip(whole),
        }
    }

    /// Text up to the next place where something else may start, never through a code point.
    fn text(&self, rest: &[u8]) -> Step {
        let mut end = rest.len();
        for (index, &byte) in rest.iter().enumerate().skip(1) {
            let after_line = rest[index - 1] == b'\n';
            if byte == self.start[0] || (after_line && byte == b'E') {
                end = index;
                break;
            }
        }
        if end < rest.len() {
            return Step::Text(end);
        }
        match std::str::from_utf8(rest) {
            Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => Step::Text(error.valid_up_to()),
            Err(error) if error.error_len().is_none() => Step::Wait,
            _ => Step::Text(end),
        }
    }
}

enum Step {
    Text(usize),
    Event(usize, Event),
    Skip(usize),
    Wait,
}

/// Whether `rest` starts with `marker`; `None` if it is too short to tell.
fn starts(rest: &[u8], marker: &[u8]) -> Option<bool> {
    let shared = rest.len().min(marker.len());
    if rest[..shared] != marker[..shared] {
        return Some(false);
    }
    (shared == marker.len()).then_some(true)
}

fn block(rest: &[u8]) -> Step {
    let Some(line) = rest.iter().position(|&byte| byte == b'\n') else { return Step::Wait };
    let body = &rest[line..];
    let Some(end) = body.windows(BLOCK_END.len()).position(|window| window == BLOCK_END) else { return Step::Wait };
    let after = line + end + BLOCK_END.len();
    let whole = match rest.get(after) {
        Some(b'\n') => after + 1,
        Some(_) => after,
        None => return Step::Wait,
    };
    let mime = String::from_utf8_lossy(&rest[BLOCK.len()..line]).trim().to_owned();
    let text = String::from_utf8_lossy(body.get(1..end).unwrap_or_default()).into_owned();
    Step::Event(whole, Event::Content { mime, text })
}

fn input(rest: &[u8]) -> Step {
    let Some(line) = rest.iter().position(|&byte| byte == b'\n') else { return Step::Wait };
    let text = String::from_utf8_lossy(&rest[..line]).into_owned();
    let password = text.starts_with(PASSWORD);
    let prompt = text.split_once(':').map(|(_, prompt)| prompt.to_owned()).unwrap_or_default();
    Step::Event(line + 1, Event::Input { prompt, password })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(token: &str, pieces: &[&[u8]]) -> Vec<Event> {
        let mut reader = Reader::new(token);
        let mut events: Vec<Event> = Vec::new();
        let mut push = |event: Event| match (events.last_mut(), event) {
            (Some(Event::Text(before)), Event::Text(text)) => before.push_str(&text),
            (_, event) => events.push(event),
        };
        for piece in pieces {
            reader.feed(piece, &mut push);
        }
        reader.flush(&mut push);
        events
    }

    #[test]
    fn the_cut_of_the_bytes_changes_nothing() {
        let shown = Envelope::Display { bundle: Bundle::text("grüße\n\u{1e}"), id: None };
        let mut bytes = "über ".as_bytes().to_vec();
        bytes.extend(shown.encode("t1"));
        bytes.extend_from_slice(
            "después\nEVCXR_BEGIN_CONTENT text/html\n<b>\nx\nEVCXR_END_CONTENT\nEVCXR_INPUT_REQUEST:name? \nEnd"
                .as_bytes(),
        );
        bytes.extend(Envelope::End.encode("t1"));
        let expected = vec![
            Event::Text("über ".to_owned()),
            Event::Envelope(shown),
            Event::Text("después\n".to_owned()),
            Event::Content { mime: "text/html".to_owned(), text: "<b>\nx".to_owned() },
            Event::Input { prompt: "name? ".to_owned(), password: false },
            Event::Text("End".to_owned()),
            Event::Envelope(Envelope::End),
        ];
        assert_eq!(read("t1", &[&bytes]), expected);
        for cut in 1..bytes.len() {
            assert_eq!(read("t1", &[&bytes[..cut], &bytes[cut..]]), expected, "cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read("t1", &single), expected);
    }

    #[test]
    fn an_envelope_with_another_token_is_text() {
        let bytes = Envelope::End.encode("other");
        assert_eq!(read("mine", &[&bytes]), vec![Event::Text(String::from_utf8(bytes.clone()).unwrap())]);
    }

    #[test]
    fn invalid_utf8_is_replaced_and_ends_nothing() {
        assert_eq!(read("t", &[b"a\xff", b"b\xe2\x82"]), vec![Event::Text("a\u{fffd}b\u{fffd}".to_owned())]);
    }

    #[test]
    fn a_partial_line_appears_at_once() {
        let mut reader = Reader::new("t");
        let mut seen = String::new();
        reader.feed(b"working", |event| {
            if let Event::Text(text) = event {
                seen.push_str(&text);
            }
        });
        assert_eq!(seen, "working");
    }
}
