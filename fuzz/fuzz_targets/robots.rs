//! `cargo fuzz run robots`: see `chasles_fuzz::readers::robots`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::robots(bytes));
