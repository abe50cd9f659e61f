//! Execution context: what the calls of the library may use, as values of the thread that makes them.
//!
//! There is no setting of the process: two threads with different contexts do not see each other. A call passes the context
//! of its thread on to all threads that it starts or borrows ([`Inherited`]).

use super::cancellation::CancellationToken;
use super::machine_memory::Bound;
use crate::Result;
use crate::config::ParserConfig;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};
use std::time::Duration;

/// How long a failing request to storage is tried again, if nothing else is set.
const STORAGE_TIMEOUT: Duration = Duration::from_secs(180);

thread_local! {
    /// The context of the call for which this thread works.
    static CONTEXT: RefCell<Inherited> = RefCell::default();
}

/// What the calls of the library may use: cancellation, memory, threads, and the folder of what does not fit in memory.
///
/// A value that is not set is that of the surrounding context; without one, calls cannot be cancelled, use half of the free
/// memory, and all cores. Clones are cheap, and share their threads.
///
/// ```
/// use trace::{CancellationToken, Execution, TraceSet};
///
/// # fn main() -> trace::Result<()> {
/// let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
/// let token = CancellationToken::new(move || std::time::Instant::now() > deadline);
/// let execution = Execution::new().memory(2 << 30).threads(2).cancellation(token);
/// let control = execution.run(|| TraceSet::load("../../notebooks/data/control"))?;
/// # assert_eq!(control.ranks(), [3]);
/// # Ok(())
/// # }
/// ```
///
/// A thread that a program starts has no context; give it that of its parent:
///
/// ```
/// # use trace::{Execution, TraceSet};
/// let execution = Execution::current();
/// let load = move || execution.run(|| TraceSet::load("../../notebooks/data/test"));
/// let test = std::thread::spawn(load).join().unwrap()?;
/// # Ok::<(), trace::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Execution {
    /// Each of them cancels.
    tokens: Arc<[CancellationToken]>,
    memory: Option<Bound>,
    threads: Option<Threads>,
    spill_folder: Option<Arc<Path>>,
    storage_timeout: Option<StorageTimeout>,
    parser_config: Option<DefaultConfig>,
}

impl Execution {
    /// Creates a context whose values are those of the surrounding one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the context of this thread, to give it to another thread.
    pub fn current() -> Self {
        Inherited::here().execution
    }

    /// Lets a token cancel the calls, in addition to the tokens of the surrounding context.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.tokens = self.tokens.iter().cloned().chain([token]).collect();
        self
    }

    /// Bounds the memory of the process, in bytes: what it holds and what a call needs. A call that would exceed the bound
    /// uses files instead of memory where it can, and is refused with [`Error::MemoryBudget`](crate::Error::MemoryBudget)
    /// where it cannot. Contexts of one process bound the same memory.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(Bound::Bytes(bytes));
        self
    }

    /// Bounds the memory of the process to what it holds and a share of what is free, when [`Execution::run`] first needs
    /// it. The default is 0.5.
    #[must_use]
    pub fn memory_free_share(mut self, share: f64) -> Self {
        self.memory = Some(Bound::FreeShare(share));
        self
    }

    /// Bounds the memory by a setting of the user: `8G`, `500M`, or a number of bytes; blank text changes nothing. Other
    /// text is an error of the calls that need memory: [`Error::MemorySetting`](crate::Error::MemorySetting).
    #[must_use]
    pub fn memory_setting(mut self, text: &str) -> Self {
        if !text.trim().is_empty() {
            self.memory = Some(Bound::of_setting(text));
        }
        self
    }

    /// Bounds the threads of each call; at least one. polars has threads of its own (`POLARS_MAX_THREADS`).
    #[must_use]
    #[doc(hidden)]
    pub fn threads(mut self, count: usize) -> Self {
        let count = NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        self.threads = Some(Threads { count, pool: Arc::default() });
        self
    }

    /// Sets the folder for the columns of traces that do not fit in memory. Without it they are in a private folder of the
    /// process, below the system's folder of temporary files.
    #[must_use]
    #[doc(hidden)]
    pub fn spill_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spill_folder = Some(Arc::from(folder.into()));
        self
    }

    /// Sets how long a request to object storage or a web server that fails is tried again, and a transfer that broke is
    /// continued without a new byte. The default is three minutes.
    #[must_use]
    #[doc(hidden)]
    pub fn storage_timeout(mut self, timeout: Duration) -> Self {
        self.storage_timeout = Some(StorageTimeout::Of(timeout));
        self
    }

    /// Sets [`Execution::storage_timeout`] by a setting of the user, a number of seconds; blank text changes nothing. Other text
    /// is an error of the calls that need storage.
    #[must_use]
    pub fn storage_timeout_setting(mut self, text: &str) -> Self {
        if !text.trim().is_empty() {
            let seconds = text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            self.storage_timeout =
                Some(seconds.map_or_else(|| StorageTimeout::Invalid(text.into()), StorageTimeout::Of));
        }
        self
    }

    /// Runs `work` on this thread: its calls of the library, and the threads that they start, have this context.
    #[doc(hidden)]
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        Inherited::here().with(self).run(work)
    }
}

/// How long a failing request to storage is tried again.
#[derive(Debug, Clone)]
enum StorageTimeout {
    Of(Duration),
    /// A setting of the user that is no number of seconds.
    Invalid(Arc<str>),
}

/// Number of threads, and the pool of them once it is needed.
#[derive(Debug, Clone)]
struct Threads {
    count: NonZeroUsize,
    /// `None` inside if the system refused the threads.
    pool: Arc<OnceLock<Option<ThreadPool>>>,
}

impl Threads {
    fn pool(&self) -> Option<&ThreadPool> {
        let build = || ThreadPoolBuilder::new().num_threads(self.count.get()).build().ok();
        self.pool.get_or_init(build).as_ref()
    }
}

/// The config of loads without one.
pub(super) type DefaultConfig = Arc<RwLock<Option<ParserConfig>>>;

/// The context of a thread, to be passed to the threads that help it.
#[derive(Debug, Clone)]
pub struct Inherited {
    execution: Execution,
    /// Whether a caller chose it, on this thread or on the thread that passed it on.
    chosen: bool,
    /// The bound on memory in bytes, once it is needed: a share of free memory is computed once for a load.
    budget: Arc<OnceLock<u64>>,
}

impl Default for Inherited {
    /// Returns the context of a thread without one.
    fn default() -> Self {
        let execution = Execution { parser_config: Some(DefaultConfig::default()), ..Execution::default() };
        Self { execution, chosen: false, budget: Arc::default() }
    }
}

impl Inherited {
    /// Returns the context of this thread.
    pub fn here() -> Self {
        // While a thread ends, it has none.
        let here = CONTEXT.try_with(|context| context.borrow().clone()).unwrap_or_default();
        if here.chosen { here } else { Self { budget: Arc::default(), ..here } }
    }

    /// Runs `work` under this context instead of that of the thread, which may wait in the work of another context.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let entered = Self { chosen: true, ..self.clone() };
        let _restore = Restore(CONTEXT.try_with(|context| context.replace(entered)).ok());
        work()
    }

    /// Runs `work` as [`Self::run`] does; rayon's jobs in it use the threads of this context.
    pub fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.execution.threads.as_ref().and_then(Threads::pool) {
            Some(pool) => pool.install(|| self.run(work)),
            None => self.run(work),
        }
    }

    /// Returns how many threads a call may use.
    pub fn threads(&self) -> usize {
        self.execution.threads.as_ref().map_or_else(rayon::current_num_threads, |threads| threads.count.get())
    }

    /// Returns the bound on the memory of the process, in bytes.
    ///
    /// # Errors
    /// [`Error::MemorySetting`](crate::Error::MemorySetting) if the setting of the user is not a size.
    pub(super) fn budget(&self) -> Result<u64> {
        if let Some(bytes) = self.budget.get() {
            return Ok(*bytes);
        }
        let bytes = self.execution.memory.clone().unwrap_or_default().bytes()?;
        Ok(*self.budget.get_or_init(|| bytes))
    }

    /// Returns the bound on memory that was chosen in bytes; `None` for a share of what is free.
    ///
    /// # Errors
    /// As [`Self::budget`].
    pub(super) fn chosen_budget(&self) -> Result<Option<u64>> {
        let is_chosen = self.execution.memory.as_ref().is_some_and(|bound| !matches!(bound, Bound::FreeShare(_)));
        is_chosen.then(|| self.budget()).transpose()
    }

    /// Returns the folder for what does not fit in memory, if one was chosen.
    pub fn spill_folder(&self) -> Option<Arc<Path>> {
        self.execution.spill_folder.clone()
    }

    /// Returns how long a failing request to storage is tried again.
    ///
    /// # Errors
    /// The setting of the user, if it is no number of seconds.
    pub fn storage_timeout(&self) -> std::result::Result<Duration, String> {
        match &self.execution.storage_timeout {
            None => Ok(STORAGE_TIMEOUT),
            Some(StorageTimeout::Of(timeout)) => Ok(*timeout),
            Some(StorageTimeout::Invalid(text)) => Err(text.to_string()),
        }
    }

    /// Returns the config of loads without one, shared by nested contexts; its value is `None` before it is set.
    pub(super) fn parser_config(&self) -> DefaultConfig {
        self.execution.parser_config.clone().unwrap_or_default()
    }

    /// Whether one of the tokens is cancelled.
    pub(super) fn is_cancelled() -> bool {
        // They are called without a borrow of the context: the function of a token may use the library.
        let tokens = CONTEXT.try_with(|context| Arc::clone(&context.borrow().execution.tokens));
        tokens.is_ok_and(|tokens| tokens.iter().any(CancellationToken::is_cancelled))
    }

    /// Returns this context with the values that `inner` sets.
    fn with(self, inner: &Execution) -> Self {
        let Self { execution: outer, chosen, budget } = self;
        let new = |token: &&CancellationToken| !outer.tokens.iter().any(|known| known.is(token));
        let tokens = outer.tokens.iter().chain(inner.tokens.iter().filter(new)).cloned().collect();
        let inner = inner.clone();
        let budget = if inner.memory.is_some() { Arc::default() } else { budget };
        let execution = Execution {
            tokens,
            memory: inner.memory.or(outer.memory),
            threads: inner.threads.or(outer.threads),
            spill_folder: inner.spill_folder.or(outer.spill_folder),
            storage_timeout: inner.storage_timeout.or(outer.storage_timeout),
            parser_config: inner.parser_config.or(outer.parser_config),
        };
        Self { execution, chosen, budget }
    }
}

/// Guard that restores the previous context of the thread.
struct Restore(Option<Inherited>);

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(previous) = self.0.take() {
            let _ = CONTEXT.try_with(|context| context.replace(previous));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn rayon_jobs_use_the_threads_of_the_context() {
        for count in [1, 3] {
            let threads = Execution::new().threads(count).run(|| {
                let here = Inherited::here();
                assert_eq!(here.threads(), count);
                let thread = |_| format!("{:?}", std::thread::current().id());
                here.on_threads(|| (0..1000).into_par_iter().map(thread).collect::<BTreeSet<_>>())
            });
            assert!(threads.len() <= count);
            assert!(!threads.contains(&format!("{:?}", std::thread::current().id())));
        }
        assert_eq!(Inherited::here().threads(), rayon::current_num_threads());
    }

    #[test]
    fn thread_of_a_pool_works_for_one_context_at_a_time() {
        // A job that waits for its halves may run the job of another context meanwhile.
        let contexts: Vec<Inherited> =
            (1..=20).map(|bytes| Execution::new().memory(bytes).run(Inherited::here)).collect();
        let check = |(context, bytes): (&Inherited, u64)| {
            let here = || Inherited::here().budget().ok();
            let halves = || rayon::join(here, || context.run(here));
            context.run(|| (here(), halves().1, here())) == (Some(bytes), Some(bytes), Some(bytes))
        };
        assert!((0..2000).into_par_iter().all(|index| check((&contexts[index % 20], index as u64 % 20 + 1))));
    }

    #[test]
    fn share_of_free_memory_is_computed_once_in_a_context() {
        let budget = || Inherited::here().budget().ok();
        Execution::new().memory_free_share(0.4).run(|| {
            let first = budget();
            let held = vec![1_u8; 64 << 20];
            assert_eq!(Execution::new().threads(1).run(budget), first);
            let here = Inherited::here();
            assert_eq!(std::thread::scope(|scope| scope.spawn(|| here.run(budget)).join().ok()), Some(first));
            drop(held);
        });
    }
}
