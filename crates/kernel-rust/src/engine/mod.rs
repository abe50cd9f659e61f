//! Rust cells: evcxr behind one trait. `docs/engine.md` draws how the pieces meet.
//!
//! From the lowest room to the highest: `values` → `patching` → `compiling` → `running`.

mod compiling;
mod interface;
mod patching;
mod running;
mod values;

pub use compiling::{
    CELLS_VARIABLE, CellsToolchain, RELEASES, ToolchainError, compiler_version, default_folder, installed_folder,
    remedy,
};
pub use interface::{Engine, Stop};
pub use running::{RunFolder, enter, runtime_hook, start};
