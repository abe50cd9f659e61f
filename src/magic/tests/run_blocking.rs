//! `Context::run_blocking`: result, error, panic and interrupt.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::Error;
use crate::display::Sink;
use crate::magic::Context;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs `work` in the context of a notebook.
fn run_blocking<T: Send + 'static>(
    notebook: &mut Notebook,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let out: Arc<dyn Sink> = notebook.sink.clone();
    Context { session: &mut notebook.session, cells: &mut notebook.cells, out: &out }.run_blocking(work)
}

#[test]
fn result_and_error_are_returned() {
    let mut notebook = Notebook::default();
    assert_eq!(run_blocking(&mut notebook, || Ok(7)).unwrap(), 7);
    let error = run_blocking::<()>(&mut notebook, || Err(Error::Interrupted)).unwrap_err();
    assert_eq!(error.to_string(), "interrupted");
}

#[test]
fn panic_is_resumed() {
    let mut notebook = Notebook::default();
    let panic = catch_unwind(AssertUnwindSafe(|| run_blocking::<()>(&mut notebook, || panic!("a panic")))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a panic"));
}

#[test]
fn interrupt_returns_before_long_work_ends() {
    let mut notebook = Notebook::default();
    let sink = Arc::clone(&notebook.sink);
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let ended = run_blocking(&mut notebook, move || {
        sink.interrupted.store(true, Ordering::SeqCst);
        // Until the test has its result.
        let _ = held.recv();
        Ok(())
    });
    assert!(matches!(ended, Err(Error::Interrupted)));
    drop(hold);
}
