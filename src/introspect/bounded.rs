//! Text that anybody may have pasted: a bound on how much is read, and room for how deep it nests.
//!
//! The parser of Rust and its trees are recursive, and a stack that overflows ends the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, scope};

/// How much of a cell is read before the cursor, and behind it, in bytes.
const BEFORE: usize = 32 << 10;
const BEHIND: usize = 4 << 10;

/// Room for one that nests in every byte. Only what is used of it becomes memory.
const STACK: usize = 256 << 20;

/// Does `work` with the part of `code` around the cursor, the cursor in it, and how many bytes were left out before
/// it. `None` if it could not be done.
pub(super) fn reach<T: Send>(
    code: &str,
    cursor: usize,
    work: impl FnOnce(&str, usize, usize) -> T + Send,
) -> Option<T> {
    let mut from = cursor.saturating_sub(BEFORE);
    let mut to = cursor.saturating_add(BEHIND).min(code.len());
    // At the start of a line, so that no text or comment is cut where that can be helped.
    if from > 0 {
        from =
            code.as_bytes()[from..cursor].iter().position(|&byte| byte == b'\n').map_or(from, |line| from + line + 1);
    }
    while !code.is_char_boundary(from) {
        from += 1;
    }
    while !code.is_char_boundary(to) {
        to -= 1;
    }
    let part = &code[from..to];
    scope(|scope| {
        let work = move || catch_unwind(AssertUnwindSafe(|| work(part, cursor - from, from))).ok();
        Builder::new().name("api".to_owned()).stack_size(STACK).spawn_scoped(scope, work).ok()?.join().ok()?
    })
}
