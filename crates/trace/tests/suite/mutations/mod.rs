//! Recorded traces with something broken in them, through everything: loading, every question, comparison, copies. Nothing
//! panics, nothing hangs; what cannot be answered is an error that says something.
//!
//! `TRACEBOOK_MUTATIONS=5000` breaks so many more, from `TRACEBOOK_SEED` on.
#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs)]

mod broken;
mod pipeline;
mod sources;

use broken::broken;
use sources::sources;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trace_testkit::Random;

/// About ten seconds of work.
const MUTATIONS: u64 = 500;
/// No mutated trace has more than a few hundred events: a load that takes longer hangs, even on a busy machine.
const HANGS: Duration = Duration::from_secs(60);

#[test]
fn nothing_panics_or_hangs_on_broken_traces() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let (first, count) = (number("TRACEBOOK_SEED").unwrap_or(0), number("TRACEBOOK_MUTATIONS").unwrap_or(MUTATIONS));
    let sources = sources();
    let folder = tempfile::tempdir().unwrap();
    let progress = Arc::new(Mutex::new(String::new()));
    let (told, ended) = channel();
    let (path, stage) = (folder.path().to_owned(), Arc::clone(&progress));
    std::thread::spawn(move || {
        for seed in first..first + count {
            let mut random = Random::new(seed);
            let source = &sources[random.below(sources.len())];
            let text = broken(&mut random, source);
            let at = |what: &str| *stage.lock().unwrap() = format!("seed {seed}: {what}");
            let run = catch_unwind(AssertUnwindSafe(|| pipeline::run(&text, &mut random, &path, &at)));
            // What broke it stands beside the test's message.
            let run = run.map_err(|_| String::from_utf8_lossy(&text).into_owned());
            if told.send(run).is_err() {
                return;
            }
        }
    });
    let (mut loaded, mut answers) = (0, 0);
    for _ in 0..count {
        match ended.recv_timeout(HANGS) {
            Ok(Ok(done)) => {
                loaded += usize::from(done.loaded);
                answers += done.answers;
            }
            Ok(Err(text)) => panic!("{}: panicked, see above, with:\n{text}", progress.lock().unwrap()),
            Err(RecvTimeoutError::Timeout) => panic!("{}: hangs", progress.lock().unwrap()),
            Err(RecvTimeoutError::Disconnected) => panic!("{}: the thread is gone", progress.lock().unwrap()),
        }
    }
    eprintln!("{count} broken traces: {loaded} were loaded, {answers} answers given");
    // Else it would be the errors that are tested.
    assert!(loaded > count as usize / 2 && answers > 10 * loaded, "{loaded} loaded, {answers} answers");
}
