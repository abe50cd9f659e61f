//! Commands of the Rust engine in a cell: lines such as `:dep rand = "0.9"`.

/// Whether a line is a command. `::path` is Rust.
pub(super) fn is_command(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with(':') && !text.starts_with("::")
}

/// Replaces command lines by blanks; offsets stay.
pub fn without_commands(code: &str) -> String {
    let blank =
        |line: &str| line.chars().map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }).collect();
    code.split_inclusive('\n').map(|line| if is_command(line) { blank(line) } else { line.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_blanks_of_the_same_length() {
        let code = ":dep é = \"1\"\n  :vars\nlet x =\n    ::std::f();";
        let rust = without_commands(code);
        assert_eq!(rust.trim_start(), "let x =\n    ::std::f();");
        assert_eq!(rust.len(), code.len());
    }
}
