//! `cargo fuzz run path_csv`: see `chasles_fuzz::readers::path_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::path_csv(bytes));
