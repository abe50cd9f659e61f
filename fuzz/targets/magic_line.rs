//! Any line behind a magic: words that hold what was typed.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| cell::oracle::line(text));
