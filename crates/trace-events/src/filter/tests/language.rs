//! The language of filters and its messages.

use super::{taken, trace, traces};
use crate::filter::Where;

fn parsed(text: &str) -> Where {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The places of the events that a text takes.
fn indices(text: &str) -> Vec<i64> {
    let (where_, events) = (parsed(text), traces().events());
    where_.check(&events).unwrap();
    taken(&events, where_.expr())
}

/// The message for a text that is wrong.
fn wrong(text: &str) -> String {
    text.parse::<Where>().unwrap_err().to_string()
}

#[test]
fn each_condition_selects_its_events() {
    for (text, expected) in [
        ("name ~ '^nccl' and dur > 40us and stream in 7,20", vec![4]),
        ("name == aten::mm", vec![2, 6]),
        ("name = 'gemm \"x\"'", vec![8]),
        (r#"name == "gemm \"x\"""#, vec![8]),
        (r"name ~ '\sDto[H]$'", vec![9]),
        ("name ~ mm", vec![2, 6, 8]),
        ("name !~ mm and stream is not null", vec![4, 9]),
        ("cat == kernel or cat == 'gpu_memcpy'", vec![4, 8, 9]),
        ("stream in (7, 20)", vec![4, 8, 9]),
        ("stream in [18-20]", vec![9]),
        ("stream not in 0-10", vec![0, 1, 2, 3, 5, 6, 7, 9]),
        ("cat in kernel, gpu_memcpy and iteration is null", vec![9]),
        ("iteration == null", vec![0, 9]),
        ("iteration != null and stream != 7", vec![1, 2, 3, 5, 6, 7]),
        ("dur == 0", vec![9]),
        ("dur > 0.039ms and dur < 5e1us", vec![6, 8]),
        ("dur >= 50_000 ns and dur <= 0.00005s", vec![4]),
        ("ts < -0.01ms", vec![0]),
        ("bytes >= 63.5", vec![9]),
        ("rank == 0 and `bytes` in 64", vec![9]),
        ("input_dims == '[[2, 3]]'", vec![2]),
        ("name < aten::z", vec![1, 2, 5, 6, 9]),
    ] {
        assert_eq!(indices(text), expected, "{text}");
    }
}

#[test]
fn not_binds_first_then_and_then_or() {
    let same = |one: &str, other: &str| assert_eq!(indices(one), indices(other), "{one}");
    same("cat == kernel or cat == cpu_op and iteration == 1", "cat == kernel or (cat == cpu_op and iteration == 1)");
    same("not cat == kernel and iteration == 1", "(not cat == kernel) and iteration == 1");
    same("not not cat == kernel", "cat == kernel");
    same("! (stream == 7 | dur == 0) & iteration == 2", "not (stream == 7 or dur == 0) and iteration == 2");
    same("NOT cat == kernel || dur == 0 && stream == 20", "not cat == kernel or dur == 0 and stream == 20");
    assert_ne!(
        indices("(cat == kernel or cat == cpu_op) and iteration == 1"),
        indices("cat == kernel or cat == cpu_op and iteration == 1")
    );
}

#[test]
fn negation_selects_all_other_events() {
    for (one, other) in [
        ("stream == 7", "stream != 7"),
        ("stream > 7", "not stream > 7"),
        ("name ~ mm", "name !~ mm"),
        ("stream in 7", "stream not in 7"),
        ("iteration is null", "iteration is not null"),
    ] {
        let mut both = [indices(one), indices(other)].concat();
        both.sort_unstable();
        assert_eq!(both, (0..10).collect::<Vec<_>>(), "{one}");
    }
}

#[test]
fn mistakes_are_marked_in_the_text() {
    for (text, reason, mark) in [
        ("", "expected a column", "^"),
        ("dur", "expected a comparison after `dur`", "   ^"),
        ("dur >", "expected a value here", "     ^"),
        ("dur > 100", "`dur` is a time: add a unit, as in 100us", "      ^^^"),
        ("dur > 100xs", "unknown unit of time `xs`: expected ns, us, ms or s", "         ^^"),
        ("stream > 5us", "`stream` is not a time: omit the unit", "         ^^^"),
        ("dur > 0.1ns", "invalid time: expected whole nanoseconds", "      ^^^^^"),
        ("ts > 1e30s", "invalid time: expected whole nanoseconds, at most 292 years", "     ^^^^^"),
        ("100us < dur", "expected a column before the comparison", "^^^"),
        ("name ~ 'a('", "invalid regular expression \"a(\": unclosed group", "       ^^^^"),
        ("name ~ 5", "expected a regular expression in quotes", "       ^"),
        ("name == 'a", "unclosed '", "        ^"),
        ("(dur > 1us", "unclosed bracket", "^"),
        ("dur > 1us)", "unmatched `)`", "         ^"),
        ("(dur > 1us stream", "expected `and`, `or` or `)`", "           ^^^^^^"),
        ("dur > 1us stream == 7", "expected `and`, `or` or the end", "          ^^^^^^"),
        ("stream in", "expected a value here", "         ^"),
        ("stream in 7,", "expected a value here", "            ^"),
        ("stream in (7", "unclosed list", "          ^"),
        ("stream in 7-4", "invalid range: its end is before its start", "          ^^^"),
        ("stream in 1.5-4", "invalid range: expected whole numbers, as in 4-7", "          ^^^^^"),
        ("stream is 7", "expected `null`", "          ^"),
        ("dur > 1us and and", "expected a column, `not` or `(`", "              ^^^"),
        ("a ? b", "unexpected `?`", "  ^"),
        ("naïve = 'é' ; x", "unexpected `;`", "            ^"),
        ("stream == 99999999999999999999e400", "number too large", "          ^^^^^^^^^^^^^^^^^^^^^^^^"),
    ] {
        let message = wrong(text);
        let lines: Vec<&str> = message.lines().collect();
        assert!(lines[0].starts_with(reason), "{text}: {message}");
        assert_eq!(lines[1..], [format!("  {text}"), format!("  {mark}")], "{message}");
    }
    assert!(wrong(&"(".repeat(100_000)).contains("more than 64 nested brackets"));
    assert!(wrong(&"not ".repeat(100_000)).contains("more than 64 nested brackets"));
    assert!(wrong(&"a == 1 or ".repeat(100_000)).contains("more than 1000 conditions"));
    assert_eq!(wrong("a\n?"), "unexpected `?`\n  a ?\n    ^");
}

#[test]
fn conditions_that_do_not_fit_the_events_are_marked() {
    let events = trace().events();
    for (text, reason, mark) in [
        ("dur > 1us and strem == 7", "unknown column `strem`", "              ^^^^^"),
        ("duration > 100us", "unknown column `duration`; did you mean `dur`?", "^^^^^^^^"),
        ("durr in 1ms,2ms", "unknown column `durr`; did you mean `dur`?", "^^^^"),
        ("Stream == 7", "unknown column `Stream`; did you mean `stream`?", "^^^^^^"),
        ("stream ~ x", "`stream` holds numbers, this is for texts", "       ^^^"),
        ("stream == 'x'", "`stream` holds numbers, this is for texts", "       ^^^^^^"),
        ("name > 5", "`name` holds texts: put it in quotes", "     ^^^"),
        ("cat in kernel,5", "`cat` holds texts: put it in quotes", "    ^^^^^^^^^^^"),
        (
            "not (est_occupancy > 5)",
            "no event has `est_occupancy`: none carries it, or it was not loaded (%trace_load … --args default,sm::occupancy)",
            "     ^^^^^^^^^^^^^",
        ),
    ] {
        let message = parsed(text).check(&events).unwrap_err().to_string();
        let lines: Vec<&str> = message.lines().collect();
        assert!(lines[0].starts_with(reason), "{text}: {message}");
        assert_eq!(lines[1..], [format!("  {text}"), format!("  {mark}")], "{message}");
    }
}
