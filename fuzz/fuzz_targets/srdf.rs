//! `cargo fuzz run srdf`: see `chasles_fuzz::readers::srdf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::srdf(bytes));
