//! Functions of numbers. Outside of its domain a function is NaN, which SQLite makes NULL.

use super::argument::{Call, Number};
use rusqlite::Result;
use rusqlite::types::Value;

/// Logarithms of 0 would be infinite.
fn above_zero(x: f64) -> f64 {
    if x > 0.0 { x } else { f64::NAN }
}

/// The natural logarithm.
pub(super) fn ln(x: f64) -> f64 {
    above_zero(x).ln()
}

/// The logarithm of base 2.
pub(super) fn log2(x: f64) -> f64 {
    above_zero(x).log2()
}

/// The logarithm of base 10.
pub(super) fn log10(x: f64) -> f64 {
    above_zero(x).log10()
}

/// `log(base, x)`.
pub(super) fn log(base: f64, x: f64) -> f64 {
    if base == 1.0 {
        f64::NAN
    } else if base == 2.0 {
        log2(x)
    } else {
        // Powers of ten have whole logarithms of base 10; with natural ones, log(10, 1000) is 2.9999999999999996.
        log10(x) / log10(base)
    }
}

/// The cotangent.
pub(super) fn cot(x: f64) -> f64 {
    if x == 0.0 { f64::NAN } else { x.tan().recip() }
}

/// `mod(a, b)`, with the sign of `a`.
pub(super) fn remainder(call: &Call<'_>) -> Result<Value> {
    Ok(match (call.number(0), call.number(1)) {
        (Some(Number::Int(_)), Some(Number::Int(0))) => Value::Null,
        (Some(Number::Int(a)), Some(Number::Int(b))) => Value::Integer(a.wrapping_rem(b)),
        (Some(a), Some(b)) => Value::Real(a.real() % b.real()),
        _ => Value::Null,
    })
}

/// `div(a, b)`, without a fraction.
pub(super) fn quotient(call: &Call<'_>) -> Result<Value> {
    Ok(match (call.number(0), call.number(1)) {
        (Some(Number::Int(_)), Some(Number::Int(0))) => Value::Null,
        (Some(Number::Int(a)), Some(Number::Int(b))) => Value::Integer(a.saturating_div(b)),
        (Some(a), Some(b)) if b.real() != 0.0 => Value::Real((a.real() / b.real()).trunc()),
        _ => Value::Null,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_same, is_near, select};
    use rusqlite::types::Value;
    use std::f64::consts;

    /// Compares a number with one computed by hand.
    fn assert_near(expression: &str, expected: f64) {
        let found = select(expression);
        assert!(is_near(&found[0], &Value::Real(expected)), "{expression} is {found:?}, not {expected}");
    }

    #[test]
    fn rounding_keeps_integers_and_types() {
        assert_same("ceil(1.2), ceiling(-1.2), floor(1.8), floor(-1.2)", "2.0, -1.0, 1.0, -2.0");
        assert_same("trunc(1.8), trunc(-1.8)", "1.0, -1.0");
        assert_same("ceil(3), floor(9223372036854775807), trunc(-3)", "3, 9223372036854775807, -3");
        assert_same("ceil('1.2'), floor('7')", "2.0, 7");
    }

    #[test]
    fn roots_powers_and_logarithms_are_those_of_mathematics() {
        assert_same("sqrt(16), cbrt(27), cbrt(-8), exp(0), ln(1)", "4.0, 3.0, -2.0, 1.0, 0.0");
        assert_same("log(100), log10(1000), log2(8), log(2, 8), log(10, 1000)", "2.0, 3.0, 3.0, 3.0, 3.0");
        assert_same("pow(2, 10), power(2, -1), pow(0, 0)", "1024.0, 0.5, 1.0");
        assert_near("exp(1)", consts::E);
        assert_near("ln(10)", consts::LN_10);
        assert_near("log(0.5, 8)", -3.0);
        assert_near("pow(2, 0.5)", consts::SQRT_2);
    }

    #[test]
    fn angles_are_in_radians() {
        assert_same("pi(), sin(0), cos(0), tan(0), degrees(pi())", "3.141592653589793, 0.0, 1.0, 0.0, 180.0");
        assert_near("radians(180)", consts::PI);
        assert_near("sin(pi() / 6)", 0.5);
        assert_near("asin(1)", consts::FRAC_PI_2);
        assert_near("acos(0.5)", consts::FRAC_PI_3);
        assert_near("atan(1)", consts::FRAC_PI_4);
        assert_near("atan2(1, 2)", 0.4636476090008061);
        assert_near("cot(1)", 0.6420926159343306);
    }

    #[test]
    fn arguments_outside_of_the_domain_give_null() {
        for expression in [
            "sqrt(-1)",
            "ln(0)",
            "ln(-1)",
            "log(0)",
            "log2(0)",
            "log10(-5)",
            "log(1, 5)",
            "log(0, 5)",
            "log(2, 0)",
            "asin(2)",
            "acos(-2)",
            "cot(0)",
            "pow(-8, 0.5)",
            "mod(5, 0)",
            "mod(5, 0.0)",
            "div(5, 0)",
            "div(5, 0.0)",
        ] {
            assert_eq!(select(expression), [Value::Null], "{expression}");
        }
    }

    #[test]
    fn texts_and_blobs_that_are_no_numbers_give_null() {
        for expression in ["sqrt('abc')", "ceil('abc')", "pow('2x', 1)", "mod('a', 2)", "div(1, x'01')", "floor(x'01')"]
        {
            assert_eq!(select(expression), [Value::Null], "{expression}");
        }
        assert_same("sqrt('16'), pow('2', 3), mod('7', '4')", "4.0, 8.0, 3");
    }

    #[test]
    fn division_keeps_integers_and_does_not_overflow() {
        assert_same("mod(7, 3), mod(-7, 3), mod(7, -3), mod(7.5, 2)", "1, -1, 1, 1.5");
        assert_same("div(7, 2), div(-7, 2), div(7.5, 2), div(-7, 2.0)", "3, -3, 3.0, -3.0");
        assert_same("mod(-9223372036854775808, -1), div(-9223372036854775808, -1)", "0, 9223372036854775807");
    }
}
