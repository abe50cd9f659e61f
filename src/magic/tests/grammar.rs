//! The grammar of magic lines, and the messages of wrong calls.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::{folder, loaded};
use crate::session::{Binding, Cells};
use trace::polars::df;
use trace::polars::prelude::DataFrame;

fn frame() -> DataFrame {
    df!("name" => ["a", "b"], "n" => [1i64, 2]).unwrap()
}

fn error(code: &str) -> String {
    Notebook::default().error(code)
}

#[test]
fn unknown_magic() {
    assert_eq!(
        error("%trace_lod x"),
        "UsageError: unknown magic `%trace_lod`; did you mean %trace_load? (%lsmagic lists all)"
    );
    assert_eq!(error("%nonsense inline"), "UsageError: unknown magic `%nonsense`; %lsmagic lists all");
    assert_eq!(error("?nothing"), "UsageError: unknown magic `%nothing`; %lsmagic lists all");
}

#[test]
fn unknown_or_misplaced_cell_magic() {
    assert_eq!(
        error("%%compare_traces a b\nx"),
        "UsageError: unknown cell magic `%%compare_traces`; %compare_traces is a line magic: write it with one %"
    );
    assert_eq!(
        error("%%nonsense\nx"),
        "UsageError: unknown cell magic `%%nonsense`: expected %%time, %%timeit or %%opt"
    );
    assert!(error("%lsmagic\n%%nonsense").starts_with("UsageError: unknown cell magic `%%nonsense`"));
    assert_eq!(error("%lsmagic\n%%time"), "UsageError: cannot run %%time here: it must be the first line of a cell");
    assert_eq!(
        error("%opt"),
        "UsageError: cannot run %opt on one line: it applies to a whole cell; write %%opt on the first line of the cell"
    );
    assert_eq!(error("%lsmagic\n%%opt"), "UsageError: cannot run %%opt here: it must be the first line of a cell");
    assert!(error("%%opt fast\nx").starts_with("UsageError: %%opt: "));
}

#[test]
fn unknown_trace() {
    assert_eq!(
        error("%compare_traces contrl test"),
        "UsageError: %compare_traces: unknown trace `contrl`; no trace is loaded, %trace_load PATH --as NAME loads one"
    );
}

#[test]
fn missing_argument() {
    assert_eq!(
        error("%compare_traces control"),
        "UsageError: %compare_traces: missing TEST; usage: %compare_traces CONTROL TEST [--control-rank LIST] … (%compare_traces? for help)"
    );
    assert!(error("%compare_traces").starts_with("UsageError: %compare_traces: missing CONTROL and TEST; usage: "));
    assert_eq!(
        error("%trace_drop"),
        "UsageError: %trace_drop: missing NAME; usage: %trace_drop NAME (%trace_drop? for help)"
    );
}

#[test]
fn unexpected_argument() {
    assert_eq!(
        error("%trace_drop a 'b c'"),
        "UsageError: %trace_drop: unexpected argument `b c`; usage: %trace_drop NAME (%trace_drop? for help)"
    );
}

#[test]
fn unknown_flag() {
    assert_eq!(error("%ops_diff a b --tpo 3"), "UsageError: %ops_diff: unknown flag `--tpo`; did you mean --top?");
    assert_eq!(error("%trace_list --zzz"), "UsageError: %trace_list: unknown flag `--zzz`; %trace_list? lists all");
    assert_eq!(error("%trace_list -x"), "UsageError: %trace_list: unknown flag `-x`; %trace_list? lists all");
    assert_eq!(error("%show df -x"), "UsageError: %show: unknown flag `-x`; did you mean --x?");
    // A prefix is not enough: it would stop working with the next flag.
    assert_eq!(
        error("%ops_diff a b --control-ran 3"),
        "UsageError: %ops_diff: unknown flag `--control-ran`; did you mean --control-rank?"
    );
}

#[test]
fn invalid_value() {
    assert_eq!(
        error("%ops_diff a b --top many"),
        "UsageError: %ops_diff: invalid --top `many`: expected a whole number"
    );
    assert_eq!(error("%ops_diff a b --top"), "UsageError: %ops_diff: missing value of --top: expected a whole number");
    assert_eq!(
        error("%ops_diff a b --top --json x"),
        "UsageError: %ops_diff: missing value of --top: expected a whole number"
    );
    assert_eq!(
        error("%compare_traces a b --device-type tpu"),
        "UsageError: %compare_traces: invalid --device-type `tpu`: expected all, cpu or gpu; did you mean cpu?"
    );
    assert_eq!(
        error("%compare_traces a b --control-rank 7-4"),
        "UsageError: %compare_traces: invalid --control-rank `7-4`: expected a list of whole numbers such as 0,2,4-7, or all"
    );
    assert_eq!(error("%show df --top 1 --top 2"), "UsageError: %show: repeated --top: expected it once");
    assert_eq!(
        error("%trace_load ${NO_SUCH_VARIABLE_HERE}/x"),
        "UsageError: %trace_load: cannot expand PATH: the environment variable NO_SUCH_VARIABLE_HERE is not set; \
         ${NO_SUCH_VARIABLE_HERE:-DEFAULT} gives it a default"
    );
}

#[test]
fn unclosed_quote() {
    assert_eq!(
        error("%trace_load \"/data/run 1.json"),
        "UsageError: %trace_load: missing closing \" after `\"/data/run 1.json`"
    );
    assert_eq!(error("%trace_load x --as {y"), "UsageError: %trace_load: missing closing } after `{y`");
}

#[test]
fn invalid_label() {
    assert_eq!(
        error("%trace_load x --as type"),
        "UsageError: %trace_load: invalid name `type`: it is a Rust keyword; try type_1"
    );
    assert_eq!(
        error("%trace_load x --as run-1"),
        "UsageError: %trace_load: invalid name `run-1`: expected a Rust identifier; try run_1"
    );
    assert_eq!(
        error("a = %trace_load x --as b"),
        "UsageError: %trace_load: cannot bind the result to two names: `a = …` and `--as b` differ; give one of them"
    );
    assert_eq!(error("x = %trace_list"), "UsageError: %trace_list: cannot bind x: %trace_list has no result");
}

#[test]
fn mistakes_of_the_line_come_before_unknown_names() {
    // Order: quotes, flags and values, positional arguments, names.
    assert!(error("%compare_traces nobody \"x --tpo").contains("missing closing"));
    assert!(error("%compare_traces nobody --tpo 3").contains("unknown flag"));
    assert!(error("%compare_traces nobody --top x").contains("whole number"));
    assert!(error("%compare_traces nobody").contains("missing TEST"));
    assert!(error("%compare_traces nobody nobody").contains("unknown trace"));
}

#[test]
fn flag_spellings_are_equivalent() {
    for flag in ["--control_rank 1", "--control-ranks 1", "--control_ranks=1", "--control-rank='1'"] {
        let message = error(&format!("%compare_traces a b {flag}"));
        assert!(message.contains("unknown trace `a`"), "{flag}: {message}");
    }
    for flag in ["--use-short-name", "--use_short_name=true", "--use-short-name=false"] {
        let message = error(&format!("%compare_traces {flag} a b"));
        assert!(message.contains("unknown trace `a`"), "{flag}: {message}");
    }
    assert!(
        error("%compare_traces a b --use-short-name=maybe")
            .contains("invalid --use-short-name `maybe`: expected true or false")
    );
}

#[test]
fn unknown_variable() {
    let mut notebook = Notebook::default().with_frame("frame", frame());
    assert_eq!(
        notebook.error("%show frme"),
        "UsageError: %show: unknown variable `frme`; did you mean frame? (%who lists all)"
    );
    assert_eq!(notebook.error("%show 'frame.head(None)'"), "CompileError: frame.head(None) is not a data frame");
}

#[test]
fn expressions_in_braces_are_evaluated() {
    let mut notebook = Notebook::default().with_frame("df", frame());
    notebook.cells.texts.insert("n + 1", "1");
    notebook.cells.texts.insert("many", "many");
    let text = notebook.text("%show df --top {n + 1}");
    assert!(text.contains("--top 0 shows all"), "{text}");
    assert_eq!(
        notebook.error("%show df --top {many}"),
        "UsageError: %show: invalid --top `many`: expected a whole number"
    );
    assert_eq!(notebook.error("%show df --top {missing}"), "CompileError: cannot find value `missing`");
    // The line is checked before anything is evaluated.
    assert!(notebook.error("%show df --top {missing} --tpo 3").contains("unknown flag"));
}

#[test]
fn failed_magic_keeps_bindings() {
    let mut notebook = Notebook::default().with_frame("df", frame());
    notebook.error("df = %show df --sort nothing");
    assert_eq!(notebook.frame("df"), &frame());
}

#[test]
fn first_error_ends_the_cell() {
    let mut notebook = Notebook::default();
    notebook.cells.bind("df", Binding::Frame(frame()));
    notebook.error("%nope\nx = %show df");
    assert!(!notebook.cells.bound.contains_key("x"));
}

#[test]
fn random_lines_do_not_panic() {
    const BITS: &[&str] = &[
        "a",
        "df",
        "--top",
        "--top=",
        "=",
        "3",
        "0,2-4",
        "-",
        "--",
        "--sort",
        "name:asc",
        "n:",
        "--columns",
        "name,n",
        ",",
        "--unit",
        "s",
        "--category",
        "added",
        "--filter",
        "(",
        "'^a'",
        "\"",
        "'",
        "{",
        "}",
        "{n}",
        "${X:-1}",
        "${",
        "~",
        "\\",
        ";",
        "--as",
        "x",
        "é",
        "😀",
        "--min-us",
        "1e9",
        "nan",
        "--help",
        "-h",
        "--use_short_name",
        "--kind",
        "counts",
        "--quiet",
        "--control-ranks",
        "18446744073709551616",
    ];
    let mut seed = 88_172_645_463_325_252_u64;
    let mut below = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let mut notebook = Notebook::default().with_frame("df", frame());
    for _ in 0..20_000 {
        let magic = crate::magic::MAGICS[below(crate::magic::MAGICS.len())].name();
        let args: String =
            (0..below(8)).map(|_| [BITS[below(BITS.len())], if below(4) == 0 { "" } else { " " }].concat()).collect();
        let code = format!("%{magic} {args}");
        if let Err(failure) = notebook.outputs(&code) {
            assert!(!failure.ename.is_empty() && !failure.evalue.is_empty(), "{code}");
        }
        crate::magic::complete(&code, below(code.len() + 1), &crate::session::View::default());
    }
}

#[test]
fn words_of_hta_are_understood_or_lead_to_ours() {
    let mut notebook = loaded(&folder());
    let ours = notebook.text("%compare_traces control test --device-type gpu");
    assert_eq!(notebook.text("%compare_traces control test --device-type DeviceType.GPU"), ours);
    for (line, hint) in [
        ("%critical_path control --instance-id 1", "here it is --instance"),
        ("%gpu_kernel_breakdown control --visualize False", "figures are drawn unless --no-figure is given"),
        ("%stragglers control", "here it is %potential_stragglers"),
        ("%get_trace_df control", "here it is %events"),
    ] {
        let error = notebook.error(line);
        assert!(error.contains(hint), "{line}: {error}");
    }
}
