//! Answer of a completion: candidates, and the text that they replace.

/// Candidates for the word at the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Start of the text that a candidate replaces, in bytes; it ends at the cursor.
    pub start: usize,
    /// Best first.
    pub items: Vec<Candidate>,
}

/// One text to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The inserted text.
    pub text: String,
    /// What it names, in Jupyter's words: `function`, `class`, `module`, …
    pub kind: &'static str,
    /// Its signature or type; may be empty.
    pub signature: String,
}
