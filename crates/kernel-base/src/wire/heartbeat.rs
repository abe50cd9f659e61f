//! The heartbeat: a thread that sends every message back unchanged, also while the kernel is busy.

use super::bind::bind;
use super::connection::Connection;
use super::error::WireError;
use zmq::SocketType;

/// Starts the thread, which runs until the process ends. Its socket has a context of its own, so that closing the other sockets never
/// waits for it.
///
/// # Errors
/// If the address cannot be bound or the thread cannot be started.
pub(super) fn start(connection: &Connection) -> Result<(), WireError> {
    let context = zmq::Context::new();
    let socket = bind(&context, SocketType::ROUTER, connection, &connection.heartbeat())?;
    let echo = move || {
        loop {
            let echoed = socket.recv_multipart(0).and_then(|frames| socket.send_multipart(frames, 0));
            // Any other error means that a client has left.
            if let Err(zmq::Error::ETERM | zmq::Error::ENOTSOCK) = echoed {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("heartbeat".to_owned())
        .spawn(echo)
        .map_err(|source| WireError::Open { what: "heartbeat thread", source })?;
    Ok(())
}
