//! The `tracebook` binary.
fn main() { evcxr::runtime_hook(); }
