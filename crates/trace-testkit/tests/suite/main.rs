//! What the generators of traces promise.

mod demo;
mod large;
