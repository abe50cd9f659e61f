//! Handover between the kernel's data and a cell's variables, through files.

use polars::prelude::{DataFrame, IntoLazy, LazyFrame};
use std::path::{Path, PathBuf};
use trace::{OpsDiff, TraceSet};

/// Opens a trace that the kernel loaded, by the path of its folder; its columns are mapped when they are used.
///
/// # Errors
/// If a file is gone or damaged.
pub fn trace(path: &str) -> trace::Result<TraceSet> {
    trace::write::arrow::map(Path::new(path))
}

/// Maps a data frame that a magic bound.
///
/// # Errors
/// If the file is gone or damaged.
pub fn frame(path: &str) -> trace::Result<DataFrame> {
    trace::write::arrow::map_frame(Path::new(path))
}

/// Reads the answer of `%ops_diff` that a magic bound.
///
/// # Errors
/// If the file is gone or damaged.
pub fn ops_diff(path: &str) -> std::io::Result<OpsDiff> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

/// A value that a magic takes as a data frame: `%visualize df`.
pub trait ToFrame {
    /// Returns the frame.
    ///
    /// # Errors
    /// If a lazy frame cannot be computed.
    fn to_frame(&self) -> polars::prelude::PolarsResult<DataFrame>;
}

impl ToFrame for DataFrame {
    fn to_frame(&self) -> polars::prelude::PolarsResult<DataFrame> {
        Ok(self.clone())
    }
}

impl ToFrame for LazyFrame {
    fn to_frame(&self) -> polars::prelude::PolarsResult<DataFrame> {
        self.clone().lazy().collect()
    }
}

impl<T: ToFrame> ToFrame for &T {
    fn to_frame(&self) -> polars::prelude::PolarsResult<DataFrame> {
        (*self).to_frame()
    }
}

/// Writes a frame for the kernel to read.
///
/// # Errors
/// If it cannot be computed or written.
pub fn export_frame<T: ToFrame>(value: &T, path: &str) -> Result<(), String> {
    let frame = value.to_frame().map_err(|error| error.to_string())?;
    trace::write::arrow::save_frame(&frame, Path::new(path)).map_err(|error| error.to_string())
}

/// A value that may be written as `{expr}` in the arguments of a magic.
pub trait ToArgument {
    /// Returns the text of the argument.
    fn to_argument(&self) -> String;
}

macro_rules! arguments {
    ($($type:ty),*) => {$(
        impl ToArgument for $type {
            fn to_argument(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

arguments!(String, str, char, bool, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);

impl ToArgument for PathBuf {
    fn to_argument(&self) -> String {
        self.display().to_string()
    }
}

impl<T: ToArgument + ?Sized> ToArgument for &T {
    fn to_argument(&self) -> String {
        (*self).to_argument()
    }
}

impl<T: ToArgument> ToArgument for Vec<T> {
    fn to_argument(&self) -> String {
        self.as_slice().to_argument()
    }
}

impl<T: ToArgument> ToArgument for [T] {
    fn to_argument(&self) -> String {
        self.iter().map(ToArgument::to_argument).collect::<Vec<_>>().join(",")
    }
}

impl<T: ToArgument, const N: usize> ToArgument for [T; N] {
    fn to_argument(&self) -> String {
        self.as_slice().to_argument()
    }
}

/// Writes the text of an argument for the kernel to read.
///
/// # Errors
/// If it cannot be written.
pub fn export_argument<T: ToArgument + ?Sized>(value: &T, path: &str) -> std::io::Result<()> {
    std::fs::write(path, value.to_argument())
}
