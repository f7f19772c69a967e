//! `cargo fuzz run cache`: see `chasles_fuzz::readers::cache`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::cache(bytes));
