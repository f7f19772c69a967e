//! `cargo fuzz run packed`: see `chasles_fuzz::packed::packed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::packed::packed(bytes));
