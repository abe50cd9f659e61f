//! Kernel names without namespaces of arguments and template parameters, as HTA shortens them.

/// The short form of an operator or kernel name.
pub fn shorten_name(name: &str) -> String {
    name.to_owned()
}
