//! Variables of types that a cell defines anew.

use super::bindings::mentions;
use super::edits::Edits;
use super::evcxr::Evcxr;
use super::named::Named;
use super::silent::Silent;
use super::stopped::Stopped;
use crate::Failure;
use crate::display::Sink;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Evcxr {
    /// The variables whose type means something else after a cell that defines `items`.
    pub(super) fn outdated(&mut self, items: &BTreeMap<String, String>) -> Result<Vec<String>, Failure> {
        let changed = self.definitions.changed(items);
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        let named = Named::read(&self.folder);
        let of_changed = |type_name: &str| changed.iter().any(|name| mentions(&named.fill(type_name), name));
        let variables = self.live()?.context.variables_and_types().filter(|(_, type_name)| of_changed(type_name));
        Ok(variables.map(|(name, _)| name.to_owned()).collect())
    }

    /// Drops the variables whose type means something else after a cell that defines `items`; returns their names.
    pub(super) fn drop_outdated(
        &mut self,
        items: &BTreeMap<String, String>,
        checked: bool,
        code: &str,
        edits: &Edits,
    ) -> Result<Vec<String>, Failure> {
        let outdated = self.outdated(items)?;
        if outdated.is_empty() {
            return Ok(outdated);
        }
        let context = &mut self.live()?.context;
        // A cell with an error defines nothing, and must cost nothing.
        if !checked
            && let Ok(errors) = context.check(&edits.apply(code))
            && !errors.is_empty()
        {
            self.live()?.pump.finish(false);
            return Err(self.failure(Stopped::Rejected(errors), code, edits));
        }
        self.stop_if_interrupted("while compiling; nothing was lost")?;
        let drops: String = outdated.iter().map(|name| format!("drop({name}); ")).collect();
        let silent: Arc<dyn Sink> = Arc::new(Silent);
        let whole = Edits::default();
        self.evaluate(&drops, &whole, &silent).map_err(|stopped| self.failure(stopped, &drops, &whole))?;
        Ok(outdated)
    }
}
