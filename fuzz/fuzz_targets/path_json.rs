//! `cargo fuzz run path_json`: see `chasles_fuzz::readers::path_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::path_json(bytes));
