//! `cargo fuzz run clearances`: see `chasles_fuzz::readers::clearances`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::clearances(bytes));
