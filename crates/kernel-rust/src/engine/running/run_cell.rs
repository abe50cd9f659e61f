//! Runs a segment of Rust: commands, dependencies, types of variables, and the retries that variables need which cannot be kept.

use super::compile_server;
use super::engine::{EvcxrEngine, RunError, SilentSink};
use crate::Failure;
use crate::cell::without_commands;
use crate::display::{Output, Sink};
use crate::engine::compiling::{dependencies, moved, rustc, syntax};
use crate::engine::patching::commands;
use crate::engine::patching::edits::Edits;
use crate::engine::patching::parsed_cell::{self, ParsedCell};
use crate::engine::patching::placeholders::TypeNames;
use crate::engine::values::bindings::mentions;
use crate::engine::values::transient::{self, Reason, Transient, Unstorable};
use crate::session::Cells;
use crate::timeline;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most untyped variables whose types one compilation names. evcxr took 27 s to write a cell of 2,000 before the compiler
/// starts, and an interrupt waits for that; the analysis can be interrupted.
const MAX_PLACEHOLDERS: usize = 64;

/// What is known of a cell that is to run, and what is written into it.
#[derive(Default)]
struct CellPlan {
    /// The insertions that every compilation of the cell needs.
    base: Edits,
    /// The types of untyped variables, as the analysis found them.
    types: BTreeMap<String, String>,
    transient: Transient,
    /// Transient variables that must be dropped before others are kept.
    dropped_first: BTreeSet<String>,
}

impl CellPlan {
    fn new(base: Edits) -> Self {
        Self { base, ..Self::default() }
    }

    fn transient_by_type(&self, name: &str) -> Option<(String, Reason)> {
        Some((name.to_owned(), Reason::of_type(self.types.get(name)?)?))
    }
}

/// Returns the variable that a cell shows as a program would: `p.show()`.
fn shown_as_in_a_program(code: &str) -> Option<&str> {
    let (before, _) = code.split_once(".show()")?;
    before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

impl EvcxrEngine {
    /// Runs a segment of a cell: attaches bound values and finds the types of its `let`s.
    pub(super) fn run_segment(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.started()?.check_toolchain()?;
        let commands = commands::parse(code)?;
        commands.build_env.then(|| compile_server::leave_to_program(&self.folder));
        let parsing = timeline::step("parse");
        let cell = ParsedCell::parse(code);
        if cell.has_errors()
            && let Some(failure) = syntax::check(&without_commands(code), &self.folder)
        {
            return Err(failure);
        }
        self.revive(out)?;
        // Text that comes while the cell compiles (cargo's progress) belongs to it, too.
        self.started()?.pump.begin(out)?;
        let reviewed = dependencies::review(code)?;
        for note in reviewed.iter().flat_map(|reviewed| &reviewed.notes) {
            out.emit(Output::Stderr(format!("{note}\n")));
        }
        // Without `:dep` lines that are satisfied; the number of lines stays.
        let (code, cell) = match &reviewed {
            Some(reviewed) => (reviewed.code.as_str(), ParsedCell::parse(&reviewed.code)),
            None => (code, cell),
        };
        let mut edits = Edits::default();
        if let Some(at) = parsed_cell::leading_negation(code) {
            edits.insert(at, " ");
        }
        let attaching = self.bindings.attach(code)?;
        match cell.first_statement() {
            _ if attaching.is_empty() => {}
            Some(at) => edits.insert(at, &attaching),
            None => {
                let none = Edits::default();
                self.evaluate(&attaching, &none, out).map_err(|error| self.to_failure(error, &attaching, &none))?;
            }
        }
        cell.add_checkpoints(&mut edits);
        let context = &self.started()?.context;
        let items: BTreeSet<&str> = context.defined_item_names().collect();
        let variables = context.variables_and_types().map(|(name, _)| name);
        let known: BTreeSet<&str> = variables.chain(items).collect();
        cell.call_macros(|name| known.contains(name), &mut edits);
        let definitions = cell.definitions();
        drop(parsing);
        let mut plan = CellPlan::new(edits);
        let before = self.started()?.variables();
        moved::take(&self.folder);
        let (result, dropped) = match self.run_with_placeholders(code, &cell, &plan, out)? {
            Some(result) => (result, Vec::new()),
            None => self.run_analysed(code, &cell, &mut plan, out)?,
        };
        if result.as_ref().err().is_none_or(|failure| failure.ename != "CompileError") {
            // Also of a cell that panicked: evcxr keeps its definitions.
            self.definitions.add(definitions);
            self.unavailable.extend(plan.transient.iter().map(|(name, reason)| (name.clone(), reason.hint(name))));
        }
        self.note_items(code, result.as_ref().err());
        let after = self.started()?.variables();
        let moved = moved::take(&self.folder);
        let is_known =
            |name: &String| plan.transient.contains_key(name) || dropped.contains(name) || self.bindings.contains(name);
        let is_gone = |name: &String| !after.contains(name) && !is_known(name);
        let gone = moved.iter().filter(|(name, _)| is_gone(name));
        for (name, by) in gone {
            self.unavailable.insert(name.clone(), by.hint(name));
            // Of a variable that this cell itself made, users expect nothing else.
            if before.contains(name) && !by.is_drop() && result.is_ok() {
                out.emit(Output::Stderr(by.note(name)));
            }
        }
        let lost: Vec<&str> = dropped.iter().map(String::as_str).filter(|name| !after.contains(*name)).collect();
        if !lost.is_empty() {
            out.emit(Output::Stderr(format!("lost, since their type was redefined: {}\n", lost.join(", "))));
        }
        result?;
        if !plan.transient.is_empty() {
            out.emit(Output::Stderr(transient::note(&plan.transient)));
        }
        let is_plot = |name: &&str| {
            self.variables().iter().any(|known| known.name == **name && known.type_name.ends_with("Plot"))
        };
        if let Some(name) = shown_as_in_a_program(code).filter(is_plot) {
            out.emit(Output::Stderr(format!(
                "`{name}.show()` opens a browser on the machine of the kernel; `{name}` at the end of a cell is shown here\n"
            )));
        }
        self.pretty = commands.pretty.unwrap_or(self.pretty);
        if commands.clear {
            self.definitions.clear();
            self.unavailable.clear();
            self.items = Arc::default();
        }
        Ok(())
    }

    /// Runs `code` with `insertions`. Nothing of `code` is at the top level then: it has no value to show and defines nothing
    /// to keep.
    pub(super) fn run_inserted(
        &mut self,
        code: &str,
        insertions: &[(usize, String)],
        out: &Arc<dyn Sink>,
    ) -> Result<(), Failure> {
        self.started()?.check_toolchain()?;
        let mut edits = Edits::default();
        let attaching = self.bindings.attach(code)?;
        edits.insert(insertions.first().map_or(0, |(at, _)| *at), &attaching);
        for (at, text) in insertions {
            edits.insert(*at, text);
        }
        ParsedCell::parse(code).add_checkpoints(&mut edits);
        self.evaluate(code, &edits, out).map_err(|error| self.to_failure(error, code, &edits))
    }

    /// Runs a cell without an analysis: the compiler names the types while it compiles (see `placeholders`). Returns `None` if
    /// the cell does not compile in this way; nothing has run then, and the analysis finds either the error or the types.
    ///
    /// # Errors
    /// If the engine is gone, or a bound value cannot be handed over.
    fn run_with_placeholders(
        &mut self,
        code: &str,
        cell: &ParsedCell,
        plan: &CellPlan,
        out: &Arc<dyn Sink>,
    ) -> Result<Option<Result<(), Failure>>, Failure> {
        let untyped = cell.untyped();
        // Variables of redefined types are dropped by code of its own, once it is known that this cell compiles.
        let redefined = self.redefined_variables(&cell.definitions())?;
        let suits = (1..=MAX_PLACEHOLDERS).contains(&untyped.len()) && cell.is_pure_rust() && !cell.binds_closure();
        if !suits || !redefined.is_empty() || !compile_server::compiles(&self.folder) {
            return Ok(None);
        }
        let mut plan = CellPlan::new(plan.base.clone());
        parsed_cell::add_placeholders(&untyped, self.placeholder_count, &mut plan.base);
        self.placeholder_count += untyped.len();
        let edits = self.edits(cell, &mut plan);
        compile_server::forget_compiled(&self.folder);
        let Err(error) = self.evaluate(code, &edits, out) else { return Ok(Some(Ok(()))) };
        if !self.control.requested() && !compile_server::has_compiled(&self.folder) {
            // Offered once more to the cell that is compiled once more.
            self.bindings.attach(code)?;
            return Ok(None);
        }
        Ok(Some(Err(self.to_failure(error, code, &edits))))
    }

    /// Runs a cell once the types of its variables are known. Returns its result, and the variables that were dropped before.
    fn run_analysed(
        &mut self,
        code: &str,
        cell: &ParsedCell,
        plan: &mut CellPlan,
        out: &Arc<dyn Sink>,
    ) -> Result<(Result<(), Failure>, Vec<String>), Failure> {
        let (types, checked) = self.analyse(cell, code, &plan.base)?;
        plan.types = types;
        plan.transient = cell.untyped().iter().filter_map(|binding| plan.transient_by_type(&binding.name)).collect();
        let mut edits = self.edits(cell, plan);
        let dropped = self.drop_redefined(&cell.definitions(), checked, code, &edits)?;
        loop {
            rustc::take_unstorable(&self.folder);
            let Err(error) = self.evaluate(code, &edits, out) else { return Ok((Ok(()), dropped)) };
            if !self.add_transient(&error, cell, plan) {
                return Ok((Err(self.to_failure(error, code, &edits)), dropped));
            }
            // Offered once more to the cell that runs once more.
            self.bindings.attach(code)?;
            edits = self.edits(cell, plan);
        }
    }

    /// Returns the types of the cell's untyped variables, and whether the cell was checked without an error.
    fn analyse(
        &mut self,
        cell: &ParsedCell,
        code: &str,
        edits: &Edits,
    ) -> Result<(BTreeMap<String, String>, bool), Failure> {
        if cell.untyped().is_empty() {
            return Ok((BTreeMap::new(), false));
        }
        rustc::forget_types(&self.folder);
        let started = self.started()?;
        let errors = timeline::during("analyse", || started.context.check(&edits.apply(code)));
        let types = rustc::found_types(&self.folder);
        self.check_interrupt("while compiling; nothing was lost")?;
        match errors {
            Ok(errors) if !errors.is_empty() => {
                self.started()?.pump.finish(false);
                Err(self.to_failure(RunError::Rejected(errors), code, edits))
            }
            // Code that cannot be analysed (such as a command of evcxr's that fails) reports its error when it runs.
            checked => Ok((types, checked.is_ok())),
        }
    }

    /// Returns everything that is written into the cell before it is compiled.
    fn edits(&self, cell: &ParsedCell, plan: &mut CellPlan) -> Edits {
        let mut edits = plan.base.clone();
        let also_hidden = cell.hide(|name| plan.transient.contains_key(name), &mut edits);
        // Of a statement that evcxr does not see, it learns only those variables whose types are written behind it.
        let untyped = also_hidden.into_iter().filter(|name| !plan.types.contains_key(name));
        plan.transient.extend(untyped.map(|name| (name, Reason::Nameless)).collect::<Vec<_>>());
        if let Some(at) = cell.first_statement().filter(|_| !plan.dropped_first.is_empty()) {
            edits.insert(at, &transient::drop_comment(&plan.dropped_first));
        }
        let transient = &plan.transient;
        parsed_cell::add_types(&cell.untyped(), &plan.types, |name| !transient.contains_key(name), &mut edits);
        cell.wrap_last(if self.pretty { "pretty" } else { "value" }, &mut edits);
        edits
    }

    /// Adds the variables to `plan.transient` that made the compilation fail because they cannot be kept. Returns whether there
    /// are any, and no other errors: then the cell is worth another try.
    fn add_transient(&self, error: &RunError, cell: &ParsedCell, plan: &mut CellPlan) -> bool {
        let known = plan.transient.len() + plan.dropped_first.len();
        let unstorable = match error {
            RunError::Rejected(_) => rustc::take_unstorable(&self.folder),
            RunError::NotStorable(name) => {
                plan.transient.insert(name.clone(), Reason::Nameless);
                Unstorable::default()
            }
            RunError::Failed(_) => return false,
        };
        if unstorable.other_errors {
            return false;
        }
        let bound = cell.bound();
        for name in unstorable.borrows {
            plan.transient.entry(name).or_insert(Reason::Borrow);
        }
        plan.transient.retain(|name, _| bound.contains(name));
        plan.dropped_first.extend(unstorable.dropped_late.into_iter().filter(|name| bound.contains(name)));
        plan.transient.len() + plan.dropped_first.len() > known
    }

    /// Returns the variables whose type means something else after a cell that defines `items`.
    fn redefined_variables(&mut self, items: &BTreeMap<String, String>) -> Result<Vec<String>, Failure> {
        let changed = self.definitions.changed(items);
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        let types = TypeNames::load(&self.folder);
        let of_changed = |type_name: &str| changed.iter().any(|name| mentions(&types.fill(type_name), name));
        let variables = self.started()?.context.variables_and_types().filter(|(_, type_name)| of_changed(type_name));
        Ok(variables.map(|(name, _)| name.to_owned()).collect())
    }

    /// Drops the variables whose type means something else after a cell that defines `items`; returns their names.
    fn drop_redefined(
        &mut self,
        items: &BTreeMap<String, String>,
        checked: bool,
        code: &str,
        edits: &Edits,
    ) -> Result<Vec<String>, Failure> {
        let redefined = self.redefined_variables(items)?;
        if redefined.is_empty() {
            return Ok(redefined);
        }
        let context = &mut self.started()?.context;
        // A cell with an error defines nothing, and must cost nothing.
        if !checked
            && let Ok(errors) = context.check(&edits.apply(code))
            && !errors.is_empty()
        {
            self.started()?.pump.finish(false);
            return Err(self.to_failure(RunError::Rejected(errors), code, edits));
        }
        self.check_interrupt("while compiling; nothing was lost")?;
        let drops: String = redefined.iter().map(|name| format!("drop({name}); ")).collect();
        let silent: Arc<dyn Sink> = Arc::new(SilentSink);
        let none = Edits::default();
        self.evaluate(&drops, &none, &silent).map_err(|error| self.to_failure(error, &drops, &none))?;
        let hint = |name: &String| {
            (
                name.clone(),
                format!("`{name}` was dropped when a cell redefined its type; run the cell that made it again"),
            )
        };
        self.unavailable.extend(redefined.iter().map(hint));
        Ok(redefined)
    }
}
