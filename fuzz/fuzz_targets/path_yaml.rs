//! `cargo fuzz run path_yaml`: see `chasles_fuzz::readers::path_yaml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::path_yaml(bytes));
