//! Nothing to do: with a build script, cargo counts the build dependencies.

fn main() {}
