//! `cargo fuzz run screened`: see `chasles_fuzz::engine::screened_report`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::engine::screened_report(bytes));
