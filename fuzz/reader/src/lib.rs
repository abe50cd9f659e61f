//! The reader of `crates/trace-read` on any bytes.

/// Asserts that the reader agrees with itself for buffers of several sizes, one of them chosen by the input, and with
/// serde_json.
///
/// # Panics
/// If they do not agree.
#[cfg(fuzzing)]
pub fn agrees(bytes: &[u8]) {
    // FNV-1a: its bits choose a size from 1 to 65,536, small ones as often as large ones.
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let size = 1 + ((hash >> 8) & 0xffff) as usize >> (hash & 15);
    trace_read::read::tests::oracle::agrees(bytes, [1, 2, 3, 7, 64, 1000, size.max(1)]);
}
