//! The execution of one magic segment of a cell.

use super::code::{split_code, takes_code};
use super::foreign::{foreign_hint, nearest_magic};
use super::parse::{Parsed, SELECTION, parse};
use crate::cell::Segment;
use crate::display::Output;
use crate::magic::magics::find;
use crate::{Error, Failure, Problem, UsageError};
use kernel_magic::api::{Magic, Timing};
use kernel_magic::context::Context;
use kernel_magic::usage::page;
use trace_view::Bundle;

/// Work that a magic leaves to its caller, the only one who runs Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next<'cell> {
    /// Nothing.
    Nothing,
    /// Run the lines below `%%name`.
    Run(&'cell str),
    /// Time code.
    Time {
        /// Code that runs once before, untimed; precedes `code` in the cell; may be empty.
        setup: &'cell str,
        /// The timed code.
        code: &'cell str,
        /// How to time it.
        timing: Timing,
    },
}

/// Runs a magic segment; its outputs go to the sink of the context. Returns the work left to the caller; a Rust segment
/// does nothing here.
///
/// # Errors
/// The failure that ends the cell.
pub fn run<'cell>(segment: Segment<'cell>, context: &mut Context<'_>) -> Result<Next<'cell>, Failure> {
    match segment {
        Segment::Rust(_) => Ok(Next::Nothing),
        Segment::Line { bind, name, args } => line_magic(bind, name, args, context).map_err(Failure::from),
        Segment::Cell { name, args, body } => cell_magic(name, args, body, context).map_err(Failure::from),
        Segment::Help { name } => show_help(name, context).map(|()| Next::Nothing).map_err(Failure::from),
    }
}

fn line_magic<'cell>(
    bind: Option<&str>,
    name: &str,
    args: &'cell str,
    context: &mut Context<'_>,
) -> Result<Next<'cell>, Error> {
    if let Some(name) = name.strip_prefix('%') {
        return Err(unknown_cell_magic(name).into());
    }
    let magic = find(name).ok_or_else(|| unknown_magic(name))?;
    if magic.sigil() != "%" {
        let problem = Problem::Cannot {
            what: format!("run %{name} on one line"),
            reason: "it applies to a whole cell".to_owned(),
        };
        let hint = format!("write {} on the first line of the cell", magic.spelled());
        return Err(UsageError::new("", problem).hint(hint).into());
    }
    if !takes_code(magic) {
        return call(magic, bind, args, None, context).map(|_| Next::Nothing);
    }
    if magic.takes_text() {
        let (head, text) = split_code(magic, args);
        return call(magic, bind, &head, Some(text), context).map(|_| Next::Nothing);
    }
    if let Some(bind) = bind {
        let problem =
            Problem::Cannot { what: format!("bind {bind}"), reason: format!("the time of %{name} is not a value") };
        let hint = format!("bind inside: %{name} {bind} = {args}");
        return Err(UsageError::new(magic.spelled(), problem).hint(hint).into());
    }
    let (head, code) = split_code(magic, args);
    let timing = call(magic, None, &head, Some(code), context)?;
    Ok(timing.map_or(Next::Nothing, |timing| Next::Time { setup: "", code, timing }))
}

/// Runs `%%name …`, which is the first line of a cell.
fn cell_magic<'cell>(
    name: &str,
    args: &'cell str,
    body: &'cell str,
    context: &mut Context<'_>,
) -> Result<Next<'cell>, Error> {
    let magic = find(name).filter(|magic| magic.owns_cells()).ok_or_else(|| unknown_cell_magic(name))?;
    if !takes_code(magic) {
        return call(magic, None, args, None, context).map(|_| Next::Run(body));
    }
    let (head, setup) = split_code(magic, args);
    if magic.takes_text() {
        let text = if setup.is_empty() { body.to_owned() } else { format!("{setup}\n{body}") };
        return call(magic, None, &head, Some(&text), context).map(|_| Next::Nothing);
    }
    match call(magic, None, &head, Some(body), context)? {
        Some(Timing::Once) if !setup.is_empty() => {
            let problem = Problem::Unexpected { value: setup.to_owned() };
            let hint = format!("write the code below the line, or %{name} {setup} with one %");
            Err(UsageError::new(format!("%%{name}"), problem).hint(hint).into())
        }
        timing => Ok(timing.map_or(Next::Nothing, |timing| Next::Time { setup, code: body, timing })),
    }
}

/// Parses the arguments and runs the magic; returns how it times its code, if it times any.
fn call(
    magic: &dyn Magic,
    bind: Option<&str>,
    args: &str,
    code: Option<&str>,
    context: &mut Context<'_>,
) -> Result<Option<Timing>, Error> {
    let selection = context.session.shared().selection();
    let environment = |name: &str| match name {
        SELECTION => selection.clone(),
        name => std::env::var(name).ok(),
    };
    match parse(magic, bind, args, code, context.cells, &environment)? {
        // An output of the cell, so that it is saved with the notebook; `?` opens the pager.
        Parsed::Help => {
            context.out.emit(Output::Display { bundle: page(magic), id: None });
            Ok(None)
        }
        Parsed::Call(call) => {
            context.session.begin_line(format!("{} {args}", magic.spelled()));
            magic.run(&call, context).map(|()| magic.timing(&call))
        }
    }
}

/// Shows the help page of `%name?`, or the type of `?variable`.
fn show_help(name: &str, context: &mut Context<'_>) -> Result<(), Error> {
    if let Some(magic) = find(name) {
        show_page(page(magic), context);
        return Ok(());
    }
    let variable = context.cells.variables().into_iter().find(|variable| variable.name == name);
    let variable = variable.ok_or_else(|| unknown_magic(name))?;
    show_page(Bundle::text(format!("{}: {}", variable.name, variable.type_name)), context);
    Ok(())
}

fn show_page(page: Bundle, context: &Context<'_>) {
    context.out.emit(Output::Page(page));
}

/// Returns the error for a name that no magic has.
pub(in crate::magic) fn unknown_magic(name: &str) -> UsageError {
    let hint = foreign_hint(name).unwrap_or_else(|| match nearest_magic(name) {
        Some(near) => format!("did you mean {near}? (%lsmagic lists all)"),
        None => "%lsmagic lists all".to_owned(),
    });
    unknown("magic", format!("%{name}"), "").hint(hint)
}

fn unknown_cell_magic(name: &str) -> UsageError {
    let typed = format!("%%{name}");
    match find(name) {
        Some(magic) if magic.owns_cells() => {
            let reason = "it must be the first line of a cell".to_owned();
            UsageError::new("", Problem::Cannot { what: format!("run {typed} here"), reason })
        }
        Some(magic) => {
            unknown("cell magic", typed, "").hint(format!("{} is a line magic: write it with one %", magic.spelled()))
        }
        None => match foreign_hint(name) {
            Some(hint) => unknown("cell magic", typed, "").hint(hint),
            None => {
                let near = nearest_magic(name).map(|near| format!("did you mean {near}?"));
                unknown("cell magic", typed, "%%time, %%timeit or %%opt").hint(near.unwrap_or_default())
            }
        },
    }
}

fn unknown(what: &'static str, name: String, expected: &str) -> UsageError {
    UsageError::new("", Problem::Unknown { what, name, expected: expected.to_owned() })
}
