//! `eprint!`, `eprintln!` and `dbg!` of cells: text for standard error, in order with everything else that a cell shows.
//!
//! Two pipes have no order between them, so this text is sent as envelopes. What other crates write to standard error comes
//! through the pipe.

use crate::channel::{in_kernel, send};
use std::fmt::{Arguments, Debug};
use std::io::Write;
use trace_view::envelope::Envelope;

/// Sends text for standard error.
#[doc(hidden)]
pub fn to_stderr(text: Arguments<'_>, end: &str) {
    let text = format!("{text}{end}");
    if in_kernel() {
        send(&Envelope::Stderr { text });
    } else {
        // Unlike std, no panic if the reader is gone.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Prints to standard error, in order with what the cell prints and shows.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => {
        $crate::stderr::to_stderr(::std::format_args!($($text)*), "")
    };
}

/// Prints to standard error, in order with what the cell prints and shows.
#[macro_export]
macro_rules! eprintln {
    () => {
        $crate::stderr::to_stderr(::std::format_args!(""), "\n")
    };
    ($($text:tt)*) => {
        $crate::stderr::to_stderr(::std::format_args!($($text)*), "\n")
    };
}

/// Prints an expression and its value to standard error, in order with what the cell prints and shows, and returns the value.
/// Unlike std it names no line: the compiled line is not the one that was typed.
#[macro_export]
macro_rules! dbg {
    () => {
        $crate::stderr::to_stderr(::std::format_args!("[cell]"), "\n")
    };
    ($value:expr $(,)?) => {
        // A `match`, so that temporaries of the expression live as long as the value.
        match $value {
            value => {
                $crate::stderr::debug(::std::stringify!($value), &&value);
                value
            }
        }
    };
    ($($value:expr),+ $(,)?) => {
        ($($crate::dbg!($value)),+,)
    };
}

/// Sends an expression and its value for standard error.
#[doc(hidden)]
pub fn debug(expression: &str, value: &dyn Debug) {
    to_stderr(format_args!("[cell] {expression} = {value:#?}"), "\n");
}
