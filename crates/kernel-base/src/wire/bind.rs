//! The setup that all ROUTER sockets share.

use super::connection::Connection;
use super::error::WireError;
use super::umask::PrivateFiles;
use std::time::Duration;
use zmq::{Socket, SocketType};

/// How long the last messages may take to leave when the kernel ends.
pub(super) const LINGER: Duration = Duration::from_millis(500);

/// Creates a socket, sets its options and binds it to `endpoint`.
///
/// # Errors
/// If the endpoint cannot be bound.
pub(super) fn bind(
    context: &zmq::Context,
    kind: SocketType,
    connection: &Connection,
    endpoint: &str,
) -> Result<Socket, WireError> {
    let set_up = || {
        let socket = context.socket(kind)?;
        socket.set_linger(LINGER.as_millis() as i32)?;
        socket.set_ipv6(connection.is_ipv6())?;
        // An answer is never dropped, however many requests a client sends before it reads.
        socket.set_sndhwm(0)?;
        // A client that reconnects under its old identity replaces its former connection.
        socket.set_router_handover(true)?;
        let _private = connection.is_ipc().then(PrivateFiles::begin);
        socket.bind(endpoint)?;
        Ok(socket)
    };
    set_up().map_err(|error: zmq::Error| WireError::Bind { endpoint: endpoint.to_owned(), source: error.into() })
}
