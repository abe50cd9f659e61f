//! Positions of quotes, backslashes and brackets in a block of 64 bytes, as the bits of one word each.
//!
//! ```text
//! text      {"a": [1, "\"]"]}
//! quote     .x.x......x.x..x...
//! backslash ...........x.......
//! open      x.....x............
//! close     .............x..xx
//! ```
//!
//! Brackets between quotes have a bit, too: [`Carry::texts`] returns which bytes are between quotes.

/// Bytes in a block: one per bit of a word.
pub(crate) const BLOCK: usize = 64;

/// Positions in a block: bit n is byte n.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bits {
    pub quote: u64,
    pub(crate) backslash: u64,
    pub open: u64,
    pub close: u64,
}

impl Bits {
    /// Finds the positions in a block.
    #[inline]
    pub(super) fn of(block: &[u8; BLOCK]) -> Self {
        let mut bits = Self::default();
        for (at, part) in block.as_chunks::<16>().0.iter().enumerate() {
            let [quote, backslash, open, close] = sixteen::find(part);
            bits.quote |= u64::from(quote) << (16 * at);
            bits.backslash |= u64::from(backslash) << (16 * at);
            bits.open |= u64::from(open) << (16 * at);
            bits.close |= u64::from(close) << (16 * at);
        }
        bits
    }
}

#[cfg(target_arch = "x86_64")]
impl Bits {
    /// Finds the positions in a block, 32 bytes at once.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn of_wide(block: &[u8; BLOCK]) -> Self {
        use std::arch::x86_64::*;
        let mut bits = Self::default();
        for (at, part) in block.as_chunks::<32>().0.iter().enumerate() {
            let mut words = [0; 4];
            for (word, bytes) in words.iter_mut().zip(part.as_chunks::<8>().0) {
                *word = i64::from_le_bytes(*bytes);
            }
            let all = _mm256_set_epi64x(words[3], words[2], words[1], words[0]);
            // Brackets and braces differ in one bit, which no other byte shares with them.
            let brackets = _mm256_or_si256(all, _mm256_set1_epi8(0x20));
            let mask = |bytes: __m256i, byte: u8| {
                let found = _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8)));
                u64::from(found as u32) << (32 * at)
            };
            bits.quote |= mask(all, b'"');
            bits.backslash |= mask(all, b'\\');
            bits.open |= mask(brackets, b'{');
            bits.close |= mask(brackets, b'}');
        }
        bits
    }
}

/// Returns the positions of quotes and backslashes among sixteen bytes: bit n is byte n.
#[inline]
pub(crate) fn quotes_and_backslashes(bytes: &[u8; 16]) -> u16 {
    let [quotes, backslashes, ..] = sixteen::find(bytes);
    quotes | backslashes
}

/// State carried from a block to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Carry {
    /// The last byte escapes the next one.
    escapes: bool,
    /// The block ends between quotes.
    pub(crate) in_text: bool,
}

impl Carry {
    /// Returns the quotes that begin or end a text, and the bytes between them with the opening quote.
    #[inline]
    pub(super) fn texts(&mut self, bits: &Bits) -> (u64, u64) {
        let quotes = bits.quote & !self.escaped(bits.backslash);
        let within = prefix_xor(quotes) ^ if self.in_text { u64::MAX } else { 0 };
        self.in_text = within >> 63 == 1;
        (quotes, within)
    }

    /// Returns the bytes that a backslash escapes.
    #[inline]
    fn escaped(&mut self, backslash: u64) -> u64 {
        if backslash == 0 {
            return u64::from(std::mem::take(&mut self.escapes));
        }
        // Every second backslash of a run escapes: addition carries through runs that start at an even and at an odd bit.
        const EVEN: u64 = u64::MAX / 3;
        let first = u64::from(self.escapes);
        let escaping = backslash & !first;
        let follows = (escaping << 1) | first;
        let odd_starts = escaping & !EVEN & !follows;
        let (even_runs, over) = odd_starts.overflowing_add(escaping);
        self.escapes = over;
        (EVEN ^ (even_runs << 1)) & follows
    }
}

/// Returns the prefix XOR: bit n is set if an odd number of bits up to n is set.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for by in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << by;
    }
    bits
}

/// Comparison of sixteen bytes at once, with instructions that every x86-64 has.
#[cfg(target_arch = "x86_64")]
mod sixteen {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};

    /// Returns the positions of quotes, backslashes, opening and closing brackets.
    #[allow(unsafe_code)]
    #[inline]
    pub(super) fn find(bytes: &[u8; 16]) -> [u16; 4] {
        // SAFETY: the only requirement is SSE2, which every x86-64 has; arguments and results are plain values.
        unsafe { with_sse2(bytes) }
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn with_sse2(bytes: &[u8; 16]) -> [u16; 4] {
        let word = |half: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * half..8 * half + 8]);
            i64::from_le_bytes(word)
        };
        let all = _mm_set_epi64x(word(1), word(0));
        let is = |byte: u8| _mm_cmpeq_epi8(all, _mm_set1_epi8(byte as i8));
        let mask = |found: __m128i| _mm_movemask_epi8(found) as u16;
        let either = |one: u8, other: u8| mask(_mm_or_si128(is(one), is(other)));
        [mask(is(b'"')), mask(is(b'\\')), either(b'{', b'['), either(b'}', b']')]
    }
}

/// The same, byte by byte.
#[cfg(not(target_arch = "x86_64"))]
mod sixteen {
    pub(super) use super::one_by_one as find;
}

/// Returns the positions of quotes, backslashes, opening and closing brackets, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn one_by_one(bytes: &[u8; 16]) -> [u16; 4] {
    let mask = |is: fn(u8) -> bool| {
        let bits = bytes.iter().enumerate().map(|(at, &byte)| u16::from(is(byte)) << at);
        bits.fold(0, |all, bit| all | bit)
    };
    [
        mask(|byte| byte == b'"'),
        mask(|byte| byte == b'\\'),
        mask(|byte| matches!(byte, b'{' | b'[')),
        mask(|byte| matches!(byte, b'}' | b']')),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_testkit::Random;

    /// A block of the bytes that matter.
    fn bytes(seed: u64) -> [u8; BLOCK] {
        let mut random = Random::new(seed);
        std::array::from_fn(|_| *random.of(b"\"\\\\\\{}[] a\x00\xff\xa2\xdc\"\\"))
    }

    #[test]
    fn vector_instructions_equal_a_loop() {
        for seed in 0..2000 {
            let block = bytes(seed);
            for part in block.as_chunks::<16>().0 {
                assert_eq!(sixteen::find(part), one_by_one(part), "{part:?}");
            }
        }
    }

    #[test]
    fn texts_across_blocks_equal_a_loop() {
        for seed in 0..2000 {
            let mut carry = Carry::default();
            let (mut in_text, mut escaped) = (false, false);
            for block in (0..5).map(|block| bytes(seed * 5 + block)) {
                let (mut quotes, mut within) = (0, 0);
                for (at, &byte) in block.iter().enumerate() {
                    let here = 1u64 << at;
                    if byte == b'"' && !escaped {
                        in_text = !in_text;
                        quotes |= here;
                    }
                    escaped = byte == b'\\' && !escaped;
                    within |= if in_text { here } else { 0 };
                }
                assert_eq!(carry.texts(&Bits::of(&block)), (quotes, within), "seed {seed}");
                assert_eq!(carry.in_text, in_text, "seed {seed}");
            }
        }
    }
}
