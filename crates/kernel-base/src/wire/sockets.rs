//! The thread that owns the sockets.

use super::bind::{LINGER, bind};
use super::connection::Connection;
use super::error::WireError;
use super::frame::{self, Channel, Request, Writer};
use super::heartbeat;
use super::outbox::{Outbox, Outgoing};
use super::publisher::{Publisher, Welcome};
use super::sign::Signer;
use super::waker::{WakeReceiver, waker};
use jupyter_protocol::IoPubWelcome;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use zmq::{DONTWAIT, POLLIN, Socket, SocketType};

/// The most messages that are read from one socket in a row.
const MESSAGES_PER_TURN: usize = 64;

/// The open wire.
pub struct Wire {
    outbox: Outbox,
    thread: JoinHandle<()>,
}

impl Wire {
    /// Binds all sockets and starts to listen. Calls `deliver`, which must not block, with every valid message.
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
        heartbeat::start(connection)?;

        let (waker, receiver) = waker().map_err(|source| WireError::Open { what: "pipe", source })?;
        let (queue, outgoing) = channel();
        let writer = Arc::new(Writer::new(signer.clone()));
        let publisher = Arc::new(Publisher::default());
        publisher.listen(connection, welcome(Arc::clone(&writer)))?;
        let outbox = Outbox { writer, queue, waker: Arc::new(waker), publisher };
        let sockets = SocketLoop { shell, control, stdin, signer, outbox: outbox.clone(), outgoing };
        let socket_file = connection.is_ipc().then(|| connection.iopub().replacen("ipc://", "", 1));
        let thread = std::thread::Builder::new()
            .name("wire".to_owned())
            .spawn(move || {
                let publisher = Arc::clone(&sockets.outbox.publisher);
                sockets.run(receiver, deliver);
                publisher.drain(LINGER);
                // Waits for the last messages, as long as LINGER allows.
                drop(context);
                if let Some(file) = socket_file {
                    let _ = std::fs::remove_file(file);
                }
            })
            .map_err(|source| WireError::Open { what: "wire thread", source })?;
        Ok(Self { outbox, thread })
    }

    /// Returns the queue of outgoing messages.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Sends what is queued, and closes the sockets.
    pub fn close(self) {
        self.outbox.close();
        let _ = self.thread.join();
    }
}

/// The sockets and the loop of the thread that owns them.
struct SocketLoop {
    shell: Socket,
    control: Socket,
    stdin: Socket,
    signer: Signer,
    outbox: Outbox,
    outgoing: Receiver<Outgoing>,
}

impl SocketLoop {
    fn run(self, mut receiver: WakeReceiver, deliver: impl Fn(Request)) {
        loop {
            let mut items = [
                zmq::PollItem::from_fd(receiver.fd(), POLLIN),
                self.control.as_poll_item(POLLIN),
                self.shell.as_poll_item(POLLIN),
                self.stdin.as_poll_item(POLLIN),
            ];
            match zmq::poll(&mut items, -1) {
                Ok(_) | Err(zmq::Error::EINTR) => {}
                Err(error) => {
                    tracing::warn!("cannot wait for messages: {error}");
                    std::thread::sleep(Duration::from_millis(100));
                    continue;
                }
            }
            let [woken, control, shell, stdin] = items.map(|item| item.is_readable());
            if woken {
                self.outbox.waker.clear(&mut receiver);
                if self.send_all().is_break() {
                    return;
                }
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

    /// Sends all queued messages. Drops those that cannot be sent: their clients are gone. Breaks at [`Outgoing::Close`].
    fn send_all(&self) -> std::ops::ControlFlow<()> {
        while let Ok(message) = self.outgoing.try_recv() {
            let sent = match message {
                Outgoing::Direct(Channel::Shell, frames) => self.shell.send_multipart(frames, DONTWAIT),
                Outgoing::Direct(Channel::Control, frames) => self.control.send_multipart(frames, DONTWAIT),
                Outgoing::Direct(Channel::Stdin, frames) => self.stdin.send_multipart(frames, DONTWAIT),
                Outgoing::Publish { frames, is_answer } => {
                    self.outbox.publisher.publish(frames, is_answer);
                    Ok(())
                }
                Outgoing::Close => return std::ops::ControlFlow::Break(()),
            };
            if let Err(error) = sent {
                tracing::warn!("cannot send a message: {error}");
            }
        }
        std::ops::ControlFlow::Continue(())
    }

    fn receive(&self, socket: &Socket, channel: Channel, deliver: impl Fn(Request)) {
        for _ in 0..MESSAGES_PER_TURN {
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
}

/// Returns the function that writes the welcome message for a new subscriber.
fn welcome(writer: Arc<Writer>) -> Arc<Welcome> {
    Arc::new(move |topic: &[u8]| {
        let welcome = IoPubWelcome::new(String::from_utf8_lossy(topic).into_owned());
        writer.write(&[topic.to_vec()], None, "iopub_welcome", &welcome).ok()
    })
}
