//! What takes no output and gives no input: a magic asks the Rust side through it.

use crate::Failure;
use crate::display::{Output, Sink};

/// For code that a magic runs: it shows nothing and asks nothing.
pub(super) struct Silent;

impl Sink for Silent {
    fn emit(&self, _: Output) {}

    fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
        Err(Failure::new("InputError", "a magic's argument cannot ask for input"))
    }

    fn interrupted(&self) -> bool {
        false
    }
}
