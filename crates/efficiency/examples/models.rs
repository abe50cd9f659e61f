//! Rows of the page of models and of peaks, as `docs/efficiency-models.md` has them: `cargo run --release -p efficiency --example models`.
#![allow(clippy::print_stdout)]

fn main() {
    for model in efficiency::MODELS {
        println!("{}", model.row());
    }
}
