//! The properties of every connection to the publisher, for the tests and the fuzzer.

use super::zmtp::{Command, MAX_FRAME, handshake, pong, read, write};
use std::io::{Read, Result, Write};

/// The client's side of a connection.
struct Peer<'bytes> {
    /// The bytes that it sends.
    sends: &'bytes [u8],
    /// The number of bytes that one read returns at most.
    packet: usize,
    received: Vec<u8>,
}

impl Read for Peer<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let length = buffer.len().min(self.packet);
        self.sends.read(&mut buffer[..length])
    }
}

impl Write for Peer<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.received.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The result of a connection.
#[derive(Debug, PartialEq, Eq)]
struct Served {
    is_subscriber: bool,
    commands: Vec<Option<Command>>,
    received: Vec<u8>,
}

/// Serves a client that sends `bytes`: as a whole connection, and after a valid handshake.
///
/// # Panics
/// If the publisher accepts another peer than a subscriber, stops before the connection ends, or depends on how packets are cut.
pub(crate) fn agrees(bytes: &[u8]) {
    for connection in [bytes, &[&subscriber(), bytes].concat()] {
        let served = serve(connection, usize::MAX);
        for packet in [1, 7] {
            assert_eq!(serve(connection, packet), served, "in packets of {packet} bytes");
        }
    }
    bytes.split(|byte| *byte == b'\n').for_each(round_trip);
}

/// Greeting and READY command of a subscriber.
fn subscriber() -> Vec<u8> {
    let greeting = [&[0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0][..], b"NULL", &[0; 48]].concat();
    [&greeting[..], b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB"].concat()
}

fn serve(bytes: &[u8], packet: usize) -> Served {
    let mut peer = Peer { sends: bytes, packet, received: Vec::new() };
    let mut commands = Vec::new();
    let is_subscriber = handshake(&mut peer).is_ok();
    assert_eq!(peer.received[..12], [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0], "the greeting goes out in any case");
    if is_subscriber {
        assert!(bytes[0] == 0xff && bytes[9] & 1 == 1 && bytes[10] >= 3 && bytes[12..32].starts_with(b"NULL\0"));
        assert!(bytes[64..].windows(3).any(|name| name == b"SUB"), "no subscriber");
        loop {
            let left = peer.sends.len();
            let Ok(command) = read(&mut peer) else { break };
            assert!(peer.sends.len() + 2 <= left, "a message takes at least two bytes");
            if let Some(Command::Subscribe(data) | Command::Cancel(data) | Command::Ping(data)) = &command {
                assert!(data.len() as u64 <= MAX_FRAME, "a frame of {} bytes was kept", data.len());
            }
            commands.push(command);
        }
        assert!(peer.sends.is_empty(), "only the end of the connection ends it");
    }
    Served { is_subscriber, commands, received: peer.received }
}

/// Checks that a client can read the messages of the publisher, with `read` as the client.
fn round_trip(topic: &[u8]) {
    let mut stream = Vec::new();
    let mut written = 0;
    let subscription = [&[1], topic].concat();
    let result = write(&mut stream, &[subscription, topic.to_vec()], |count| written += count);
    assert!(result.is_ok() && written == 1 + 2 * topic.len());
    stream.extend(pong(topic));
    let mut rest = stream.as_slice();
    let expected = ((topic.len() as u64) < MAX_FRAME).then(|| Command::Subscribe(topic.to_vec()));
    assert_eq!(read(&mut rest).ok(), Some(expected));
    assert_eq!(read(&mut rest).ok(), Some(None), "a pong is no command of a subscriber");
    assert!(rest.is_empty());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::path::Path;

    #[test]
    fn connections_of_the_corpus_are_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/zmtp_subscriber");
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
        assert!(files.len() >= 15);
        for file in files {
            agrees(&std::fs::read(file.unwrap().path()).unwrap());
        }
    }

    #[test]
    fn valid_connection_is_a_subscriber() {
        let served = serve(&[&subscriber(), &b"\0\x02\x01a"[..]].concat(), 1);
        assert!(served.is_subscriber);
        assert_eq!(served.commands, [Some(Command::Subscribe(b"a".to_vec()))]);
    }
}
