//! Plain text for terminals and logs.

/// `text` without control characters that could steer a terminal; line ends and tabs stay.
pub fn terminal_safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}
