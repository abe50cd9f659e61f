//! Signatures: HMAC with SHA-256 over the four JSON frames of a message, as hexadecimal text.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Signs and verifies messages.
#[derive(Clone)]
pub(super) struct Signer {
    /// The MAC with the key; `None` if the connection file has no key: then nothing is signed or verified.
    keyed: Option<Hmac<Sha256>>,
}

impl Signer {
    pub(super) fn new(key: &[u8]) -> Self {
        // HMAC accepts keys of any length, so `None` means that there is no key.
        Self { keyed: if key.is_empty() { None } else { Hmac::new_from_slice(key).ok() } }
    }

    /// Returns the signature of frames in hexadecimal; empty without a key.
    pub(super) fn sign(&self, frames: &[&[u8]]) -> String {
        self.over(frames).map(|mac| hex::encode(mac.finalize().into_bytes())).unwrap_or_default()
    }

    /// Whether `signature` is that of the frames. The comparison takes constant time.
    pub(super) fn verify(&self, signature: &[u8], frames: &[&[u8]]) -> bool {
        let Some(mac) = self.over(frames) else { return true };
        hex::decode(signature).is_ok_and(|signature| mac.verify_slice(&signature).is_ok())
    }

    fn over(&self, frames: &[&[u8]]) -> Option<Hmac<Sha256>> {
        let mut mac = self.keyed.clone()?;
        frames.iter().for_each(|frame| mac.update(frame));
        Some(mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_that_of_jupyter_client() {
        // hmac.new(b"a-key", b'{"msg_id":"1"}{}{}{"code":"1"}', hashlib.sha256).hexdigest()
        let frames: [&[u8]; 4] = [br#"{"msg_id":"1"}"#, b"{}", b"{}", br#"{"code":"1"}"#];
        let signature = Signer::new(b"a-key").sign(&frames);
        assert_eq!(signature, EXPECTED);
        assert!(Signer::new(b"a-key").verify(EXPECTED.as_bytes(), &frames));
    }

    const EXPECTED: &str = "9d847d962ea04190ab6d5b94948a2070469cc4c9d6fb0951f79ff735082e874c";

    #[test]
    fn wrong_signatures_are_refused() {
        let signer = Signer::new(b"a-key");
        let frames: [&[u8]; 2] = [b"{}", b"{}"];
        let good = signer.sign(&frames);
        for bad in
            [String::new(), "zz".into(), good[2..].into(), good.replace('1', "2"), Signer::new(b"b").sign(&frames)]
        {
            assert!(!signer.verify(bad.as_bytes(), &frames), "{bad:?}");
        }
        assert!(!signer.verify(good.as_bytes(), &[b"{}", b"[]"]));
    }

    #[test]
    fn without_a_key_nothing_is_signed() {
        let signer = Signer::new(b"");
        assert_eq!(signer.sign(&[b"{}"]), "");
        assert!(signer.verify(b"anything", &[b"{}"]));
    }
}
