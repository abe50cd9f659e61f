//! What a magic may touch: the session, the Rust side, the outputs, files that the user named.

mod files;
mod picture;
mod progress;
mod stage;

pub(super) use files::write;
pub(super) use picture::{write_page, write_picture};
pub(super) use progress::Progress;
pub use stage::Scene;
