//! How rich output leaves the process of a Rust cell: as envelopes between the bytes that the cell prints.
//!
//! A cell's process writes everything to one pipe, so that order is kept: printed text as it is, and everything else as
//! `RS TRACEBOOK <token> <cell> <length> LF <json>`. The token is drawn anew for each kernel, so that no printed text is
//! mistaken for an envelope; the number is that of the cell that ran when the envelope was made. evcxr's own blocks (`EVCXR_BEGIN_CONTENT` … `EVCXR_END_CONTENT`) and its request for input
//! are understood too, at the start of a line, because libraries made for evcxr print them.

mod reader;

use crate::{Bundle, FrameSchema};
pub use reader::Reader;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a cell's process says beside printed text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Envelope {
    /// The value of the last expression.
    Result {
        /// How it can be shown.
        bundle: Bundle,
    },
    /// Something displayed on the way.
    Display {
        /// How it can be shown.
        bundle: Bundle,
        /// The id under which it can be replaced.
        id: Option<String>,
    },
    /// New content for what was displayed under an id.
    Update {
        /// How it can be shown.
        bundle: Bundle,
        /// The id.
        id: String,
    },
    /// Takes away what the cell has shown so far.
    Clear {
        /// Only when the next output comes.
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
    /// Something panicked. Whether that ends the cell is not known yet.
    Panic {
        /// What the panic said.
        message: String,
        /// The source file of the panic.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The thread, unless it is the one that cells run on.
        thread: Option<String>,
    },
    /// A panic ended the cell.
    Panicked,
    /// The data frames among the variables, after a cell in which they changed.
    Frames {
        /// Their schemas, by variable.
        frames: BTreeMap<String, FrameSchema>,
    },
    /// Marks the end of a cell's output in this pipe; the kernel itself writes it when the cell has ended.
    End {
        /// Whether the process of the cell is gone: an envelope that it began before this mark will never be complete.
        lost: bool,
    },
}

/// One thing read from the pipe.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Printed text, invalid UTF-8 replaced.
    Text(String),
    /// An envelope of ours.
    Envelope {
        /// The number of the cell that ran when it was made.
        cell: u64,
        /// What it says.
        envelope: Envelope,
    },
    /// A block of evcxr's: one MIME type and its content.
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
        /// Whether what is typed must not be seen.
        password: bool,
    },
}

const START: &str = "\u{1e}TRACEBOOK ";

impl Envelope {
    /// The bytes to write, in one piece, on behalf of the cell of this number.
    pub fn encode(&self, token: &str, cell: u64) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = format!("{START}{token} {cell} {}\n", json.len()).into_bytes();
        bytes.extend_from_slice(&json);
        bytes
    }
}
