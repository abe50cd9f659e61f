//! What polars-sql cannot do, each with its rewrite. Found in the tokens, before anything runs.

use super::token::{Token, TokenKind, closing};

/// A part of a statement that cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The token at which it is.
    pub(super) token: usize,
    /// What cannot run: `cannot run RECURSIVE: …`.
    pub(super) reason: String,
    /// What to write instead.
    pub(super) rewrite: String,
}

/// Words that make a statement change something.
const CHANGES: &[&str] = &[
    "ALTER", "ATTACH", "BEGIN", "CALL", "COMMIT", "COPY", "CREATE", "DELETE", "DROP", "GRANT", "INSERT", "INSTALL",
    "LOAD", "MERGE", "PRAGMA", "REPLACE", "SET", "TRUNCATE", "UPDATE", "USE", "VACUUM",
];

/// Functions of other databases, and what to write instead.
const FUNCTIONS: &[(&[&str], &str)] = &[
    (
        &["percentile_cont", "percentile", "approx_percentile", "approx_quantile", "quantile"],
        "write quantile_cont(dur, 0.95)",
    ),
    (&["percentile_disc"], "write quantile_disc(dur, 0.95)"),
    (
        &["arg_max", "argmax", "max_by", "arg_min", "argmin", "min_by"],
        "number the rows and keep the first: SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY rank ORDER BY dur DESC) AS n \
         FROM kernels) AS k WHERE n = 1",
    ),
    (
        &["time_bucket", "date_bin", "date_trunc", "width_bucket", "histogram"],
        "times are nanoseconds: FLOOR(ts / 1000000) AS ms, then GROUP BY ms",
    ),
    (&["group_concat", "listagg"], "write STRING_AGG(name, ',')"),
    (&["nvl", "isnull"], "write COALESCE(x, y)"),
    (&["len"], "write LENGTH(x)"),
    (&["any_value", "arbitrary"], "write FIRST(x), or MIN(x)"),
    (&["count_if", "countif"], "write COUNT(*) FILTER (WHERE …)"),
    (&["sum_if", "sumif"], "write SUM(x) FILTER (WHERE …)"),
    (
        &["regexp_extract", "regexp_replace", "regexp_matches", "regexp_substr", "regexp_split_to_array"],
        "test with name ~ 'pattern' and cut with SPLIT_PART(name, '::', 2), SUBSTR or REPLACE; Rust cells have str().extract()",
    ),
    (&["regexp_count", "regexp_instr"], "test with name ~ 'pattern'"),
    (
        &["ntile", "percent_rank", "cume_dist"],
        "divide row numbers by counts: ROW_NUMBER() OVER (ORDER BY dur) / COUNT(*) OVER (PARTITION BY trace)",
    ),
    (&["nth_value"], "number the rows with ROW_NUMBER() OVER (…) AS n in a subquery, then WHERE n = 3"),
    (
        &["generate_series", "range", "unnest_series"],
        "number the rows of a table: SELECT ROW_NUMBER() OVER (ORDER BY ts) FROM events LIMIT 10",
    ),
    (
        &["now", "current_timestamp", "getdate"],
        "times of a trace are ns on its own clock: SELECT MAX(end_ts) FROM ranks",
    ),
    (&["printf", "format", "to_char"], "write CONCAT(…), or leave the formatting to the table"),
    (&["iif"], "write IF(condition, x, y)"),
    (&["grouping", "grouping_id"], "write one SELECT per level and join them with UNION ALL BY NAME"),
    (
        &["read_csv", "read_parquet", "read_json", "read_ipc", "read_csv_auto", "parquet_scan"],
        "read the file in a Rust cell and name the variable: let df = …",
    ),
    (&["json_extract", "json_extract_string", "json_value"], "load the argument as a column: %parser_args lists them"),
];

/// Returns the first part of a statement that cannot run.
pub(super) fn refusal(tokens: &[Token<'_>]) -> Option<Refusal> {
    changes(tokens).or_else(|| several(tokens)).or_else(|| (0..tokens.len()).find_map(|at| at_token(tokens, at)))
}

fn refused(token: usize, reason: impl Into<String>, rewrite: impl Into<String>) -> Option<Refusal> {
    Some(Refusal { token, reason: reason.into(), rewrite: rewrite.into() })
}

fn changes(tokens: &[Token<'_>]) -> Option<Refusal> {
    let first = tokens.first()?;
    if first.is("CREATE") || first.is("INSERT") {
        return refused(0, "statements only read", "bind the rows to a name: df << SELECT …, then SELECT … FROM df");
    }
    if first.is_any(CHANGES) {
        return refused(0, "statements only read", "write a SELECT");
    }
    if first.is("DESCRIBE")
        || first.is("DESC")
        || tokens.get(1).is_some_and(|next| first.is("SHOW") && next.is("COLUMNS"))
    {
        return refused(
            0,
            format!("{} is not a query", first.text),
            "Shift-Tab on the name of a table shows its columns, or SELECT * FROM events LIMIT 3",
        );
    }
    None
}

fn several(tokens: &[Token<'_>]) -> Option<Refusal> {
    let at = tokens.iter().position(|token| token.is_symbol(";")).filter(|at| at + 1 < tokens.len())?;
    refused(at + 1, "a cell has one statement", "put the second one into another cell, or use WITH name AS (SELECT …)")
}

fn at_token(tokens: &[Token<'_>], at: usize) -> Option<Refusal> {
    let token = &tokens[at];
    let next = tokens.get(at + 1);
    let next_is = |word: &str| next.is_some_and(|next| next.is(word));
    let calls = next.is_some_and(|next| next.is_symbol("("));
    if token.kind == TokenKind::Symbol {
        return parameter(tokens, at);
    }
    if token.kind != TokenKind::Word {
        return None;
    }
    if token.is("WITH") && next_is("RECURSIVE") {
        return refused(
            at + 1,
            "recursive queries are not supported",
            "FROM descendants(id) and FROM ancestors(id) walk the calls of an event, and self_time has the parent and depth of all",
        );
    }
    if (token.is_any(&["ROLLUP", "CUBE"]) && calls)
        || (token.is("GROUPING") && next_is("SETS"))
        || (token.is("WITH") && (next_is("ROLLUP") || next_is("CUBE")))
    {
        let what = if token.is("WITH") { next.map_or("", |next| next.text) } else { token.text };
        return refused(
            at,
            format!("{what} is not supported"),
            "write one SELECT per level and join them: SELECT rank, SUM(dur) AS dur FROM kernels GROUP BY rank UNION ALL SELECT NULL, \
             SUM(dur) FROM kernels",
        );
    }
    if token.is("OVER") && calls {
        return frame(tokens, at + 1);
    }
    if token.is("ASOF") && next_is("JOIN") {
        return refused(
            at,
            "ASOF joins are not supported",
            "join on the inequality and keep the last: SELECT * FROM (SELECT a.id, b.id AS before, ROW_NUMBER() OVER (PARTITION BY a.id \
             ORDER BY b.ts DESC) AS n FROM a JOIN b ON b.ts <= a.ts) AS p WHERE n = 1",
        );
    }
    if token.is("LATERAL") {
        return refused(
            at,
            "LATERAL is not supported: a table cannot use columns of the table before it",
            "join with a table of all events: FROM kernels k JOIN self_time s ON s.id = k.launch_id AND s.rank = k.rank",
        );
    }
    if token.is("WITHIN") && next_is("GROUP") {
        return refused(at, "WITHIN GROUP is not supported", "write quantile_cont(dur, 0.95)");
    }
    if token.is_any(&["PIVOT", "UNPIVOT"]) && calls {
        return refused(
            at,
            format!("{} is not supported", token.text),
            "write one column per value: SUM(dur) FILTER (WHERE rank = 0) AS rank_0, SUM(dur) FILTER (WHERE rank = 1) AS rank_1",
        );
    }
    if token.is("TOP") && next.is_some_and(|next| next.kind == TokenKind::Number) {
        return refused(at, "TOP is not supported", "write LIMIT at the end");
    }
    if token.is("SIMILAR") && next_is("TO") {
        return refused(at, "SIMILAR TO is not supported", "write name ~ 'regular expression'");
    }
    if token.is("GLOB") {
        return refused(at, "GLOB is not supported", "write LIKE 'nccl%', or ~ 'regular expression'");
    }
    if token.is("ESCAPE") && at > 0 && tokens[at - 1].kind == TokenKind::Text {
        return refused(at, "ESCAPE is not supported", "write name ~ 'regular expression', where \\_ is an underscore");
    }
    if token.is("TABLESAMPLE") {
        return refused(at, "TABLESAMPLE is not supported", "write WHERE MOD(id, 100) = 0");
    }
    if token.is_any(&["IGNORE", "RESPECT"]) && next_is("NULLS") {
        return refused(at, format!("{} NULLS is not supported", token.text), "filter first: WHERE x IS NOT NULL");
    }
    if calls {
        let (_, rewrite) = FUNCTIONS.iter().find(|(names, _)| token.is_any(names))?;
        return refused(at, format!("{} is not supported", token.text), *rewrite);
    }
    None
}

/// Refuses `?`, `$1`, `:name` and `{{name}}`: there are no parameters.
fn parameter(tokens: &[Token<'_>], at: usize) -> Option<Refusal> {
    let token = &tokens[at];
    let next = tokens.get(at + 1).filter(|next| next.range.start == token.range.end);
    let joins_before = at > 0 && tokens[at - 1].range.end == token.range.start;
    let is_parameter = match token.text {
        "?" => true,
        "$" => next.is_some(),
        ":" => {
            next.is_some_and(|next| next.kind == TokenKind::Word || next.kind == TokenKind::Number)
                && !(joins_before && at > 0 && !matches!(tokens[at - 1].text, "(" | "," | "=" | "<" | ">"))
        }
        "{" => next.is_some_and(|next| next.is_symbol("{")),
        _ => false,
    };
    if !is_parameter {
        return None;
    }
    refused(
        at,
        "statements have no parameters",
        "write the value; a Rust data frame is a table: let wanted = df!(\"name\" => [\"aten::mm\"])?; then JOIN wanted USING (name)",
    )
}

/// Refuses a window frame other than from the first row to this one.
fn frame(tokens: &[Token<'_>], open: usize) -> Option<Refusal> {
    let end = closing(tokens, open);
    let within = &tokens[open..end];
    let start = open + within.iter().position(|token| token.is_any(&["ROWS", "RANGE", "GROUPS"]))?;
    // A column of such a name is followed by something else.
    if !tokens
        .get(start + 1)
        .is_some_and(|next| next.is_any(&["BETWEEN", "UNBOUNDED", "CURRENT"]) || next.kind == TokenKind::Number)
    {
        return None;
    }
    let words: Vec<String> = tokens[start..end].iter().map(|token| token.text.to_uppercase()).collect();
    let running = ["ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "ROWS UNBOUNDED PRECEDING"];
    if running.contains(&words.join(" ").as_str()) {
        return None;
    }
    refused(
        start,
        "window frames are not supported, except ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        "for neighbours write LAG(dur, 1) OVER (ORDER BY ts) and LEAD; for a sliding sum subtract running sums: SUM(dur) OVER (ORDER BY \
         ts) AS s in a subquery, then s - LAG(s, 10) OVER (ORDER BY ts)",
    )
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn parts_that_cannot_run_are_found_at_their_token() {
        for (statement, token) in [
            ("WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t", "RECURSIVE"),
            ("SELECT sum(dur) FROM t GROUP BY ROLLUP (a)", "ROLLUP"),
            ("SELECT sum(dur) FROM t GROUP BY GROUPING SETS ((a), ())", "GROUPING"),
            ("SELECT avg(x) OVER (ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t", "ROWS"),
            ("SELECT avg(x) OVER (ORDER BY ts ROWS 2 PRECEDING) FROM t", "ROWS"),
            ("SELECT * FROM a ASOF JOIN b ON a.ts >= b.ts", "ASOF"),
            ("SELECT * FROM a, LATERAL (SELECT 1) b", "LATERAL"),
            ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t", "percentile_cont"),
            ("SELECT * FROM t PIVOT (sum(x) FOR y IN (1))", "PIVOT"),
            ("SELECT * FROM t WHERE rank = ?", "?"),
            ("SELECT * FROM t WHERE rank = $1", "$"),
            ("SELECT * FROM t WHERE rank = :rank", ":"),
            ("SELECT * FROM t WHERE name = {{name}}", "{"),
            ("DROP TABLE t", "DROP"),
            ("INSERT INTO t VALUES (1)", "INSERT"),
            ("SELECT 1; SELECT 2", "SELECT"),
            ("SELECT regexp_extract(name, 'a') FROM t", "regexp_extract"),
        ] {
            let all = tokens(statement);
            let found = refusal(&all);
            assert_eq!(found.as_ref().map(|found| all[found.token].text), Some(token), "{statement}");
            assert!(found.is_some_and(|found| !found.rewrite.is_empty()), "{statement}");
        }
    }

    #[test]
    fn other_statements_pass() {
        for statement in [
            "SELECT 1;",
            "SELECT range, rows, top FROM t WHERE a::INT = 1 AND b = '?' -- :x",
            "SELECT sum(x) OVER (PARTITION BY rows ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
            "SELECT sum(x) OVER (PARTITION BY range) FROM t",
            "SELECT {'a': 1}",
            "SELECT a[1:2] FROM t",
            "SELECT \"load\" FROM t",
        ] {
            assert_eq!(refusal(&tokens(statement)), None, "{statement}");
        }
    }
}
