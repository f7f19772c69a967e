//! `cargo fuzz run dae`: see `chasles_fuzz::readers::dae`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::dae(bytes));
