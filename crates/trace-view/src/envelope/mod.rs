//! Envelopes: what the worker process sends to the kernel between the bytes that a cell prints.
//!
//! The worker writes everything to one pipe, which keeps the order: printed text as it is, everything else as
//! `RS TRACEBOOK <token> <cell> <length> LF <json>`. Each kernel draws a new token, so that no printed text is mistaken for an
//! envelope; `cell` is the number of the cell that ran when the envelope was sent. Libraries written for evcxr print its blocks
//! (`EVCXR_BEGIN_CONTENT` … `EVCXR_END_CONTENT`) and its requests for input; both are recognised at the start of a line.

mod reader;

use crate::{Bundle, FrameSchema};
pub use reader::Reader;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A message of the worker process, between printed text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Envelope {
    /// The value of the last expression.
    Result {
        /// Its forms.
        bundle: Bundle,
    },
    /// A value displayed before the end of the cell.
    Display {
        /// Its forms.
        bundle: Bundle,
        /// The id under which it can be replaced.
        id: Option<String>,
    },
    /// New content for what was displayed under an id.
    Update {
        /// Its forms.
        bundle: Bundle,
        /// The id.
        id: String,
    },
    /// Clears what the cell has shown so far.
    Clear {
        /// Clears only when the next output comes.
        wait: bool,
    },
    /// Text for standard error, between what the cell prints and shows.
    Stderr {
        /// The text.
        text: String,
    },
    /// The cell waits for a line of input.
    Input {
        /// The prompt.
        prompt: String,
    },
    /// The cell ended early with an error value (`?`).
    Failure {
        /// The error, as `Display` writes it.
        message: String,
    },
    /// A thread panicked. Whether that ends the cell is not yet known.
    Panic {
        /// The message of the panic.
        message: String,
        /// The source file of the panic.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The thread, unless it is the one that runs cells.
        thread: Option<String>,
    },
    /// A panic ended the cell.
    Panicked,
    /// The data frames among the variables, after a cell in which they changed.
    Frames {
        /// Their schemas, by variable.
        frames: BTreeMap<String, FrameSchema>,
    },
    /// End mark: the end of a cell's output in this pipe. The kernel writes it when the cell has ended.
    End {
        /// Whether the worker process is gone: an envelope begun before this mark will never be complete.
        lost: bool,
    },
}

/// An event read from the pipe.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Printed text, with invalid UTF-8 replaced.
    Text(String),
    /// An envelope.
    Envelope {
        /// The number of the cell that ran when it was sent.
        cell: u64,
        /// The envelope.
        envelope: Envelope,
    },
    /// A block in evcxr's format: one MIME type and its content.
    Content {
        /// The MIME type.
        mime: String,
        /// The content.
        text: String,
    },
    /// A request for a line of input.
    Input {
        /// The prompt.
        prompt: String,
        /// Whether the input is hidden while it is typed.
        password: bool,
    },
}

const START: &str = "\u{1e}TRACEBOOK ";

impl Envelope {
    /// Encodes the envelope for cell number `cell`; the bytes must be written in one piece.
    pub fn encode(&self, token: &str, cell: u64) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = format!("{START}{token} {cell} {}\n", json.len()).into_bytes();
        bytes.extend_from_slice(&json);
        bytes
    }
}
