//! The answer of a gate as a JUnit report: one test case for each limit.

use super::answer::GateAnswer;
use super::case::{Case, Outcome};

impl GateAnswer {
    /// Returns the report. An inconclusive limit is a failure, or skipped if `passes`.
    pub fn to_junit(&self, passes: bool) -> String {
        let count = |outcome: Outcome| self.cases.iter().filter(|case| case.outcome == outcome).count();
        let (exceeded, inconclusive) = (count(Outcome::Exceeded), count(Outcome::Inconclusive));
        let (failures, skipped) = if passes { (exceeded, inconclusive) } else { (exceeded + inconclusive, 0) };
        let numbers =
            format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"", self.cases.len());
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n  \
             <testsuite name=\"tracebook gate\" {numbers}>\n"
        );
        for case in &self.cases {
            text.push_str(&test_case(case, passes, &self.details()));
        }
        text.push_str(&format!("    <system-out>{}</system-out>\n", xml(&self.details())));
        text.push_str("  </testsuite>\n</testsuites>\n");
        text
    }

    fn details(&self) -> String {
        let mut lines = vec![self.scope_words(), self.comparability_words()];
        lines.extend(Some(self.structure()).filter(|text| !text.is_empty()));
        lines.join("\n")
    }
}

fn test_case(case: &Case, passes: bool, details: &str) -> String {
    let name = xml(&case.limit.to_string());
    let message = xml(&case.sentence());
    let body = match case.outcome {
        Outcome::Passed => {
            return format!(
                "    <testcase classname=\"tracebook.gate\" name=\"{name}\">\n      <system-out>{message}</system-out>\n    </testcase>\n"
            );
        }
        Outcome::Inconclusive if passes => format!("<skipped message=\"{message}\"/>"),
        Outcome::Exceeded | Outcome::Inconclusive => {
            let kind = if case.outcome == Outcome::Exceeded { "regression" } else { "inconclusive" };
            format!("<failure type=\"{kind}\" message=\"{message}\">{}</failure>", xml(details))
        }
    };
    format!("    <testcase classname=\"tracebook.gate\" name=\"{name}\">\n      {body}\n    </testcase>\n")
}

/// Escapes a text for an element or an attribute; characters that XML 1.0 does not allow are replaced.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\n' => safe.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
