//! Points of counters as few bytes: each is stored by its differences from the one before.

use super::memory_bandwidth::{Bandwidth, BandwidthPoint};
use super::queue_length::Queues;
use std::io::{BufRead, Error, ErrorKind, Read, Result, Write};

/// A point that is read again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point<'p> {
    /// Launches that wait in a stream.
    Queue {
        /// The stream.
        stream: i64,
        /// The moment, in ns.
        ts: i64,
        /// The process; 0 if it is not known.
        pid: i64,
        /// Number of launches.
        length: i64,
    },
    /// Bandwidth of a kind of copy.
    Bandwidth {
        /// The kind of copy.
        kind: &'p str,
        /// Its bandwidth.
        point: BandwidthPoint,
    },
}

/// Writes the points of queues and bandwidths; a process that is not known is 0.
///
/// # Errors
/// The error of `out`.
pub fn write_points(queues: &Queues, bandwidth: &Bandwidth, out: &mut dyn Write) -> Result<()> {
    signed(out, queues.streams.len() as i64)?;
    for (&stream, points) in &queues.streams {
        signed(out, stream)?;
        signed(out, points.len() as i64)?;
        let mut last = [0; 3];
        for point in points {
            let here = [point.ts, point.pid.unwrap_or(0), point.length];
            here.iter().zip(last).try_for_each(|(value, last)| signed(out, value.wrapping_sub(last)))?;
            last = here;
        }
    }
    signed(out, bandwidth.len() as i64)?;
    for (kind, points) in bandwidth {
        signed(out, kind.len() as i64)?;
        out.write_all(kind.as_bytes())?;
        signed(out, points.len() as i64)?;
        let mut last = [0; 2];
        for point in points {
            let here = [point.ts, point.pid.unwrap_or(0)];
            here.iter().zip(last).try_for_each(|(value, last)| signed(out, value.wrapping_sub(last)))?;
            out.write_all(&point.gbps.to_bits().to_le_bytes())?;
            last = here;
        }
    }
    Ok(())
}

/// Passes the points that [`write_points`] wrote to `each`, in the same order.
///
/// # Errors
/// The error of `each` or `from`; [`ErrorKind::InvalidData`] and [`ErrorKind::UnexpectedEof`] for other bytes.
pub fn read_points(from: &mut dyn BufRead, each: &mut dyn FnMut(Point<'_>) -> Result<()>) -> Result<()> {
    for _ in 0..number(from)? {
        let (stream, points) = (number(from)?, number(from)?);
        let [mut ts, mut pid, mut length] = [0_i64; 3];
        for _ in 0..points {
            for value in [&mut ts, &mut pid, &mut length] {
                *value = value.wrapping_add(number(from)?);
            }
            each(Point::Queue { stream, ts, pid, length })?;
        }
    }
    for _ in 0..number(from)? {
        let size = usize::try_from(number(from)?).map_err(Error::other)?;
        let mut kind = Vec::new();
        if Read::take(&mut *from, size as u64).read_to_end(&mut kind)? < size {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let kind = String::from_utf8(kind).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        let [mut ts, mut pid] = [0_i64; 2];
        for _ in 0..number(from)? {
            for value in [&mut ts, &mut pid] {
                *value = value.wrapping_add(number(from)?);
            }
            let mut bits = [0; 8];
            from.read_exact(&mut bits)?;
            let gbps = f64::from_bits(u64::from_le_bytes(bits));
            each(Point::Bandwidth { kind: &kind, point: BandwidthPoint { ts, pid: Some(pid), gbps } })?;
        }
    }
    Ok(())
}

/// Writes a number, seven bits a byte, the lowest first: small magnitudes take few bytes.
fn signed(out: &mut dyn Write, value: i64) -> Result<()> {
    let (mut bytes, mut length) = ([0; 10], 0);
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    loop {
        let more = if rest > 0x7f { 0x80 } else { 0 };
        bytes[length] = rest as u8 & 0x7f | more;
        length += 1;
        rest >>= 7;
        if rest == 0 {
            return out.write_all(&bytes[..length]);
        }
    }
}

fn number(from: &mut dyn BufRead) -> Result<i64> {
    let mut value = 0_u64;
    for position in 0..10 {
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        value |= u64::from(byte[0] & 0x7f) << (7 * position);
        if byte[0] & 0x80 == 0 {
            return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
        }
    }
    Err(ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::counter::QueuePoint;

    #[test]
    fn points_are_those_that_were_written() {
        let point = |ts, pid, length| QueuePoint { index: 0, ts, pid, tid: None, length };
        let queues = Queues {
            streams: [
                (-7, vec![point(i64::MIN, Some(3), 1), point(i64::MAX, None, 0), point(5, Some(-1), i64::MAX)]),
                (20, vec![]),
            ]
            .into(),
            unpaired: 0,
        };
        let copy = |ts, pid, gbps| BandwidthPoint { ts, pid, gbps };
        let bandwidth: Bandwidth =
            [("é".to_owned(), vec![copy(1_000, Some(8), 2.5), copy(3_000, None, -0.0)]), (String::new(), vec![])]
                .into();
        let mut bytes = Vec::new();
        write_points(&queues, &bandwidth, &mut bytes).unwrap();
        let read = |bytes: &[u8]| {
            let mut found = Vec::new();
            let result = read_points(&mut &*bytes, &mut |point| {
                found.push(format!("{point:?}"));
                Ok(())
            });
            result.map(|()| found)
        };
        let queue = |(ts, pid, length)| format!("{:?}", Point::Queue { stream: -7, ts, pid, length });
        let rate = |ts, pid, gbps| format!("{:?}", Point::Bandwidth { kind: "é", point: copy(ts, Some(pid), gbps) });
        let mut expected: Vec<String> = [(i64::MIN, 3, 1), (i64::MAX, 0, 0), (5, -1, i64::MAX)].map(queue).into();
        expected.extend([rate(1_000, 8, 2.5), rate(3_000, 0, -0.0)]);
        assert_eq!(read(&bytes).unwrap(), expected);
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length}");
        }
        assert!(read(&[0xff; 20]).is_err());
    }
}
