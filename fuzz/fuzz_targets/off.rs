//! `cargo fuzz run off`: see `chasles_fuzz::readers::off`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::off(bytes));
