//! Syntax of other databases that SQLite lacks: refused before SQLite sees it, since it reads some of it as something else.

use super::error::StatementError;
use super::grouping::{Ungrouped, ungrouped_columns, written};
use super::token::{Token, TokenKind, tokens};

/// Words, why they are refused (if it is left out, they are not supported), and what to write instead.
///
/// Capitals are words in any case, `|` separates alternatives, ` or ` rows with the same answer. `number`, `text` and `value` are such
/// tokens, `brackets` is `[…]` directly behind a value, `start` the start of the statement. What precedes `^` must precede the words.
const REFUSED: &str = include_str!("refused.txt");

/// Functions and table functions of other databases, and what to write instead.
const FUNCTIONS: &str = include_str!("functions.txt");

/// Returns the rows of a table in a text: `what → reason → rewrite` or `what → rewrite`.
pub(super) fn rows(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    text.lines().map(|line| {
        let (what, rest) = line.split_once(" → ").unwrap_or((line, ""));
        let (reason, rewrite) = rest.split_once(" → ").unwrap_or(("", rest));
        (what, reason, rewrite)
    })
}

/// Returns what to write instead of a function of other databases.
pub(super) fn instead_of(function: &str) -> Option<&'static str> {
    let is_it = |names: &str| names.split('|').any(|name| name.eq_ignore_ascii_case(function));
    rows(FUNCTIONS).find(|(names, ..)| is_it(names)).map(|(_, _, rewrite)| rewrite)
}

/// Refuses what SQLite cannot do, or does otherwise than a reader expects.
///
/// # Errors
/// The reason and the place. What is not understood passes: SQLite refuses it.
pub fn check_statement(statement: &str) -> Result<(), StatementError> {
    let tokens = tokens(statement);
    let refused = |at: usize, reason: &str, rewrite: &str| {
        let error = StatementError::new(format!("cannot run the statement: {reason}"), rewrite);
        Err(error.at(statement, tokens[at].range.clone()))
    };
    if tokens.iter().all(|token| token.is_symbol(";")) {
        return Err(StatementError::new("missing statement", "write SELECT * FROM events LIMIT 5"));
    }
    check_characters(statement, &tokens)?;
    let alternatives = rows(REFUSED)
        .flat_map(|(words, reason, rewrite)| words.split(" or ").map(move |words| (words, reason, rewrite)));
    let table: Vec<_> = alternatives.collect();
    for (at, token) in tokens.iter().enumerate() {
        // A name may be any word.
        let is_name = at > 0 && (tokens[at - 1].is_symbol(".") || tokens[at - 1].is("AS"));
        if is_name || token.is_symbol(",") || matches!(token.kind, TokenKind::Number | TokenKind::Text) {
            continue;
        }
        match table.iter().find(|(words, ..)| is_at(words, &tokens, at)) {
            Some((words, "", rewrite)) => {
                return refused(at, &format!("{} is not supported", shown(words, &tokens[at..])), rewrite);
            }
            Some((_, reason, rewrite)) => return refused(at, reason, rewrite),
            None => {}
        }
    }
    let end = tokens.iter().position(|token| token.is_symbol(";")).unwrap_or(tokens.len());
    if let Some(second) = (end..tokens.len()).find(|at| !tokens[*at].is_symbol(";")) {
        return refused(
            second,
            "it has a second statement",
            "write that in a cell of its own, or use WITH name AS (SELECT …)",
        );
    }
    let Some(Ungrouped { columns, has_groups }) = ungrouped_columns(&tokens) else { return Ok(()) };
    let mut names: Vec<String> = columns.iter().map(|at| written(&tokens, *at)).collect();
    names.dedup();
    let (first, all) = (&names[0], names.join(", "));
    if first.ends_with('*') {
        return refused(columns[0], "* stands beside groups or an aggregate", "name the columns, and add GROUP BY");
    }
    if has_groups {
        let rewrite = format!("add it: GROUP BY …, {all}, or write MIN({first})");
        return refused(columns[0], &format!("`{first}` is neither in GROUP BY nor in an aggregate"), &rewrite);
    }
    let rewrite = format!("add GROUP BY {all}, or write MIN({first}); OVER () gives the aggregate in each row");
    refused(columns[0], &format!("`{first}` stands beside an aggregate without GROUP BY"), &rewrite)
}

/// Refuses characters that are pasted from elsewhere: SQLite takes them as letters of names.
fn check_characters(statement: &str, tokens: &[Token<'_>]) -> Result<(), StatementError> {
    let is_foreign = |c: char| "\0‘’“”\u{200b}".contains(c) || (!c.is_ascii() && c.is_whitespace());
    let outside = tokens.iter().filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Symbol));
    let mut found = outside.filter_map(|token| Some(token.range.start + token.text.find(is_foreign)?));
    let Some(at) = found.next() else { return Ok(()) };
    let c = statement[at..].chars().next().unwrap_or_default();
    let rewrite = if "‘’“”".contains(c) { "texts have straight quotes: 'aten::mm'" } else { "write a space" };
    let error = StatementError::new(format!("invalid SQL: unexpected character U+{:04X}", u32::from(c)), rewrite);
    Err(error.at(statement, at..at + c.len_utf8()))
}

/// Whether the words of a row are refused at a token.
fn is_at(words: &str, tokens: &[Token<'_>], at: usize) -> bool {
    let (words, is_first) = words.strip_prefix("start ").map_or((words, false), |words| (words, true));
    let context = words.split_once(" ^ ").map_or(0, |(before, _)| before.split(' ').count());
    let Some(start) = at.checked_sub(context).filter(|_| !is_first || at == 0) else { return false };
    words.split(' ').filter(|word| *word != "^").zip(start..).all(|(alternatives, at)| {
        let Some(token) = tokens.get(at) else { return false };
        let adjoins = at > 0 && tokens[at - 1].range.end == token.range.start;
        alternatives.split('|').any(|word| match word {
            "number" => token.kind == TokenKind::Number,
            "text" => token.kind == TokenKind::Text,
            "value" => token.ends_value(),
            "brackets" => token.text.starts_with('[') && adjoins,
            word => token.is(word) || token.is_symbol(word),
        })
    })
}

/// Returns the refused words as they are written in the statement: `SEMI JOIN`, `!~*`.
fn shown(words: &str, tokens: &[Token<'_>]) -> String {
    let refused = words.split_once(" ^ ").map_or(words, |(_, refused)| refused);
    let written = tokens.iter().zip(refused.split(' ')).filter(|(_, word)| !["(", "number", "text"].contains(word));
    let written: Vec<String> = written.map(|(token, _)| token.text.to_uppercase()).collect();
    written.join(if tokens[0].kind == TokenKind::Word { " " } else { "" })
}

#[cfg(test)]
mod tests {
    use super::super::tests::connection;
    use super::*;

    /// Statements that are refused, the words below the caret, and parts of the message.
    const STATEMENTS: &[(&str, &str, &str)] = &[
        (
            "SELECT name FROM kernels QUALIFY ROW_NUMBER() OVER () = 1",
            "QUALIFY",
            "QUALIFY is not supported; put it into WHERE",
        ),
        ("SELECT DISTINCT ON (name) name FROM events", "DISTINCT", "DISTINCT ON is not supported"),
        (
            "SELECT * FROM events e semi JOIN kernels k USING (id)",
            "semi",
            "SEMI JOIN is not supported; write WHERE name IN",
        ),
        ("SELECT * FROM events LEFT ANTI JOIN kernels USING (id)", "ANTI", "NOT EXISTS"),
        ("SELECT * FROM kernels k ASOF JOIN events e ON k.ts >= e.ts", "ASOF", "ASOF JOIN is not supported"),
        ("SELECT * FROM kernels POSITIONAL JOIN events", "POSITIONAL", "ROW_NUMBER()"),
        (
            "SELECT * FROM events WHERE name ILIKE '%gemm%'",
            "ILIKE",
            "write LOWER(name) LIKE '%gemm%', or name REGEXP '(?i)gemm'",
        ),
        ("SELECT * FROM events WHERE name ~ 'gemm'", "~", "~ is not supported; write name REGEXP 'pattern'"),
        ("SELECT * FROM events WHERE (name) !~ 'gemm'", "!", "!~ is not supported; write name NOT REGEXP"),
        ("SELECT * FROM events WHERE name ~* 'gemm'", "~", "~* is not supported; write name REGEXP '(?i)pattern'"),
        ("SELECT * FROM events WHERE name !~* 'gemm'", "!", "!~* is not supported"),
        ("SELECT * FROM events WHERE name SIMILAR TO 'a'", "SIMILAR", "SIMILAR TO is not supported"),
        ("SELECT * FROM events, LATERAL (SELECT 1) b", "LATERAL", "LATERAL is not supported"),
        ("SELECT * FROM kernels PIVOT (SUM(dur) FOR rank IN (0))", "PIVOT", "FILTER (WHERE rank = 0)"),
        (
            "SELECT rank, SUM(dur) FROM kernels GROUP BY ROLLUP (rank)",
            "ROLLUP",
            "ROLLUP is not supported; write one SELECT",
        ),
        ("SELECT rank, SUM(dur) FROM kernels GROUP BY CUBE(rank)", "CUBE", "CUBE is not supported"),
        ("SELECT rank, SUM(dur) FROM kernels GROUP BY GROUPING SETS ((rank), ())", "GROUPING", "GROUPING SETS is not"),
        ("SELECT rank, SUM(dur) FROM kernels GROUP BY rank WITH ROLLUP", "WITH", "WITH ROLLUP is not supported"),
        (
            "SELECT quantile_cont(0.5) WITHIN GROUP (ORDER BY dur) FROM kernels",
            "WITHIN",
            "write quantile_cont(dur, 0.95)",
        ),
        ("SELECT TOP 5 name FROM kernels", "TOP", "TOP is not supported; write LIMIT 10 at the end"),
        ("SELECT name FROM kernels FETCH FIRST 5 ROWS ONLY", "FETCH", "write LIMIT 10"),
        ("SELECT * FROM kernels TABLESAMPLE 5%", "TABLESAMPLE", "write WHERE id % 100 = 0"),
        ("SELECT CAST(dur::INT AS TEXT) FROM kernels", ":", ":: is not supported; write CAST(dur AS REAL)"),
        ("SELECT * FROM gaps(7, rank => 0)", "=", "arguments have no names; write WHERE: FROM gaps(7) WHERE rank = 0"),
        ("SELECT name, SUM(dur) FROM kernels GROUP BY ALL", "GROUP", "GROUP BY ALL is not supported"),
        ("SELECT name FROM kernels ORDER BY ALL", "ORDER", "ORDER BY ALL is not supported"),
        (
            "SELECT name FROM kernels UNION ALL BY NAME SELECT name FROM events",
            "UNION",
            "UNION ALL BY NAME is not supported",
        ),
        ("SELECT name FROM kernels MINUS SELECT name FROM events", "MINUS", "write EXCEPT"),
        ("SELECT * EXCLUDE (cat) FROM events", "EXCLUDE", "EXCLUDE is not supported; name the columns"),
        ("SELECT e.* EXCEPT (cat) FROM events e", "EXCEPT", "EXCEPT is not supported"),
        ("SELECT * REPLACE (1 AS cat) FROM events", "REPLACE", "REPLACE is not supported"),
        ("SELECT ts + INTERVAL '1 day' FROM events", "INTERVAL", "intervals are numbers; times of a trace"),
        ("SELECT * FROM events WHERE ts > DATE '2026-01-01'", "DATE", "dates have no literals"),
        ("SELECT * FROM events WHERE ts > timestamp '2026-01-01'", "timestamp", "dates have no literals"),
        ("SELECT * FROM events WHERE dur = ANY (SELECT dur FROM kernels)", "ANY", "write IN (SELECT …)"),
        ("SELECT * FROM events WHERE dur >= ALL (SELECT dur FROM kernels)", "ALL", "ALL is not supported"),
        ("SELECT * INTO long FROM events", "INTO", "statements only read"),
        ("SELECT * FROM events WHERE rank = ?", "?", "statements have no parameters"),
        ("SELECT * FROM events WHERE rank = $1", "$", "statements have no parameters"),
        ("SELECT * FROM events WHERE rank = :rank", ":", "statements have no parameters; write the value"),
        ("SELECT * FROM events WHERE rank = @rank", "@", "statements have no parameters"),
        ("SELECT * FROM events WHERE rank = {{rank}}", "{", "statements have no parameters"),
        ("SELECT LAG(dur) IGNORE NULLS OVER (ORDER BY ts) FROM events", "IGNORE", "IGNORE NULLS is not supported"),
        ("SELECT name FROM events WHERE dur > 1 && rank = 0", "&", "&& is not supported; write AND"),
        ("SELECT dur // 2 FROM events", "/", "// is not supported"),
        ("SELECT name[1:3] FROM events", "[1:3]", "SUBSTR(name, 1, 3)"),
        ("SELECT TRY_CAST(name AS INT) FROM events", "TRY_CAST", "write CAST(x AS INTEGER)"),
        ("SELECT 1; SELECT 2", "SELECT", "it has a second statement"),
        ("CREATE TABLE t AS SELECT 1", "CREATE", "statements only read; bind the rows to a name: df << SELECT …"),
        ("insert INTO events VALUES (1)", "insert", "statements only read"),
        ("DROP TABLE events", "DROP", "statements only read"),
        ("PRAGMA writable_schema = ON", "PRAGMA", "statements only read"),
        ("ATTACH 'x.db' AS x", "ATTACH", "statements only read"),
        ("DESCRIBE events", "DESCRIBE", "it is not a query; Shift-Tab"),
        ("SHOW TABLES", "SHOW", "it is not a query"),
        ("FROM events", "FROM", "a statement begins with SELECT"),
        ("(SELECT 1) UNION (SELECT 2)", "(", "a statement begins with SELECT"),
        (
            "SELECT name FROM events WHERE name = ‘aten::mm’",
            "‘",
            "unexpected character U+2018; texts have straight quotes",
        ),
        ("SELECT\u{a0}name FROM events", "\u{a0}", "unexpected character U+00A0; write a space"),
        ("SELECT 1\0 FROM", "\0", "unexpected character U+0000"),
        (
            "SELECT name, SUM(dur) FROM kernels",
            "name",
            "`name` stands beside an aggregate without GROUP BY; add GROUP BY name, or write MIN(name)",
        ),
        ("SELECT COUNT(*), k.name, dur FROM kernels k", "k", "add GROUP BY k.name, dur, or write MIN(k.name)"),
        ("SELECT *, COUNT(*) FROM kernels", "*", "* stands beside groups or an aggregate; name the columns"),
    ];

    #[test]
    fn what_sqlite_cannot_do_is_refused_at_its_word() {
        for (statement, word, message) in STATEMENTS {
            let error = check_statement(statement).unwrap_err();
            assert!(error.to_string().contains(message), "{statement}\n{error}");
            assert!(!error.rewrite.is_empty(), "{statement}");
            let lines: Vec<&str> = error.marked.lines().collect();
            let from = lines[2].find('^').unwrap();
            let marked: String = lines[1].chars().skip(from).take(lines[2].matches('^').count()).collect();
            assert_eq!(marked, *word, "{error}");
        }
    }

    #[test]
    fn other_statements_pass() {
        let connection = connection();
        for statement in include_str!("ordinary.sql").lines() {
            assert_eq!(check_statement(statement), Ok(()), "{statement}");
            assert!(connection.prepare(statement).is_ok(), "{statement}: {:?}", connection.prepare(statement).err());
        }
    }

    #[test]
    fn statements_without_words_are_missing() {
        for statement in ["", "  \n", "-- nothing", ";", "/* "] {
            assert!(
                check_statement(statement).is_err_and(|error| error.message == "missing statement"),
                "{statement:?}"
            );
        }
        assert_eq!(check_statement("SELECT 1;;"), Ok(()));
    }

    #[test]
    fn rewrites_run() {
        let connection = connection();
        let all = || rows(REFUSED).chain(rows(FUNCTIONS)).map(|(_, _, rewrite)| rewrite);
        let in_rewrites = |start| all().filter_map(move |rewrite| Some(&rewrite[rewrite.find(start)?..]));
        let whole = ["write SELECT ", ": SELECT ", ": WITH "].into_iter().flat_map(in_rewrites);
        let whole: Vec<String> = whole.map(|found| found[found.find(['S', 'W']).unwrap()..].to_owned()).collect();
        assert!(whole.len() >= 6, "{whole:?}");
        let parts = [
            "SELECT k.*, (SELECT MAX(l.ts) FROM events l WHERE l.rank = k.rank AND l.ts <= k.ts) AS before FROM kernels k",
            "SELECT * FROM events e WHERE NOT EXISTS (SELECT 1 FROM kernels w WHERE w.name = e.name)",
            "SELECT SUM(dur) FILTER (WHERE rank = 0) AS rank_0, SUM(dur) FILTER (WHERE rank = 1) AS rank_1 FROM kernels",
            "SELECT ts / 1000000 AS ms, COUNT(*) FROM events GROUP BY ms",
            "SELECT datetime('2026-01-01 12:00'), printf('%.1f', 1.25), strftime('%H', '12:00')",
        ];
        for rewrite in whole.iter().map(String::as_str).chain(parts) {
            assert!(connection.prepare(rewrite).is_ok(), "{rewrite}: {:?}", connection.prepare(rewrite).err());
            assert_eq!(check_statement(rewrite), Ok(()), "{rewrite}");
        }
        assert_eq!(instead_of("PERCENTILE_CONT"), Some("write quantile_cont(dur, 0.95)"));
        assert_eq!(instead_of("sum"), None);
    }

    #[test]
    fn statements_of_any_size_are_checked_at_once() {
        for deep in [
            format!("SELECT {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
            "(SELECT a, count(*) FROM ".repeat(20_000),
            "SELECT ".repeat(50_000),
            "FROM a(".repeat(50_000),
            "SELECT max(".repeat(50_000),
            format!("SELECT 1 IN ({})", vec!["1"; 100_000].join(", ")),
            "SELECT 1 UNION ALL ".repeat(20_000),
            "x'".repeat(999),
        ] {
            let _ = check_statement(&format!("SELECT 1 + {deep}"));
        }
    }
}
