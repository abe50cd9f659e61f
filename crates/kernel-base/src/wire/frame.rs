//! The frames of a Jupyter message in a ZeroMQ multipart message.
//!
//! ```text
//! identity …  <IDS|MSG>  signature  header  parent_header  metadata  content  buffer …
//!                                  └────────── covered by the signature ────┘
//! ```

use super::header::{self, Origin};
use super::json;
use super::sign::Signer;
use serde::Serialize;
use serde_json::Value;

const DELIMITER: &[u8] = b"<IDS|MSG>";

/// The socket of a request and of its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Requests that are handled in order.
    Shell,
    /// Requests that must not wait for a cell: interrupt, shutdown.
    Control,
    /// Replies to our requests for input.
    Stdin,
}

/// A complete message with a valid signature.
pub struct Request {
    /// The socket on which it arrived.
    pub channel: Channel,
    /// The `msg_type` of its header.
    pub msg_type: String,
    /// Its sender and header.
    pub origin: Origin,
    /// Its content, a JSON object.
    pub content: Value,
    /// The bytes of the content as JSON.
    pub content_bytes: usize,
    /// The buffers behind the content, which the signature does not cover.
    pub buffers: Vec<Vec<u8>>,
}

/// Why a message was dropped.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Dropped {
    #[error("no `<IDS|MSG>` frame in {0} frames")]
    NoDelimiter(usize),
    #[error("{0} frames after `<IDS|MSG>`, at least 5 are needed")]
    TooShort(usize),
    #[error("wrong signature")]
    Signature,
    #[error("invalid {part}: {reason}")]
    Malformed { part: &'static str, reason: String },
}

/// Verifies and parses a message. Buffers are legal on any message.
pub(super) fn read(mut frames: Vec<Vec<u8>>, channel: Channel, signer: &Signer) -> Result<Request, Dropped> {
    let delimiter = frames.iter().position(|frame| frame == DELIMITER).ok_or(Dropped::NoDelimiter(frames.len()))?;
    let mut message = frames.split_off(delimiter + 1);
    frames.truncate(delimiter);
    let buffers = message.split_off(message.len().min(5));
    let [signature, header, parent, metadata, content] = message.as_slice() else {
        return Err(Dropped::TooShort(message.len()));
    };
    if !signer.verify(signature, &[header, parent, metadata, content]) {
        return Err(Dropped::Signature);
    }
    let known = header::read(header).map_err(|reason| Dropped::Malformed { part: "header", reason })?;
    let content_bytes = content.len();
    let content: Value =
        json::read(content).map_err(|error| Dropped::Malformed { part: "content", reason: error.to_string() })?;
    if !content.is_object() {
        return Err(Dropped::Malformed { part: "content", reason: "not an object".to_owned() });
    }
    // The header goes back byte for byte, unless no client could parse it.
    let header = match serde_json::from_slice::<Value>(header) {
        Ok(_) => header.clone(),
        Err(_) => json::repaired(header).into_owned().into_bytes(),
    };
    let origin = Origin::new(header, frames, known.msg_id);
    Ok(Request { channel, msg_type: known.msg_type, origin, content, content_bytes, buffers })
}

/// Writes and signs our messages.
pub(super) struct Writer {
    signer: Signer,
    session: String,
}

impl Writer {
    pub(super) fn new(signer: Signer) -> Self {
        Self { signer, session: uuid::Uuid::new_v4().to_string() }
    }

    /// Returns the frames of a message to the identities `to`, with the header of `parent` as `parent_header`.
    ///
    /// # Errors
    /// If the content cannot be serialised.
    pub(super) fn write(
        &self,
        to: &[Vec<u8>],
        parent: Option<&Origin>,
        msg_type: &str,
        content: &impl Serialize,
    ) -> serde_json::Result<Vec<Vec<u8>>> {
        self.write_with(to, parent, msg_type, &serde_json::json!({}), content)
    }

    /// As [`write`](Self::write), with `metadata`, a JSON object.
    pub(super) fn write_with(
        &self,
        to: &[Vec<u8>],
        parent: Option<&Origin>,
        msg_type: &str,
        metadata: &Value,
        content: &impl Serialize,
    ) -> serde_json::Result<Vec<Vec<u8>>> {
        let header = serde_json::to_vec(&header::write(&self.session, msg_type))?;
        let parent = parent.map_or(b"{}".to_vec(), |origin| origin.header().to_vec());
        let metadata = serde_json::to_vec(metadata)?;
        let content = serde_json::to_vec(content)?;
        let signature = self.signer.sign(&[&header, &parent, &metadata, &content]);
        let mut frames = to.to_vec();
        frames.extend([DELIMITER.to_vec(), signature.into_bytes(), header, parent, metadata, content]);
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn frames(signer: &Signer) -> Vec<Vec<u8>> {
        let parts: [&[u8]; 4] =
            [br#"{"msg_id":"m","msg_type":"execute_request","date":"?"}"#, b"{}", b"{}", br#"{"code":"1"}"#];
        let mut frames = vec![b"client".to_vec(), DELIMITER.to_vec(), signer.sign(&parts).into_bytes()];
        frames.extend(parts.map(<[u8]>::to_vec));
        frames
    }

    #[test]
    fn signed_message_is_read() {
        let signer = Signer::new(b"k");
        let request = read(frames(&signer), Channel::Shell, &signer).unwrap();
        assert_eq!(request.msg_type, "execute_request");
        assert_eq!(request.origin.msg_id(), "m");
        assert_eq!(request.origin.identities(), [b"client"]);
        assert_eq!(request.content, json!({"code": "1"}));
    }

    #[test]
    fn buffers_are_legal() {
        let signer = Signer::new(b"k");
        let mut frames = frames(&signer);
        frames.extend([vec![0, 255], vec![]]);
        let request = read(frames, Channel::Shell, &signer).unwrap();
        assert_eq!((request.buffers, request.content_bytes), (vec![vec![0, 255], vec![]], br#"{"code":"1"}"#.len()));
    }

    #[test]
    fn damaged_messages_are_dropped() {
        let signer = Signer::new(b"k");
        let why = |change: fn(&mut Vec<Vec<u8>>)| {
            let mut frames = frames(&signer);
            change(&mut frames);
            read(frames, Channel::Shell, &signer).err().unwrap()
        };
        assert_eq!(why(|frames| drop(frames.remove(1))), Dropped::NoDelimiter(6));
        assert_eq!(why(Vec::clear), Dropped::NoDelimiter(0));
        assert_eq!(why(|frames| frames.truncate(4)), Dropped::TooShort(2));
        assert_eq!(why(|frames| frames[2][0] ^= 1), Dropped::Signature);
        assert_eq!(why(|frames| frames[2].clear()), Dropped::Signature);
        assert_eq!(why(|frames| frames[6].push(b' ')), Dropped::Signature);
    }

    #[test]
    fn signed_nonsense_is_dropped() {
        let signer = Signer::new(b"k");
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        for (header, content) in [
            (&b"not json"[..], &b"{}"[..]),
            (b"\xff\xfe", b"{}"),
            (br#"{"msg_id":"m","msg_type":"t"}"#, b"{\"a\": \"\\ud8"),
            (b"[]", b"{}"),
            (br#"{"msg_id":"m","msg_type":"t"}"#, b"[1]"),
            (br#"{"msg_id":"m","msg_type":"t"}"#, b""),
            (br#"{"msg_id":"m","msg_type":"t"}"#, &deep),
        ] {
            let signature = signer.sign(&[header, b"{}", b"{}", content]);
            let frames = [DELIMITER, signature.as_bytes(), header, b"{}", b"{}", content].map(<[u8]>::to_vec).to_vec();
            assert!(matches!(read(frames, Channel::Shell, &signer), Err(Dropped::Malformed { .. })));
        }
    }

    #[test]
    fn half_surrogates_are_replaced() {
        let signer = Signer::new(b"k");
        let header: &[u8] = b"{\"msg_id\":\"m\",\"msg_type\":\"t\",\"username\":\"\xff\\ud83d\"}";
        let content: &[u8] = b"{\"code\":\"\xff\\udcff\"}";
        let signature = signer.sign(&[header, b"{}", b"{}", content]);
        let frames = [DELIMITER, signature.as_bytes(), header, b"{}", b"{}", content].map(<[u8]>::to_vec).to_vec();
        let request = read(frames, Channel::Shell, &signer).unwrap();
        assert_eq!(request.content, json!({"code": "\u{fffd}\u{fffd}"}));
        let written = Writer::new(signer).write(&[], Some(&request.origin), "status", &json!({})).unwrap();
        let parent: Value = serde_json::from_slice(&written[3]).unwrap();
        assert_eq!(parent, json!({"msg_id": "m", "msg_type": "t", "username": "\u{fffd}\u{fffd}"}));
    }

    #[test]
    fn written_messages_can_be_read() {
        let signer = Signer::new(b"k");
        let request = read(frames(&signer), Channel::Shell, &signer).unwrap();
        let writer = Writer::new(signer.clone());
        let written = writer.write(&[b"a".to_vec()], Some(&request.origin), "status", &json!({"x": 1})).unwrap();
        assert_eq!(written[4], frames(&signer)[3], "the parent header goes back byte for byte");
        let read = read(written, Channel::Shell, &signer).unwrap();
        assert_eq!((read.msg_type.as_str(), read.content), ("status", json!({"x": 1})));
    }
}
