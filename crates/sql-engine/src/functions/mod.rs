//! Functions that SQLite lacks, with the names and the meaning that they have in DuckDB.
//!
//! Functions of SQLite stay SQLite's: `concat`, `if`, `sign`, `string_agg` are not here.

mod argument;
mod math;
mod moments;
mod pattern;
mod quantile;
mod statistics;
mod text;

use argument::{Call, Number};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};
use std::ffi::c_int;

/// All functions of this module.
const FUNCTIONS: &[Function] = &[
    scalar(&["regexp"], &[2], pattern::regexp),
    scalar(&["regexp_matches", "regexp_like"], &[2], pattern::matches),
    scalar(&["regexp_extract"], &[2, 3], pattern::extract),
    scalar(&["regexp_replace"], &[3, 4], pattern::replace),
    scalar(&["regexp_count"], &[2], pattern::count),
    scalar(&["left"], &[2], text::left),
    scalar(&["right"], &[2], text::right),
    scalar(&["strpos"], &[2], text::strpos),
    scalar(&["split_part"], &[3], text::split_part),
    scalar(&["starts_with"], &[2], text::starts_with),
    scalar(&["ends_with"], &[2], text::ends_with),
    scalar(&["contains"], &[2], text::contains),
    scalar(&["reverse"], &[1], text::reverse),
    scalar(&["repeat"], &[2], text::repeat),
    scalar(&["lpad"], &[3], text::lpad),
    scalar(&["rpad"], &[3], text::rpad),
    scalar(&["bit_length"], &[1], text::bit_length),
    scalar(&["len"], &[1], text::len),
    row(&["greatest"], &[-1], Body::Nullable(text::greatest)),
    row(&["least"], &[-1], Body::Nullable(text::least)),
    row(&["ceil", "ceiling"], &[1], Body::Rounding(f64::ceil)),
    row(&["floor"], &[1], Body::Rounding(f64::floor)),
    row(&["trunc"], &[1], Body::Rounding(f64::trunc)),
    row(&["sqrt"], &[1], Body::Real(f64::sqrt)),
    row(&["cbrt"], &[1], Body::Real(f64::cbrt)),
    row(&["exp"], &[1], Body::Real(f64::exp)),
    row(&["ln"], &[1], Body::Real(math::ln)),
    row(&["log2"], &[1], Body::Real(math::log2)),
    row(&["log", "log10"], &[1], Body::Real(math::log10)),
    row(&["log"], &[2], Body::Reals(math::log)),
    row(&["pow", "power"], &[2], Body::Reals(f64::powf)),
    scalar(&["mod"], &[2], math::remainder),
    scalar(&["div"], &[2], math::quotient),
    scalar(&["pi"], &[0], |_| Ok(Value::Real(std::f64::consts::PI))),
    row(&["sin"], &[1], Body::Real(f64::sin)),
    row(&["cos"], &[1], Body::Real(f64::cos)),
    row(&["tan"], &[1], Body::Real(f64::tan)),
    row(&["cot"], &[1], Body::Real(math::cot)),
    row(&["asin"], &[1], Body::Real(f64::asin)),
    row(&["acos"], &[1], Body::Real(f64::acos)),
    row(&["atan"], &[1], Body::Real(f64::atan)),
    row(&["atan2"], &[2], Body::Reals(f64::atan2)),
    row(&["degrees"], &[1], Body::Real(f64::to_degrees)),
    row(&["radians"], &[1], Body::Real(f64::to_radians)),
    aggregate(&["median"], &[1], |it| it.window(quantile::Quantile::median)),
    aggregate(&["quantile_cont"], &[2], |it| it.window(quantile::Quantile::continuous)),
    aggregate(&["quantile_disc"], &[2], |it| it.window(quantile::Quantile::discrete)),
    aggregate(&["stddev", "stddev_samp", "stdev"], &[1], |it| it.window(moments::Pairs::stddev_samp)),
    aggregate(&["stddev_pop"], &[1], |it| it.window(moments::Pairs::stddev_pop)),
    // The variance of x is its covariance with itself.
    aggregate(&["variance", "var_samp"], &[1], |it| it.window(moments::Pairs::covar_samp)),
    aggregate(&["var_pop"], &[1], |it| it.window(moments::Pairs::covar_pop)),
    aggregate(&["covar_samp"], &[2], |it| it.window(moments::Pairs::covar_samp)),
    aggregate(&["covar_pop"], &[2], |it| it.window(moments::Pairs::covar_pop)),
    aggregate(&["corr"], &[2], |it| it.window(moments::Pairs::corr)),
    aggregate(&["first"], &[1], |it| it.window(statistics::First::<false>::value)),
    aggregate(&["any_value"], &[1], |it| it.window(statistics::First::<true>::value)),
    aggregate(&["last"], &[1], |it| it.window(statistics::Last::value)),
    aggregate(&["arg_max", "max_by"], &[2], |it| it.window(statistics::Extreme::<true>::value)),
    aggregate(&["arg_min", "min_by"], &[2], |it| it.window(statistics::Extreme::<false>::value)),
    aggregate(&["bool_and"], &[1], |it| it.window(statistics::Truths::all)),
    aggregate(&["bool_or"], &[1], |it| it.window(statistics::Truths::any)),
    aggregate(&["count_if"], &[1], |it| it.window(statistics::Truths::count)),
    aggregate(&["bit_and"], &[1], |it| it.window(statistics::Bits::and)),
    aggregate(&["bit_or"], &[1], |it| it.window(statistics::Bits::or)),
    aggregate(&["bit_xor"], &[1], |it| it.window(statistics::Bits::xor)),
];

const FLAGS: FunctionFlags =
    FunctionFlags::SQLITE_DETERMINISTIC.union(FunctionFlags::SQLITE_UTF8).union(FunctionFlags::SQLITE_INNOCUOUS);

/// Registers the functions that SQLite lacks.
///
/// # Errors
/// If SQLite refuses one.
pub fn register(connection: &Connection) -> Result<()> {
    for function in FUNCTIONS {
        for &name in function.names {
            for &arguments in function.arguments {
                function.body.register(Registration { connection, name, arguments })?;
            }
        }
    }
    Ok(())
}

/// A row of the table of functions.
struct Function {
    /// Its names, which mean the same.
    names: &'static [&'static str],
    /// The numbers of arguments it may have; -1 is any.
    arguments: &'static [c_int],
    body: Body,
}

/// What a function does.
enum Body {
    /// A function of one number.
    Real(fn(f64) -> f64),
    /// A function of two numbers.
    Reals(fn(f64, f64) -> f64),
    /// A function of one number that leaves integers as they are.
    Rounding(fn(f64) -> f64),
    /// A function of values. If one is NULL, the result is NULL and the function is not called.
    Scalar(fn(&Call<'_>) -> Result<Value>),
    /// A function of values, which may be NULL.
    Nullable(fn(&Call<'_>) -> Result<Value>),
    /// An aggregate, which is a window function too.
    Aggregate(fn(Registration<'_>) -> Result<()>),
}

const fn row(names: &'static [&'static str], arguments: &'static [c_int], body: Body) -> Function {
    Function { names, arguments, body }
}

const fn scalar(
    names: &'static [&'static str],
    arguments: &'static [c_int],
    body: fn(&Call<'_>) -> Result<Value>,
) -> Function {
    row(names, arguments, Body::Scalar(body))
}

const fn aggregate(
    names: &'static [&'static str],
    arguments: &'static [c_int],
    body: fn(Registration<'_>) -> Result<()>,
) -> Function {
    row(names, arguments, Body::Aggregate(body))
}

impl Body {
    /// Registers the function. A result that is NaN becomes NULL in SQLite.
    fn register(&self, registration: Registration<'_>) -> Result<()> {
        match *self {
            Self::Real(function) => {
                registration.scalar(move |call| Ok(call.real(0).map_or(Value::Null, |x| Value::Real(function(x)))))
            }
            Self::Reals(function) => registration.scalar(move |call| {
                let arguments = call.real(0).zip(call.real(1));
                Ok(arguments.map_or(Value::Null, |(x, y)| Value::Real(function(x, y))))
            }),
            Self::Rounding(function) => registration.scalar(move |call| {
                Ok(match call.number(0) {
                    Some(Number::Real(real)) => Value::Real(function(real)),
                    number => number.map_or(Value::Null, Value::from),
                })
            }),
            Self::Scalar(function) => registration.scalar(move |call| {
                let has_null = (0..call.context.len()).any(|index| call.value(index) == ValueRef::Null);
                if has_null { Ok(Value::Null) } else { function(call) }
            }),
            Self::Nullable(function) => registration.scalar(function),
            Self::Aggregate(function) => function(registration),
        }
    }
}

/// A function that is being registered under one name, with one number of arguments.
#[derive(Clone, Copy)]
struct Registration<'c> {
    connection: &'c Connection,
    name: &'static str,
    arguments: c_int,
}

impl Registration<'_> {
    fn scalar(self, function: impl Fn(&Call<'_>) -> Result<Value> + Send + 'static) -> Result<()> {
        let Self { connection, name, arguments } = self;
        connection.create_scalar_function(name, arguments, FLAGS, move |context| function(&Call { name, context }))
    }

    fn window<S: statistics::State>(self, value: fn(&mut S) -> Value) -> Result<()> {
        let Self { connection, name, arguments } = self;
        connection.create_window_function(name, arguments, FLAGS, statistics::Aggregation { name, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a database with the functions.
    pub(super) fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        connection
    }

    /// Returns the first row of `SELECT …`.
    pub(super) fn select(expressions: &str) -> Vec<Value> {
        let connection = database();
        let mut statement = connection.prepare(&format!("SELECT {expressions}")).unwrap();
        let columns = statement.column_count();
        statement.query_row([], |row| (0..columns).map(|column| row.get(column)).collect()).expect(expressions)
    }

    /// Returns the error of `SELECT …`.
    pub(super) fn refused(expressions: &str) -> String {
        database().query_row(&format!("SELECT {expressions}"), [], |_| Ok(())).unwrap_err().to_string()
    }

    /// Compares results with those of an expression of SQLite.
    pub(super) fn assert_same(ours: &str, expected: &str) {
        assert_eq!(select(ours), select(expected), "{ours}");
    }

    /// Compares an aggregate in frames of all kinds with the same aggregate over the rows of each frame without a window.
    pub(super) fn assert_frames(call: &str) {
        let connection = database();
        connection
            .execute_batch(
                "CREATE TABLE rows (k INTEGER, g INTEGER, x, y, i INTEGER, s TEXT);
                 WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 59)
                 INSERT INTO rows SELECT k, k * k / 97,
                    CASE k * 7 % 11 WHEN 0 THEN NULL WHEN 3 THEN k * 0.37 WHEN 4 THEN 1e9 * k WHEN 5 THEN 1 << 60
                        ELSE k * k * 31 % 17 END,
                    CASE k * 5 % 13 WHEN 1 THEN NULL WHEN 2 THEN 1.5 ELSE k * 13 % 7 END, k * k * 31 % 19, 's' || k % 5
                 FROM n;",
            )
            .unwrap();
        let (with_order, of_frame) = (call.replacen(')', " ORDER BY k)", 1), call);
        let frames = [
            ("ORDER BY k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", "k BETWEEN o.k - 2 AND o.k"),
            ("ORDER BY k ROWS BETWEEN 9 PRECEDING AND 1 PRECEDING", "k BETWEEN o.k - 9 AND o.k - 1"),
            ("ORDER BY k ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING", "k BETWEEN o.k + 1 AND o.k + 3"),
            ("ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "k >= o.k"),
            (
                "ORDER BY k ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING EXCLUDE CURRENT ROW",
                "k BETWEEN o.k - 4 AND o.k + 4 AND k <> o.k",
            ),
            ("ORDER BY g", "g <= o.g"),
            ("ORDER BY g RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING", "g BETWEEN o.g - 3 AND o.g + 2"),
            ("PARTITION BY g % 3 ORDER BY k", "g % 3 = o.g % 3 AND k <= o.k"),
        ];
        for (window, condition) in frames {
            let query = format!(
                "SELECT k, {of_frame} OVER ({window}), (SELECT {with_order} FROM rows WHERE {condition}) FROM rows AS o"
            );
            let mut statement = connection.prepare(&query).unwrap();
            let mut rows = statement.query([]).unwrap();
            let mut count = 0;
            while let Some(row) = rows.next().unwrap() {
                let (k, found, expected): (i64, Value, Value) =
                    (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
                assert!(is_near(&found, &expected), "{call} OVER ({window}) at {k}: {found:?}, not {expected:?}");
                count += 1;
            }
            assert_eq!(count, 60);
        }
    }

    /// Whether two values differ by rounding at most.
    pub(super) fn is_near(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Real(a), Value::Real(b)) => (a - b).abs() <= 1e-12 * a.abs().max(b.abs()) || (a - b).abs() < 1e-15,
            _ => a == b,
        }
    }

    /// Returns the names of all functions that [`register`] adds, ascending.
    fn names() -> Vec<&'static str> {
        let mut names: Vec<&str> = FUNCTIONS.iter().flat_map(|function| function.names).copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn functions_of_sqlite_are_not_registered() {
        let built_in: Vec<String> = {
            let connection = Connection::open_in_memory().unwrap();
            let mut statement = connection.prepare("SELECT DISTINCT name FROM pragma_function_list").unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        for name in names() {
            assert!(!built_in.contains(&name.to_owned()), "{name}");
        }
        for name in ["concat", "concat_ws", "if", "sign", "string_agg", "abs", "round", "ifnull", "octet_length"] {
            assert!(built_in.contains(&name.to_owned()), "{name}");
        }
    }

    #[test]
    fn names_ascend_and_are_all_known_to_sqlite() {
        let names = names();
        assert!(names.is_sorted_by(|a, b| a < b));
        for name in names {
            let sql = "SELECT count(*) FROM pragma_function_list WHERE name = ?1 AND builtin = 0";
            assert!(database().query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap() > 0, "{name}");
        }
    }

    #[test]
    fn functions_may_be_called_in_any_case_and_in_indexes() {
        assert_same("LEFT('abc', 1), Median(2), POW(2, 3)", "'a', 2.0, 8.0");
        let connection = database();
        connection.execute_batch("CREATE TABLE t (s); CREATE INDEX i ON t (left(s, 2), cbrt(s))").unwrap();
    }

    #[test]
    fn a_null_argument_of_a_scalar_gives_null() {
        for function in FUNCTIONS.iter().filter(|function| !matches!(function.body, Body::Aggregate(_))) {
            for (name, &count) in
                function.names.iter().flat_map(|name| function.arguments.iter().map(move |n| (name, n)))
            {
                let nulls = vec!["NULL"; count.unsigned_abs() as usize].join(", ");
                let expected = if count == 0 { Value::Real(std::f64::consts::PI) } else { Value::Null };
                assert_eq!(select(&format!("{name}({nulls})")), [expected], "{name}");
            }
        }
    }

    #[test]
    fn wrong_numbers_of_arguments_are_refused() {
        for call in ["left('a')", "regexp_extract('a')", "median()", "log(1, 2, 3)"] {
            let name = call.split('(').next().unwrap();
            let sql = format!("SELECT {call}");
            let error = database().prepare(&sql).map(drop).unwrap_err().to_string();
            assert!(error.contains(&format!("wrong number of arguments to function {name}()")), "{error}");
        }
        assert_eq!(refused("greatest()"), "greatest: expected at least one argument");
    }
}
