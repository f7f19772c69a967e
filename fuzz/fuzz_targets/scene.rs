//! `cargo fuzz run scene`: see `chasles_fuzz::readers::scene`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::scene(bytes));
