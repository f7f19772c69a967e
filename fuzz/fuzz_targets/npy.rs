//! `cargo fuzz run npy`: see `chasles_fuzz::readers::npy`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::npy(bytes));
