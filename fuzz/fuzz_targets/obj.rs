//! `cargo fuzz run obj`: see `chasles_fuzz::readers::obj`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::obj(bytes));
