//! Any cell: split into segments of Rust and magics without gaps.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| cell::oracle::cell(text));
