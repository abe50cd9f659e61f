//! The magics: one file each, one row each in [`MAGICS`].
