//! Any cell: cut into Rust and magics without a gap.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| cell::oracle::cell(text));
