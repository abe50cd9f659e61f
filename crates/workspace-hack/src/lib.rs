//! Empty crate: its manifest unifies the features of shared dependencies.
