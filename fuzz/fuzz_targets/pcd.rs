//! `cargo fuzz run pcd`: see `chasles_fuzz::readers::pcd`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::pcd(bytes));
