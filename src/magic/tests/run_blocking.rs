//! Long work beside the thread of the magic: its answer, its error, its defect, and an interrupt that does not wait for it.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::Error;
use crate::display::Sink;
use crate::magic::Context;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What `work` comes to on a notebook.
fn run_blocking<T: Send + 'static>(
    notebook: &mut Notebook,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let out: Arc<dyn Sink> = notebook.sink.clone();
    Context { session: &mut notebook.session, cells: &mut notebook.cells, out: &out }.run_blocking(work)
}

#[test]
fn answers_and_errors_come_back() {
    let mut notebook = Notebook::default();
    assert_eq!(run_blocking(&mut notebook, || Ok(7)).unwrap(), 7);
    let error = run_blocking::<()>(&mut notebook, || Err(Error::Usage("no".to_owned()))).unwrap_err();
    assert_eq!(error.to_string(), "no");
}

#[test]
fn a_defect_is_passed_on() {
    let mut notebook = Notebook::default();
    let defect =
        catch_unwind(AssertUnwindSafe(|| run_blocking::<()>(&mut notebook, || panic!("a defect")))).unwrap_err();
    assert_eq!(defect.downcast_ref::<&str>(), Some(&"a defect"));
}

#[test]
fn an_interrupt_does_not_wait_for_work_that_takes_long() {
    let mut notebook = Notebook::default();
    let sink = Arc::clone(&notebook.sink);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        sink.interrupted.store(true, Ordering::SeqCst);
    });
    let started = Instant::now();
    let ended = run_blocking(&mut notebook, || {
        std::thread::sleep(Duration::from_secs(20));
        Ok(())
    });
    assert!(matches!(ended, Err(Error::Interrupted)));
    assert!(started.elapsed() < Duration::from_secs(5));
}
