//! The process in which Rust cells run.

fn main() {
    std::process::exit(cells::worker::main());
}
