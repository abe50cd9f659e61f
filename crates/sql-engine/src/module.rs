//! Virtual tables of SQLite: its C interface on one side, scans on the other.
//!
//! rusqlite's own virtual tables copy each text and end the process when code in them panics. These hand out the texts of columns
//! where they are, and turn a panic into an error of the statement.

#![allow(unsafe_code)]

use crate::block::Gathered;
use crate::condition::{Operand, Test};
use crate::order::{OrderKey, Purpose};
use crate::plan::{Offer, Plan, Request, RowBound, choose};
use crate::scan::Scan;
use crate::store::{Stop, TableState, locked};
use crate::value::{Kind, OwnedValue, Value};
use rusqlite::ffi;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, Mutex};

/// A table as SQLite sees it. SQLite writes the first field.
#[repr(C)]
struct Instance {
    base: ffi::sqlite3_vtab,
    state: Arc<TableState>,
    /// The plans of the statement, by their number.
    plans: Mutex<Vec<Arc<Plan>>>,
}

/// A cursor as SQLite sees it. SQLite writes the first field.
#[repr(C)]
struct Cursor {
    base: ffi::sqlite3_vtab_cursor,
    scan: Scan,
    /// Whether texts of every column stay until the connection is closed.
    keeps_texts: bool,
}

/// The functions of tables. Without `xCreate`, a table is there by its name alone.
static MODULE: ffi::sqlite3_module = ffi::sqlite3_module {
    iVersion: 1,
    xCreate: None,
    xConnect: Some(connect),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect),
    xDestroy: None,
    xOpen: Some(open),
    xClose: Some(close),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(rowid),
    xUpdate: None,
    xBegin: None,
    xSync: None,
    xCommit: None,
    xRollback: None,
    xFindFunction: None,
    xRename: None,
    xSavepoint: None,
    xRelease: None,
    xRollbackTo: None,
    xShadowName: None,
    xIntegrity: None,
};

/// Adds a table to a connection.
///
/// # Errors
/// If SQLite refuses the name.
pub(crate) fn add(connection: &rusqlite::Connection, name: &str, state: Arc<TableState>) -> rusqlite::Result<()> {
    let name = CString::new(name).map_err(rusqlite::Error::NulError)?;
    let state: *mut TableState = Arc::into_raw(state).cast_mut();
    // SAFETY: the handle is open; `MODULE` is a constant; the pointer is that of an `Arc`, which `release` gives back once.
    let code = unsafe {
        ffi::sqlite3_create_module_v2(
            connection.handle(),
            name.as_ptr(),
            &raw const MODULE,
            state.cast(),
            Some(release),
        )
    };
    if code == ffi::SQLITE_OK { Ok(()) } else { Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)) }
}

/// Gives back the state of a table, when the connection is closed.
unsafe extern "C" fn release(state: *mut c_void) {
    // SAFETY: the pointer is the one that `add` made of an `Arc`, and SQLite calls this once.
    drop(unsafe { Arc::from_raw(state.cast::<TableState>()) });
}

/// Runs code of ours for SQLite: a panic is an error.
fn guarded(state: &TableState, run: impl FnOnce() -> Result<(), Stop>) -> c_int {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => ffi::SQLITE_OK,
        Ok(Err(Stop::Interrupted)) => ffi::SQLITE_INTERRUPT,
        Ok(Err(Stop::Failed(failure))) => {
            locked(&state.failed).get_or_insert(failure);
            ffi::SQLITE_ERROR
        }
        Err(_) => {
            locked(&state.failed).get_or_insert_with(|| "internal error while a table was read".into());
            ffi::SQLITE_ERROR
        }
    }
}

unsafe extern "C" fn connect(
    db: *mut ffi::sqlite3,
    state: *mut c_void,
    _: c_int,
    _: *const *const c_char,
    table: *mut *mut ffi::sqlite3_vtab,
    _: *mut *mut c_char,
) -> c_int {
    // SAFETY: the pointer is the one that `add` made of an `Arc`; its count grows for the instance.
    let state = unsafe {
        Arc::increment_strong_count(state.cast::<TableState>());
        Arc::from_raw(state.cast::<TableState>())
    };
    let Ok(declaration) = CString::new(declaration(&state)) else { return ffi::SQLITE_ERROR };
    // SAFETY: SQLite calls this function to have the table declared; the text ends with NUL.
    let code = unsafe { ffi::sqlite3_declare_vtab(db, declaration.as_ptr()) };
    if code != ffi::SQLITE_OK {
        return code;
    }
    let base = ffi::sqlite3_vtab { pModule: ptr::null(), nRef: 0, zErrMsg: ptr::null_mut() };
    let instance = Box::new(Instance { base, state, plans: Mutex::default() });
    // SAFETY: SQLite gives the place for the pointer; `disconnect` makes a box of it again.
    unsafe { *table = Box::into_raw(instance).cast() };
    ffi::SQLITE_OK
}

/// Returns the `CREATE TABLE` of a table.
fn declaration(state: &TableState) -> String {
    let columns = state.table.columns().iter().map(|column| {
        let hidden = if column.is_argument || column.is_hidden { " HIDDEN" } else { "" };
        // NUL ends a text of C.
        let name = column.name.replace('"', "\"\"").replace('\0', "\u{fffd}");
        let unit = column.unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        format!("\"{name}\" {}{unit}{hidden}", column.kind.declared())
    });
    let columns: Vec<String> = columns.collect();
    // SQLite has no tables without columns.
    format!("CREATE TABLE x({})", if columns.is_empty() { "\"\" HIDDEN".to_owned() } else { columns.join(", ") })
}

unsafe extern "C" fn disconnect(table: *mut ffi::sqlite3_vtab) -> c_int {
    // SAFETY: the pointer is that of `connect`, and SQLite does not use it afterwards.
    drop(unsafe { Box::from_raw(table.cast::<Instance>()) });
    ffi::SQLITE_OK
}

unsafe extern "C" fn best_index(table: *mut ffi::sqlite3_vtab, info: *mut ffi::sqlite3_index_info) -> c_int {
    // SAFETY: the pointers are those of `connect` and of SQLite's description of the request; both outlive the call.
    let instance = unsafe { &*table.cast::<Instance>() };
    let state = &instance.state;
    let mut is_possible = true;
    let code = guarded(state, || {
        // SAFETY: as above.
        let request = unsafe { request(info) };
        let Some(choice) = choose(state, &request) else {
            is_possible = false;
            return Ok(());
        };
        let mut plans = locked(&instance.plans);
        // SAFETY: `info` has as many usages as constraints, and `request` has one offer for each.
        unsafe {
            for (at, usage) in choice.usage.iter().enumerate() {
                let slot = (*info).aConstraintUsage.add(at);
                (*slot).argvIndex = usage.argument as c_int;
                (*slot).omit = u8::from(usage.is_exact);
                if usage.is_list {
                    ffi::sqlite3_vtab_in(info, at as c_int, 1);
                }
            }
            (*info).idxNum = plans.len() as c_int;
            (*info).orderByConsumed = c_int::from(!choice.plan.order.is_empty());
            (*info).estimatedCost = choice.cost;
            (*info).estimatedRows = choice.rows as i64;
        }
        plans.push(Arc::new(choice.plan));
        Ok(())
    });
    if is_possible { code } else { ffi::SQLITE_CONSTRAINT }
}

/// Reads SQLite's description of a request.
///
/// # Safety
/// The pointer is the one that SQLite gave to `xBestIndex`, during that call.
unsafe fn request(info: *mut ffi::sqlite3_index_info) -> Request {
    let mut request = Request::default();
    // SAFETY: the arrays are as long as SQLite says; the functions are made for this call.
    unsafe {
        for at in 0..(*info).nConstraint {
            let constraint = *(*info).aConstraint.add(at as usize);
            let is_list = ffi::sqlite3_vtab_in(info, at, -1) != 0;
            let mut value: *mut ffi::sqlite3_value = ptr::null_mut();
            let literal = (ffi::sqlite3_vtab_rhs_value(info, at, &raw mut value) == ffi::SQLITE_OK && !value.is_null())
                .then(|| owned(value))
                .flatten();
            let bound = match i32::from(constraint.op) {
                ffi::SQLITE_INDEX_CONSTRAINT_LIMIT => Some(RowBound::Limit),
                ffi::SQLITE_INDEX_CONSTRAINT_OFFSET => Some(RowBound::Offset),
                _ => None,
            };
            let collation = ffi::sqlite3_vtab_collation(info, at);
            request.offers.push(Offer {
                column: usize::try_from(constraint.iColumn).ok(),
                test: test(constraint.op, is_list),
                is_usable: constraint.usable != 0,
                literal,
                is_binary: collation.is_null() || CStr::from_ptr(collation).to_bytes() == b"BINARY",
                bound,
            });
        }
        let order = (0..(*info).nOrderBy).map(|at| *(*info).aOrderBy.add(at as usize));
        let keys: Option<Vec<OrderKey>> = order
            .map(|key| Some(OrderKey { column: usize::try_from(key.iColumn).ok()?, is_descending: key.desc != 0 }))
            .collect();
        request.order = keys.unwrap_or_default();
        request.used = (*info).colUsed;
        let mode = ffi::sqlite3_vtab_distinct(info);
        // Rows may be left out only if they are equal in all columns that the statement uses.
        let covered =
            request.order.iter().fold(0, |all, key| all | if key.column < 63 { 1_u64 << key.column } else { 0 });
        let is_distinct = matches!(mode, 2 | 3) && request.used & !covered == 0;
        request.purpose = Some(Purpose { is_grouping: matches!(mode, 1 | 2), is_distinct });
    }
    request
}

fn test(operator: u8, is_list: bool) -> Option<Test> {
    Some(match i32::from(operator) {
        ffi::SQLITE_INDEX_CONSTRAINT_EQ if is_list => Test::In,
        ffi::SQLITE_INDEX_CONSTRAINT_EQ => Test::Equal,
        ffi::SQLITE_INDEX_CONSTRAINT_NE => Test::NotEqual,
        ffi::SQLITE_INDEX_CONSTRAINT_LT => Test::Less,
        ffi::SQLITE_INDEX_CONSTRAINT_LE => Test::LessOrEqual,
        ffi::SQLITE_INDEX_CONSTRAINT_GT => Test::Greater,
        ffi::SQLITE_INDEX_CONSTRAINT_GE => Test::GreaterOrEqual,
        ffi::SQLITE_INDEX_CONSTRAINT_ISNULL => Test::IsNull,
        ffi::SQLITE_INDEX_CONSTRAINT_ISNOTNULL => Test::IsNotNull,
        ffi::SQLITE_INDEX_CONSTRAINT_IS => Test::Is,
        ffi::SQLITE_INDEX_CONSTRAINT_ISNOT => Test::IsNot,
        ffi::SQLITE_INDEX_CONSTRAINT_LIKE => Test::Like,
        ffi::SQLITE_INDEX_CONSTRAINT_REGEXP => Test::Regexp,
        _ => return None,
    })
}

/// Copies a value of SQLite; none for a blob, and for a text that is no UTF-8.
///
/// # Safety
/// The value is one that SQLite protects during this call.
unsafe fn owned(value: *mut ffi::sqlite3_value) -> Option<OwnedValue> {
    // SAFETY: the text is as long as SQLite says.
    unsafe {
        Some(match ffi::sqlite3_value_type(value) {
            ffi::SQLITE_NULL => OwnedValue::Null,
            ffi::SQLITE_INTEGER => OwnedValue::Int(ffi::sqlite3_value_int64(value)),
            ffi::SQLITE_FLOAT => OwnedValue::Real(ffi::sqlite3_value_double(value)),
            ffi::SQLITE_TEXT => {
                let text = ffi::sqlite3_value_text(value);
                let length = usize::try_from(ffi::sqlite3_value_bytes(value)).ok()?;
                let bytes = if text.is_null() { &[][..] } else { std::slice::from_raw_parts(text, length) };
                OwnedValue::Text(std::str::from_utf8(bytes).ok()?.to_owned())
            }
            _ => return None,
        })
    }
}

unsafe extern "C" fn open(table: *mut ffi::sqlite3_vtab, cursor: *mut *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: the pointer is that of `connect`.
    let keeps_texts = unsafe { (*table.cast::<Instance>()).state.keeps_parts() };
    let base = ffi::sqlite3_vtab_cursor { pVtab: table };
    let opened = Box::new(Cursor { base, scan: Scan::default(), keeps_texts });
    // SAFETY: SQLite gives the place for the pointer; `close` makes a box of it again.
    unsafe { *cursor = Box::into_raw(opened).cast() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn close(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: the pointer is that of `open`, and SQLite does not use it afterwards.
    drop(unsafe { Box::from_raw(cursor.cast::<Cursor>()) });
    ffi::SQLITE_OK
}

/// Returns the cursor and its table.
///
/// # Safety
/// The pointer is that of `open`, and no other reference to the cursor lives.
unsafe fn opened<'c>(cursor: *mut ffi::sqlite3_vtab_cursor) -> (&'c mut Cursor, &'c Instance) {
    // SAFETY: SQLite keeps the table as long as its cursors.
    unsafe { (&mut *cursor.cast::<Cursor>(), &*(*cursor).pVtab.cast::<Instance>()) }
}

unsafe extern "C" fn filter(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    plan: c_int,
    _: *const c_char,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> c_int {
    // SAFETY: SQLite calls one function of a cursor at a time.
    let (cursor, instance) = unsafe { opened(cursor) };
    guarded(&instance.state, || {
        let plan = locked(&instance.plans).get(plan as usize).map(Arc::clone);
        let plan = plan.ok_or_else(|| Stop::Failed("internal error: unknown plan".into()))?;
        let operands = (0..count as usize).map(|at| {
            // SAFETY: there are as many values as SQLite says, and they live during this call.
            unsafe {
                let value = *values.add(at);
                if plan.lists.contains(&at) {
                    return Operand::Many(list(value));
                }
                // A value that is not known here restricts nothing: SQLite tests it again.
                owned(value).map_or_else(|| Operand::Many(Vec::new()), Operand::One)
            }
        });
        let operands = operands.collect();
        cursor.scan.start(&instance.state, plan, operands)
    })
}

/// Returns the values of an `IN`.
///
/// # Safety
/// The value is an argument of `xFilter` that `sqlite3_vtab_in` was called for, during that call.
unsafe fn list(value: *mut ffi::sqlite3_value) -> Vec<OwnedValue> {
    let mut values = Vec::new();
    let mut next: *mut ffi::sqlite3_value = ptr::null_mut();
    // SAFETY: as above; each value lives until the next one is asked for.
    unsafe {
        let mut code = ffi::sqlite3_vtab_in_first(value, &raw mut next);
        while code == ffi::SQLITE_OK && !next.is_null() {
            // A blob equals no value of a column: a text of another kind makes SQLite test all rows.
            values.push(owned(next).unwrap_or(OwnedValue::Null));
            code = ffi::sqlite3_vtab_in_next(value, &raw mut next);
        }
    }
    values
}

unsafe extern "C" fn next(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite calls one function of a cursor at a time.
    let (cursor, instance) = unsafe { opened(cursor) };
    guarded(&instance.state, || cursor.scan.next(&instance.state))
}

unsafe extern "C" fn eof(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite calls one function of a cursor at a time.
    c_int::from(unsafe { opened(cursor) }.0.scan.is_at_end())
}

unsafe extern "C" fn rowid(cursor: *mut ffi::sqlite3_vtab_cursor, id: *mut ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite calls one function of a cursor at a time, and gives the place for the id.
    let (cursor, _) = unsafe { opened(cursor) };
    if let Some((part, _, row)) = cursor.scan.position() {
        // SAFETY: as above.
        unsafe { *id = (part as i64) << 32 | row as i64 };
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn column(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    context: *mut ffi::sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: SQLite calls one function of a cursor at a time.
    let (cursor, instance) = unsafe { opened(cursor) };
    let state = &instance.state;
    guarded(state, || {
        let column = column as usize;
        let Some((_, part, row)) = cursor.scan.position() else { return Ok(()) };
        if let Some(argument) = column.checked_sub(state.first_argument()) {
            let value = cursor.scan.argument(argument).map_or(Value::Null, OwnedValue::borrowed);
            // SAFETY: the context is SQLite's; the text is copied.
            unsafe { give(context, value, state.kind(column), false) };
            return Ok(());
        }
        // A column that is not there is NULL, as is a context that is left alone.
        let Some(values) = part.column(column) else { return Ok(()) };
        let (value, stays) = match (cursor.scan.read_ahead(column), values.dictionary()) {
            (Some(Gathered::Code(code)), Some(dictionary)) => (Value::Text(dictionary.text(code)), true),
            (Some(Gathered::Null), _) => (Value::Null, true),
            (Some(Gathered::Int(value)), _) => (Value::Int(value), true),
            (Some(Gathered::Real(value)), _) => (Value::Real(value), true),
            (_, Some(dictionary)) => {
                (values.code(row).map_or(Value::Null, |code| Value::Text(dictionary.text(code))), true)
            }
            (_, None) => (values.value(row), cursor.keeps_texts),
        };
        // SAFETY: the context is SQLite's. Texts that are not copied are those of parts or of dictionaries that the table keeps until
        // the connection is closed.
        unsafe { give(context, value, state.kind(column), stays) };
        Ok(())
    })
}

/// Hands a value to SQLite.
///
/// # Safety
/// The context is that of the call; a text that `stays` lives until the connection is closed.
unsafe fn give(context: *mut ffi::sqlite3_context, value: Value<'_>, kind: Kind, stays: bool) {
    // SAFETY: as above.
    unsafe {
        match value {
            Value::Null => {}
            Value::Int(value) if kind == Kind::Real => ffi::sqlite3_result_double(context, value as f64),
            Value::Int(value) => ffi::sqlite3_result_int64(context, value),
            Value::Real(value) => ffi::sqlite3_result_double(context, value),
            Value::Text(text) => {
                let destructor = if stays { ffi::SQLITE_STATIC() } else { ffi::SQLITE_TRANSIENT() };
                let length = text.len() as ffi::sqlite3_uint64;
                let encoding = ffi::SQLITE_UTF8 as u8;
                ffi::sqlite3_result_text64(context, text.as_ptr().cast(), length, destructor, encoding);
            }
        }
    }
}
