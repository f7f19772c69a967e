//! `cargo fuzz run bodies`: see `chasles_fuzz::engine::scene_of_a_few`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::engine::scene_of_a_few(bytes));
