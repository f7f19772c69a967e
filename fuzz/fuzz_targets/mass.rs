//! `cargo fuzz run mass`: see `chasles_fuzz::mass::mass`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::mass::mass(bytes));
