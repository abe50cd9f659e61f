//! The sink of the answers of magics at the terminal.

use crate::Failure;
use crate::display::{Output, Sink};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use trace_view::{PLOTLY, TABLE};

/// The sink of answers: tables as they come; figures only if there is no table, since they show the same numbers.
pub(super) struct Answers {
    screen: Arc<dyn Sink>,
    is_piped: bool,
    figures: Mutex<Vec<Output>>,
    has_table: AtomicBool,
}

impl Answers {
    /// Creates the sink of answers on this screen. `is_piped`: standard output is for a file, so only warnings and errors are shown.
    pub(super) fn on(screen: &Arc<dyn Sink>, is_piped: bool) -> Arc<Self> {
        let (figures, has_table) = (Mutex::default(), AtomicBool::new(false));
        Arc::new(Self { screen: Arc::clone(screen), is_piped, figures, has_table })
    }

    /// Shows figures that waited for a table, if there was none.
    pub(super) fn end(&self) {
        let figures = std::mem::take(&mut *self.figures.lock().unwrap_or_else(PoisonError::into_inner));
        if !self.has_table.load(Ordering::Relaxed) {
            figures.into_iter().for_each(|figure| self.screen.emit(figure));
        }
    }
}

impl Sink for Answers {
    fn emit(&self, output: Output) {
        if self.is_piped {
            let is_warning = match &output {
                Output::Display { bundle, .. } => bundle.warning().is_some(),
                output => matches!(output, Output::Stderr(_)),
            };
            if is_warning {
                self.screen.emit(output);
            }
            return;
        }
        if let Output::Display { bundle, id: None } = &output {
            if bundle.data.contains_key(PLOTLY) {
                return self.figures.lock().unwrap_or_else(PoisonError::into_inner).push(output);
            }
            if bundle.data.contains_key(TABLE) {
                self.has_table.store(true, Ordering::Relaxed);
            }
        }
        self.screen.emit(output);
    }

    fn input(&self, prompt: &str, is_password: bool) -> Result<String, Failure> {
        self.screen.input(prompt, is_password)
    }

    fn interrupted(&self) -> bool {
        self.screen.interrupted()
    }

    fn width(&self) -> Option<usize> {
        self.screen.width()
    }

    fn ends_process(&self) -> bool {
        self.screen.ends_process()
    }
}
