//! `cargo fuzz run world`: see `chasles_fuzz::readers::world`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::world(bytes));
