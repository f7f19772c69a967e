//! `cargo fuzz run urdf`: see `chasles_fuzz::readers::urdf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::urdf(bytes));
