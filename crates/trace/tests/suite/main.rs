//! The library as its users call it. One binary, since each links polars; tests of a process's memory have their own.

mod demo;
mod examples;
mod execution;
mod flame;
mod found_steps;
mod headlines;
mod large;
mod many_lanes;
mod mutations;
mod parity;
mod stored_ranks;
mod timeline;
mod timeline_borrowed;
mod timeline_sides;
mod unusual_input;
mod unusual_tracks;
