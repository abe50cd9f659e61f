//! Runs one magic segment of a cell.

use super::code::{split_code, takes_code};
use super::foreign::{foreign_hint, nearest_magic};
use super::parse::{Parsed, parse};
use crate::cell::Segment;
use crate::display::Output;
use crate::magic::api::{Magic, Timing};
use crate::magic::context::Context;
use crate::magic::magics::find;
use crate::magic::usage::page;
use crate::{Error, Failure};
use trace_view::Bundle;

/// What the caller of a magic has still to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next<'cell> {
    /// Nothing.
    Nothing,
    /// The lines below a `%%name`, as they stand.
    Run(&'cell str),
    /// Code whose time is asked.
    Time {
        /// Code that runs once before, and does not count; may be empty. It stands in front of the other in the cell.
        setup: &'cell str,
        /// The code.
        code: &'cell str,
        /// How it is timed.
        timing: Timing,
    },
}

/// Runs a magic segment; what it shows goes to the context's sink in order. Rust segments are not for here and do
/// nothing; what is left to run is for the caller.
///
/// # Errors
/// One failure, which ends the cell.
pub fn run<'cell>(segment: Segment<'cell>, context: &mut Context<'_>) -> Result<Next<'cell>, Failure> {
    match segment {
        Segment::Rust(_) => Ok(Next::Nothing),
        Segment::Line { bind, name, args } => line(bind, name, args, context).map_err(Failure::from),
        Segment::Cell { name, args, body } => first_line(name, args, body, context).map_err(Failure::from),
        Segment::Help { name } => ask(name, context).map(|()| Next::Nothing).map_err(Failure::from),
    }
}

fn line<'cell>(
    bind: Option<&str>,
    name: &str,
    args: &'cell str,
    context: &mut Context<'_>,
) -> Result<Next<'cell>, Error> {
    if let Some(name) = name.strip_prefix('%') {
        return Err(no_cell_magic(name));
    }
    let magic = find(name).ok_or_else(|| no_such_magic(name))?;
    if magic.sigil() != "%" {
        return Err(Error::Usage(format!("%{name}: write {}, on the first line of the cell.", magic.spelled())));
    }
    if !takes_code(magic) {
        return call(magic, bind, args, None, context).map(|_| Next::Nothing);
    }
    if let Some(bind) = bind {
        let message = format!("%{name}: the time is no result. Bind within: %{name} {bind} = {args}");
        return Err(Error::Usage(message));
    }
    let (head, code) = split_code(magic, args);
    let timing = call(magic, None, &head, Some(code), context)?;
    Ok(timing.map_or(Next::Nothing, |timing| Next::Time { setup: "", code, timing }))
}

/// `%%name …` on the first line.
fn first_line<'cell>(
    name: &str,
    args: &'cell str,
    body: &'cell str,
    context: &mut Context<'_>,
) -> Result<Next<'cell>, Error> {
    let magic = find(name).filter(|magic| magic.owns_cells()).ok_or_else(|| no_cell_magic(name))?;
    if !takes_code(magic) {
        return call(magic, None, args, None, context).map(|_| Next::Run(body));
    }
    let (head, setup) = split_code(magic, args);
    match call(magic, None, &head, Some(body), context)? {
        Some(Timing::Once) if !setup.is_empty() => {
            Err(Error::Usage(format!("%%{name}: write the code below the line, or %{name} {setup} with one %.")))
        }
        timing => Ok(timing.map_or(Next::Nothing, |timing| Next::Time { setup, code: body, timing })),
    }
}

/// Runs the magic; how it times its code, if it does.
fn call(
    magic: &dyn Magic,
    bind: Option<&str>,
    args: &str,
    code: Option<&str>,
    context: &mut Context<'_>,
) -> Result<Option<Timing>, Error> {
    match parse(magic, bind, args, code, context.cells, &|name| std::env::var(name).ok())? {
        // As the output of the cell, so that it stands in the saved notebook; `?` opens the pager.
        Parsed::Help => {
            context.out.emit(Output::Display { bundle: page(magic), id: None });
            Ok(None)
        }
        Parsed::Call(call) => magic.run(&call, context).map(|()| magic.timing(&call)),
    }
}

/// `%name?`, and `?variable`.
fn ask(name: &str, context: &mut Context<'_>) -> Result<(), Error> {
    if let Some(magic) = find(name) {
        show_page(page(magic), context);
        return Ok(());
    }
    let variable = context.cells.variables().into_iter().find(|variable| variable.name == name);
    let variable = variable.ok_or_else(|| no_such_magic(name))?;
    show_page(Bundle::text(format!("{}: {}", variable.name, variable.type_name)), context);
    Ok(())
}

fn show_page(page: Bundle, context: &Context<'_>) {
    context.out.emit(Output::Page(page));
}

/// The error for a name that no magic has.
pub(crate) fn no_such_magic(name: &str) -> Error {
    if let Some(said) = foreign_hint(name) {
        return Error::Usage(format!("%{name}: {said}."));
    }
    Error::Usage(format!("%{name}: no such magic.{} (%lsmagic lists all)", nearest_magic(name)))
}

fn no_cell_magic(name: &str) -> Error {
    let hint = match find(name) {
        Some(magic) if magic.owns_cells() => {
            return Error::Usage(format!("%%{name}: it works on the first line of a cell only."));
        }
        Some(magic) => format!("{} is a magic of one line: write it with one %.", magic.spelled()),
        None => match foreign_hint(name) {
            Some(said) => return Error::Usage(format!("%%{name}: {said}.")),
            None => format!("%%time, %%timeit and %%opt stand on the first line of a cell.{}", nearest_magic(name)),
        },
    };
    Error::Usage(format!("%%{name}: no such cell magic. {hint}"))
}
