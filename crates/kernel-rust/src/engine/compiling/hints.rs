//! Hints for compiler errors, most of them for what users of pandas write.

use super::diagnostic::Diagnostic;

/// A hint for errors that contain a text, at lines that contain a text.
struct Rule {
    /// The error contains any of these.
    error: &'static [&'static str],
    /// The line of the cell contains any of these; empty for every line.
    line: &'static [&'static str],
    hint: &'static str,
}

/// The rules; the first that matches counts.
const RULES: &[Rule] = &[
    Rule {
        error: &["ChunkedArray<BooleanType>", "BooleanChunked"],
        line: &[".filter("],
        hint: "choose rows by an expression: `df.lazy().filter(col(\"x\").gt(lit(0))).collect()?`",
    },
    Rule {
        error: &[
            "expected `Expr`, found `&str`",
            "expected `Expr`, found reference",
            "2 arguments but 1 argument was supplied",
            "no method named `contains` found for enum `Expr`",
            "no method named `starts_with` found for enum `Expr`",
            "no method named `ends_with` found for enum `Expr`",
        ],
        line: &[".contains(", ".starts_with(", ".ends_with("],
        hint: "a text in an expression is `lit(\"mm\")`: `col(\"x\").cast(DataType::String).str().contains(lit(\"mm\"), false)`",
    },
    Rule {
        error: &["2 arguments but 1 argument was supplied", "no method named `quantile`"],
        line: &[".quantile("],
        hint: "write `df.lazy().select([col(\"x\").quantile(lit(0.5), QuantileMethod::Linear)]).collect()?`",
    },
    Rule {
        error: &["Result<Expr, PolarsError>"],
        line: &[".over("],
        hint: "`over` returns a `Result`, and takes a list of expressions: `col(\"x\").sum().over([col(\"y\")])?`",
    },
    Rule {
        error: &["expected `Expr`, found integer", "expected `Expr`, found floating-point number"],
        line: &[" / ", " * ", " + ", " - ", " % "],
        hint: "a number beside a column is a literal: `col(\"x\") / lit(1000)`",
    },
    Rule {
        error: &["Option<usize>"],
        line: &[".head(", ".tail("],
        hint: "the number is optional here: `df.head(Some(5))`",
    },
    Rule {
        error: &["SortMultipleOptions", "takes 2 arguments", "is not an iterator"],
        line: &[".sort("],
        hint: "write `df.sort([\"x\"], SortMultipleOptions::new().with_order_descending(true))?`",
    },
    Rule {
        error: &["cannot assign", "cannot borrow data in an index", "expected `Column`"],
        line: &["[\""],
        hint: "add a column with `df.with_column(Column::new(\"x\".into(), values))?`, or from other columns with \
               `df.lazy().with_column((col(\"a\") / col(\"b\")).alias(\"x\")).collect()?`",
    },
    Rule {
        error: &["no method named `groupby`", "no method named `group_by`"],
        line: &[],
        hint: "write `df.lazy().group_by([col(\"x\")]).agg([col(\"y\").sum()]).collect()?`",
    },
    Rule {
        error: &["no method named `to_csv`", "no method named `write_csv`"],
        line: &[],
        hint: "write `write_csv(&df, \"x.csv\")?`; `read_csv(\"x.csv\")?` reads it back",
    },
    Rule {
        error: &["no method named `to_parquet`", "no method named `write_parquet`", "item named `scan_parquet`"],
        line: &[],
        hint: "write `write_parquet(&df, \"x.parquet\")?`; `read_parquet(\"x.parquet\")?` and `scan_parquet` read it back",
    },
    Rule {
        error: &["no method named `sort_values`", "no method named `nlargest`"],
        line: &[],
        hint: "write `df.sort([\"x\"], SortMultipleOptions::new().with_order_descending(true))?`",
    },
    Rule {
        error: &["no method named `pivot`", "no method named `pivot_table`", "no method named `crosstab`"],
        line: &[],
        hint: "name a column for each value: `%trace_sql SELECT x, SUM(z) FILTER (WHERE y = 'a') AS a FROM df GROUP BY x`",
    },
    Rule {
        error: &["no method named `value_counts` found"],
        line: &[],
        hint: "write `df[\"x\"].as_materialized_series().value_counts(true, true, \"count\".into(), false)?`, or `%show df --group-by x`",
    },
    Rule {
        error: &["no method named `merge`", "no method named `to_pandas`", "no method named `to_dicts`"],
        line: &[],
        hint: "frames are polars': `left.lazy().join(right.lazy(), [col(\"x\")], [col(\"x\")], JoinType::Left.into()).collect()?` joins; \
               `%show df --csv FILE` writes one for pandas",
    },
    Rule {
        error: &["no method named `plot`", "no method named `hist`", "no method named `bar`"],
        line: &[],
        hint: "`%visualize df` draws a frame; `plotly::Plot` any other figure",
    },
    Rule {
        error: &["3 arguments but 0 arguments were supplied"],
        line: &[".unique()", ".drop_duplicates()"],
        hint: "write `df.unique_stable(None, UniqueKeepStrategy::First, None)?`",
    },
    Rule {
        error: &["attempted to take value of method", "field `columns` of struct `DataFrame` is private"],
        line: &[".shape", ".height", ".width", ".columns", ".dtypes", ".schema"],
        hint: "these are methods: `df.shape()`, `df.get_column_names()`, `df.schema()`",
    },
    Rule {
        error: &["no field `loc` on", "no field `iloc` on"],
        line: &[],
        hint: "take rows with `df.slice(0, 5)`, choose them with `df.lazy().filter(…).collect()?`",
    },
    Rule {
        error: &["on type `DataFrame`", "on type `&DataFrame`", "on type `&mut DataFrame`"],
        line: &[],
        hint: "a column is `df.column(\"x\")?`, or `df[\"x\"]`",
    },
    Rule {
        error: &["no method named `query` found for struct `DataFrame`"],
        line: &[],
        hint: "write `df.lazy().filter(filter::query(\"x > 1\")?).collect()?`, or `%show df --where 'x > 1'`",
    },
    Rule {
        error: &[
            "no method named `iter_rows` found",
            "no method named `iterrows` found",
            "no method named `itertuples` found",
            "no method named `rows` found",
            "no method named `row` found",
        ],
        line: &[],
        hint: "a frame consists of columns: `for x in df[\"x\"].f64()?.iter().flatten() {…}` loops over one; `df.get_row(0)?` is one row",
    },
    Rule {
        error: &["no method named `sample` found"],
        line: &[],
        hint: "write `df.sample_n_literal(5, false, None, None)?`",
    },
    Rule {
        error: &["takes 1 argument but 0 arguments were supplied"],
        line: &[".drop_nulls()", ".dropna()"],
        hint: "write `df.drop_nulls::<String>(None)?`",
    },
    Rule {
        error: &["no method named `exclude` found", "no method named `drop_columns` found"],
        line: &[],
        hint: "write `df.drop(\"x\")?`, or `df.drop_many([\"x\", \"y\"])`",
    },
    Rule {
        error: &["no method named `sink_parquet` found"],
        line: &[],
        hint: "write `write_parquet(&df.lazy().collect()?, \"x.parquet\")?`",
    },
    Rule {
        error: &["cannot be applied to type `Column`", "cannot be applied to type `&Column`"],
        line: &[],
        hint: "compare columns in an expression: `df.lazy().filter(col(\"x\").gt(lit(0))).collect()?`",
    },
    Rule {
        error: &["cannot index into a value of type `Column`", "cannot index into a value of type `&Column`"],
        line: &[],
        hint: "one value of a column is `df[\"x\"].get(0)?`",
    },
    Rule {
        error: &["`Column` is not an iterator", "`&Column` is not an iterator"],
        line: &[" in "],
        hint: "loop over the values: `for x in df[\"x\"].f64()?.iter().flatten() {…}`; of texts \
               `df[\"name\"].cast(&DataType::String)?.str()?.iter().flatten()`",
    },
    Rule { error: &["cannot find macro `json`"], line: &[], hint: "write `serde_json::json!({…})`" },
    Rule { error: &["expected one of `!` or `[`"], line: &["#"], hint: "a comment begins with `//`" },
    Rule {
        error: &[
            "`DataFrame` is not an iterator",
            "no method named `mean` found for struct `DataFrame`",
            "no method named `sum` found for struct `DataFrame`",
            "no method named `min` found for struct `DataFrame`",
            "no method named `max` found for struct `DataFrame`",
            "no method named `std` found for struct `DataFrame`",
            "no method named `median` found for struct `DataFrame`",
            "no method named `assign` found for struct `DataFrame`",
            "no method named `collect` found for struct `DataFrame`",
            "no method named `agg` found for struct `DataFrame`",
        ],
        line: &[],
        hint: "expressions work on a lazy frame: `df.lazy().select([col(\"x\").mean()]).collect()?`; `df.describe()?` summarises a frame",
    },
    Rule {
        error: &["`Column` is not an iterator", "`&Column` is not an iterator", "exists for enum `Column`"],
        line: &[".sum", ".min(", ".max("],
        hint: "summarise a column as a series: `df[\"x\"].as_materialized_series().sum::<f64>()?`; `min` and `max` likewise",
    },
    Rule {
        error: &["found for enum `Column`", "found for reference `&Column`"],
        line: &[".mean(", ".sum(", ".min(", ".max(", ".std(", ".median("],
        hint: "summarise a column as a series: `df.column(\"x\")?.as_materialized_series().mean()`",
    },
    Rule {
        error: &["`?` operator cannot be applied to type"],
        line: &[".events()?"],
        hint: "`events()` returns a frame, not a `Result`: drop the `?`",
    },
    Rule {
        error: &["`?` operator cannot be applied to type"],
        line: &[],
        hint: "the value is no `Result`: drop the `?`",
    },
    Rule {
        error: &["found for enum `Result<", "found for enum `std::result::Result<"],
        line: &[],
        hint: "a call that can fail returns a `Result`: `?` behind it unwraps the value, or ends the cell with the error",
    },
    Rule {
        error: &[
            "cannot be applied to type `Expr`",
            "expected `Expr`, found",
            "`&&` to Expr",
            "`Expr` with",
            "Expr & Expr",
            "& Expr`",
            "Expr | Expr",
            "| Expr`",
        ],
        line: &["col("],
        hint: "conditions on columns are methods: `col(\"x\").gt(lit(5))`, `.lt`, `.eq`, `.and`, `.or`",
    },
    Rule {
        error: &["expected `Expr`", "AsRef<[Expr]>", "`&str: AsRef<[", "AsRef<[polars"],
        line: &[".select(", ".agg(", ".with_column", ".group_by(", ".filter("],
        hint: "write columns as expressions: `[col(\"x\"), col(\"y\").sum()]`",
    },
    Rule {
        error: &[
            "cannot find value `pd`",
            "cannot find value `np`",
            "cannot find value `plt`",
            "cannot find value `px`",
            "cannot find value `pl`",
            "module or crate `pd`",
            "module or crate `pl`",
            "module or crate `np`",
        ],
        line: &[],
        hint: "cells are Rust: frames are polars' (`df!(\"x\" => [1, 2])?`), figures plotly's or `%visualize`",
    },
    Rule {
        error: &["cannot find value `True`", "cannot find value `False`"],
        line: &[],
        hint: "write `true` and `false`",
    },
    Rule {
        error: &["cannot find value `null`", "cannot find value `nil`", "cannot find value `nan`"],
        line: &[],
        hint: "an absent value is `None`, not-a-number is `f64::NAN`",
    },
    Rule {
        error: &["function takes 0 arguments but"],
        line: &["len("],
        hint: "the number of rows is `df.height()`, of elements `xs.len()`",
    },
    Rule {
        error: &["cannot be indexed by", "`usize` is not implemented for"],
        line: &["["],
        hint: "an index is a `usize`: write `xs[i as usize]`",
    },
    Rule {
        error: &[
            "cannot add a float to an integer",
            "cannot multiply a float by an integer",
            "cannot divide a float by an integer",
            "cannot add an integer to a float",
            "cannot multiply an integer by a float",
            "cannot divide an integer by a float",
        ],
        line: &[],
        hint: "integers and floats do not mix: write `2.0`, or `x as f64`",
    },
    Rule {
        error: &["cannot assign twice to immutable variable", "as mutable, as it is not declared as mutable"],
        line: &[],
        hint: "`let mut x = x;` makes a variable mutable, also one of an earlier cell",
    },
];

/// Returns the hint for an error of the compiler.
pub(super) fn of_compiler(error: &Diagnostic, code: &str) -> Option<String> {
    if let Some(krate) = unknown_crate(error).filter(|krate| !["pd", "pl", "np"].contains(krate)) {
        return Some(format!(
            "add the crate with a line `:dep {krate} = \"*\"` at the top of a cell (a version in place of `*` pins it)"
        ));
    }
    let line = error.line(code);
    if let Some(name) = error.message.strip_prefix("cannot find value `").and_then(|rest| rest.split('`').next())
        && let Some(value) = line.trim().strip_prefix(name).and_then(|rest| rest.trim_start().strip_prefix('='))
        && !value.starts_with('=')
    {
        return Some(format!("declare a new variable with `let {name} = …;`"));
    }
    let contains =
        |part: &&str| error.message.contains(part) || error.labels.iter().any(|label| label.text.contains(part));
    let rule = RULES.iter().find(|rule| {
        rule.error.iter().any(contains) && (rule.line.is_empty() || rule.line.iter().any(|part| line.contains(part)))
    });
    rule.map(|rule| rule.hint.to_owned())
}

/// Returns the unknown crate that a path starts with.
fn unknown_crate(error: &Diagnostic) -> Option<&str> {
    if !matches!(error.code.as_deref(), Some("E0432" | "E0433" | "E0463")) {
        return None;
    }
    let labels = || error.labels.iter().map(|label| &label.text);
    let texts = || std::iter::once(&error.message).chain(labels()).chain(&error.help);
    let named = |marker: &str| texts().find_map(|text| text.split_once(marker)?.1.split('`').next());
    named("unlinked crate `")
        .or_else(|| named("find module or crate `"))
        .or_else(|| named("can't find crate for `"))
        .or_else(|| named("missing a crate named `"))
        .filter(|name| !name.starts_with(char::is_uppercase) && !name.contains("::"))
}

#[cfg(test)]
mod tests {
    use super::super::diagnostic::{Label, Span};
    use super::*;

    #[test]
    fn question_mark_behind_a_plain_value_is_to_be_dropped() {
        let label = |line: usize, text: &str| Label { span: Span { line, from: 1, to: 2 }, text: text.to_owned() };
        let error = |line: usize| Diagnostic {
            code: Some("E0277".to_owned()),
            message: "the `?` operator can only be applied to values that implement `Try`".to_owned(),
            labels: vec![label(line, "the `?` operator cannot be applied to type `DataFrame`")],
            help: Vec::new(),
        };
        let code = "let all = control.events()?;\nlet rows = all.height()?;";
        assert!(of_compiler(&error(1), code).unwrap().starts_with("`events()` returns a frame"));
        assert_eq!(of_compiler(&error(2), code).unwrap(), "the value is no `Result`: drop the `?`");
    }

    #[test]
    fn unknown_crate_is_named() {
        let error = Diagnostic {
            code: Some("E0432".to_owned()),
            message: "unresolved import `rand`".to_owned(),
            labels: Vec::new(),
            help: vec!["you might be missing a crate named `rand`".to_owned()],
        };
        assert!(of_compiler(&error, "use rand::Rng;").unwrap().contains("`:dep rand = \"*\"`"));
    }
}
