//! A connection with the functions that statements of tests call.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};

struct Nothing;

impl Aggregate<(), f64> for Nothing {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<()> {
        Ok(())
    }

    fn step(&self, _: &mut Context<'_>, (): &mut ()) -> rusqlite::Result<()> {
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, _: Option<()>) -> rusqlite::Result<f64> {
        Ok(0.0)
    }
}

/// Returns a connection in which a text in double quotes is a name.
pub(super) fn connection() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false).unwrap();
    let columns = "trace, rank, iteration, id, name, cat, ts, dur, end_ts, stream";
    let largest = i64::MAX;
    let tables = format!(
        "CREATE TABLE events ({columns}); CREATE TABLE kernels ({columns}, kernel_type, launch_id);
         INSERT INTO events (id, name, ts) VALUES (1, 'a', {largest}), (2, 'b', {largest});
         CREATE TEMP VIEW v AS SELECT * FROM w; CREATE TEMP VIEW w AS SELECT * FROM v"
    );
    connection.execute_batch(&tables).unwrap();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let invalid = "invalid regular expression 'a(': unclosed group";
    let refused = move |_: &mut Context<'_>| -> rusqlite::Result<bool> {
        Err(rusqlite::Error::UserFunctionError(invalid.into()))
    };
    connection.create_scalar_function("regexp", 2, flags, refused).unwrap();
    connection.create_scalar_function("regexp_matches", 2, flags, refused).unwrap();
    let strict = |_: &mut Context<'_>| -> rusqlite::Result<f64> {
        Err(rusqlite::Error::UserFunctionError("sqrt: expected numbers, found 'a'".into()))
    };
    connection.create_scalar_function("sqrt", 1, flags, strict).unwrap();
    connection.create_aggregate_function("median", 1, flags, Nothing).unwrap();
    connection.create_aggregate_function("quantile_cont", 2, flags, Nothing).unwrap();
    connection
}
