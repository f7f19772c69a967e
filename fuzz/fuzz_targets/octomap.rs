//! `cargo fuzz run octomap`: see `chasles_fuzz::readers::octomap`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::octomap(bytes));
