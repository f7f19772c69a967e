//! Records the compiler, which is part of every result.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version =
        version.map_or_else(|_| "rustc, unknown".into(), |o| String::from_utf8_lossy(&o.stdout).into_owned());
    println!("cargo:rustc-env=BENCH_RUSTC={}", version.trim());
    println!("cargo:rerun-if-env-changed=RUSTC");
}
