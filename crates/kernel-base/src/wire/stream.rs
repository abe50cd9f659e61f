//! Listeners and connections over TCP and over socket files.

use super::connection::Connection;
use super::error::WireError;
use super::umask::PrivateFiles;
use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

/// A listening socket.
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// The connection of a client.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listener {
    /// Listens on the iopub address of the connection file.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub(super) fn bind(connection: &Connection) -> std::result::Result<Self, WireError> {
        let endpoint = connection.iopub();
        let listen = || match endpoint.split_once("://") {
            Some(("ipc", path)) => {
                let _private = PrivateFiles::begin();
                // An earlier kernel may have left the file; libzmq removes such files, too.
                let _ = std::fs::remove_file(path);
                UnixListener::bind(path).map(Self::Unix)
            }
            Some((_, address)) => TcpListener::bind(address.replacen('*', "0.0.0.0", 1)).map(Self::Tcp),
            None => Err(std::io::ErrorKind::InvalidInput.into()),
        };
        listen().map_err(|source| WireError::Bind { endpoint: endpoint.clone(), source })
    }

    /// Waits for the next client.
    ///
    /// # Errors
    /// If the system refuses, for example because there are too many open files.
    pub(super) fn accept(&self) -> Result<Stream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Self::Unix(listener) => listener.accept().map(|(stream, _)| Stream::Unix(stream)),
        }
    }
}

impl Stream {
    pub(super) fn try_clone(&self) -> Result<Self> {
        match self {
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    pub(super) fn set_read_timeout(&self, timeout: Option<Duration>) -> Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(timeout),
            Self::Unix(stream) => stream.set_read_timeout(timeout),
        }
    }

    /// Shuts both directions down; wakes threads that wait on them.
    pub(super) fn shutdown(&self) {
        // The connection may have ended already.
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
