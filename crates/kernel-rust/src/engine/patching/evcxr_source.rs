//! Changes to the source that evcxr writes around a cell.

use super::placeholders::{Placeholder, TypeNames};
use crate::engine::values::transient::add_drops;
use std::path::Path;

/// Rewrites the source in `file`: evcxr's markers go to its own pipe, since standard output is the cell's; evcxr's module and error
/// type come from the dylib; errors of `?` become errors of the cell; the prelude is in scope. Keeps the number of every line.
/// Returns the placeholders whose types the compiler is to name.
///
/// # Errors
/// If the file cannot be read or written.
pub(in crate::engine) fn rewrite(file: &Path, run_folder: &Path, analyse: bool) -> std::io::Result<Vec<Placeholder>> {
    let source = std::fs::read_to_string(file)?;
    if source.ends_with(PRELUDE) {
        return Ok(Vec::new());
    }
    let (source, placeholders) = TypeNames::load(run_folder).fill_source(&source);
    let mut source = source.replace("println!(\"EVCXR_PANIC_NOTIFICATION\");", "cells::rt::panicked();");
    replace_lines(
        &mut source,
        "mod evcxr_internal_runtime {\n",
        "\n}\n}\n",
        "use cells::store as evcxr_internal_runtime;",
    );
    replace_error_type(&mut source);
    // evcxr falls back to debug text after any error in the last expression. Ours is shown as in the first attempt.
    let lines = source.split_inclusive('\n');
    source = lines.map(|line| if is_fallback(line) { "cells::display_without_fallback!(((\n" } else { line }).collect();
    add_drops(&mut source);
    // A cell at `.await` can be interrupted, too.
    source = source.replace("\n.block_on(async {\n", "\n.block_on_cell(async {\n");
    if analyse {
        source = source.replace(
            "fn evcxr_variable_store<T: 'static>(_: T) {}",
            "#[diagnostic::on_unimplemented(message = \"PROBE<{Self}>EBORP\")] trait EvcxrProbe {} \
             fn evcxr_variable_store<T: EvcxrProbe>(_: T) {}",
        );
    }
    source.push_str(PRELUDE);
    std::fs::write(file, source)?;
    Ok(placeholders)
}

/// Replaces evcxr's error type of `?` by one of the dylib, according to the format that `:efmt` set.
fn replace_error_type(source: &mut String) {
    const FORMATS: &[(&str, &str)] = &[("{}", "DisplayError"), ("{:?}", "DebugError"), ("{:#?}", "PrettyDebugError")];
    for (format, name) in FORMATS {
        let start = "struct EvcxrUserCodeError {}\n";
        let prints = format!("eprintln!(\"{format}\", error);");
        if source.find(start).is_some_and(|at| source[at..].find(&prints).is_some()) {
            let by = format!("use cells::rt::{name} as EvcxrUserCodeError;");
            return replace_lines(source, start, "EvcxrUserCodeError {}\n                }\n            }\n", &by);
        }
    }
}

/// Replaces the text from the first `start` through the next `end` by `text`, and keeps the number of lines.
fn replace_lines(source: &mut String, start: &str, end: &str, text: &str) {
    let Some(from) = source.find(start) else { return };
    let Some(length) = source[from..].find(end).map(|at| at + end.len()) else { return };
    let lines = source[from..from + length].matches('\n').count();
    source.replace_range(from..from + length, &format!("{text}{}", "\n".repeat(lines)));
}

fn is_fallback(line: &str) -> bool {
    line.starts_with("evcxr_send_text_plain(&format!(\"") && line.ends_with("\",&(\n")
}

// Macros that replace those of std must be imported by name: a glob import would be ambiguous.
const PRELUDE: &str =
    "\n#[allow(unused_imports)] use cells::prelude::*;\n#[allow(unused_imports)] use cells::{dbg, eprint, eprintln};\n";
