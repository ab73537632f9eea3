//! Compiles tree-sitter's sources, as its crate has them, together with our own steps.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=src/c");
    let headers = PathBuf::from(
        env::var_os("DEP_TREE_SITTER_INCLUDE").expect("the crate tree-sitter says where its headers are"),
    );
    let sources = headers.with_file_name("src");
    cc::Build::new()
        .std("c11")
        .file("src/c/syntax.c")
        .include("src/c")
        .include(sources)
        .include(headers)
        .define("_POSIX_C_SOURCE", "200809L")
        .define("_DEFAULT_SOURCE", None)
        .define("_BSD_SOURCE", None)
        .define("_DARWIN_C_SOURCE", None)
        .flag_if_supported("-fvisibility=hidden")
        .warnings(false)
        .compile("bytemill-syntax");
}
