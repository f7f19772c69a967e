//! `cargo fuzz run ply`: see `chasles_fuzz::readers::ply`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::ply(bytes));
