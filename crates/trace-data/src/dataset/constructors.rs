//! Constructors of trace sets: from files and from bytes.

use super::load;
use crate::{Input, LoadOptions, LoadProgress, Result, TraceSet};
use std::ops::ControlFlow;
use std::path::Path;

impl TraceSet {
    /// Loads a trace file, or all trace files of a folder, exactly. `path` may be an address: `s3://bucket/run7`, `gs://…`,
    /// `az://…`, `file:///…`, or the `https://…` of one file; credentials are those of the environment or of the machine.
    ///
    /// # Errors
    /// If `path` does not exist, or holds no usable trace; [`Error::Storage`](crate::Error::Storage) if storage refuses.
    ///
    /// # Example
    /// ```
    /// use trace::TraceSet;
    ///
    /// let job = TraceSet::load("../../notebooks/data/job")?;
    /// assert_eq!(job.ranks(), [0, 1, 2, 3]);
    /// assert_eq!(job.iterations(), [1009, 1010, 1011, 1012, 1013, 1014]);
    /// assert!(job.warnings().is_empty(), "nothing had to be repaired");
    /// # Ok::<(), trace::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, &LoadOptions::default(), &mut |_| ControlFlow::Continue(()))
    }

    /// Loads a trace with options. Reports the progress a few times per second; a `Break` cancels the load.
    ///
    /// # Errors
    /// As [`TraceSet::load`]; [`Error::Interrupted`](crate::Error::Interrupted) after a `Break`.
    ///
    /// # Example
    /// ```
    /// use std::ops::ControlFlow;
    /// use trace::{LoadOptions, TraceSet};
    ///
    /// let options = LoadOptions { ranks: Some(vec![0, 2]), ..Default::default() };
    /// let two = TraceSet::load_with("../../notebooks/data/job", &options, &mut |progress| {
    ///     eprintln!("{} of {} bytes", progress.bytes_read, progress.bytes_total);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(two.ranks(), [0, 2]);
    /// # Ok::<(), trace::Error>(())
    /// ```
    pub fn load_with(
        path: impl AsRef<Path>,
        options: &LoadOptions,
        progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
    ) -> Result<Self> {
        load::from_path(path.as_ref(), options, progress)
    }

    /// Loads files that [`Inputs::of`](crate::read::Inputs::of) found, as those of one folder: without asking again what is there. An
    /// object that has changed since is refused.
    ///
    /// # Errors
    /// As [`TraceSet::load_with`].
    ///
    /// # Example
    /// ```
    /// use std::ops::ControlFlow;
    /// use trace::{LoadOptions, TraceSet};
    /// use trace::read::Inputs;
    ///
    /// let files = Inputs::of("../../notebooks/data/job")?.files;
    /// let two = TraceSet::load_inputs(&files[..2], &LoadOptions::default(), &mut |_| ControlFlow::Continue(()))?;
    /// assert_eq!(two.ranks(), [0, 1]);
    /// # Ok::<(), trace::Error>(())
    /// ```
    pub fn load_inputs(
        inputs: &[Input],
        options: &LoadOptions,
        progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
    ) -> Result<Self> {
        load::from_inputs(inputs, options, progress)
    }

    /// Loads a trace from its JSON text, gzip'ed or not.
    ///
    /// # Errors
    /// If the text is not a usable trace.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self> {
        Self::from_bytes_with(bytes, &LoadOptions::default())
    }

    /// Loads a trace from its JSON text, gzip'ed or not, with options.
    ///
    /// # Errors
    /// If the text is not a usable trace.
    pub fn from_bytes_with(bytes: impl AsRef<[u8]>, options: &LoadOptions) -> Result<Self> {
        load::from_bytes(bytes.as_ref(), options)
    }
}
