//! Cancellation by the process-wide checkpoint. A separate test binary, since the checkpoint is set per process.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, Ordering};
use trace::analysis::TemporalBreakdown;
use trace::{Error, TraceSet, set_checkpoint};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

#[test]
fn loads_and_questions_end_at_a_checkpoint() {
    let json = br#"{"traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 2, "dur": 3, "args": {"stream": 7}}
    ]}"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rank-0.json"), json).unwrap();
    set_checkpoint(|| INTERRUPTED.load(Ordering::SeqCst));
    let traces = TraceSet::load(folder.path()).unwrap();
    traces.ask(&TemporalBreakdown {}).unwrap();

    INTERRUPTED.store(true, Ordering::SeqCst);
    assert!(matches!(TraceSet::load(folder.path()).unwrap_err(), Error::Interrupted));
    assert!(matches!(TraceSet::from_bytes(json).unwrap_err(), Error::Interrupted));
    assert!(matches!(traces.ask(&TemporalBreakdown {}).unwrap_err(), Error::Interrupted));

    INTERRUPTED.store(false, Ordering::SeqCst);
    TraceSet::load(folder.path()).unwrap();
}
