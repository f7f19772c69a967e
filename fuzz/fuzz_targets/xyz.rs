//! `cargo fuzz run xyz`: see `chasles_fuzz::readers::xyz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::xyz(bytes));
