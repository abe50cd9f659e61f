//! ZMTP 3.0, the protocol between ZeroMQ sockets, as far as a publisher needs it: RFC 23 of ZeroMQ, mechanism NULL.
//!
//! libzmq's own publisher cannot tell how much waits for which of its clients, so that one that does not read costs the
//! others their messages. This is the side of the connection that `publisher` does itself.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// A frame follows of the same message.
const MORE: u8 = 1;
/// The length takes eight bytes.
const LONG: u8 = 2;
/// The frame is a command.
const COMMAND: u8 = 4;

/// Longer frames of a client are read and dropped: a topic or a ping is short.
const LONGEST: u64 = 64 << 10;

/// What is written at once; a client that reads slowly is seen to move by so much.
const CHUNK: usize = 256 << 10;

/// What a subscriber says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// It wants messages whose first frame starts with this.
    Subscribe(Vec<u8>),
    /// It wants them no more.
    Cancel(Vec<u8>),
    /// It wants an answer with this context.
    Ping(Vec<u8>),
}

/// Greets a client and makes sure that it subscribes.
///
/// # Errors
/// If it speaks something else, or the connection ends.
pub(super) fn shake_hands(stream: &mut (impl Read + Write)) -> Result<()> {
    let mut greeting = [0; 64];
    greeting[..12].copy_from_slice(&[0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);
    greeting[12..16].copy_from_slice(b"NULL");
    stream.write_all(&greeting)?;
    let mut theirs = [0; 64];
    stream.read_exact(&mut theirs[..11])?;
    if theirs[0] != 0xff || theirs[9] & 1 == 0 || theirs[10] < 3 {
        return Err(wrong("not a peer of ZMTP 3"));
    }
    stream.read_exact(&mut theirs[11..])?;
    if &theirs[12..32] != b"NULL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" {
        return Err(wrong("not the mechanism NULL"));
    }
    let mut ready = b"\x05READY".to_vec();
    ready.extend(b"\x0bSocket-Type\0\0\0\x04XPUB");
    stream.write_all(&command(&ready))?;
    let (flags, body) = read_frame(stream)?;
    let properties = body.filter(|_| flags & COMMAND != 0).unwrap_or_default();
    let properties = properties.strip_prefix(b"\x05READY").ok_or_else(|| wrong("not ready"))?;
    match property(properties, b"socket-type") {
        Some(b"SUB" | b"XSUB") => Ok(()),
        _ => Err(wrong("not a subscriber")),
    }
}

/// Reads what a subscriber says next; `None` is something that means nothing to a publisher.
///
/// # Errors
/// If the connection ends.
pub(super) fn read(stream: &mut impl Read) -> Result<Option<Said>> {
    let (mut flags, body) = read_frame(stream)?;
    let said = body.and_then(|body| said(flags, &body));
    while flags & MORE != 0 {
        flags = read_frame(stream)?.0;
    }
    Ok(said)
}

fn said(flags: u8, body: &[u8]) -> Option<Said> {
    if flags & COMMAND == 0 {
        return match body.split_first()? {
            (1, topic) => Some(Said::Subscribe(topic.to_vec())),
            (0, topic) => Some(Said::Cancel(topic.to_vec())),
            _ => None,
        };
    }
    let (&length, rest) = body.split_first()?;
    let (name, data) = rest.split_at_checked(usize::from(length))?;
    match name {
        b"SUBSCRIBE" => Some(Said::Subscribe(data.to_vec())),
        b"CANCEL" => Some(Said::Cancel(data.to_vec())),
        // Two bytes say how long it waits.
        b"PING" => Some(Said::Ping(data.get(2..)?.to_vec())),
        _ => None,
    }
}

/// The answer to a ping.
pub(super) fn pong(context: &[u8]) -> Vec<u8> {
    command(&[b"\x04PONG", context].concat())
}

/// Writes a message; `moved` is told of the bytes of its frames that have left.
///
/// # Errors
/// If the connection ends.
pub(super) fn write(stream: &mut impl Write, frames: &[Vec<u8>], mut moved: impl FnMut(usize)) -> Result<()> {
    let mut small = Vec::new();
    let mut counted = 0;
    for (place, frame) in frames.iter().enumerate() {
        let more = if place + 1 < frames.len() { MORE } else { 0 };
        small.extend(head(more, frame.len()));
        if frame.len() < CHUNK {
            small.extend_from_slice(frame);
            counted += frame.len();
            continue;
        }
        stream.write_all(&small)?;
        small.clear();
        for chunk in frame.chunks(CHUNK) {
            stream.write_all(chunk)?;
            moved(std::mem::take(&mut counted) + chunk.len());
        }
    }
    stream.write_all(&small)?;
    moved(counted);
    Ok(())
}

fn head(flags: u8, length: usize) -> Vec<u8> {
    match u8::try_from(length) {
        Ok(length) => vec![flags, length],
        Err(_) => [&[flags | LONG][..], &(length as u64).to_be_bytes()].concat(),
    }
}

fn command(body: &[u8]) -> Vec<u8> {
    [head(COMMAND, body.len()).as_slice(), body].concat()
}

/// The flags and the body of a frame; no body if that is too long.
fn read_frame(stream: &mut impl Read) -> Result<(u8, Option<Vec<u8>>)> {
    let mut start = [0; 2];
    stream.read_exact(&mut start)?;
    let [flags, short] = start;
    let mut length = u64::from(short);
    if flags & LONG != 0 {
        let mut rest = [0; 7];
        stream.read_exact(&mut rest)?;
        length = rest.iter().fold(length, |length, byte| length << 8 | u64::from(*byte));
    }
    if length > LONGEST {
        let read = std::io::copy(&mut stream.by_ref().take(length), &mut std::io::sink())?;
        return if read == length { Ok((flags, None)) } else { Err(ErrorKind::UnexpectedEof.into()) };
    }
    let mut body = vec![0; length as usize];
    stream.read_exact(&mut body)?;
    Ok((flags, Some(body)))
}

/// The value of a property, whose name is written in small letters here and in any there.
fn property<'a>(mut properties: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    loop {
        let (&length, rest) = properties.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(length))?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (value, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        properties = rest;
    }
}

fn wrong(why: &str) -> Error {
    Error::new(ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Cursor;

    #[test]
    fn frames_of_all_lengths_are_read() {
        for length in [0, 1, 255, 256, 70_000] {
            let mut bytes = Vec::new();
            let mut topic = vec![b'x'; length];
            topic.insert(0, 1);
            write(&mut bytes, &[topic.clone()], |_| {}).unwrap();
            write(&mut bytes, &[vec![0]], |_| {}).unwrap();
            let mut bytes = Cursor::new(bytes);
            let expected = (length < 65_536).then(|| Said::Subscribe(topic[1..].to_vec()));
            assert_eq!(read(&mut bytes).unwrap(), expected);
            assert_eq!(read(&mut bytes).unwrap(), Some(Said::Cancel(Vec::new())), "behind {length}");
            assert!(read(&mut bytes).is_err());
        }
    }

    #[test]
    fn commands_of_newer_peers_are_read() {
        let said = |body: &[u8]| read(&mut Cursor::new(command(body))).unwrap();
        assert_eq!(said(b"\x09SUBSCRIBEa"), Some(Said::Subscribe(b"a".to_vec())));
        assert_eq!(said(b"\x06CANCEL"), Some(Said::Cancel(Vec::new())));
        assert_eq!(said(b"\x04PING\0\x01abc"), Some(Said::Ping(b"abc".to_vec())));
        for nonsense in [&b""[..], b"\x04PING", b"\xffSUB", b"\x04PONGabc"] {
            assert_eq!(said(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn all_bytes_of_a_message_are_told() {
        let frames = [vec![1; 10], Vec::new(), vec![2; CHUNK * 2 + 1], vec![3; 300]];
        let (mut bytes, mut moved) = (Vec::new(), Vec::new());
        write(&mut bytes, &frames, |count| moved.push(count)).unwrap();
        assert_eq!(moved.iter().sum::<usize>(), frames.iter().map(Vec::len).sum::<usize>());
        assert_eq!(moved.len(), 4);
    }

    #[test]
    fn strangers_are_not_greeted() {
        struct Peer(Cursor<Vec<u8>>);
        impl Read for Peer {
            fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
                self.0.read(bytes)
            }
        }
        impl Write for Peer {
            fn write(&mut self, bytes: &[u8]) -> Result<usize> {
                Ok(bytes.len())
            }
            fn flush(&mut self) -> Result<()> {
                Ok(())
            }
        }
        let mut greeting = [&[0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1][..], b"NULL", &[0; 48]].concat();
        let ready = |kind: &[u8]| command(&[b"\x05READY\x0bSOCKET-TYPE\0\0\0", &[kind.len() as u8][..], kind].concat());
        let shake = |bytes: &[&[u8]]| shake_hands(&mut Peer(Cursor::new(bytes.concat())));
        shake(&[&greeting, &ready(b"SUB")]).unwrap();
        shake(&[&greeting, &ready(b"XSUB")]).unwrap();
        for odd in [&ready(b"PUB")[..], &ready(b""), &command(b"\x05READY"), &command(b"\x05ERROR"), b"\0\x01\x01", b""]
        {
            assert!(shake(&[&greeting, odd]).is_err(), "{odd:?}");
        }
        assert!(shake(&[b"GET / HTTP/1.1\r\n\r\n"]).is_err());
        greeting[10] = 2;
        assert!(shake(&[&greeting, &ready(b"SUB")]).is_err());
    }
}
