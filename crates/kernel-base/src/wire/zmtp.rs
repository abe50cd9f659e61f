//! The publisher's side of ZMTP 3.0, the protocol between ZeroMQ sockets (RFC 23 of ZeroMQ, mechanism NULL).
//!
//! libzmq's own publisher does not know how many bytes wait for each of its subscribers, so one that does not read would cost others
//! their messages.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// The flag: another frame of the same message follows.
const MORE: u8 = 1;
/// The flag: the length takes eight bytes.
const LONG: u8 = 2;
/// The flag: the frame is a command.
const COMMAND: u8 = 4;

/// The length in bytes above which frames of a subscriber are skipped: topics and pings are short.
pub(super) const MAX_FRAME: u64 = 64 << 10;

/// The bytes written at once; the granularity in which the progress of a slow subscriber is seen.
const WRITE_SIZE: usize = 256 << 10;

/// A command of a subscriber.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Subscribe to messages whose first frame starts with this topic.
    Subscribe(Vec<u8>),
    /// End the subscription of this topic.
    Cancel(Vec<u8>),
    /// Reply with this context.
    Ping(Vec<u8>),
}

/// Shakes hands with a client, which must be a subscriber.
///
/// # Errors
/// If it speaks another protocol, or the connection ends.
pub(super) fn handshake(stream: &mut (impl Read + Write)) -> Result<()> {
    let mut greeting = [0; 64];
    greeting[..12].copy_from_slice(&[0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);
    greeting[12..16].copy_from_slice(b"NULL");
    stream.write_all(&greeting)?;
    let mut theirs = [0; 64];
    stream.read_exact(&mut theirs[..11])?;
    if theirs[0] != 0xff || theirs[9] & 1 == 0 || theirs[10] < 3 {
        return Err(invalid("not a peer of ZMTP 3"));
    }
    stream.read_exact(&mut theirs[11..])?;
    if &theirs[12..32] != b"NULL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" {
        return Err(invalid("not the mechanism NULL"));
    }
    let mut ready = b"\x05READY".to_vec();
    ready.extend(b"\x0bSocket-Type\0\0\0\x04XPUB");
    stream.write_all(&command(&ready))?;
    let (flags, body) = read_frame(stream)?;
    let properties = body.filter(|_| flags & COMMAND != 0).unwrap_or_default();
    let properties = properties.strip_prefix(b"\x05READY").ok_or_else(|| invalid("not ready"))?;
    match property(properties, b"socket-type") {
        Some(b"SUB" | b"XSUB") => Ok(()),
        _ => Err(invalid("not a subscriber")),
    }
}

/// Reads the next message of a subscriber; returns `None` if it is not a command for a publisher.
///
/// # Errors
/// If the connection ends.
pub(super) fn read(stream: &mut impl Read) -> Result<Option<Command>> {
    let (mut flags, body) = read_frame(stream)?;
    let command = body.and_then(|body| parse_command(flags, &body));
    while flags & MORE != 0 {
        flags = read_frame(stream)?.0;
    }
    Ok(command)
}

fn parse_command(flags: u8, body: &[u8]) -> Option<Command> {
    if flags & COMMAND == 0 {
        return match body.split_first()? {
            (1, topic) => Some(Command::Subscribe(topic.to_vec())),
            (0, topic) => Some(Command::Cancel(topic.to_vec())),
            _ => None,
        };
    }
    let (&length, rest) = body.split_first()?;
    let (name, data) = rest.split_at_checked(usize::from(length))?;
    match name {
        b"SUBSCRIBE" => Some(Command::Subscribe(data.to_vec())),
        b"CANCEL" => Some(Command::Cancel(data.to_vec())),
        // Two bytes of timeout come first.
        b"PING" => Some(Command::Ping(data.get(2..)?.to_vec())),
        _ => None,
    }
}

/// Returns the reply to a ping.
pub(super) fn pong(context: &[u8]) -> Vec<u8> {
    command(&[b"\x04PONG", context].concat())
}

/// Writes a message; calls `written` with the number of bytes of its frames, as they are written.
///
/// # Errors
/// If the connection ends.
pub(super) fn write(stream: &mut impl Write, frames: &[Vec<u8>], mut written: impl FnMut(usize)) -> Result<()> {
    let mut small = Vec::new();
    let mut counted = 0;
    for (index, frame) in frames.iter().enumerate() {
        let more = if index + 1 < frames.len() { MORE } else { 0 };
        small.extend(head(more, frame.len()));
        if frame.len() < WRITE_SIZE {
            small.extend_from_slice(frame);
            counted += frame.len();
            continue;
        }
        stream.write_all(&small)?;
        small.clear();
        for bytes in frame.chunks(WRITE_SIZE) {
            stream.write_all(bytes)?;
            written(std::mem::take(&mut counted) + bytes.len());
        }
    }
    stream.write_all(&small)?;
    written(counted);
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

/// Reads a frame: its flags and its body, `None` if that is too long.
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
    if length > MAX_FRAME {
        let read = std::io::copy(&mut stream.by_ref().take(length), &mut std::io::sink())?;
        return if read == length { Ok((flags, None)) } else { Err(ErrorKind::UnexpectedEof.into()) };
    }
    let mut body = vec![0; length as usize];
    stream.read_exact(&mut body)?;
    Ok((flags, Some(body)))
}

/// Returns the value of a property; `wanted` is its name in any case.
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

fn invalid(why: &str) -> Error {
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
            let expected = (length < 65_536).then(|| Command::Subscribe(topic[1..].to_vec()));
            assert_eq!(read(&mut bytes).unwrap(), expected);
            assert_eq!(read(&mut bytes).unwrap(), Some(Command::Cancel(Vec::new())), "behind {length}");
            assert!(read(&mut bytes).is_err());
        }
    }

    #[test]
    fn commands_of_newer_peers_are_read() {
        let parsed = |body: &[u8]| read(&mut Cursor::new(command(body))).unwrap();
        assert_eq!(parsed(b"\x09SUBSCRIBEa"), Some(Command::Subscribe(b"a".to_vec())));
        assert_eq!(parsed(b"\x06CANCEL"), Some(Command::Cancel(Vec::new())));
        assert_eq!(parsed(b"\x04PING\0\x01abc"), Some(Command::Ping(b"abc".to_vec())));
        for nonsense in [&b""[..], b"\x04PING", b"\xffSUB", b"\x04PONGabc"] {
            assert_eq!(parsed(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn all_written_bytes_are_reported() {
        let frames = [vec![1; 10], Vec::new(), vec![2; WRITE_SIZE * 2 + 1], vec![3; 300]];
        let (mut bytes, mut written) = (Vec::new(), Vec::new());
        write(&mut bytes, &frames, |count| written.push(count)).unwrap();
        assert_eq!(written.iter().sum::<usize>(), frames.iter().map(Vec::len).sum::<usize>());
        assert_eq!(written.len(), 4);
    }

    #[test]
    fn only_subscribers_pass_the_handshake() {
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
        let shake_hands = |bytes: &[&[u8]]| handshake(&mut Peer(Cursor::new(bytes.concat())));
        shake_hands(&[&greeting, &ready(b"SUB")]).unwrap();
        shake_hands(&[&greeting, &ready(b"XSUB")]).unwrap();
        for invalid in
            [&ready(b"PUB")[..], &ready(b""), &command(b"\x05READY"), &command(b"\x05ERROR"), b"\0\x01\x01", b""]
        {
            assert!(shake_hands(&[&greeting, invalid]).is_err(), "{invalid:?}");
        }
        assert!(shake_hands(&[b"GET / HTTP/1.1\r\n\r\n"]).is_err());
        greeting[10] = 2;
        assert!(shake_hands(&[&greeting, &ready(b"SUB")]).is_err());
    }
}
