//! Any arguments of a magic: split into words without loss.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| cell::oracle::line(text));
