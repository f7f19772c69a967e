//! `cargo fuzz run impulse`: see `chasles_fuzz::readers::impulse`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::impulse(bytes));
