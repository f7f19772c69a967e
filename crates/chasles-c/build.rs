//! The name that programs ask for when they start: it ends with the number of the interface, so that a library with
//! another interface is not taken for this one.

fn main() {
    println!("cargo::rerun-if-changed=src/status.rs");
    let number = "pub const CHASLES_INTERFACE_VERSION: u32 = ";
    let status = std::fs::read_to_string("src/status.rs").expect("src/status.rs");
    let number = status.lines().find_map(|line| line.strip_prefix(number)?.strip_suffix(';'));
    let number = number.expect("the number of the interface in src/status.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libchasles_c.{number}.dylib");
        }
        Ok("linux" | "freebsd" | "netbsd" | "openbsd") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libchasles_c.so.{number}");
        }
        _ => {}
    }
}
