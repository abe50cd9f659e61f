//! iopub: what is published goes to each client through a queue of its own.
//!
//! A slow client slows the cell down that prints. One that has stopped reading does not: when too much waits for it, its
//! large messages are dropped, then all; the others get everything.

use super::connection::Connection;
use super::error::WireError;
use super::stream::{Listener, Stream};
use super::zmtp::{self, Said};
use crate::sync::{lock, unpoisoned};
use std::collections::VecDeque;
use std::io::Result;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// From here on a cell that prints waits for a client.
const HIGH_WATER_MARK: usize = 64 << 20;

/// How long it waits for a client that reads nothing at all.
const STALL_TIMEOUT: Duration = Duration::from_secs(1);

/// How much may wait for a client before messages of which size are dropped for it.
const LIMITS: [(usize, usize); 3] = [(256 << 20, 64 << 10), (384 << 20, 1 << 10), (448 << 20, 0)];

/// What a message takes beside the bytes of its frames.
const OVERHEAD: usize = 256;

/// How long a client may take to introduce itself.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// Topics of one client, at most.
const TOPICS: usize = 1000;

/// Writes the message that welcomes a subscriber of this topic.
pub(super) type Welcome = dyn Fn(&[u8]) -> Option<Vec<Vec<u8>>> + Send + Sync;

/// The clients of iopub.
#[derive(Default)]
pub(super) struct Publisher {
    subscribers: Mutex<Vec<Arc<Subscriber>>>,
}

impl Publisher {
    /// Starts to listen; each subscriber is welcomed.
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

    /// Serves a client on threads of its own, until it leaves.
    fn serve(self: &Arc<Self>, stream: Stream, welcome: &Arc<Welcome>) {
        let (publisher, welcome) = (Arc::clone(self), Arc::clone(welcome));
        let client = move || {
            if let Err(error) = publisher.attend(stream, &*welcome) {
                tracing::debug!("a client of iopub left: {error}");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("iopub-in".to_owned()).spawn(client) {
            tracing::warn!("cannot serve a client of iopub: {error}");
        }
    }

    fn attend(&self, mut stream: Stream, welcome: &Welcome) -> Result<()> {
        stream.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
        zmtp::shake_hands(&mut stream)?;
        stream.set_read_timeout(None)?;
        let subscriber = Arc::new(Subscriber::default());
        let (mut out, writer) = (stream.try_clone()?, Arc::clone(&subscriber));
        std::thread::Builder::new().name("iopub-out".to_owned()).spawn(move || {
            let _ = writer.write(&mut out);
            writer.close();
            out.shutdown();
        })?;
        self.lock().push(Arc::clone(&subscriber));
        let ended = subscriber.listen(&mut stream, welcome);
        subscriber.close();
        stream.shutdown();
        self.lock().retain(|other| !Arc::ptr_eq(other, &subscriber));
        ended
    }

    /// Sends a message to all who want it; the first frame is its topic.
    pub(super) fn publish(&self, frames: Vec<Vec<u8>>) {
        let message = Arc::new(frames);
        for subscriber in &*self.lock() {
            subscriber.publish(&message);
        }
    }

    /// Waits while a client that reads has much left to read, until `interrupted`.
    pub(super) fn wait(&self, interrupted: impl Fn() -> bool) {
        while self.lock().iter().any(|subscriber| subscriber.is_slow()) && !interrupted() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until everything has left, but no longer than `linger`.
    pub(super) fn drain(&self, linger: Duration) {
        let deadline = Instant::now() + linger;
        let waits = || self.lock().iter().any(|subscriber| subscriber.waiting.load(Ordering::Relaxed) > 0);
        while waits() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Subscriber>>> {
        lock(&self.subscribers)
    }
}

/// A client of iopub.
struct Subscriber {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Bytes that wait, of messages that are on their way, too.
    waiting: AtomicUsize,
    /// When it last took something, or something was first put before it.
    moved: Mutex<Instant>,
}

#[derive(Default)]
struct Queue {
    topics: Vec<Vec<u8>>,
    items: VecDeque<Item>,
    /// Messages that were too much for it, since the last one that was not.
    dropped: usize,
    closed: bool,
}

enum Item {
    Message(Arc<Vec<Vec<u8>>>),
    /// An answer to a ping.
    Pong(Vec<u8>),
}

impl Default for Subscriber {
    fn default() -> Self {
        let (queue, changed, waiting) = Default::default();
        Self { queue, changed, waiting, moved: Mutex::new(Instant::now()) }
    }
}

impl Subscriber {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn note_move(&self) {
        *lock(&self.moved) = Instant::now();
    }

    /// Whether much waits for it, and it reads.
    fn is_slow(&self) -> bool {
        let moved = || lock(&self.moved).elapsed();
        self.waiting.load(Ordering::Relaxed) > HIGH_WATER_MARK && moved() <= STALL_TIMEOUT
    }

    /// Listens to what it wants, until it leaves.
    fn listen(&self, stream: &mut Stream, welcome: &Welcome) -> Result<()> {
        loop {
            match zmtp::read(stream)? {
                Some(Said::Subscribe(topic)) => {
                    let welcome = welcome(&topic).map(Arc::new);
                    let mut queue = self.lock();
                    if queue.topics.len() < TOPICS {
                        queue.topics.push(topic);
                    }
                    // From then on it misses nothing.
                    if let Some(welcome) = welcome {
                        self.put(&mut queue, &welcome);
                    }
                }
                Some(Said::Cancel(topic)) => {
                    let mut queue = self.lock();
                    if let Some(place) = queue.topics.iter().position(|other| *other == topic) {
                        queue.topics.swap_remove(place);
                    }
                }
                Some(Said::Ping(context)) => {
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
            self.put(&mut queue, message);
        }
    }

    /// Puts a message into the queue, unless too much waits there.
    fn put(&self, queue: &mut Queue, message: &Arc<Vec<Vec<u8>>>) {
        let length = length(message);
        let waiting = self.waiting.load(Ordering::Relaxed);
        if LIMITS.iter().any(|(limit, large)| waiting > *limit && length > *large) {
            if queue.dropped == 0 {
                tracing::warn!("a client does not read iopub: large outputs are dropped for it until it does");
            }
            queue.dropped += 1;
            return;
        }
        if queue.dropped > 0 && waiting <= LIMITS[0].0 {
            tracing::warn!(
                "a client reads iopub again; {} outputs were dropped for it",
                std::mem::take(&mut queue.dropped)
            );
        }
        if waiting == 0 {
            self.note_move();
        }
        self.waiting.fetch_add(length, Ordering::Relaxed);
        queue.items.push_back(Item::Message(Arc::clone(message)));
        self.changed.notify_all();
    }

    /// Writes what is in the queue, until it is closed.
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
                    zmtp::write(stream, &frames, |moved| {
                        left -= moved;
                        self.waiting.fetch_sub(moved, Ordering::Relaxed);
                        self.note_move();
                    })?;
                    self.waiting.fetch_sub(left, Ordering::Relaxed);
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
        self.waiting.fetch_sub(dropped.iter().map(message).sum(), Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// What a message takes.
fn length(frames: &[Vec<u8>]) -> usize {
    OVERHEAD + frames.iter().map(Vec::len).sum::<usize>()
}

#[cfg(test)]
#[path = "publisher_tests.rs"]
mod tests;
