//! Runs one magic segment of a cell.

use super::help;
use super::parse::{Parsed, parse};
use super::suggest::did_you_mean;
use crate::cell::Segment;
use crate::display::Output;
use crate::magic::{MAGICS, Magic, Scene, find};
use crate::{Error, Failure};
use trace_view::Bundle;

/// Runs a magic segment; what it shows goes to the scene's sink in order. Rust segments are not for here and do
/// nothing; the body below a `%%name` is for the caller to run.
///
/// # Errors
/// One failure, which ends the cell.
pub fn run(segment: Segment<'_>, scene: &mut Scene<'_>) -> Result<(), Failure> {
    match segment {
        Segment::Rust(_) => Ok(()),
        Segment::Line { bind, name, args } => line(bind, name, args, scene).map_err(Failure::from),
        Segment::Cell { name, args, .. } => first_line(name, args, scene).map_err(Failure::from),
        Segment::Help { name } => ask(name, scene).map_err(Failure::from),
    }
}

fn line(bind: Option<&str>, name: &str, args: &str, scene: &mut Scene<'_>) -> Result<(), Error> {
    if let Some(name) = name.strip_prefix('%') {
        return Err(no_cell_magic(name));
    }
    let magic = find(name).ok_or_else(|| no_such_magic(name))?;
    if magic.sigil() != "%" {
        return Err(Error::Usage(format!("%{name}: write {}, on the first line of the cell.", magic.spelled())));
    }
    call(magic, bind, args, scene)
}

/// `%%name …` on the first line.
fn first_line(name: &str, args: &str, scene: &mut Scene<'_>) -> Result<(), Error> {
    let magic = find(name).filter(|magic| magic.sigil() == "%%").ok_or_else(|| no_cell_magic(name))?;
    call(magic, None, args, scene)
}

fn call(magic: &dyn Magic, bind: Option<&str>, args: &str, scene: &mut Scene<'_>) -> Result<(), Error> {
    match parse(magic, bind, args, scene.cells, &|name| std::env::var(name).ok())? {
        // As the output of the cell, so that it stands in the saved notebook; `?` opens the pager.
        Parsed::Help => scene.out.emit(Output::Display { bundle: help::page(magic), id: None }),
        Parsed::Call(call) => magic.run(&call, scene)?,
    }
    Ok(())
}

/// `%name?`, and `?variable`.
fn ask(name: &str, scene: &mut Scene<'_>) -> Result<(), Error> {
    if let Some(magic) = find(name) {
        show_page(help::page(magic), scene);
        return Ok(());
    }
    let variable = scene.cells.variables().into_iter().find(|variable| variable.name == name);
    let variable = variable.ok_or_else(|| no_such_magic(name))?;
    show_page(Bundle::text(format!("{}: {}", variable.name, variable.type_name)), scene);
    Ok(())
}

fn show_page(page: Bundle, scene: &Scene<'_>) {
    scene.out.emit(Output::Page(page));
}

/// The error for a name that no magic has.
pub(in crate::magic) fn no_such_magic(name: &str) -> Error {
    let meant = did_you_mean(name, MAGICS.iter().map(|magic| magic.name()));
    let meant = meant.replace(" Did you mean ", " Did you mean %");
    Error::Usage(format!("%{name}: no such magic.{meant} (%lsmagic lists all)"))
}

fn no_cell_magic(name: &str) -> Error {
    let hint = match find(name) {
        Some(magic) if magic.sigil() == "%%" => {
            return Error::Usage(format!("%%{name}: it works on the first line of a cell only."));
        }
        Some(magic) => format!("There is a line magic of that name: write {} with one %.", magic.spelled()),
        None => "A line magic has one %, as in %lsmagic, which lists all.".to_owned(),
    };
    Error::Usage(format!("%%{name}: no such cell magic. {hint}"))
}
