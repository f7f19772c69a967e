//! `cargo fuzz run sequence`: see `chasles_fuzz::readers::sequence`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::sequence(bytes));
