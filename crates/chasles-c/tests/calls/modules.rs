//! Modules use only those above them in `lib.rs`.

use std::path::Path;

#[test]
fn modules_use_only_those_above_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    chasles_testing::modules::assert_only_those_above_are_used(&src, "lib.rs");
    chasles_testing::modules::assert_type_names_are_unique(&src, "lib.rs");
}
