//! Printed text, gathered: front ends choke on many small messages, and Jupyter's server cuts off cells that send
//! them.

use std::time::{Duration, Instant};

/// Shortest time between two stream messages: at most 20 a second.
const PERIOD: Duration = Duration::from_millis(50);

/// Text held back, at most. A cell that prints faster is slowed down to this much per period, so that a client that
/// cannot keep up costs bounded memory.
const ENOUGH: usize = 4 << 20;

/// Chunks held, at most.
const TURNS: usize = 8;

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
pub struct Chunk {
    /// Where it was printed.
    pub name: Stdio,
    /// What was printed.
    pub text: String,
}

/// Gathers printed text. The first text goes out at once, what follows within one period goes out together, in order.
#[derive(Debug, Default)]
pub struct Streams {
    /// Alternating between the two streams.
    held: Vec<Chunk>,
    /// When text last went out.
    sent: Option<Instant>,
}

impl Streams {
    /// Takes printed text; returns what is to be sent now.
    pub fn print(&mut self, name: Stdio, text: &str, now: Instant) -> Vec<Chunk> {
        if text.is_empty() {
            return Vec::new();
        }
        let turns = self.held.len();
        match self.held.iter_mut().rev().find(|chunk| chunk.name == name) {
            // The chunk before the last one is of the same stream. To print there gives up the exact order, for the
            // rest of a period in which a cell switches streams all the time.
            Some(chunk) if turns == TURNS => chunk.text.push_str(text),
            _ => match self.held.last_mut() {
                Some(last) if last.name == name => last.text.push_str(text),
                _ => self.held.push(Chunk { name, text: text.to_owned() }),
            },
        }
        self.take_due(now)
    }

    /// What is held, if its time has come.
    pub fn take_due(&mut self, now: Instant) -> Vec<Chunk> {
        let due = self.sent.is_none_or(|sent| now.duration_since(sent) >= PERIOD);
        if !due || self.held.is_empty() {
            return Vec::new();
        }
        self.sent = Some(now);
        self.take()
    }

    /// What is held, whatever the time: before any other output, and at the end.
    pub fn take(&mut self) -> Vec<Chunk> {
        std::mem::take(&mut self.held)
    }

    /// How long the printer must wait because too much is held.
    pub fn overfull(&self, now: Instant) -> Option<Duration> {
        let held: usize = self.held.iter().map(|chunk| chunk.text.len()).sum();
        let sent = self.sent?;
        (held >= ENOUGH).then(|| PERIOD.saturating_sub(now.duration_since(sent)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn out(text: &str) -> Chunk {
        Chunk { name: Stdio::Stdout, text: text.to_owned() }
    }

    fn err(text: &str) -> Chunk {
        Chunk { name: Stdio::Stderr, text: text.to_owned() }
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
        assert!(sent.len() <= 21 * TURNS, "{}", sent.len());
        assert_eq!(sent.iter().map(|chunk| chunk.text.len()).sum::<usize>(), 1000);

        let mut streams = Streams::default();
        let sent = (0..1000).map(|ms| streams.print(Stdio::Stdout, "x", start + Duration::from_millis(ms)).len());
        assert_eq!(sent.sum::<usize>(), 20);
    }

    #[test]
    fn fast_printer_waits() {
        let (mut streams, now) = (Streams::default(), Instant::now());
        streams.print(Stdio::Stdout, "x", now);
        streams.print(Stdio::Stdout, &"x".repeat(ENOUGH), now);
        assert_eq!(streams.overfull(now), Some(PERIOD));
        streams.take();
        assert_eq!(streams.overfull(now), None);
    }
}
