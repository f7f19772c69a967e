//! `cargo fuzz run xacro`: see `chasles_fuzz::readers::xacro`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::xacro(bytes));
