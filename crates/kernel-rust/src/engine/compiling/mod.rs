//! The compilation of a cell to a library, or to errors in terms of the user's text.

pub(super) mod crate_clash;
pub(super) mod dependencies;
pub(super) mod diagnostic;
pub(super) mod direct;
pub(super) mod failure;
pub(super) mod hints;
pub(super) mod linker;
pub(super) mod moved;
pub(super) mod prestarted;
pub(super) mod process_group;
pub(super) mod rustc;
pub(super) mod startup_cache;
pub(super) mod syntax;
pub(super) mod toolchain;
pub(super) mod wrapper;

pub use toolchain::{
    CELLS_VARIABLE, CellsToolchain, RELEASES, ToolchainError, compiler_version, default_folder, installed_folder,
    remedy,
};
