//! Lower bounds of a load: decompression only, search for quotes and brackets only.

#[allow(dead_code)]
#[path = "../../../trace-read/src/read/json/bits.rs"]
mod bits;

use bits::{BLOCK, Bits, Carry};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result};

/// Opens a file and decompresses it.
pub(crate) fn text(path: &str) -> Result<Box<dyn Read>> {
    let mut reader = BufReader::with_capacity(128 * 1024, File::open(path)?);
    let is_gzip = reader.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) })
}

/// Its bytes, each read once into the same memory.
pub(crate) fn decompress(path: &str) -> Result<u64> {
    let mut bytes = 0;
    blocks(path, |block| bytes += block.len() as u64)?;
    Ok(bytes)
}

/// Its bytes, and its quotes and brackets outside of texts.
pub(crate) fn scan(path: &str) -> Result<(u64, u64)> {
    let (mut bytes, mut found) = (0, 0);
    let mut carry = Carry::default();
    blocks(path, |block| {
        bytes += block.len() as u64;
        let (whole, rest) = block.as_chunks::<BLOCK>();
        let mut last = [b' '; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        for block in whole.iter().chain((!rest.is_empty()).then_some(&last)) {
            let bits = Bits::of(block);
            let (quotes, within) = carry.texts(&bits);
            found += u64::from((quotes | ((bits.open | bits.close) & !within)).count_ones());
        }
    })?;
    Ok((bytes, found))
}

/// Passes the text on in blocks of 256 KiB; only the last one may be shorter.
fn blocks(path: &str, mut each: impl FnMut(&[u8])) -> Result<()> {
    let mut reader = text(path)?;
    let mut block = vec![0; 256 * 1024];
    loop {
        let mut filled = 0;
        while filled < block.len() {
            match reader.read(&mut block[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        each(&block[..filled]);
        if filled < block.len() {
            return Ok(());
        }
    }
}
