//! Empty build script: with one, cargo unifies the features of build dependencies, too.

fn main() {}
