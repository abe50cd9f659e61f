//! Commands of the Rust engine in a cell: lines such as `:dep rand = "0.9"`.

/// The cell with such lines blanked out; positions stay.
pub fn without_commands(code: &str) -> String {
    code.split_inclusive('\n')
        .map(
            |line| {
                if line.trim_start().starts_with(':') {
                    line.replace(|c: char| c != '\n', " ")
                } else {
                    line.to_owned()
                }
            },
        )
        .collect()
}
