//! Hints for cells that do not compile because they contain Python, a shell command, or a magic without its `%`.

/// Returns a hint for Rust `code` that does not compile; `is_magic` tells names of magics.
pub fn foreign_syntax_hint(code: &str, is_magic: impl Fn(&str) -> bool) -> Option<String> {
    let mut lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.find_map(|line| magic_without_sigil(line, &is_magic).or_else(|| shell(line)).or_else(|| python(line)))
}

/// Splits a line after its first word.
fn first_word(line: &str) -> (&str, &str) {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    line.split_at(end)
}

/// A magic without its `%`: `compare_traces control test`.
fn magic_without_sigil(line: &str, is_magic: &impl Fn(&str) -> bool) -> Option<String> {
    let (word, rest) = first_word(line);
    let arguments = rest.trim_start();
    let is_call = rest.is_empty()
        || (rest.starts_with([' ', '\t']) && !arguments.starts_with(['=', '.', '(', '+', '*', '/', '<', '>', ';']));
    (is_call && is_magic(word)).then(|| format!("did you mean `%{line}`? A magic starts with `%`"))
}

/// A shell command: `!ls`.
fn shell(line: &str) -> Option<String> {
    let command = line.strip_prefix('!')?.trim();
    let (word, _) = first_word(command);
    if word.is_empty() {
        return None;
    }
    let instead = match word {
        "cd" => format!("`%{command}` changes the folder"),
        "pwd" => "`%pwd` shows the folder".to_owned(),
        "pip" | "conda" => "add a crate with a first line `:dep NAME = \"VERSION\"`".to_owned(),
        _ => format!("run it in a terminal, or as `std::process::Command::new(\"{word}\").status()?`"),
    };
    Some(format!("cells are Rust and have no shell, so `!{command}` does not run; {instead}"))
}

/// A line of Python.
fn python(line: &str) -> Option<String> {
    let (word, rest) = first_word(line);
    let spaced = rest.starts_with([' ', '\t']);
    let hint = match word {
        "import" | "from" if spaced => {
            let module = first_word(rest.trim_start()).0;
            match module {
                "pandas" | "polars" | "numpy" | "plotly" | "hta" | "matplotlib" | "json" => {
                    "cells are Rust, not Python: polars, plotly, serde_json and the trace library are already in scope; \
                     remove this line"
                        .to_owned()
                }
                _ => format!(
                    "cells are Rust, not Python: `use path::Name;` imports a name, and a first line `:dep {module} = \"*\"` adds a crate"
                ),
            }
        }
        "def" if spaced => "cells are Rust, not Python: write `fn name(x: f64) -> f64 { x * 2.0 }`".to_owned(),
        "lambda" if spaced => "cells are Rust, not Python: a closure is `|x| x * 2`".to_owned(),
        "print" if rest.trim_start().starts_with('(') => {
            "write `println!(\"{}\", value)`; the last expression of a cell is shown automatically".to_owned()
        }
        "class" if spaced => "cells are Rust, not Python: write `struct Name { field: i64 }`".to_owned(),
        "try" | "except" | "finally" if rest.trim() == ":" => {
            "cells are Rust, not Python: `?` after a call returns its error, and `match` handles it".to_owned()
        }
        "if" | "elif" | "else" | "for" | "while" if line.ends_with(':') => {
            "cells are Rust, not Python: write blocks in braces, `for x in 0..3 { … }`".to_owned()
        }
        "del" if spaced => format!("cells are Rust, not Python: `drop({});` drops a variable", rest.trim()),
        _ => return None,
    };
    Some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(code: &str) -> String {
        foreign_syntax_hint(code, |name| name == "compare_traces" || name == "trace_list").unwrap_or_default()
    }

    #[test]
    fn magic_without_its_percent_sign_is_suggested() {
        assert!(hint("compare_traces control test").starts_with("did you mean `%compare_traces control test`?"));
        assert!(hint("let x = 1;\ntrace_list").contains("`%trace_list`"));
        for code in
            ["compare_traces(1)", "trace_list.len()", "compare_traces = 3", "let compare_traces = x;", "compare"]
        {
            assert_eq!(hint(code), "", "{code}");
        }
    }

    #[test]
    fn python_and_shell_get_the_rust_counterpart() {
        for (code, part) in [
            ("import pandas as pd", "polars"),
            ("from rand import x", ":dep rand"),
            ("def f(x):\n    return x", "`fn name"),
            ("print(x)", "println!"),
            ("for i in range(3):\n    i", "braces"),
            ("!ls -la", "Command::new(\"ls\")"),
            ("!cd runs", "`%cd runs`"),
            ("!pip install x", ":dep"),
            ("del df", "drop(df)"),
        ] {
            assert!(hint(code).contains(part), "{code}: {}", hint(code));
        }
        for code in ["!", "x.print()", "from_path(x)", "important", "if a { b }", "// import x"] {
            assert_eq!(hint(code), "", "{code}");
        }
    }
}
