//! `cargo fuzz run recording`: see `chasles_fuzz::recording::recording`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::recording::recording(bytes));
