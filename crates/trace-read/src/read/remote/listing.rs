//! Objects that an address names: one, those of a folder, or those that match a pattern.

use super::answer::Exchange;
use super::client::Clients;
use super::failure::reason;
use super::refused;
use super::storage::Storage;
use super::uri::Uri;
use crate::domain::without_secrets;
use crate::error::{StorageError, StorageReason};
use crate::read::source::{has_wildcard, is_name_match, trace_names};
use crate::read::{Input, Inputs, Meter, is_trace_name};
use crate::{Error, Result};
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ListResult, ObjectMeta, ObjectStore, ObjectStoreExt};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

/// The most names of another folder in a message, and the most characters of each.
const MOST_NAMES: usize = 20;
const MOST_CHARACTERS: usize = 80;

/// A question to storage that can be asked again with another client.
type Reply<T> = Pin<Box<dyn Future<Output = object_store::Result<T>> + Send>>;

/// Returns the object of an address, or the trace files of its folder, by name.
///
/// # Errors
/// If nothing is there, or no trace file; [`Error::Storage`].
pub(in crate::read) fn inputs(uri: &Uri, meter: &Meter) -> Result<Inputs> {
    let bucket = Bucket::of(uri, meter)?;
    let is_file = |input| Inputs { files: vec![input], in_folder: false };
    if uri.scheme.is_web() {
        if uri.is_folder {
            return Err(refused(uri, StorageReason::NoListing));
        }
        return bucket.describe(uri).map(is_file);
    }
    // What looks like a file is asked for first: that needs no permission to list.
    let looks_like_file = !uri.is_folder && is_trace_name(&uri.key);
    if looks_like_file {
        match bucket.describe(uri) {
            Err(Error::Storage(StorageError::Refused { reason: StorageReason::NotFound { .. }, .. })) => {}
            found => return found.map(is_file),
        }
    }
    let listed = bucket.list(uri)?;
    if listed.objects.is_empty() && listed.common_prefixes.is_empty() {
        if !looks_like_file && !uri.is_folder {
            match bucket.describe(uri) {
                Err(Error::Storage(StorageError::Refused { reason: StorageReason::NotFound { .. }, .. })) => {}
                found => return found.map(is_file),
            }
        }
        return Err(bucket.nothing(uri));
    }
    bucket.files(uri, listed)
}

/// Returns the object of an address.
///
/// # Errors
/// If there is none; [`Error::Storage`].
pub(in crate::read) fn describe(uri: &Uri, meter: &Meter) -> Result<Input> {
    Bucket::of(uri, meter)?.describe(uri)
}

/// Returns the trace files and folders that match a pattern, in no order; of an address without wildcards, itself.
///
/// # Errors
/// As [`inputs`].
pub(in crate::read) fn matches(uri: &Uri, meter: &Meter) -> Result<Vec<PathBuf>> {
    if uri.scheme.is_web() || !has_wildcard(&uri.key) {
        return Ok(vec![uri.path()]);
    }
    let bucket = Bucket::of(uri, meter)?;
    let mut found: Vec<Uri> = vec![Uri { is_folder: true, ..uri.with_key("") }];
    let parts: Vec<&str> = uri.key.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        let below = |folder: &Uri, name: &str| folder.with_key(joined(&folder.key, name));
        if !has_wildcard(part) {
            found = found.iter().map(|folder| below(folder, part)).collect();
            continue;
        }
        let mut next = Vec::new();
        for folder in &found {
            let listed = bucket.list(folder)?;
            let is_meant = |name: &str| (part.starts_with('.') || !name.starts_with('.')) && is_name_match(part, name);
            let folders = names(listed.common_prefixes.iter());
            next.extend(folders.iter().filter(|name| is_meant(name)).map(|name| below(folder, name)));
            if is_last && !uri.is_folder {
                let files = names(listed.objects.iter().map(|object| &object.location));
                let is_file = |name: &&String| is_meant(name) && is_trace_name(name);
                next.extend(files.iter().filter(is_file).map(|name| below(folder, name)));
            }
        }
        found = next;
    }
    Ok(found.iter().map(Uri::path).collect())
}

/// Returns the name of an object below a folder, which may be the bucket.
fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns the last parts of names of objects.
fn names<'k>(keys: impl Iterator<Item = &'k Key>) -> Vec<String> {
    keys.filter_map(|key| key.filename().map(str::to_owned)).collect()
}

/// Returns names as messages show them.
fn shown(names: &[String]) -> Vec<String> {
    let safe = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    names.iter().map(|name| without_secrets(name).chars().take(MOST_CHARACTERS).map(safe).collect()).collect()
}

/// A bucket, and how to wait for it.
struct Bucket<'m> {
    storage: Arc<Storage>,
    clients: Arc<Clients>,
    meter: &'m Meter,
}

impl<'m> Bucket<'m> {
    fn of(uri: &Uri, meter: &'m Meter) -> Result<Self> {
        let storage = Storage::here(uri)?;
        let clients = storage.clients(uri, meter)?;
        Ok(Self { storage, clients, meter })
    }

    /// Asks once soon, and if storage was busy, patiently.
    fn ask<T: Send + 'static>(
        &self,
        uri: &Uri,
        ask: impl Fn(Arc<dyn ObjectStore>) -> Reply<T> + Send + 'static,
    ) -> Result<T> {
        let (clients, to) = (Arc::clone(&self.clients), uri.clone());
        self.storage.wait(uri, self.meter, async move {
            let why = |error| clients.described(reason(&error, &to), to.scheme);
            match Exchange::default().ask(ask(Arc::clone(&clients.quick))).await.map_err(why) {
                Err(StorageReason::Busy { .. } | StorageReason::Broken { .. }) => {
                    Exchange::default().ask(ask(Arc::clone(&clients.patient))).await.map_err(why)
                }
                answer => answer,
            }
        })
    }

    /// Returns the object of an address.
    fn describe(&self, uri: &Uri) -> Result<Input> {
        let key = key(uri)?;
        let head = {
            let key = key.clone();
            move |store: Arc<dyn ObjectStore>| -> Reply<ObjectMeta> {
                let key = key.clone();
                Box::pin(async move { store.head(&key).await })
            }
        };
        let error = match self.ask(uri, head) {
            Ok(found) => return Ok(input(uri, &found)),
            Err(error) => error,
        };
        let is_unclear = matches!(
            &error,
            Error::Storage(StorageError::Refused {
                reason: StorageReason::Denied { .. }
                    | StorageReason::DeniedToAnyone { .. }
                    | StorageReason::WrongCredentials { .. }
                    | StorageReason::NotFound { .. },
                ..
            })
        );
        if uri.scheme.is_web() || !is_unclear {
            return Err(error);
        }
        // The answer to this question has no text that says why; that to another one has.
        let get = move |store: Arc<dyn ObjectStore>| -> Reply<()> {
            let key = key.clone();
            let options = GetOptions { range: Some(GetRange::Bounded(0..1)), ..GetOptions::default() };
            Box::pin(async move { Exchange::object(key.as_ref()).ask(store.get_opts(&key, options)).await.map(drop) })
        };
        Err(self
            .ask(uri, get)
            .err()
            .filter(|reason| {
                !matches!(reason, Error::Storage(StorageError::Refused { reason: StorageReason::Other(_), .. }))
            })
            .unwrap_or(error))
    }

    /// Lists a folder: its objects, and the folders in it.
    fn list(&self, folder: &Uri) -> Result<ListResult> {
        let prefix = if folder.key.is_empty() { None } else { Some(key(folder)?) };
        self.ask(folder, move |store| {
            let prefix = prefix.clone();
            Box::pin(async move { store.list_with_delimiter(prefix.as_ref()).await })
        })
    }

    /// Returns the trace files of a listing, by the same rules as those of a folder.
    fn files(&self, folder: &Uri, listed: ListResult) -> Result<Inputs> {
        let mut objects: Vec<(String, ObjectMeta)> = listed
            .objects
            .into_iter()
            .filter_map(|object| Some((object.location.filename()?.to_owned(), object)))
            .collect();
        objects.sort_by(|(a, _), (b, _)| a.cmp(b));
        let chosen = trace_names(objects.iter().map(|(name, _)| name.clone()).collect());
        if chosen.is_empty() {
            let mut folders = names(listed.common_prefixes.iter());
            folders.retain(|name| !name.starts_with('.'));
            folders.sort();
            let folders = shown(&folders);
            return Err(Error::NoTraceFiles { path: folder.path(), folders });
        }
        objects.retain(|(name, _)| chosen.binary_search(name).is_ok());
        let files =
            objects.iter().map(|(_, object)| input(&folder.with_key(object.location.as_ref()), object)).collect();
        Ok(Inputs { files, in_folder: true })
    }

    /// Returns the error of an address where nothing is, with names near it.
    fn nothing(&self, uri: &Uri) -> Error {
        let folder = uri.parent();
        let listed = if uri.key.is_empty() { None } else { self.list(&folder).ok() };
        let mut holds = listed.map_or_else(Vec::new, |listed| {
            let mut all = names(listed.common_prefixes.iter());
            all.extend(names(listed.objects.iter().map(|object| &object.location)));
            all
        });
        holds.sort();
        holds.truncate(MOST_NAMES);
        let holds = shown(&holds);
        if uri.key.is_empty() {
            return Error::NoTraceFiles { path: uri.path(), folders: Vec::new() };
        }
        refused(uri, StorageReason::NotFound { folder: folder.to_string(), holds })
    }
}

/// Returns the name of an object as storage takes it.
pub(super) fn key(uri: &Uri) -> Result<Key> {
    Key::parse(&uri.key).map_err(|error| refused(uri, StorageReason::Other(error.to_string())))
}

/// Describes an object that was found.
fn input(uri: &Uri, found: &ObjectMeta) -> Input {
    Input {
        path: uri.path(),
        size: found.size,
        etag: found.e_tag.clone(),
        modified: found.last_modified.timestamp_nanos_opt().filter(|at| *at > 0),
    }
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
