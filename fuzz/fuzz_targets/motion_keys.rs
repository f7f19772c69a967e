//! `cargo fuzz run motion_keys`: see `chasles_fuzz::readers::motion_keys`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::motion_keys(bytes));
