//! Apparent starts of events: where a chunk may begin, and where parsing resumes after an invalid event.

use super::bytes::is_blank;

/// Result of the search for an event.
pub(in crate::read) enum NextEvent {
    /// The index of its opening brace.
    At(usize),
    /// None before this index; more text may complete one there.
    NotBefore(usize),
}

/// Upper bound on the white space at one place between two events. Without one, the search would begin again at the same brace
/// as long as white space follows, and would keep all of it in memory.
const MAX_BLANKS: usize = 4096;

/// Finds the first `}`, `,`, `{` and key of an event, with any white space between them.
pub(in crate::read) fn next_event(bytes: &[u8]) -> NextEvent {
    const KEYS: [&[u8]; 9] = [b"ph", b"cat", b"name", b"pid", b"tid", b"ts", b"dur", b"args", b"id"];
    let blanks = |from: usize| bytes[from..].iter().take(MAX_BLANKS).take_while(|byte| is_blank(**byte)).count();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'}') {
        let close = at + found;
        at = close + 1;
        let comma = at + blanks(at);
        let Some(&byte) = bytes.get(comma) else { return NextEvent::NotBefore(close) };
        if byte != b',' {
            continue;
        }
        let open = comma + 1 + blanks(comma + 1);
        let Some(&byte) = bytes.get(open) else { return NextEvent::NotBefore(close) };
        if byte != b'{' {
            continue;
        }
        let quote = open + 1 + blanks(open + 1);
        let Some(key) = bytes.get(quote..quote + 6) else { return NextEvent::NotBefore(close) };
        let is_key = |name: &&[u8]| key[1..].strip_prefix(*name).is_some_and(|rest| rest.first() == Some(&b'"'));
        if key[0] == b'"' && KEYS.iter().any(is_key) {
            return NextEvent::At(open);
        }
    }
    NextEvent::NotBefore(bytes.len())
}
