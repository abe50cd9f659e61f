//! Buffers of printed text: front ends are slow with many small messages, and Jupyter Server cuts off cells that send them.

use std::time::{Duration, Instant};

/// The least time between two stream messages: at most 20 a second.
const PERIOD: Duration = Duration::from_millis(50);

/// Buffered bytes above which the cell must wait: it prints at most this much per period, so that a slow client costs bounded
/// memory.
const HIGH_WATER_MARK: usize = 4 << 20;

/// The most buffered switches between the two streams.
const MOST_SWITCHES: usize = 8;

/// Standard output or standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdio {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl From<Stdio> for jupyter_protocol::Stdio {
    fn from(name: Stdio) -> Self {
        match name {
            Stdio::Stdout => Self::Stdout,
            Stdio::Stderr => Self::Stderr,
        }
    }
}

/// Text for one stream message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamText {
    /// The stream.
    pub name: Stdio,
    /// The printed text.
    pub text: String,
}

/// Buffers printed text. The first text is sent at once; text within one period after it is sent together, in order.
#[derive(Debug, Default)]
pub struct Streams {
    /// Buffered text, alternating between the two streams.
    buffered: Vec<StreamText>,
    /// When text was last sent.
    sent: Option<Instant>,
}

impl Streams {
    /// Adds printed text and returns the text to send now.
    pub fn print(&mut self, name: Stdio, text: &str, now: Instant) -> Vec<StreamText> {
        if text.is_empty() {
            return Vec::new();
        }
        let switches = self.buffered.len();
        match self.buffered.iter_mut().rev().find(|part| part.name == name) {
            // The text before the last one is of the same stream. Appending to it gives up the exact order for the rest
            // of a period in which a cell keeps switching streams.
            Some(part) if switches == MOST_SWITCHES => part.text.push_str(text),
            _ => match self.buffered.last_mut() {
                Some(last) if last.name == name => last.text.push_str(text),
                _ => self.buffered.push(StreamText { name, text: text.to_owned() }),
            },
        }
        self.take_due(now)
    }

    /// Returns the buffered text if a period has passed since the last.
    pub fn take_due(&mut self, now: Instant) -> Vec<StreamText> {
        let due = self.sent.is_none_or(|sent| now.duration_since(sent) >= PERIOD);
        if !due || self.buffered.is_empty() {
            return Vec::new();
        }
        self.sent = Some(now);
        self.take()
    }

    /// Returns the buffered text at once: before any other output, and at the end.
    pub fn take(&mut self) -> Vec<StreamText> {
        std::mem::take(&mut self.buffered)
    }

    /// Returns how long the printing thread must wait because too much is buffered.
    pub fn backpressure(&self, now: Instant) -> Option<Duration> {
        let buffered: usize = self.buffered.iter().map(|part| part.text.len()).sum();
        let sent = self.sent?;
        (buffered >= HIGH_WATER_MARK).then(|| PERIOD.saturating_sub(now.duration_since(sent)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn out(text: &str) -> StreamText {
        StreamText { name: Stdio::Stdout, text: text.to_owned() }
    }

    fn err(text: &str) -> StreamText {
        StreamText { name: Stdio::Stderr, text: text.to_owned() }
    }

    #[test]
    fn first_text_is_sent_at_once_and_next_together() {
        let (mut streams, start) = (Streams::default(), Instant::now());
        assert_eq!(streams.print(Stdio::Stdout, "a", start), [out("a")]);
        assert_eq!(streams.print(Stdio::Stdout, "b", start), []);
        assert_eq!(streams.print(Stdio::Stdout, "c", start + PERIOD / 2), []);
        assert_eq!(streams.take_due(start + PERIOD / 2), []);
        assert_eq!(streams.take_due(start + PERIOD), [out("bc")]);
        assert_eq!(streams.take_due(start + PERIOD * 3), []);
    }

    #[test]
    fn streams_keep_their_order() {
        let (mut streams, now) = (Streams::default(), Instant::now());
        streams.print(Stdio::Stdout, "a", now);
        streams.print(Stdio::Stdout, "b", now);
        streams.print(Stdio::Stderr, "c", now);
        streams.print(Stdio::Stdout, "d", now);
        assert_eq!(streams.take(), [out("b"), err("c"), out("d")]);
        assert_eq!(streams.take(), []);
    }

    #[test]
    fn messages_are_few_and_nothing_is_lost() {
        let (mut streams, start) = (Streams::default(), Instant::now());
        let mut sent = Vec::new();
        for step in 0..1000 {
            let name = if step % 2 == 0 { Stdio::Stdout } else { Stdio::Stderr };
            sent.extend(streams.print(name, "x", start + Duration::from_millis(step)));
        }
        sent.extend(streams.take());
        assert!(sent.len() <= 21 * MOST_SWITCHES, "{}", sent.len());
        assert_eq!(sent.iter().map(|part| part.text.len()).sum::<usize>(), 1000);

        let mut streams = Streams::default();
        let sent = (0..1000).map(|ms| streams.print(Stdio::Stdout, "x", start + Duration::from_millis(ms)).len());
        assert_eq!(sent.sum::<usize>(), 20);
    }

    #[test]
    fn fast_printer_waits() {
        let (mut streams, now) = (Streams::default(), Instant::now());
        streams.print(Stdio::Stdout, "x", now);
        streams.print(Stdio::Stdout, &"x".repeat(HIGH_WATER_MARK), now);
        assert_eq!(streams.backpressure(now), Some(PERIOD));
        streams.take();
        assert_eq!(streams.backpressure(now), None);
    }
}
