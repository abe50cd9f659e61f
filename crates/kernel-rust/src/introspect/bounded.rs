//! Bounds on the work for one cursor: a window of the cell's text, and a stack large enough for the deepest nesting in it.
//!
//! Rust's parser and its trees are recursive, and a stack overflow ends the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, scope};

/// Size of the window before and after the cursor.
const BYTES_BEFORE: usize = 32 << 10;
const BYTES_AFTER: usize = 4 << 10;

/// Stack for a window that nests at every byte. Only touched pages use memory.
const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a thread with a large stack. Its arguments are the window around the cursor, the cursor in the window, and the
/// offset of the window. `None` if `work` panics or no thread can be started.
pub(super) fn run<T: Send>(code: &str, cursor: usize, work: impl FnOnce(&str, usize, usize) -> T + Send) -> Option<T> {
    let mut from = cursor.saturating_sub(BYTES_BEFORE);
    let mut to = cursor.saturating_add(BYTES_AFTER).min(code.len());
    // Start at a line, where a string or a comment is less likely to be cut.
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
    let window = &code[from..to];
    scope(|scope| {
        let work = move || catch_unwind(AssertUnwindSafe(|| work(window, cursor - from, from))).ok();
        Builder::new()
            .name("introspect".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .ok()?
            .join()
            .ok()?
    })
}
