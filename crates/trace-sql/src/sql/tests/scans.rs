//! Ranks and columns that a statement does not need are not read.

#![allow(clippy::unwrap_used)]

use crate::QuerySql;
use crate::{Error, Execution, TraceSet};

#[test]
fn statements_answer_alike_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let memory = TraceSet::load("../../notebooks/data/job").unwrap();
    let stored = memory.stored_in(folder.path()).unwrap();
    for statement in [
        "SELECT rank, name, SUM(dur) AS dur FROM kernels GROUP BY rank, name ORDER BY rank, name",
        "SELECT * FROM launches ORDER BY rank, id LIMIT 100",
        "SELECT * FROM iterations ORDER BY rank, iteration",
        "SELECT * FROM events WHERE rank = 2 ORDER BY id LIMIT 50",
        "SELECT * FROM ranks ORDER BY rank",
        "SELECT * FROM gaps(7) WHERE rank = 1 ORDER BY ts",
    ] {
        let (found, expected) = (stored.sql(statement).unwrap(), memory.sql(statement).unwrap());
        assert!(found.height() > 0 && found.equals_missing(&expected), "{statement}");
    }
}

#[test]
fn budget_refuses_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    let stored = TraceSet::load("../../notebooks/data/job").unwrap().stored_in(folder.path()).unwrap();
    let error = Execution::new().memory(1 << 20).run(|| stored.sql("SELECT * FROM events")).unwrap_err();
    assert!(matches!(error, Error::MemoryBudget { .. }), "{error:?}");
    assert!(error.to_string().contains("WHERE rank = 0"), "{error}");
}
