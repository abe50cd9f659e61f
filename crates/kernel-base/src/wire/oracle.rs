//! The properties of every message, for the tests and the fuzzer.
#![allow(clippy::unwrap_used)]

use super::frame::{Channel, Dropped, Writer, read};
use super::sign::Signer;
use serde_json::{Value, json};

const DELIMITER: &[u8] = b"<IDS|MSG>";

/// Reads bytes as frames, one per line: without a key, with a key and no signature, with a valid signature.
///
/// # Panics
/// If an invalid message is accepted, or the reply to a valid one cannot be read.
pub(crate) fn agrees(bytes: &[u8]) {
    let frames: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (open, keyed) = (Signer::new(b""), Signer::new(b"key"));
    check_accepted(&open, frames.clone());
    assert!(
        !matches!(read(frames.clone(), Channel::Shell, &keyed), Ok(_) | Err(Dropped::Malformed { .. })),
        "accepted without a signature"
    );
    if let Some(at) = frames.iter().position(|frame| frame == DELIMITER)
        && let Some([header, parent, metadata, content]) = frames.get(at + 2..at + 6)
    {
        let signature = keyed.sign(&[header, parent, metadata, content]).into_bytes();
        let mut signed = frames.clone();
        signed[at + 1] = signature;
        assert_ne!(read(signed.clone(), Channel::Shell, &keyed).err(), Some(Dropped::Signature));
        check_accepted(&keyed, signed);
    }
}

/// Checks that an accepted message is valid, and that its sender can read the reply.
fn check_accepted(signer: &Signer, frames: Vec<Vec<u8>>) {
    let at = frames.iter().position(|frame| frame == DELIMITER);
    let Ok(request) = read(frames.clone(), Channel::Shell, signer) else { return };
    let at = at.unwrap();
    let header: Value = super::json::read(&frames[at + 2]).unwrap();
    assert_eq!(header["msg_type"], json!(request.msg_type));
    assert_eq!(header["msg_id"], json!(request.origin.msg_id()));
    assert!(request.content.is_object());
    assert_eq!(request.origin.identities(), &frames[..at]);
    let reply = Writer::new(signer.clone())
        .write(request.origin.identities(), Some(&request.origin), "status", &json!({"type": request.msg_type}))
        .unwrap();
    if serde_json::from_slice::<Value>(&frames[at + 2]).is_ok() {
        assert_eq!(reply[at + 3], frames[at + 2], "the parent header goes back byte for byte");
    }
    assert_eq!(serde_json::from_slice::<Value>(&reply[at + 3]).unwrap(), header);
    let reply = read(reply, Channel::Shell, signer).ok().unwrap();
    assert_eq!(reply.content["type"], json!(request.msg_type));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn corpus_of_the_fuzzer_holds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/wire_message");
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
        assert!(files.len() >= 15);
        for file in files {
            agrees(&std::fs::read(file.unwrap().path()).unwrap());
        }
    }
}
