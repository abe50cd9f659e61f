//! Panics of cells, reported to the kernel.

use crate::channel::send;
use std::cell::Cell;
use trace_view::envelope::Envelope;

/// Installs a panic hook that sends envelopes; the kernel turns them into errors that point at the cell's line.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        if SILENCED.get() {
            return;
        }
        let message = match (info.payload().downcast_ref::<&str>(), info.payload().downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "a value that is not a text".to_owned(),
        };
        let (file, line) = info.location().map_or((String::new(), 0), |at| (at.file().to_owned(), at.line()));
        let thread = std::thread::current();
        let thread = (thread.name() != Some("main")).then(|| thread.name().unwrap_or("without a name").to_owned());
        send(&Envelope::Panic { message, file, line, thread });
    }));
}

thread_local! {
    /// True while panics of this thread are caught and must not be reported.
    static SILENCED: Cell<bool> = const { Cell::new(false) };
}

/// Silences the panics of this thread until it is dropped.
pub(crate) struct SilencedPanics;

impl SilencedPanics {
    pub(crate) fn new() -> Self {
        SILENCED.set(true);
        Self
    }
}

impl Drop for SilencedPanics {
    fn drop(&mut self) {
        SILENCED.set(false);
    }
}
