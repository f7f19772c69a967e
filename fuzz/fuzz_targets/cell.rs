//! `cargo fuzz run cell`: see `chasles_fuzz::engine::robot_cell`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::engine::robot_cell(bytes));
