//! Ends of lists and objects. Brackets are counted, not matched, so that the events around them stay readable.

use super::bits::{BLOCK, Bits, Carry};
use super::quotes::string_end;

/// Returns the length of the list or object at the start. `None`: the text ends first.
#[inline]
pub(super) fn length(text: &[u8]) -> Option<usize> {
    in_wide_blocks(text).unwrap_or_else(|| in_blocks(text, Bits::of)).or_else(|| by_byte(text))
}

/// Returns the length of the list or object at the start, if it ends within whole blocks without a stray backslash.
#[inline(always)]
fn in_blocks(text: &[u8], find: impl Fn(&[u8; BLOCK]) -> Bits) -> Option<usize> {
    let (mut depth, mut carry) = (0usize, Carry::default());
    for (at, block) in text.as_chunks::<BLOCK>().0.iter().enumerate() {
        let bits = find(block);
        let (_, in_text) = carry.texts(&bits);
        if bits.backslash & !in_text != 0 {
            // Outside of texts a backslash is invalid, and escapes nothing.
            return None;
        }
        let mut brackets = (bits.open | bits.close) & !in_text;
        while brackets != 0 {
            if bits.open & brackets & brackets.wrapping_neg() != 0 {
                depth += 1;
            } else {
                depth -= 1;
                if depth == 0 {
                    return Some(at * BLOCK + brackets.trailing_zeros() as usize + 1);
                }
            }
            brackets &= brackets - 1;
        }
    }
    None
}

/// The same with instructions that most machines have; `None` on others.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
fn in_wide_blocks(text: &[u8]) -> Option<Option<usize>> {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
    fn with_avx2(text: &[u8]) -> Option<usize> {
        in_blocks(text, |block| Bits::of_wide(block))
    }
    let has = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt");
    // SAFETY: the machine has all instructions that the function is compiled to; arguments and results are those of safe code.
    has.then(|| unsafe { with_avx2(text) })
}

/// The same with wide vectors; `None` on machines without them.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn in_wide_blocks(_: &[u8]) -> Option<Option<usize>> {
    None
}

/// Returns the length of the list or object at the start, byte by byte. `None`: the text ends first.
#[cold]
fn by_byte(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => at = string_end(text, at + 1)?.0,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_at_the_same_byte_with_and_without_blocks() {
        const PIECES: &[&str] = &[
            "[",
            "]",
            "{",
            "}",
            r#""a\"b""#,
            r#""\\""#,
            "\"",
            "\\",
            ",",
            " 1.5",
            r#""long enough for a block of its own, and more""#,
        ];
        let mut random = trace_testkit::Random::new(6);
        let mut ended = 0;
        for _ in 0..20_000 {
            let mut text = String::from("[");
            for _ in 0..random.below(40) {
                let piece: &&str = random.of(PIECES);
                text.push_str(piece);
            }
            text.push_str(&" ".repeat(BLOCK));
            let by_byte = by_byte(text.as_bytes());
            if let Some(wide) = in_wide_blocks(text.as_bytes()) {
                assert_eq!(wide, in_blocks(text.as_bytes(), Bits::of), "{text}");
            }
            if let Some(length) = in_blocks(text.as_bytes(), Bits::of) {
                assert_eq!(Some(length), by_byte, "{text}");
                ended += 1;
            }
        }
        assert!(ended > 1000, "{ended}");
    }
}
