//! Perfetto's protobuf traces (`.pftrace`) → JSON text of the same events, which the scanner reads like that of any trace.
//!
//! ```text
//! bytes ─► packets ─► recording: tracks, strings, clocks; slices paired ─► JSON text ─► scanner
//! ```
//!
//! The messages are those of Perfetto's public schema (`protos/perfetto/trace`): track events with interned names, GPU render
//! stages and GPU counters, as PyTorch writes them since August 2026. Everything else is skipped.

mod args;
mod clocks;
mod event;
mod flows;
mod gpu;
mod packets;
mod recording;
mod sequence;
mod slices;
mod strings;
mod text;
mod tracks;
mod wire;

pub(super) use text::PerfettoText;

/// Bytes of which one tells a Perfetto trace from JSON.
pub(super) const HEAD: usize = 64;

/// Returns whether a text that begins with `head` is a Perfetto trace: the tag of a packet, and a control character that no
/// JSON has.
pub(super) fn is_perfetto(head: &[u8]) -> bool {
    head.first() == Some(&b'\n') && head.iter().take(HEAD).any(|byte| *byte < b'\t')
}
