//! `cargo fuzz run first_contact`: see `chasles_fuzz::engine::first_contact_of_two`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::engine::first_contact_of_two(bytes));
