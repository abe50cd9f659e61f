//! What we change in the source that evcxr writes around a cell.

use super::transient::add_drops;
use std::path::Path;

/// What evcxr prints to its own pipe goes there directly, since a cell's standard output is the kernel's; errors of `?`
/// become errors; and the prelude is in scope. No line moves, so that positions stay true.
pub(super) fn adapt(file: &Path, analyse: bool) -> std::io::Result<()> {
    let source = std::fs::read_to_string(file)?;
    if source.ends_with(PRELUDE) {
        return Ok(());
    }
    let mut source = source
        .replace("println!(\"EVCXR_PANIC_NOTIFICATION\");", "cells::rt::panicked();")
        .replace(
            "println!(\"{VARIABLE_CHANGED_TYPE}{name}\");",
            "cells::rt::protocol(&format!(\"{VARIABLE_CHANGED_TYPE}{name}\"));",
        )
        .replace(
            "println!(\"{}\", evcxr_internal_runtime::USER_ERROR_OCCURRED);",
            "cells::rt::protocol(evcxr_internal_runtime::USER_ERROR_OCCURRED);",
        );
    // What evcxr tries when the last expression met an error, whatever it was: debug text. Ours is as before.
    let lines = source.split_inclusive('\n');
    source = lines.map(|line| if is_fallback(line) { "cells::as_before!(((\n" } else { line }).collect();
    add_drops(&mut source);
    // A cell that waits can be interrupted, too.
    source = source.replace("\n.block_on(async {\n", "\n.block_on_cell(async {\n");
    if let Some(at) = source.find("for EvcxrUserCodeError") {
        let tail = source.split_off(at);
        // The format is that of `:efmt`.
        source.push_str(&match tail
            .split_once("eprintln!(\"")
            .map(|(head, rest)| (head, rest.split_once("\", error);")))
        {
            Some((head, Some((format, rest)))) => {
                format!("{head}cells::rt::question_mark(format!(\"{format}\", error));{rest}")
            }
            _ => tail,
        });
    }
    if analyse {
        source = source.replace(
            "fn evcxr_variable_store<T: 'static>(_: T) {}",
            "#[diagnostic::on_unimplemented(message = \"PROBE<{Self}>EBORP\")] trait EvcxrProbe {} \
             fn evcxr_variable_store<T: EvcxrProbe>(_: T) {}",
        );
    }
    source.push_str(PRELUDE);
    std::fs::write(file, source)
}

fn is_fallback(line: &str) -> bool {
    line.starts_with("evcxr_send_text_plain(&format!(\"") && line.ends_with("\",&(\n")
}

// What stands in for macros of std must be named: a `*` would leave open which of the two is meant.
const PRELUDE: &str =
    "\n#[allow(unused_imports)] use cells::prelude::*;\n#[allow(unused_imports)] use cells::{dbg, eprint, eprintln};\n";
