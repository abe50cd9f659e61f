//! iopub: a publisher with a queue for each subscriber.
//!
//! A slow subscriber slows down the cell that prints (backpressure). One that has stopped reading does not: above a limit its
//! large messages are dropped, then all; other subscribers get everything.

use super::connection::Connection;
use super::error::WireError;
use super::stream::{Listener, Stream};
use super::zmtp::{self, Command};
use crate::sync::{lock, unpoisoned};
use std::collections::VecDeque;
use std::io::Result;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The bytes in the queue of a subscriber above which a cell that prints waits.
const HIGH_WATER_MARK: usize = 64 << 20;

/// How long a cell waits for a subscriber that reads nothing at all.
const STALL_TIMEOUT: Duration = Duration::from_secs(1);

/// Pairs of limits in bytes: with more than the first in its queue, a subscriber loses messages larger than the second.
const DROP_LIMITS: [(usize, usize); 3] = [(256 << 20, 64 << 10), (384 << 20, 1 << 10), (448 << 20, 0)];

/// The memory that a message takes besides its frames, in bytes.
const MESSAGE_OVERHEAD: usize = 256;

/// What is published before anybody listens is kept this long for the first subscriber: a client whose shell connects first may send a cell
/// before its iopub is there, and would wait for its end for ever.
const EARLY: Duration = Duration::from_secs(5);

/// The bytes that are kept for it at most.
const MOST_EARLY: usize = 1 << 20;

/// How long a client may take for the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// The most topics of one subscriber.
const MAX_TOPICS: usize = 1000;

/// Returns the welcome message for a new subscriber of a topic.
pub(super) type Welcome = dyn Fn(&[u8]) -> Option<Vec<Vec<u8>>> + Send + Sync;

/// The publisher: a list of subscribers.
pub(super) struct Publisher {
    subscribers: Mutex<Vec<Arc<Subscriber>>>,
    early: Mutex<Early>,
}

impl Default for Publisher {
    fn default() -> Self {
        Self { subscribers: Mutex::default(), early: Mutex::new(Early::Buffered(Vec::new())) }
    }
}

/// Messages that were published before the first subscription.
enum Early {
    /// They are kept, with the time of each.
    Buffered(Vec<(Instant, Arc<Vec<Vec<u8>>>)>),
    /// There was a subscription.
    Over,
}

impl Early {
    /// Keeps a message, if there is room.
    fn keep(&mut self, message: &Arc<Vec<Vec<u8>>>) {
        let Self::Buffered(messages) = self else { return };
        messages.retain(|(at, _)| at.elapsed() < EARLY);
        if messages.iter().map(|(_, message)| length(message)).sum::<usize>() + length(message) <= MOST_EARLY {
            messages.push((Instant::now(), Arc::clone(message)));
        }
    }

    /// Ends with the first subscription, which gets what was kept of its topic.
    fn end(&mut self, topic: &[u8]) -> impl Iterator<Item = Arc<Vec<Vec<u8>>>> {
        let messages = match std::mem::replace(self, Self::Over) {
            Self::Buffered(messages) => messages,
            Self::Over => Vec::new(),
        };
        let is_wanted = move |(at, message): &(Instant, Arc<Vec<Vec<u8>>>)| {
            at.elapsed() < EARLY && message.first().is_some_and(|of| of.starts_with(topic))
        };
        messages.into_iter().filter(is_wanted).map(|(_, message)| message)
    }
}

impl Publisher {
    /// Starts to accept subscribers; each gets the `welcome` message of its topic.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub(super) fn listen(
        self: &Arc<Self>,
        connection: &Connection,
        welcome: Arc<Welcome>,
    ) -> std::result::Result<(), WireError> {
        let listener = Listener::bind(connection)?;
        let publisher = Arc::clone(self);
        let accept = move || {
            loop {
                match listener.accept() {
                    Ok(stream) => publisher.serve(stream, &welcome),
                    Err(error) => {
                        tracing::warn!("cannot accept a client of iopub: {error}");
                        std::thread::sleep(Duration::from_millis(100));
                    }
                }
            }
        };
        std::thread::Builder::new()
            .name("iopub".to_owned())
            .spawn(accept)
            .map(drop)
            .map_err(|source| WireError::Open { what: "iopub thread", source })
    }

    /// Serves a client on threads of its own until it leaves.
    fn serve(self: &Arc<Self>, stream: Stream, welcome: &Arc<Welcome>) {
        let (publisher, welcome) = (Arc::clone(self), Arc::clone(welcome));
        let client = move || {
            if let Err(error) = publisher.serve_subscriber(stream, &*welcome) {
                tracing::debug!("a client of iopub left: {error}");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("iopub-in".to_owned()).spawn(client) {
            tracing::warn!("cannot serve a client of iopub: {error}");
        }
    }

    /// Shakes hands, starts the thread that writes, and reads commands until the client leaves.
    fn serve_subscriber(&self, mut stream: Stream, welcome: &Welcome) -> Result<()> {
        stream.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
        zmtp::handshake(&mut stream)?;
        stream.set_read_timeout(None)?;
        let subscriber = Arc::new(Subscriber::default());
        let (mut out, writer) = (stream.try_clone()?, Arc::clone(&subscriber));
        std::thread::Builder::new().name("iopub-out".to_owned()).spawn(move || {
            let _ = writer.write(&mut out);
            writer.close();
            out.shutdown();
        })?;
        self.lock().push(Arc::clone(&subscriber));
        let ended = subscriber.listen(&mut stream, welcome, &self.early);
        subscriber.close();
        stream.shutdown();
        self.lock().retain(|other| !Arc::ptr_eq(other, &subscriber));
        ended
    }

    /// Sends a message to all subscribers of its topic, which is the first frame. An answer to a request is kept for the first
    /// subscriber, if there was none yet.
    pub(super) fn publish(&self, frames: Vec<Vec<u8>>, is_answer: bool) {
        let message = Arc::new(frames);
        // Locked until the message is in all queues: a first subscription comes before all of that, or behind.
        let mut early = lock(&self.early);
        if is_answer {
            early.keep(&message);
        }
        for subscriber in &*self.lock() {
            subscriber.publish(&message);
        }
    }

    /// Waits while a subscriber is above the high-water mark and still reads, until `interrupted`.
    pub(super) fn wait(&self, interrupted: impl Fn() -> bool) {
        while self.lock().iter().any(|subscriber| subscriber.is_slow()) && !interrupted() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all queues are empty, at most for `linger`.
    pub(super) fn drain(&self, linger: Duration) {
        let deadline = Instant::now() + linger;
        let in_flight = || self.lock().iter().any(|subscriber| subscriber.in_flight.load(Ordering::Relaxed) > 0);
        while in_flight() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Subscriber>>> {
        lock(&self.subscribers)
    }
}

/// A subscriber: its topics, its queue and its progress.
struct Subscriber {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// The bytes of all queued and partly written messages.
    in_flight: AtomicUsize,
    /// When bytes were last written, or a message was queued while none was.
    last_progress: Mutex<Instant>,
}

#[derive(Default)]
struct Queue {
    topics: Vec<Vec<u8>>,
    items: VecDeque<Item>,
    /// The number of dropped messages that the log has yet to report.
    dropped: usize,
    closed: bool,
}

enum Item {
    Message(Arc<Vec<Vec<u8>>>),
    /// A reply to a ping.
    Pong(Vec<u8>),
}

impl Default for Subscriber {
    fn default() -> Self {
        let (queue, changed, in_flight) = Default::default();
        Self { queue, changed, in_flight, last_progress: Mutex::new(Instant::now()) }
    }
}

impl Subscriber {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn note_progress(&self) {
        *lock(&self.last_progress) = Instant::now();
    }

    /// Whether it is above the high-water mark, and reads.
    fn is_slow(&self) -> bool {
        let idle = || lock(&self.last_progress).elapsed();
        self.in_flight.load(Ordering::Relaxed) > HIGH_WATER_MARK && idle() <= STALL_TIMEOUT
    }

    /// Reads and executes its commands until it leaves.
    fn listen(&self, stream: &mut Stream, welcome: &Welcome, early: &Mutex<Early>) -> Result<()> {
        loop {
            match zmtp::read(stream)? {
                Some(Command::Subscribe(topic)) => {
                    let welcome = welcome(&topic).map(Arc::new);
                    let mut early = lock(early);
                    let mut queue = self.lock();
                    let buffered: Vec<_> = early.end(&topic).collect();
                    if queue.topics.len() < MAX_TOPICS {
                        queue.topics.push(topic);
                    }
                    // Queued under the lock: the subscriber misses no message behind the welcome.
                    if let Some(welcome) = welcome {
                        self.push(&mut queue, &welcome);
                    }
                    buffered.iter().for_each(|message| self.push(&mut queue, message));
                }
                Some(Command::Cancel(topic)) => {
                    let mut queue = self.lock();
                    if let Some(index) = queue.topics.iter().position(|other| *other == topic) {
                        queue.topics.swap_remove(index);
                    }
                }
                Some(Command::Ping(context)) => {
                    self.lock().items.push_back(Item::Pong(zmtp::pong(&context)));
                    self.changed.notify_all();
                }
                None => {}
            }
        }
    }

    fn publish(&self, message: &Arc<Vec<Vec<u8>>>) {
        let mut queue = self.lock();
        let topic = message.first().map(Vec::as_slice).unwrap_or_default();
        if !queue.closed && queue.topics.iter().any(|wanted| topic.starts_with(wanted)) {
            self.push(&mut queue, message);
        }
    }

    /// Queues a message, unless a drop limit is exceeded.
    fn push(&self, queue: &mut Queue, message: &Arc<Vec<Vec<u8>>>) {
        let length = length(message);
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        if DROP_LIMITS.iter().any(|(limit, large)| in_flight > *limit && length > *large) {
            if queue.dropped == 0 {
                tracing::warn!("a client does not read iopub: large outputs are dropped for it until it does");
            }
            queue.dropped += 1;
            return;
        }
        if queue.dropped > 0 && in_flight <= DROP_LIMITS[0].0 {
            tracing::warn!(
                "a client reads iopub again; {} outputs were dropped for it",
                std::mem::take(&mut queue.dropped)
            );
        }
        if in_flight == 0 {
            self.note_progress();
        }
        self.in_flight.fetch_add(length, Ordering::Relaxed);
        queue.items.push_back(Item::Message(Arc::clone(message)));
        self.changed.notify_all();
    }

    /// Writes the queue to the stream until it is closed.
    fn write(&self, stream: &mut Stream) -> Result<()> {
        loop {
            let queue = self.changed.wait_while(self.lock(), |queue| queue.items.is_empty() && !queue.closed);
            let mut queue = unpoisoned(queue);
            if queue.closed {
                return Ok(());
            }
            let item = queue.items.pop_front();
            drop(queue);
            match item {
                Some(Item::Message(frames)) => {
                    let mut left = length(&frames);
                    zmtp::write(stream, &frames, |written| {
                        left -= written;
                        self.in_flight.fetch_sub(written, Ordering::Relaxed);
                        self.note_progress();
                    })?;
                    self.in_flight.fetch_sub(left, Ordering::Relaxed);
                }
                Some(Item::Pong(bytes)) => std::io::Write::write_all(stream, &bytes)?,
                None => {}
            }
        }
    }

    fn close(&self) {
        let mut queue = self.lock();
        queue.closed = true;
        let dropped = std::mem::take(&mut queue.items);
        let message = |item: &Item| if let Item::Message(frames) = item { length(frames) } else { 0 };
        self.in_flight.fetch_sub(dropped.iter().map(message).sum(), Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// Returns the memory of a message in bytes.
fn length(frames: &[Vec<u8>]) -> usize {
    MESSAGE_OVERHEAD + frames.iter().map(Vec::len).sum::<usize>()
}

#[cfg(test)]
#[path = "publisher_tests.rs"]
mod tests;
