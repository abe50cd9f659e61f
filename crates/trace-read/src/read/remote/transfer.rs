//! The bytes of one object: a task receives them, a bounded number ahead of the thread that reads them.
//!
//! A transfer that breaks is continued where it broke, as long as bytes arrive between the breaks. All parts come from one
//! content: its size, its tag or else its time are compared with what was listed. A transfer that ends early is an error with the byte,
//! never a short file.

use super::answer::Exchange;
use super::client::Clients;
use super::failure::{has_no_ranges, reason};
use super::listing::key;
use super::storage::{Storage, WAIT};
use super::uri::Uri;
use crate::Result;
use crate::error::StorageReason;
use crate::read::{Input, Meter};
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ObjectMeta, PutPayload};
use std::io::{Error as IoError, ErrorKind, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

/// Bytes that may wait to be read, per object.
const AHEAD: u32 = 4 << 20;

/// How long no byte may arrive before the transfer counts as broken, at most.
const STALL: Duration = Duration::from_secs(30);

/// The first pause before a broken transfer is continued, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Bytes as `object_store` gives them.
type Bytes = <PutPayload as IntoIterator>::Item;

/// What the task sends.
enum Piece {
    Bytes(Bytes),
    End,
    Failed(StorageReason),
}

/// Opens an object that was described before.
///
/// # Errors
/// If storage cannot be reached.
pub(in crate::read) fn open<'m>(uri: &Uri, input: &Input, meter: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    let storage = Storage::here(uri)?;
    let clients = storage.clients(uri, meter)?;
    let source = Source { clients, key: key(uri)?, uri: uri.clone(), input: input.clone(), timeout: storage.timeout };
    Ok(Box::new(source.read(storage, meter)))
}

/// An object to transfer.
struct Source {
    clients: Arc<Clients>,
    key: Key,
    uri: Uri,
    input: Input,
    timeout: Duration,
}

/// Reader of the bytes of one object.
struct Transfer<'m> {
    pieces: Receiver<Piece>,
    /// What has arrived, and how much of it was read.
    piece: Option<(Bytes, usize)>,
    room: Arc<Semaphore>,
    task: AbortHandle,
    meter: &'m Meter,
    has_ended: bool,
    _storage: Arc<Storage>,
}

impl Drop for Transfer<'_> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Source {
    fn read(self, storage: Arc<Storage>, meter: &Meter) -> Transfer<'_> {
        let (sender, pieces) = channel();
        let room = Arc::new(Semaphore::new(AHEAD as usize));
        let task = {
            let room = Arc::clone(&room);
            storage.spawn(async move {
                // The stream of an answer may ask for the rest by itself.
                let exchange = Exchange::object(self.key.as_ref());
                let end = match exchange.ask(self.receive(&sender, &room)).await {
                    Ok(()) => Piece::End,
                    Err(reason) => Piece::Failed(reason),
                };
                // There is no receiver once the reader is dropped.
                let _ = sender.send(end);
            })
        };
        Transfer { pieces, piece: None, room, task, meter, has_ended: false, _storage: storage }
    }

    /// Receives all bytes, over as many requests as it takes.
    async fn receive(&self, pieces: &Sender<Piece>, room: &Semaphore) -> Result<(), StorageReason> {
        let size = self.input.size;
        let (mut at, mut pause, mut last_arrival) = (0, PAUSES.0, Instant::now());
        loop {
            let before = at;
            let broken = match self.request(&mut at, pieces, room).await {
                Ok(()) if at == size => return Ok(()),
                Ok(()) => "the connection was closed".to_owned(),
                Err(Broken::Finally(reason)) if at == 0 => return Err(reason),
                Err(Broken::Finally(reason @ StorageReason::Changed)) => return Err(reason),
                Err(Broken::Finally(reason)) => return Err(self.cut(at, reason.to_string())),
                Err(Broken::Perhaps(reason)) => reason,
            };
            if at > before {
                (pause, last_arrival) = (PAUSES.0, Instant::now());
            }
            if last_arrival.elapsed() + pause > self.timeout {
                return Err(self.cut(at, broken));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    fn cut(&self, byte: u64, reason: String) -> StorageReason {
        StorageReason::CutShort { byte, bytes: self.input.size, reason }
    }

    /// Receives bytes from offset `at` on, until the end of the object or of the connection.
    async fn request(&self, at: &mut u64, pieces: &Sender<Piece>, room: &Semaphore) -> Result<(), Broken> {
        let range = (*at > 0).then_some(GetRange::Offset(*at));
        let options = GetOptions { range, ..GetOptions::default() };
        let get = self.clients.transfer.get_opts(&self.key, options);
        let answer = tokio::time::timeout(self.timeout + STALL, get).await;
        let why = |error| self.clients.described(reason(&error, &self.uri), self.uri.scheme);
        let found = match answer {
            Ok(Ok(found)) => found,
            Ok(Err(error)) if *at > 0 && has_no_ranges(&error) => {
                let reason = "the connection was closed, and the server cannot continue a transfer".to_owned();
                return Err(Broken::Finally(StorageReason::Other(reason)));
            }
            Ok(Err(error)) => return Err(Broken::of(why(error), *at)),
            Err(_) => return Err(Broken::of(StorageReason::Busy { reason: "no answer in time".to_owned() }, *at)),
        };
        if !self.is_same(&found.meta) {
            return Err(Broken::Finally(StorageReason::Changed));
        }
        let stall = self.timeout.clamp(Duration::from_secs(1), STALL);
        let mut bytes = found.into_stream();
        loop {
            let next = std::future::poll_fn(|context| bytes.as_mut().poll_next(context));
            let piece = match tokio::time::timeout(stall, next).await {
                Ok(None) => return Ok(()),
                Ok(Some(Ok(piece))) => piece,
                Ok(Some(Err(error))) => return Err(Broken::Perhaps(brief(&why(error)))),
                Err(_) => return Err(Broken::Perhaps(format!("no byte arrived for {} s", stall.as_secs()))),
            };
            *at += piece.len() as u64;
            if *at > self.input.size {
                let reason = "the server sent more bytes than the object has".to_owned();
                return Err(Broken::Finally(StorageReason::Other(reason)));
            }
            match room.acquire_many(permits(&piece)).await {
                Ok(permit) => permit.forget(),
                Err(_) => return Ok(()),
            }
            if pieces.send(Piece::Bytes(piece)).is_err() {
                return Ok(());
            }
        }
    }

    /// Whether an answer is about the object that was described.
    fn is_same(&self, found: &ObjectMeta) -> bool {
        let plain = |tag: &str| tag.trim_start_matches("W/").trim_matches('"').to_owned();
        if found.size != self.input.size {
            return false;
        }
        match (&self.input.etag, &found.e_tag) {
            (Some(then), Some(now)) => plain(then) == plain(now),
            _ => match self.input.modified {
                // Answers have whole seconds, listings may have more digits.
                Some(then) if found.last_modified.timestamp() > 0 => {
                    then.div_euclid(1_000_000_000) == found.last_modified.timestamp()
                }
                _ => true,
            },
        }
    }
}

/// Why a request ended early.
enum Broken {
    /// Another one would, too.
    Finally(StorageReason),
    /// Another one may bring the rest.
    Perhaps(String),
}

impl Broken {
    /// A request that failed after the client's own retries: the first one decides, a later one may be tried again.
    fn of(reason: StorageReason, at: u64) -> Self {
        if at > 0 && reason.is_transient() && reason != StorageReason::Changed {
            Self::Perhaps(brief(&reason))
        } else {
            Self::Finally(reason)
        }
    }
}

/// Returns the cause without the hint for users.
fn brief(reason: &StorageReason) -> String {
    match reason {
        StorageReason::Busy { reason }
        | StorageReason::Broken { reason }
        | StorageReason::NoConnection { reason, .. }
        | StorageReason::Invalid { reason } => reason.clone(),
        other => other.to_string(),
    }
}

/// Returns the room that a piece takes; a large one takes all of it.
fn permits(piece: &[u8]) -> u32 {
    u32::try_from(piece.len()).unwrap_or(AHEAD).min(AHEAD)
}

impl Read for Transfer<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if let Some((piece, used)) = &mut self.piece {
                let rest = piece.get(*used..).unwrap_or_default();
                if !rest.is_empty() {
                    let length = rest.len().min(buffer.len());
                    buffer[..length].copy_from_slice(&rest[..length]);
                    *used += length;
                    return Ok(length);
                }
                self.room.add_permits(permits(piece) as usize);
                self.piece = None;
            }
            if self.has_ended {
                return Ok(0);
            }
            match self.pieces.recv_timeout(WAIT) {
                Ok(Piece::Bytes(piece)) => self.piece = Some((piece, 0)),
                Ok(Piece::End) => self.has_ended = true,
                // Neither an end of the data nor damage of it.
                Ok(Piece::Failed(reason)) => return Err(IoError::new(ErrorKind::NetworkDown, reason)),
                Err(RecvTimeoutError::Timeout) => {
                    if self.meter.check().is_err() {
                        return Err(IoError::from(ErrorKind::ConnectionAborted));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = StorageReason::Other("the transfer failed unexpectedly".to_owned());
                    return Err(IoError::new(ErrorKind::NetworkDown, reason));
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;
