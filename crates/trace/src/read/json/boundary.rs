//! Behind a broken event: where the next one may begin.

use super::scan::is_blank;

/// Where the next event may begin.
pub(in crate::read) enum Next {
    /// Its brace.
    At(usize),
    /// No event before this place; one may begin here, after more text.
    Perhaps(usize),
}

/// The first place that looks like the seam between two events: `}`, `,`, `{` and a key that events have.
pub(in crate::read) fn next_event(bytes: &[u8]) -> Next {
    const KEYS: [&[u8]; 9] = [b"ph", b"cat", b"name", b"pid", b"tid", b"ts", b"dur", b"args", b"id"];
    let blanks = |from: usize| bytes[from..].iter().take_while(|byte| is_blank(**byte)).count();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'}') {
        let close = at + found;
        at = close + 1;
        let comma = at + blanks(at);
        let Some(&byte) = bytes.get(comma) else { return Next::Perhaps(close) };
        if byte != b',' {
            continue;
        }
        let open = comma + 1 + blanks(comma + 1);
        let Some(&byte) = bytes.get(open) else { return Next::Perhaps(close) };
        if byte != b'{' {
            continue;
        }
        let quote = open + 1 + blanks(open + 1);
        let Some(key) = bytes.get(quote..quote + 6) else { return Next::Perhaps(close) };
        let is_key = |name: &&[u8]| key[1..].strip_prefix(*name).is_some_and(|rest| rest.first() == Some(&b'"'));
        if key[0] == b'"' && KEYS.iter().any(is_key) {
            return Next::At(open);
        }
    }
    Next::Perhaps(bytes.len())
}
