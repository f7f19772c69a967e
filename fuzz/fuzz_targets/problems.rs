//! `cargo fuzz run problems`: see `chasles_fuzz::readers::problems`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::problems(bytes));
