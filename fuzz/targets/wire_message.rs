//! Any frames that arrive, one a line: taken only if signed and whole.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wire::agrees(bytes));
