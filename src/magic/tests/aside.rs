//! Long work beside the thread of the magic: its answer, its error, its defect, and an interrupt that does not wait for it.

#![allow(clippy::unwrap_used)]
use super::Stage;
use crate::Error;
use crate::display::Sink;
use crate::magic::Scene;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What `work` comes to on a stage.
fn aside<T: Send + 'static>(
    stage: &mut Stage,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let out: Arc<dyn Sink> = stage.sink.clone();
    Scene { session: &mut stage.session, cells: &mut stage.cells, out: &out }.aside(work)
}

#[test]
fn answers_and_errors_come_back() {
    let mut stage = Stage::default();
    assert_eq!(aside(&mut stage, || Ok(7)).unwrap(), 7);
    let error = aside::<()>(&mut stage, || Err(Error::Usage("no".to_owned()))).unwrap_err();
    assert_eq!(error.to_string(), "no");
}

#[test]
fn a_defect_is_passed_on() {
    let mut stage = Stage::default();
    let defect = catch_unwind(AssertUnwindSafe(|| aside::<()>(&mut stage, || panic!("a defect")))).unwrap_err();
    assert_eq!(defect.downcast_ref::<&str>(), Some(&"a defect"));
}

#[test]
fn an_interrupt_does_not_wait_for_work_that_takes_long() {
    let mut stage = Stage::default();
    let sink = Arc::clone(&stage.sink);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        sink.interrupted.store(true, Ordering::SeqCst);
    });
    let started = Instant::now();
    let ended = aside(&mut stage, || {
        std::thread::sleep(Duration::from_secs(20));
        Ok(())
    });
    assert!(matches!(ended, Err(Error::Interrupted)));
    assert!(started.elapsed() < Duration::from_secs(5));
}
