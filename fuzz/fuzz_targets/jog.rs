//! `cargo fuzz run jog`: see `chasles_fuzz::jog::lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::jog::lines(bytes));
