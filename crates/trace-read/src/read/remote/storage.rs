//! The thread of all requests to storage, and the clients of each bucket; both end with their last user.

use super::client::{Clients, connect};
use super::{Location, Uri, refused};
use crate::domain::STORAGE_TIMEOUT_VARIABLE;
use crate::error::StorageReason;
use crate::exec::context::Inherited;
use crate::read::Meter;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// How often a thread that waits for storage looks whether it is cancelled.
pub(super) const WAIT: Duration = Duration::from_millis(20);

/// What is used now; a load that begins while another runs uses its connections.
static CURRENT: Mutex<Weak<Storage>> = Mutex::new(Weak::new());

/// A thread that drives all requests, and clients.
pub(super) struct Storage {
    handle: Handle,
    /// Ends the thread when it is dropped.
    _alive: oneshot::Sender<()>,
    clients: Mutex<BTreeMap<String, Arc<Clients>>>,
    /// How long a request that fails is tried again.
    pub(super) timeout: Duration,
}

/// Keeps connections and credentials between the files of a load.
pub struct Connections(#[expect(dead_code, reason = "held")] Option<Arc<Storage>>);

impl Connections {
    /// Keeps what the files of an address, or the first of several files, need; nothing for a path of this machine.
    pub fn of(path: &Path) -> Self {
        match Location::of(path) {
            Ok(Location::Remote(uri)) => Self(Storage::here(&uri).ok()),
            _ => Self(None),
        }
    }
}

impl Storage {
    /// Returns the storage that is in use, or begins one.
    ///
    /// # Errors
    /// If the system refuses a thread, or the setting of the user is invalid.
    pub(super) fn here(uri: &Uri) -> Result<Arc<Self>> {
        let timeout = Inherited::here().storage_timeout().map_err(|text| {
            let reason = format!("invalid {STORAGE_TIMEOUT_VARIABLE}=\"{text}\": expected a number of seconds");
            refused(uri, StorageReason::Setting { reason, fix: "the default is 180" })
        })?;
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(storage) = current.upgrade().filter(|storage| storage.timeout == timeout) {
            return Ok(storage);
        }
        let storage = Self::begin(timeout).map_err(|error| Error::Io { path: uri.path(), error })?;
        let storage = Arc::new(storage);
        *current = Arc::downgrade(&storage);
        Ok(storage)
    }

    fn begin(timeout: Duration) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (alive, ended) = oneshot::channel::<()>();
        let drive = move || {
            // It ends with an error, since nothing is ever sent.
            let _ = runtime.block_on(ended);
            // A search for the address of a host cannot be cancelled: it is not waited for.
            runtime.shutdown_background();
        };
        std::thread::Builder::new().name("storage".to_owned()).spawn(drive)?;
        Ok(Self { handle, _alive: alive, clients: Mutex::default(), timeout })
    }

    /// Runs work on the thread, without waiting for it.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> tokio::task::AbortHandle {
        self.handle.spawn(work).abort_handle()
    }

    /// Runs work on the thread, and returns its result.
    ///
    /// # Errors
    /// Its error, as one of `uri`; [`Error::Interrupted`] as soon as the load is cancelled.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        uri: &Uri,
        meter: &Meter,
        work: impl Future<Output = Result<T, StorageReason>> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = channel();
        let task = self.spawn(async move {
            // There is no receiver once the call is cancelled.
            let _ = sender.send(work.await);
        });
        loop {
            match receiver.recv_timeout(WAIT) {
                Ok(done) => return done.map_err(|reason| refused(uri, reason)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(refused(uri, StorageReason::Other("the request failed unexpectedly".to_owned())));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = meter.check() {
                        task.abort();
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Sets the clients of a bucket.
    #[cfg(test)]
    pub(super) fn put_clients(&self, uri: &Uri, clients: Clients) {
        let mut all = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(Self::name(uri), Arc::new(clients));
    }

    fn name(uri: &Uri) -> String {
        format!("{}://{}", uri.scheme.name(), uri.bucket)
    }

    /// Returns the clients of a bucket, which are made once.
    ///
    /// # Errors
    /// If the settings of the environment are invalid, or there are no credentials.
    pub(super) fn clients(&self, uri: &Uri, meter: &Meter) -> Result<Arc<Clients>> {
        let name = Self::name(uri);
        let known = self.clients.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let (to, timeout) = (uri.clone(), self.timeout);
        let clients = Arc::new(self.wait(uri, meter, async move { connect(&to, timeout).await })?);
        // Another thread may have been faster, with the same result.
        let mut all = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(all.entry(name).or_insert(clients)))
    }
}
