//! Passes the compiler's version on: a program cannot ask for it.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").expect("cargo sets it");
    let printed = Command::new(rustc).arg("--version").output().expect("cargo has run it");
    let text = String::from_utf8_lossy(&printed.stdout);
    println!("cargo:rustc-env=WORKER_RUSTC={}", text.split(' ').nth(1).unwrap_or("unknown"));
    println!("cargo:rerun-if-changed=build.rs");
}
