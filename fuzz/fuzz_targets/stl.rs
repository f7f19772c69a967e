//! `cargo fuzz run stl`: see `chasles_fuzz::readers::stl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::stl(bytes));
