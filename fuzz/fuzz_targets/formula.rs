//! `cargo fuzz run formula`: see `chasles_fuzz::formula::text`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::formula::text(bytes));
