//! The connection file that Jupyter writes for every kernel: addresses and the signature key.

use super::error::WireError;
use jupyter_protocol::{ConnectionInfo, Transport};
use std::path::Path;

/// A connection file.
#[derive(Debug, Clone)]
pub struct Connection {
    info: ConnectionInfo,
}

impl Connection {
    /// Reads a connection file. Ignores unknown keys, such as those of CurveZMQ.
    ///
    /// # Errors
    /// If the file cannot be read or parsed, or asks for signatures other than HMAC with SHA-256.
    pub fn read(path: &Path) -> Result<Self, WireError> {
        let text = std::fs::read(path).map_err(|source| WireError::ConnectionFile { path: path.to_owned(), source })?;
        let info: ConnectionInfo = serde_json::from_slice(&text)
            .map_err(|source| WireError::NotAConnection { path: path.to_owned(), source })?;
        if !info.key.is_empty() && info.signature_scheme != "hmac-sha256" {
            return Err(WireError::Scheme { scheme: info.signature_scheme });
        }
        Ok(Self { info })
    }

    /// Returns the signature key; if it is empty, messages are not signed.
    pub(super) fn key(&self) -> &[u8] {
        self.info.key.as_bytes()
    }

    pub(super) fn shell(&self) -> String {
        self.endpoint(self.info.shell_port)
    }

    pub(super) fn control(&self) -> String {
        self.endpoint(self.info.control_port)
    }

    pub(super) fn stdin(&self) -> String {
        self.endpoint(self.info.stdin_port)
    }

    pub(super) fn iopub(&self) -> String {
        self.endpoint(self.info.iopub_port)
    }

    pub(super) fn heartbeat(&self) -> String {
        self.endpoint(self.info.hb_port)
    }

    /// Whether the address is IPv6.
    pub(super) fn is_ipv6(&self) -> bool {
        self.info.transport == Transport::TCP && self.info.ip.contains(':')
    }

    /// Whether the sockets are files.
    pub(super) fn is_ipc(&self) -> bool {
        self.info.transport == Transport::IPC
    }

    fn endpoint(&self, port: u16) -> String {
        match self.info.transport {
            Transport::IPC => format!("ipc://{}-{port}", self.info.ip),
            Transport::TCP if self.is_ipv6() => format!("tcp://[{}]:{port}", self.info.ip.trim_matches(['[', ']'])),
            Transport::TCP => format!("tcp://{}:{port}", self.info.ip),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(json: &str) -> Result<Connection, WireError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), json).unwrap();
        Connection::read(file.path())
    }

    fn json(transport: &str, ip: &str, rest: &str) -> String {
        format!(
            r#"{{"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5,"ip":"{ip}",
                "key":"k","transport":"{transport}","signature_scheme":"hmac-sha256"{rest}}}"#
        )
    }

    #[test]
    fn endpoints_follow_transport() {
        assert_eq!(read(&json("tcp", "127.0.0.1", "")).unwrap().shell(), "tcp://127.0.0.1:1");
        assert_eq!(read(&json("tcp", "::1", "")).unwrap().heartbeat(), "tcp://[::1]:5");
        let ipc = read(&json("ipc", "/tmp/kernel", "")).unwrap();
        assert_eq!(ipc.iopub(), "ipc:///tmp/kernel-2");
        assert!(ipc.is_ipc());
    }

    #[test]
    fn unknown_keys_are_ignored() {
        assert!(read(&json("tcp", "127.0.0.1", r#","curve_publickey":"x","jupyter_session":"y""#)).is_ok());
    }

    #[test]
    fn other_signature_schemes_are_refused() {
        let other = json("tcp", "127.0.0.1", "").replace("hmac-sha256", "hmac-md5");
        assert!(matches!(read(&other), Err(WireError::Scheme { .. })));
        assert!(matches!(read("{}"), Err(WireError::NotAConnection { .. })));
    }
}
