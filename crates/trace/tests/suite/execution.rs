//! Execution contexts: cancellation, memory and threads as values, of one thread and of those that help it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;
use tempfile::TempDir;
use trace::Questions;
use trace::analysis::{Kernels, TemporalBreakdown};
use trace::{CancellationToken, CriticalPath, Error, Execution, FlameQuery, LoadOptions, ParserConfig, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

const JSON: &[u8] = br#"{"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 2, "dur": 3, "args": {"stream": 7}}
]}"#;

/// Returns a folder of ranks.
fn ranks(count: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..count {
        let file = folder.path().join(format!("rank-{rank}.json"));
        let head = format!(r#"{{"distributedInfo": {{"rank": {rank}}}, "#);
        std::fs::write(file, [head.as_bytes(), &JSON[1..]].concat()).unwrap();
    }
    folder
}

/// Returns a token and the flag that cancels it.
fn token() -> (CancellationToken, Arc<AtomicBool>) {
    let flag = Arc::new(AtomicBool::new(false));
    let cancelled = Arc::clone(&flag);
    (CancellationToken::new(move || cancelled.load(Ordering::SeqCst)), flag)
}

/// Loads the folder, asks and compares: each call may fail.
fn all_calls(folder: &Path, traces: &TraceSet) -> [Result<(), Error>; 4] {
    [
        TraceSet::load(folder).map(drop),
        TraceSet::from_bytes(JSON).map(drop),
        traces.ask(&TemporalBreakdown {}).map(drop),
        traces.describe().map(drop),
    ]
}

#[test]
fn loads_and_questions_end_at_a_checkpoint() {
    let folder = ranks(3);
    let traces = TraceSet::load(folder.path()).unwrap();
    let (token, flag) = token();
    let in_context = || Execution::new().cancellation(token.clone()).run(|| all_calls(folder.path(), &traces));
    assert!(in_context().iter().all(Result::is_ok));
    flag.store(true, Ordering::SeqCst);
    assert!(in_context().iter().all(|call| matches!(call, Err(Error::Interrupted))));
    // Outside it nothing is cancelled.
    assert!(all_calls(folder.path(), &traces).iter().all(Result::is_ok));
    flag.store(false, Ordering::SeqCst);
    assert!(in_context().iter().all(Result::is_ok));
}

/// A helper thread alone sees the token cancelled, as if the thread that asked had ended its part before the interrupt. Where the
/// thread that asked does all work before a helper starts, there is an answer.
#[test]
fn interrupts_of_helper_threads_are_no_panics() {
    let mut capture = TraceBuilder::new().runtime("hipStreamBeginCapture", 8, 1..2);
    let mut step = TraceBuilder::new();
    for at in (0..50_000).step_by(10) {
        capture = capture.operator("aten::mm", at + 3..at + 9).runtime("hipLaunchKernel", at, at + 4..at + 5);
        capture = capture.arg("kernel", "\"gemm\"");
        step = step.operator("aten::mm", at..at + 9).runtime("hipLaunchKernel", at + 1, at + 1..at + 3);
        step = step.kernel("gemm", Stream(7), at + 4..at + 9).correlation(at + 1);
    }
    let capture = TraceSet::from_bytes(capture.runtime("hipStreamEndCapture", 9, 60_000..60_001).json()).unwrap();
    let step = Arc::new(TraceSet::from_bytes(step.json()).unwrap());
    let folder = ranks(16);
    let ranks = TraceSet::load(folder.path()).unwrap();
    let asked_by = thread::current().id();
    let cancelled = CancellationToken::new(move || thread::current().id() != asked_by);
    let execution = Execution::new().threads(4).cancellation(cancelled);
    let questions: [&dyn Fn() -> Result<(), Error>; 4] = [
        &|| FlameQuery::new(&*step).companion(&capture).run().map(drop),
        &|| step.ask(&Kernels::default()).map(drop),
        &|| step.critical_path(&CriticalPath::default()).map(drop),
        &|| ranks.describe().map(drop),
    ];
    for (index, question) in questions.iter().enumerate() {
        let interrupted = (0..50).any(|_| match execution.run(question) {
            Ok(()) => false,
            Err(Error::Interrupted) => true,
            Err(error) => panic!("question {index}: {error}"),
        });
        assert!(interrupted, "question {index}");
    }
}

#[test]
fn concurrent_contexts_do_not_see_each_other() {
    let folder = ranks(4);
    let traces = TraceSet::load(folder.path()).unwrap();
    let together = Barrier::new(4);
    let calls = |execution: Execution| {
        execution.run(|| {
            together.wait();
            let mut calls = Vec::new();
            for _ in 0..20 {
                calls.extend(all_calls(folder.path(), &traces));
            }
            calls
        })
    };
    let (cancelled, little, invalid) = (
        Execution::new().cancellation(CancellationToken::new(|| true)),
        Execution::new().memory(1).threads(1),
        Execution::new().memory_setting("huge").threads(3),
    );
    let [free, cancelled, little, invalid] = thread::scope(|scope| {
        [Execution::new(), cancelled, little, invalid]
            .map(|one| scope.spawn(|| calls(one)))
            .map(|one| one.join().unwrap())
    });
    assert!(free.iter().all(Result::is_ok));
    assert!(cancelled.iter().all(|call| matches!(call, Err(Error::Interrupted))));
    assert!(little.iter().all(|call| matches!(call, Err(Error::MemoryBudget { budget: 1, .. }))), "{little:?}");
    assert!(invalid.iter().all(|call| matches!(call, Err(Error::MemorySetting { value }) if value == "huge")));
}

#[test]
fn inner_context_overrides_values_and_adds_its_token() {
    let (outer, outer_flag) = token();
    let (inner, inner_flag) = token();
    let load = || TraceSet::from_bytes(JSON).map(drop);
    let outside = Execution::new().memory(1).cancellation(outer);
    let within = |inner: &Execution| outside.run(|| (inner.run(load), load()));
    // The memory is that of the inner context, and of the outer one after it.
    let (inside, after) = within(&Execution::new().memory(1 << 40));
    assert!(inside.is_ok() && matches!(after, Err(Error::MemoryBudget { budget: 1, .. })));
    // Either token cancels inside, only its own outside.
    let inner = Execution::new().memory(1 << 40).cancellation(inner);
    inner_flag.store(true, Ordering::SeqCst);
    let (inside, after) = within(&inner);
    assert!(matches!((inside, after), (Err(Error::Interrupted), Err(Error::MemoryBudget { .. }))));
    inner_flag.store(false, Ordering::SeqCst);
    outer_flag.store(true, Ordering::SeqCst);
    let (inside, after) = within(&inner);
    assert!(matches!((inside, after), (Err(Error::Interrupted), Err(Error::Interrupted))));
    assert!(load().is_ok());
    // A panic leaves the context, too.
    let panics = AssertUnwindSafe(|| outside.run(|| panic!("in the middle")));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert!(load().is_ok());
}

#[test]
fn context_is_given_to_a_thread_of_the_program() {
    let execution = Execution::new().memory(1).run(Execution::current);
    let load = || TraceSet::from_bytes(JSON).map(drop);
    let (without, with) = thread::scope(|scope| {
        let with = scope.spawn(|| execution.run(load));
        (scope.spawn(load).join().unwrap(), with.join().unwrap())
    });
    assert!(without.is_ok() && matches!(with, Err(Error::MemoryBudget { budget: 1, .. })));
}

/// A file that is large enough for several threads.
fn large_file(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("large.json");
    let file = std::fs::File::create(&path).unwrap();
    trace_testkit::Large { bytes: 30_000_000, seed: 3, rank: 0 }.write(file).unwrap();
    path
}

/// Returns a token that is never cancelled, and the threads that looked at it.
fn watched() -> (CancellationToken, Arc<Mutex<BTreeSet<String>>>) {
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let threads = Arc::clone(&seen);
    let token = CancellationToken::new(move || {
        let id: ThreadId = thread::current().id();
        threads.lock().unwrap().insert(format!("{id:?}"));
        false
    });
    (token, seen)
}

#[test]
fn token_is_seen_by_the_threads_of_loads_and_questions() {
    let folder = tempfile::tempdir().unwrap();
    let path = large_file(folder.path());
    let (token, seen) = watched();
    let execution = Execution::new().cancellation(token).threads(4);
    let traces = execution.run(|| TraceSet::load(&path)).unwrap();
    // This thread, which reports progress; the thread that may be abandoned; readers that decompress and parse.
    let of_load = std::mem::take(&mut *seen.lock().unwrap());
    assert!(of_load.len() >= 3, "{of_load:?}");
    let folder = ranks(16);
    let several = TraceSet::load(folder.path()).unwrap();
    execution.run(|| several.ask(&TemporalBreakdown {})).unwrap();
    execution.run(|| traces.describe()).unwrap();
    // Threads of rayon, not only this one.
    let of_questions = seen.lock().unwrap().clone();
    assert!(of_questions.len() >= 2, "{of_questions:?}");
}

#[test]
fn load_that_is_cancelled_while_it_parses_ends_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = large_file(folder.path());
    let (token, flag) = token();
    let options = LoadOptions::default();
    let mut cancelled = false;
    let loaded = Execution::new().cancellation(token).run(|| {
        TraceSet::load_with(&path, &options, &mut |progress| {
            if progress.events > 0 {
                cancelled = true;
                flag.store(true, Ordering::SeqCst);
            }
            std::ops::ControlFlow::Continue(())
        })
    });
    // A fast machine may have loaded it before the first report.
    assert!(!cancelled || matches!(loaded, Err(Error::Interrupted)));
}

#[test]
fn cancelled_load_that_blocks_is_abandoned() {
    let (pipe, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"{\"traceEvents\": [").unwrap();
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&pipe));
    let (token, flag) = token();
    let loaded = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            flag.store(true, Ordering::SeqCst);
        });
        Execution::new().cancellation(token).run(|| TraceSet::load(path))
    });
    assert!(matches!(loaded, Err(Error::Interrupted)));
    drop(writer);
}

#[test]
fn number_of_threads_is_bounded() {
    let folder = ranks(24);
    let traces = TraceSet::load(folder.path()).unwrap();
    for count in [0, 1, 3] {
        // Clones share the threads.
        let execution = Execution::new().threads(count);
        let (token, seen) = watched();
        let answer = execution.clone().cancellation(token).run(|| traces.ask(&TemporalBreakdown {})).unwrap();
        assert_eq!(answer.whole_tables()[0].frame.height(), 24);
        // This thread, and those of the pool.
        assert!(seen.lock().unwrap().len() <= count.max(1) + 1, "{count}: {:?}", seen.lock().unwrap());
    }
}

#[test]
fn default_config_is_that_of_the_context() {
    let minimum = ParserConfig::new(ParserConfig::get_minimum_args());
    let default = ParserConfig::get_default_cfg();
    let both = thread::scope(|scope| {
        let changed = scope.spawn(|| {
            // Set inside a context, it applies to the surrounding one.
            Execution::new().memory(1 << 40).run(|| ParserConfig::set_default_cfg(&minimum));
            let here = Execution::current();
            let elsewhere = thread::spawn(move || here.run(ParserConfig::get_default_cfg)).join().unwrap();
            (ParserConfig::get_default_cfg(), elsewhere)
        });
        changed.join().unwrap()
    });
    assert_eq!(both, (minimum.clone(), minimum));
    assert_eq!(ParserConfig::get_default_cfg(), default);
}

#[test]
fn share_of_free_memory_is_a_bound() {
    let load = || TraceSet::from_bytes(JSON).map(drop);
    for share in [0.9, 0.0, -1.0, f64::NAN] {
        // Of no free memory a small trace still fits: 256 MiB.
        assert!(Execution::new().memory_free_share(share).run(load).is_ok(), "{share}");
    }
    assert!(Execution::new().memory(1).memory_setting(" ").run(load).is_err());
    assert!(Execution::new().memory(1).memory_setting("64G").run(load).is_ok());
}
