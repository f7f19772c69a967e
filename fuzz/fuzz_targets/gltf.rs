//! `cargo fuzz run gltf`: see `chasles_fuzz::readers::gltf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::readers::gltf(bytes));
