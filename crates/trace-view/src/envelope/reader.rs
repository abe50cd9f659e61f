//! Parser of a cell's pipe: text, envelopes and evcxr's blocks.

use super::{Envelope, Event, START};

const BLOCK: &[u8] = b"EVCXR_BEGIN_CONTENT ";
const BLOCK_END: &[u8] = b"\nEVCXR_END_CONTENT";
const INPUT: &[u8] = b"EVCXR_INPUT_REQUEST";
const PASSWORD: &str = "EVCXR_INPUT_REQUEST_PASSWORD:";

/// The longest header: the digits of two numbers and the blank between them.
const LONGEST_HEADER: usize = 41;

/// Incremental parser of the bytes of the pipe; events do not depend on how the bytes are divided.
#[derive(Debug)]
pub struct Reader {
    start: Vec<u8>,
    pending: Vec<u8>,
    /// The number of pending bytes that were searched for an end mark.
    searched: usize,
    at_line_start: bool,
}

impl Reader {
    /// Creates a reader for the envelopes of one kernel.
    pub fn new(token: &str) -> Self {
        let start = format!("{START}{token} ").into_bytes();
        Self { start, pending: Vec::new(), searched: 0, at_line_start: true }
    }

    /// Reads more bytes and passes complete events to `event`, in order. An incomplete code point, marker or envelope is kept until
    /// the rest comes, at most until the end of its cell.
    pub fn feed(&mut self, bytes: &[u8], mut event: impl FnMut(Event)) {
        self.pending.extend_from_slice(bytes);
        let mut from = 0;
        while from < self.pending.len() {
            let step = self.next(&self.pending[from..]);
            // An event that seems complete may contain the end mark of its cell.
            let mark = match &step {
                Step::Event(length, Event::Content { .. }) | Step::Skip(length) => {
                    self.find_end(from + 1, from + length)
                }
                Step::Wait => {
                    let mark = self.find_end(self.searched.max(from + 1), self.pending.len());
                    self.searched = match mark {
                        Mark::Found(at, ..) | Mark::Partial(at) => at,
                        Mark::None => self.pending.len(),
                    };
                    mark
                }
                _ => Mark::None,
            };
            match (step, mark) {
                (_, Mark::Partial(_)) | (Step::Wait, Mark::None) => break,
                (_, Mark::Found(at, length, end)) => {
                    if !self.pending[from..].starts_with(&self.start) {
                        // The cell never completed a block or a request for input: its first line is text, and the rest
                        // is parsed again.
                        let line = self.pending[from..at].iter().position(|&byte| byte == b'\n');
                        let length = line.map_or(at - from, |line| line + 1);
                        self.text(&mut from, length, &mut event);
                    } else if matches!(end, Event::Envelope { envelope: Envelope::End { lost: true }, .. }) {
                        from = at;
                    } else {
                        // A thread that outlives its cell is still writing the envelope around the mark.
                        self.pending.drain(at..at + length);
                        event(end);
                    }
                }
                (Step::Text(length), Mark::None) => self.text(&mut from, length, &mut event),
                (Step::Event(length, found), Mark::None) => {
                    self.at_line_start = match &found {
                        Event::Envelope { envelope: Envelope::End { .. }, .. } => true,
                        Event::Envelope { .. } => self.at_line_start,
                        _ => true,
                    };
                    event(found);
                    from += length;
                }
                (Step::Skip(length), Mark::None) => from += length,
            }
        }
        self.pending.drain(..from);
        self.searched = self.searched.saturating_sub(from);
    }

    /// Passes on the pending bytes as text.
    pub fn flush(&mut self, mut event: impl FnMut(Event)) {
        if !self.pending.is_empty() {
            let text = String::from_utf8_lossy(&self.pending).into_owned();
            self.pending.clear();
            event(Event::Text(text));
        }
        self.searched = 0;
        self.at_line_start = true;
    }

    fn text(&mut self, from: &mut usize, length: usize, event: &mut impl FnMut(Event)) {
        let text = &self.pending[*from..*from + length];
        self.at_line_start = text.ends_with(b"\n");
        event(Event::Text(String::from_utf8_lossy(text).into_owned()));
        *from += length;
    }

    /// Finds the first end mark that starts within these pending bytes. No envelope contains the character that starts one, since
    /// JSON escapes it.
    fn find_end(&self, from: usize, to: usize) -> Mark {
        let mut at = from;
        while at < to
            && let Some(found) = self.pending[at..to].iter().position(|&byte| byte == self.start[0])
        {
            at += found;
            match starts(&self.pending[at..], &self.start) {
                Some(true) => match self.envelope(&self.pending[at..]) {
                    Step::Event(length, end @ Event::Envelope { envelope: Envelope::End { .. }, .. }) => {
                        return Mark::Found(at, length, end);
                    }
                    Step::Wait => return Mark::Partial(at),
                    _ => {}
                },
                None => return Mark::Partial(at),
                Some(false) => {}
            }
            at += 1;
        }
        Mark::None
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
        self.plain(rest)
    }

    fn envelope(&self, rest: &[u8]) -> Step {
        let head = &rest[self.start.len()..];
        let Some(end) = head.iter().take(LONGEST_HEADER + 1).position(|&byte| byte == b'\n') else {
            return if head.len() > LONGEST_HEADER { Step::Text(1) } else { Step::Wait };
        };
        let numbers = std::str::from_utf8(&head[..end]).ok().and_then(|text| text.split_once(' '));
        let numbers = numbers.and_then(|(cell, length)| Some((cell.parse().ok()?, length.parse::<usize>().ok()?)));
        let Some((cell, length)) = numbers else { return Step::Text(1) };
        let whole = self.start.len() + end + 1 + length;
        let Some(json) = rest.get(whole - length..whole) else { return Step::Wait };
        match serde_json::from_slice(json) {
            Ok(envelope) => Step::Event(whole, Event::Envelope { cell, envelope }),
            Err(_) => Step::Skip(whole),
        }
    }

    /// Returns text up to the next position at which another event may start, never splitting a code point.
    fn plain(&self, rest: &[u8]) -> Step {
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

/// The result of a search for an end mark.
enum Mark {
    /// Its offset, its length and its event.
    Found(usize, usize, Event),
    /// The offset of bytes that may become an end mark when more bytes come.
    Partial(usize),
    None,
}

/// What the pending bytes begin with, and its length.
enum Step {
    Text(usize),
    Event(usize, Event),
    /// An envelope that cannot be decoded.
    Skip(usize),
    /// Not yet known.
    Wait,
}

/// Tells whether `rest` starts with `marker`; `None` if it is too short to tell.
fn starts(rest: &[u8], marker: &[u8]) -> Option<bool> {
    let shared = rest.len().min(marker.len());
    if rest[..shared] != marker[..shared] {
        return Some(false);
    }
    (shared == marker.len()).then_some(true)
}

/// Returns the length of the first line of `rest`, without its line end. A line that contains the start of an envelope is text.
fn first_line(rest: &[u8]) -> Result<usize, Step> {
    let end = rest.iter().position(|&byte| byte == b'\n' || byte == START.as_bytes()[0]).ok_or(Step::Wait)?;
    if rest[end] == b'\n' { Ok(end) } else { Err(Step::Text(end)) }
}

fn block(rest: &[u8]) -> Step {
    let line = match first_line(rest) {
        Ok(line) => line,
        Err(step) => return step,
    };
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
    let line = match first_line(rest) {
        Ok(line) => line,
        Err(step) => return step,
    };
    let text = String::from_utf8_lossy(&rest[..line]).into_owned();
    let password = text.starts_with(PASSWORD);
    let prompt = text.split_once(':').map(|(_, prompt)| prompt.to_owned()).unwrap_or_default();
    Step::Event(line + 1, Event::Input { prompt, password })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    const END: Envelope = Envelope::End { lost: false };

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

    /// Checks that every division of the bytes gives the same events.
    fn assert_read(bytes: &[u8], expected: &[Event]) {
        assert_eq!(read("t1", &[bytes]), expected);
        for cut in 1..bytes.len() {
            assert_eq!(read("t1", &[&bytes[..cut], &bytes[cut..]]), expected, "cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read("t1", &single), expected);
    }

    fn shown(text: &str) -> Envelope {
        Envelope::Display { bundle: Bundle::text(text), id: None }
    }

    fn event(cell: u64, envelope: Envelope) -> Event {
        Event::Envelope { cell, envelope }
    }

    fn text(text: &str) -> Event {
        Event::Text(text.to_owned())
    }

    #[test]
    fn events_do_not_depend_on_chunk_sizes() {
        let mut bytes = "über ".as_bytes().to_vec();
        bytes.extend(shown("grüße\n\u{1e}").encode("t1", 7));
        bytes.extend_from_slice(
            "después\nEVCXR_BEGIN_CONTENT text/html\n<b>\nx\nEVCXR_END_CONTENT\nEVCXR_INPUT_REQUEST:name? \nEnd"
                .as_bytes(),
        );
        bytes.extend(END.encode("t1", 7));
        let expected = [
            text("über "),
            event(7, shown("grüße\n\u{1e}")),
            text("después\n"),
            Event::Content { mime: "text/html".to_owned(), text: "<b>\nx".to_owned() },
            Event::Input { prompt: "name? ".to_owned(), password: false },
            text("End"),
            event(7, END),
        ];
        assert_read(&bytes, &expected);
    }

    #[test]
    fn unterminated_block_ends_with_cell() {
        for open in ["EVCXR_BEGIN_CONTENT text/html\n", "EVCXR_INPUT_REQUEST:", "EVCXR_BEG", "\u{1e}TRACEBOOK t1 3 1"] {
            let mut bytes = open.as_bytes().to_vec();
            bytes.extend(shown("in it").encode("t1", 1));
            bytes.extend(END.encode("t1", 1));
            bytes.extend_from_slice(b"EVCXR_BEGIN_CONTENT a\nb\nEVCXR_END_CONTENT\n");
            let block = Event::Content { mime: "a".to_owned(), text: "b".to_owned() };
            assert_read(&bytes, &[text(open), event(1, shown("in it")), event(1, END), block]);
        }
    }

    #[test]
    fn envelope_of_lost_process_is_dropped() {
        let long = shown(&"x".repeat(300)).encode("t1", 1);
        let lost = Envelope::End { lost: true };
        for cut in [60, 200] {
            let mut bytes = long[..cut].to_vec();
            bytes.extend(lost.encode("t1", 1));
            bytes.extend_from_slice(b"next");
            assert_read(&bytes, &[event(1, lost.clone()), text("next")]);
        }
    }

    #[test]
    fn envelope_around_end_mark_is_complete() {
        let long = shown(&"x".repeat(300)).encode("t1", 1);
        let bytes = [&long[..200], &END.encode("t1", 1), &long[200..], b"next"].concat();
        assert_read(&bytes, &[event(1, END), event(1, shown(&"x".repeat(300))), text("next")]);
    }

    #[test]
    fn envelope_with_foreign_token_is_text() {
        let bytes = END.encode("other", 1);
        assert_eq!(read("mine", &[&bytes]), [Event::Text(String::from_utf8(bytes.clone()).unwrap())]);
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        assert_eq!(read("t", &[b"a\xff", b"b\xe2\x82"]), [text("a\u{fffd}b\u{fffd}")]);
    }

    #[test]
    fn partial_line_is_reported_at_once() {
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
