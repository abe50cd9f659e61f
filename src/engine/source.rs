//! What we change in the source that evcxr writes around a cell.

use super::named::{Bound, Named};
use super::transient::add_drops;
use std::path::Path;

/// What evcxr prints to its own pipe goes there directly, since a cell's standard output is the kernel's; errors of `?`
/// become errors; and the prelude is in scope. No line moves, so that positions stay true. Returns the variables whose types
/// the compiler is to name.
pub(super) fn adapt(file: &Path, run_folder: &Path, analyse: bool) -> std::io::Result<Vec<Bound>> {
    let source = std::fs::read_to_string(file)?;
    if source.ends_with(PRELUDE) {
        return Ok(Vec::new());
    }
    let (source, bound) = Named::read(run_folder).fill_source(&source);
    let mut source = source.replace("println!(\"EVCXR_PANIC_NOTIFICATION\");", "cells::rt::panicked();");
    replace_lines(
        &mut source,
        "mod evcxr_internal_runtime {\n",
        "\n}\n}\n",
        "use cells::store as evcxr_internal_runtime;",
    );
    replace_error(&mut source);
    // What evcxr tries when the last expression met an error, whatever it was: debug text. Ours is as before.
    let lines = source.split_inclusive('\n');
    source = lines.map(|line| if is_fallback(line) { "cells::as_before!(((\n" } else { line }).collect();
    add_drops(&mut source);
    // A cell that waits can be interrupted, too.
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
    Ok(bound)
}

/// evcxr's type for what a `?` met, with its conversion from every error, as one of those in the dylib. The format is that of
/// `:efmt`.
fn replace_error(source: &mut String) {
    const FORMATS: &[(&str, &str)] = &[("{}", "Plain"), ("{:?}", "Debugged"), ("{:#?}", "Spread")];
    for (format, name) in FORMATS {
        let start = "struct EvcxrUserCodeError {}\n";
        let prints = format!("eprintln!(\"{format}\", error);");
        if source.find(start).is_some_and(|at| source[at..].find(&prints).is_some()) {
            let by = format!("use cells::rt::{name} as EvcxrUserCodeError;");
            return replace_lines(source, start, "EvcxrUserCodeError {}\n                }\n            }\n", &by);
        }
    }
}

/// Replaces the first stretch from `start` up to and with `end` by `text` and as many line ends as it had.
fn replace_lines(source: &mut String, start: &str, end: &str, text: &str) {
    let Some(from) = source.find(start) else { return };
    let Some(length) = source[from..].find(end).map(|at| at + end.len()) else { return };
    let lines = source[from..from + length].matches('\n').count();
    source.replace_range(from..from + length, &format!("{text}{}", "\n".repeat(lines)));
}

fn is_fallback(line: &str) -> bool {
    line.starts_with("evcxr_send_text_plain(&format!(\"") && line.ends_with("\",&(\n")
}

// What stands in for macros of std must be named: a `*` would leave open which of the two is meant.
const PRELUDE: &str =
    "\n#[allow(unused_imports)] use cells::prelude::*;\n#[allow(unused_imports)] use cells::{dbg, eprint, eprintln};\n";
