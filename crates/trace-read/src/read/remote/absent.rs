//! The same functions in a build without the feature `cloud`: each says so.

use super::{Uri, refused};
use crate::Result;
use crate::error::StorageReason;
use crate::read::{Input, Inputs, Meter};
use std::io::Read;
use std::path::{Path, PathBuf};

/// No connections.
pub struct Connections;

impl Connections {
    /// Returns the connections of a load of this path: none.
    pub fn of(_: &Path) -> Self {
        Self
    }
}

pub(in crate::read) fn inputs(uri: &Uri, _: &Meter) -> Result<Inputs> {
    Err(refused(uri, StorageReason::NotBuilt))
}

pub(in crate::read) fn matches(uri: &Uri, _: &Meter) -> Result<Vec<PathBuf>> {
    Err(refused(uri, StorageReason::NotBuilt))
}

pub(in crate::read) fn describe(uri: &Uri, _: &Meter) -> Result<Input> {
    Err(refused(uri, StorageReason::NotBuilt))
}

pub(in crate::read) fn open<'m>(uri: &Uri, _: &Input, _: &'m Meter) -> Result<Box<dyn Read + Send + 'm>> {
    Err(refused(uri, StorageReason::NotBuilt))
}
