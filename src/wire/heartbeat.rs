//! The heartbeat: whatever arrives goes back, at once and unchanged, whatever the kernel is busy with.

use super::bind::bind;
use super::connection::Connection;
use super::error::WireError;
use zmq::SocketType;

/// Echoes until the process ends. The socket has a context of its own, so that closing the others never waits for it.
pub(super) fn start(connection: &Connection) -> Result<(), WireError> {
    let context = zmq::Context::new();
    let socket = bind(&context, SocketType::ROUTER, connection, &connection.heartbeat())?;
    let echo = move || {
        loop {
            let echoed = socket.recv_multipart(0).and_then(|frames| socket.send_multipart(frames, 0));
            // Any other error is that of a client that went away; the next beat is as good as this one.
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
