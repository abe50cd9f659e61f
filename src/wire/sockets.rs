//! The thread that owns the sockets.

use super::bind::{LINGER, bind};
use super::connection::Connection;
use super::error::WireError;
use super::frame::{self, Channel, Request, Writer};
use super::heartbeat;
use super::outbox::{Letter, Outbox};
use super::publisher::{Publisher, Welcome};
use super::sign::Signer;
use super::waker::{Bell, waker};
use jupyter_protocol::IoPubWelcome;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use zmq::{DONTWAIT, POLLIN, Socket, SocketType};

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
        heartbeat::start(connection)?;

        let (waker, bell) = waker().map_err(|source| WireError::Open { what: "pipe", source })?;
        let (queue, letters) = channel();
        let writer = Arc::new(Writer::new(signer.clone()));
        let publisher = Arc::new(Publisher::default());
        publisher.listen(connection, welcome(Arc::clone(&writer)))?;
        let outbox = Outbox { writer, queue, waker: Arc::new(waker), publisher };
        let post = Post { shell, control, stdin, signer, outbox: outbox.clone(), letters };
        let socket_file = connection.is_ipc().then(|| connection.iopub().replacen("ipc://", "", 1));
        let thread = std::thread::Builder::new()
            .name("wire".to_owned())
            .spawn(move || {
                let publisher = Arc::clone(&post.outbox.publisher);
                post.run(bell, deliver);
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

/// What the thread owns.
struct Post {
    shell: Socket,
    control: Socket,
    stdin: Socket,
    signer: Signer,
    outbox: Outbox,
    letters: Receiver<Letter>,
}

impl Post {
    fn run(self, mut bell: Bell, deliver: impl Fn(Request)) {
        loop {
            let mut items = [
                zmq::PollItem::from_fd(bell.fd(), POLLIN),
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
                self.outbox.waker.silence(&mut bell);
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

    /// Sends what lies in the outbox; a message that cannot be sent is dropped, its client is gone.
    fn send_all(&self) -> std::ops::ControlFlow<()> {
        while let Ok(letter) = self.letters.try_recv() {
            let sent = match letter {
                Letter::To(Channel::Shell, frames) => self.shell.send_multipart(frames, DONTWAIT),
                Letter::To(Channel::Control, frames) => self.control.send_multipart(frames, DONTWAIT),
                Letter::To(Channel::Stdin, frames) => self.stdin.send_multipart(frames, DONTWAIT),
                Letter::Publish(frames) => {
                    self.outbox.publisher.publish(frames);
                    Ok(())
                }
                Letter::Close => return std::ops::ControlFlow::Break(()),
            };
            if let Err(error) = sent {
                tracing::warn!("cannot send a message: {error}");
            }
        }
        std::ops::ControlFlow::Continue(())
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
}

/// Writes the message for a new subscriber: from then on it misses nothing.
fn welcome(writer: Arc<Writer>) -> Arc<Welcome> {
    Arc::new(move |topic: &[u8]| {
        let welcome = IoPubWelcome::new(String::from_utf8_lossy(topic).into_owned());
        writer.write(&[topic.to_vec()], None, "iopub_welcome", &welcome).ok()
    })
}
