//! Envelopes from a cell to the kernel, sent on standard output between what the cell prints.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use trace_view::Bundle;
use trace_view::envelope::Envelope;

/// The environment variable with the token of the kernel's envelopes.
const TOKEN: &str = "TRACEBOOK_TOKEN";

/// The number of the running cell, as the kernel counts.
static CELL: AtomicU64 = AtomicU64::new(0);

/// Sets the number of the cell on whose behalf envelopes are sent from now on.
pub(crate) fn set_cell(number: u64) {
    CELL.store(number, Ordering::Relaxed);
}

fn token() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    FOUND.get_or_init(|| std::env::var(TOKEN).ok()).as_deref()
}

/// Tells whether a kernel reads what is sent.
pub(crate) fn in_kernel() -> bool {
    token().is_some()
}

/// Sends one envelope, after everything printed so far. Outside a kernel (in a test or a program) it prints the plain text of a
/// bundle and nothing else.
pub(crate) fn send(envelope: &Envelope) {
    let mut out = std::io::stdout().lock();
    let bytes = match (token(), envelope) {
        (Some(token), _) => envelope.encode(token, CELL.load(Ordering::Relaxed)),
        (None, Envelope::Result { bundle } | Envelope::Display { bundle, .. } | Envelope::Update { bundle, .. }) => {
            format!("{}\n", bundle.plain()).into_bytes()
        }
        (None, _) => Vec::new(),
    };
    // A reader that is gone cannot be helped; the kernel notices by itself when this process ends.
    let _ = out.flush().and_then(|()| write_whole(&bytes));
}

/// Writes to standard output past its line buffer, which would write the first line separately: text of another process on the
/// same pipe could come between the lines. Up to 4 KiB (`PIPE_BUF`) are written atomically.
fn write_whole(mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Sends each bundle as a display.
pub(crate) fn send_all(bundles: Vec<Bundle>) {
    for bundle in bundles {
        send(&Envelope::Display { bundle, id: None });
    }
}

/// Clears what the cell has shown so far; with `wait`, only when the next output comes, so that nothing flickers.
pub fn clear_output(wait: bool) {
    send(&Envelope::Clear { wait });
}

/// Sends the bundles of the cell's last expression: the last one as the result, those before it as displays.
pub(crate) fn send_result(mut bundles: Vec<Bundle>) {
    let last = bundles.pop();
    send_all(bundles);
    if let Some(bundle) = last {
        send(&Envelope::Result { bundle });
    }
}

/// Asks the user for a line of input. If the front end takes no input, the line is empty and the cell fails.
pub fn input(prompt: &str) -> String {
    send(&Envelope::Input { prompt: prompt.to_owned() });
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
    line.trim_end_matches(['\r', '\n']).to_owned()
}
