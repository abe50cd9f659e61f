//! The thread that owns the sockets.

use super::connection::Connection;
use super::error::WireError;
use super::flight;
use super::frame::{self, Channel, Request, Writer};
use super::heartbeat;
use super::outbox::{Letter, Outbox};
use super::sign::Signer;
use super::waker::{Bell, waker};
use jupyter_protocol::IoPubWelcome;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use zmq::{DONTWAIT, POLLIN, SNDMORE, Socket, SocketType};

/// Messages that wait for a client that does not read iopub, at most; the newest are dropped. What they weigh is bounded
/// by `flight`, so this is room for the small ones, of ten thousand cells in a row say.
const IOPUB_BACKLOG: i32 = 100_000;

/// How long the last messages may take to leave when the kernel ends.
const LINGER_MS: i32 = 500;

/// Messages read from one socket before the others get their turn.
const TURN: usize = 64;

/// The open wire.
pub struct Wire {
    outbox: Outbox,
    thread: JoinHandle<()>,
}

impl Wire {
    /// Binds all sockets and starts to listen; every good message is given to `deliver`, which must not block.
    ///
    /// # Errors
    /// If a socket cannot be bound.
    pub fn open(connection: &Connection, deliver: impl Fn(Request) + Send + 'static) -> Result<Self, WireError> {
        let context = zmq::Context::new();
        let signer = Signer::new(connection.key());
        let bind = |kind, endpoint: String| bind(&context, kind, connection, &endpoint);
        let shell = bind(SocketType::ROUTER, connection.shell())?;
        let control = bind(SocketType::ROUTER, connection.control())?;
        let stdin = bind(SocketType::ROUTER, connection.stdin())?;
        let iopub = bind(SocketType::XPUB, connection.iopub())?;
        heartbeat::start(connection)?;

        let (waker, bell) = waker().map_err(|source| WireError::Open { what: "pipe", source })?;
        let (queue, letters) = channel();
        let writer = Arc::new(Writer::new(signer.clone()));
        let outbox = Outbox { writer, queue, waker: Arc::new(waker), flight: Arc::default() };
        let post = Post { shell, control, stdin, iopub, signer, outbox: outbox.clone(), letters, dropped: 0 };
        let thread = std::thread::Builder::new()
            .name("wire".to_owned())
            .spawn(move || {
                post.run(bell, deliver);
                // Waits for the last messages, as long as LINGER_MS allows.
                drop(context);
            })
            .map_err(|source| WireError::Open { what: "wire thread", source })?;
        Ok(Self { outbox, thread })
    }

    /// The way out.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Sends what is left and closes.
    pub fn close(self) {
        self.outbox.close();
        let _ = self.thread.join();
    }
}

/// Binds a socket as all of ours are set up.
pub(super) fn bind(
    context: &zmq::Context,
    kind: SocketType,
    connection: &Connection,
    endpoint: &str,
) -> Result<Socket, WireError> {
    let set_up = || {
        let socket = context.socket(kind)?;
        socket.set_linger(LINGER_MS)?;
        socket.set_ipv6(connection.is_ipv6())?;
        match kind {
            SocketType::XPUB => {
                socket.set_sndhwm(IOPUB_BACKLOG)?;
                // Every subscription is told to us, a second client's too: each gets its welcome.
                socket.set_xpub_verbose(true)?;
            }
            _ => {
                // An answer is never dropped, however many requests a client sends before it reads.
                socket.set_sndhwm(0)?;
                // A client that reconnects under its old identity takes over from its former self.
                socket.set_router_handover(true)?;
            }
        }
        let _private = connection.is_ipc().then(Private::begin);
        socket.bind(endpoint)?;
        Ok(socket)
    };
    set_up().map_err(|source| WireError::Bind { endpoint: endpoint.to_owned(), source })
}

/// While it lives, files are made for the user alone: a socket file is never open to others, not for a moment. What
/// other threads make meanwhile is private, too.
struct Private(rustix::fs::Mode);

impl Private {
    fn begin() -> Self {
        Self(rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177)))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        rustix::process::umask(self.0);
    }
}

/// What the thread owns.
struct Post {
    shell: Socket,
    control: Socket,
    stdin: Socket,
    iopub: Socket,
    signer: Signer,
    outbox: Outbox,
    letters: Receiver<Letter>,
    /// Messages that were too much for a client that does not read, since the last one that was not.
    dropped: usize,
}

impl Post {
    fn run(mut self, mut bell: Bell, deliver: impl Fn(Request)) {
        loop {
            let mut items = [
                zmq::PollItem::from_fd(bell.fd(), POLLIN),
                self.control.as_poll_item(POLLIN),
                self.shell.as_poll_item(POLLIN),
                self.stdin.as_poll_item(POLLIN),
                self.iopub.as_poll_item(POLLIN),
            ];
            match zmq::poll(&mut items, -1) {
                Ok(_) | Err(zmq::Error::EINTR) => {}
                Err(error) => {
                    tracing::warn!("cannot wait for messages: {error}");
                    std::thread::sleep(Duration::from_millis(100));
                    continue;
                }
            }
            let [woken, control, shell, stdin, iopub] = items.map(|item| item.is_readable());
            if woken {
                self.outbox.waker.silence(&mut bell);
                if self.send_all().is_break() {
                    return;
                }
            }
            if iopub {
                self.welcome();
            }
            let sockets = [
                (control, &self.control, Channel::Control),
                (shell, &self.shell, Channel::Shell),
                (stdin, &self.stdin, Channel::Stdin),
            ];
            for (_, socket, channel) in sockets.into_iter().filter(|(readable, ..)| *readable) {
                self.receive(socket, channel, &deliver);
            }
        }
    }

    /// Sends what lies in the outbox; a message that cannot be sent is dropped, its client is gone.
    fn send_all(&mut self) -> std::ops::ControlFlow<()> {
        while let Ok(letter) = self.letters.try_recv() {
            let sent = match letter {
                Letter::To(Channel::Shell, frames) => self.shell.send_multipart(frames, DONTWAIT),
                Letter::To(Channel::Control, frames) => self.control.send_multipart(frames, DONTWAIT),
                Letter::To(Channel::Stdin, frames) => self.stdin.send_multipart(frames, DONTWAIT),
                Letter::Publish(frames) => self.publish(frames),
                Letter::Close => return std::ops::ControlFlow::Break(()),
            };
            if let Err(error) = sent {
                tracing::warn!("cannot send a message: {error}");
            }
        }
        std::ops::ControlFlow::Continue(())
    }

    /// Publishes, unless so much waits for clients already that a message of this size is dropped.
    fn publish(&mut self, mut frames: Vec<Vec<u8>>) -> zmq::Result<()> {
        let Some(content) = frames.pop() else { return Ok(()) };
        let flight = &self.outbox.flight;
        if flight.is_too_much(content.len()) {
            if self.dropped == 0 {
                tracing::warn!("a client does not read iopub: large outputs are dropped until it does");
            }
            self.dropped += 1;
            return Ok(());
        }
        if self.dropped > 0 && !flight.is_too_much(usize::MAX) {
            tracing::warn!("outputs are sent again; {} were dropped", std::mem::take(&mut self.dropped));
        }
        for frame in frames {
            self.iopub.send(frame, DONTWAIT | SNDMORE)?;
        }
        flight::send(&mut self.iopub, content, flight, DONTWAIT)
    }

    fn receive(&self, socket: &Socket, channel: Channel, deliver: impl Fn(Request)) {
        for _ in 0..TURN {
            match socket.recv_multipart(DONTWAIT) {
                Ok(frames) => match frame::read(frames, channel, &self.signer) {
                    Ok(request) => deliver(request),
                    Err(why) => tracing::warn!("dropped a message on {channel:?}: {why}"),
                },
                Err(zmq::Error::EAGAIN) => return,
                Err(error) => return tracing::warn!("cannot read from {channel:?}: {error}"),
            }
        }
    }

    /// Welcomes new subscribers: from then on they miss nothing.
    fn welcome(&self) {
        for _ in 0..TURN {
            let Ok(frames) = self.iopub.recv_multipart(DONTWAIT) else { return };
            // 1 and a topic: subscribes; 0: leaves; a client may send other things, which are no business of ours.
            let Some([1, topic @ ..]) = frames.first().map(Vec::as_slice) else { continue };
            let welcome = IoPubWelcome::new(String::from_utf8_lossy(topic).into_owned());
            let written = self.outbox.writer.write(&[topic.to_vec()], None, "iopub_welcome", &welcome);
            if let Ok(frames) = written
                && let Err(error) = self.iopub.send_multipart(frames, DONTWAIT)
            {
                tracing::warn!("cannot welcome a subscriber: {error}");
            }
        }
    }
}
