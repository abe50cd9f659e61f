//! Message headers, and the origin of a request.

use jupyter_protocol::Header;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::SystemTime;
use uuid::Uuid;

/// The version of the Jupyter protocol.
pub const PROTOCOL_VERSION: &str = "5.5";

/// The sender and the header of a request. It accompanies the execution, so that every output reaches its own cell, even from a
/// thread that outlives the cell.
#[derive(Clone)]
pub struct Origin(Arc<Inner>);

struct Inner {
    /// The request's header byte for byte, sent back as `parent_header`.
    header: Vec<u8>,
    identities: Vec<Vec<u8>>,
    msg_id: String,
}

impl Origin {
    /// Returns the origin with this header, which must be a JSON object.
    pub(super) fn new(header: Vec<u8>, identities: Vec<Vec<u8>>, msg_id: String) -> Self {
        Self(Arc::new(Inner { header, identities, msg_id }))
    }

    /// Returns the id of the request.
    pub fn msg_id(&self) -> &str {
        &self.0.msg_id
    }

    pub(super) fn header(&self) -> &[u8] {
        &self.0.header
    }

    pub(super) fn identities(&self) -> &[Vec<u8>] {
        &self.0.identities
    }
}

/// The fields of a request's header that we use.
pub(super) struct KnownFields {
    pub(super) msg_id: String,
    pub(super) msg_type: String,
}

/// Parses a header. Only the fields that we use are required, since some clients leave others out.
pub(super) fn read(frame: &[u8]) -> Result<KnownFields, String> {
    let mut header: Map<String, Value> = super::json::read(frame).map_err(|error| error.to_string())?;
    let mut text = |key: &str| match header.remove(key) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(format!("no string `{key}`")),
    };
    Ok(KnownFields { msg_id: text("msg_id")?, msg_type: text("msg_type")? })
}

/// Returns a header for a new message of ours.
pub(super) fn write(session: &str, msg_type: &str) -> Header {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Header {
        msg_id: Uuid::new_v4().to_string(),
        username: "kernel".to_owned(),
        session: session.to_owned(),
        // In microseconds: jupyter_client cannot parse more digits.
        date: chrono::DateTime::from_timestamp_micros(now.as_micros() as i64).unwrap_or_default(),
        msg_type: msg_type.to_owned(),
        version: PROTOCOL_VERSION.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn header_needs_only_id_and_type() {
        let known = read(br#"{"msg_id":"a","msg_type":"execute_request","extra":[1]}"#).unwrap();
        assert_eq!((known.msg_id.as_str(), known.msg_type.as_str()), ("a", "execute_request"));
        for bad in [&br#"{"msg_id":"a"}"#[..], br#"{"msg_id":1,"msg_type":"x"}"#, br#"["a","b"]"#, b"", b"\xff"] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn dates_have_at_most_six_digits() {
        let header = serde_json::to_value(write("s", "status")).unwrap();
        let date = header["date"].as_str().unwrap();
        assert!(date.ends_with('Z') && date.len() <= "2026-11-20T23:59:59.123456Z".len(), "{date}");
        assert_eq!(header["version"], PROTOCOL_VERSION);
    }
}
