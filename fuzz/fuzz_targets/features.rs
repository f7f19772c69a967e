//! `cargo fuzz run features`: see `chasles_fuzz::features::vertex_face_and_edge_edge`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chasles_fuzz::features::vertex_face_and_edge_edge(bytes));
