//! The way out of a cell: envelopes on standard output, between what the cell prints.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use trace_view::Bundle;
use trace_view::envelope::Envelope;

/// The variable in which the kernel passes the token of its envelopes.
const TOKEN: &str = "TRACEBOOK_TOKEN";

/// The number of the cell that runs, as the kernel counts.
static CELL: AtomicU64 = AtomicU64::new(0);

/// Sets the number of the cell on whose behalf envelopes are sent from now on.
pub(crate) fn set_cell(number: u64) {
    CELL.store(number, Ordering::Relaxed);
}

fn token() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    FOUND.get_or_init(|| std::env::var(TOKEN).ok()).as_deref()
}

/// Whether a kernel reads what is sent.
pub(crate) fn in_kernel() -> bool {
    token().is_some()
}

/// Sends one envelope, behind everything printed so far. Outside a kernel (a test, a program) only the plain text of a
/// bundle is printed.
pub(crate) fn send(envelope: &Envelope) {
    let mut out = std::io::stdout().lock();
    let bytes = match (token(), envelope) {
        (Some(token), _) => envelope.encode(token, CELL.load(Ordering::Relaxed)),
        (None, Envelope::Result { bundle } | Envelope::Display { bundle, .. } | Envelope::Update { bundle, .. }) => {
            format!("{}\n", bundle.plain()).into_bytes()
        }
        (None, _) => Vec::new(),
    };
    // Nothing can be done about a reader that is gone: the kernel notices that by itself.
    let _ = out.flush().and_then(|()| write_whole(&bytes));
}

/// Writes to standard output past its buffer, which would write the first line alone: what another process writes to the
/// same pipe could come between the lines. Up to 4 KiB (`PIPE_BUF`) are written in one piece.
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

pub(crate) fn send_all(bundles: Vec<Bundle>) {
    for bundle in bundles {
        send(&Envelope::Display { bundle, id: None });
    }
}

/// Takes away what the cell has shown so far; with `wait`, only when the next output comes, so that nothing flickers.
pub fn clear_output(wait: bool) {
    send(&Envelope::Clear { wait });
}

/// The value of the cell's last expression: its parts as displays, the last one as the result.
pub(crate) fn send_result(mut bundles: Vec<Bundle>) {
    let last = bundles.pop();
    send_all(bundles);
    if let Some(bundle) = last {
        send(&Envelope::Result { bundle });
    }
}

/// Asks the person at the notebook for a line. Where the front end takes no input, the line is empty and the cell fails.
pub fn input(prompt: &str) -> String {
    send(&Envelope::Input { prompt: prompt.to_owned() });
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
    line.trim_end_matches(['\r', '\n']).to_owned()
}
