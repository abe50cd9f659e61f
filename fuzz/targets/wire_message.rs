//! Any frames, one per line: accepted only if signed and complete.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wire::agrees(bytes));
