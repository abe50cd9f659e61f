//! Rate limit of a cell's messages.

use std::time::{Duration, Instant};

/// The period over which messages are counted.
const WINDOW: Duration = Duration::from_secs(1);

/// Messages per window. Jupyter Server drops the outputs of a cell above 1,000 a second, and a client that falls too far behind
/// loses messages, the last `idle` among them.
const MESSAGES: usize = 900;

/// Counts messages and slows down a cell that sends too many.
#[derive(Debug, Default)]
pub struct Pace {
    started: Option<Instant>,
    count: usize,
}

impl Pace {
    /// Counts one message and returns how long the cell must wait after it.
    pub fn count(&mut self, now: Instant) -> Option<Duration> {
        let passed = self.started.map(|started| now.duration_since(started));
        if passed.is_none_or(|passed| passed >= WINDOW) {
            (self.started, self.count) = (Some(now), 0);
        }
        self.count += 1;
        (self.count >= MESSAGES).then(|| WINDOW.saturating_sub(passed.unwrap_or_default()))
    }

    /// Tells whether no message is left in this window: an output that cannot wait must not be sent.
    pub fn is_used_up(&self, now: Instant) -> bool {
        self.count >= MESSAGES && self.started.is_some_and(|started| now.duration_since(started) < WINDOW)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn few_messages_do_not_wait() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        for second in 0..10 {
            for _ in 1..MESSAGES {
                assert_eq!(pace.count(start + WINDOW * second), None);
            }
        }
    }

    #[test]
    fn window_is_used_up_until_its_end() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        for _ in 0..MESSAGES {
            assert!(!pace.is_used_up(start));
            pace.count(start);
        }
        assert!(pace.is_used_up(start + WINDOW / 2) && !pace.is_used_up(start + WINDOW));
    }

    #[test]
    fn many_messages_are_paced() {
        let (mut pace, mut now) = (Pace::default(), Instant::now());
        let start = now;
        for _ in 0..10 * MESSAGES {
            now += pace.count(now).unwrap_or_default();
        }
        assert_eq!(now - start, 10 * WINDOW);
    }
}
