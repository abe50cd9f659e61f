//! The answer of a gate as Markdown for a pull request: a sentence, what regressed, and the rest folded away.

use super::answer::{ChangedRegion, GateAnswer, Honoured};
use super::case::{Case, MEANS, MEDIAN, Outcome, interval, means, needed_words, percent};
use super::structure::number;
use trace_view::format::{microseconds as time, microseconds_changed as time_changed};

/// Rows of the table of regressions, which everyone sees.
const REGRESSIONS: usize = 10;
/// Rows of a folded table: a comment may have 65,536 characters.
const ROWS: usize = 40;
/// Longest name in a table, in characters.
const NAME: usize = 60;

impl GateAnswer {
    /// Returns the page. All text from traces and flags is escaped.
    pub fn to_markdown(&self) -> String {
        let sign = match self.outcome() {
            Outcome::Passed => "✅",
            Outcome::Exceeded => "❌",
            Outcome::Inconclusive => "❔",
        };
        let mut page = format!("{sign} {}\n", bold_verdict(&self.sentence()));
        let structure = self.structure();
        if !structure.is_empty() {
            page.push_str(&format!("\nStructure: {}.\n", safe(&structure)));
        }
        let regressions: Vec<&ChangedRegion> = self.regressions().collect();
        if !regressions.is_empty() {
            page.push_str(&format!("\n{}", changes(&regressions, REGRESSIONS)));
        }
        page.push_str(&folded(&format!("Limits ({})", self.cases.len()), &limits(&self.cases)));
        let improvements: Vec<&ChangedRegion> = self.improvements().collect();
        if !improvements.is_empty() {
            page.push_str(&folded(&format!("Faster ({})", improvements.len()), &changes(&improvements, ROWS)));
        }
        if !self.facts.is_empty() {
            page.push_str(&folded(&format!("Structure ({})", self.facts.len()), &self.folded_structure()));
        }
        if !self.accepted.is_empty() {
            page.push_str(&folded(&format!("Accepted ({})", self.accepted.len()), &accepted(&self.accepted)));
        }
        page.push_str(&folded("How this was judged", &self.how()));
        page
    }

    fn folded_structure(&self) -> String {
        let rows = self.facts.iter().map(|fact| {
            let [one, other] = fact.count.map(number);
            let change = time_changed(fact.delta_us);
            vec![fact.what.word().to_owned(), code(&fact.operator), format!("{one} → {other}"), change]
        });
        table(&["what", "operator", "count a step", "change of time"], rows.collect(), ROWS)
    }

    fn how(&self) -> String {
        let [control, test] = &self.sides;
        let mut lines = vec![
            format!("Scope: {}.", self.scope_words()),
            format!("Recordings: {}.", self.comparability_words()),
            format!(
                "Mean of a step: {} ({} → {}).",
                means(self.step_us[0], self.step_us[1]),
                safe(&control.label),
                safe(&test.label)
            ),
            "A limit is exceeded only if the whole 95 % interval of the growth is above it and the growth is certain \
             (q ≤ 0.05), and passed if the interval is below it. The growth is a median, which a few slow iterations do not move; \
             that of the means may differ from it."
                .to_owned(),
            format!("Seed {}.", self.seed),
        ];
        lines.extend(self.warnings.iter().map(|warning| format!("⚠️ {}", safe(warning))));
        lines.iter().map(|line| format!("- {line}\n")).collect()
    }
}

/// Puts the words before the first colon in bold type, and escapes the sentence.
fn bold_verdict(sentence: &str) -> String {
    match sentence.split_once(": ") {
        Some((verdict, rest)) => format!("**{}**: {}", safe(verdict), safe(rest)),
        None => safe(sentence),
    }
}

fn limits(cases: &[Case]) -> String {
    let rows = cases.iter().map(|case| {
        let growth = case.growth.map_or_else(|| "—".to_owned(), interval);
        let needed = case.needed.map_or_else(String::new, |needed| format!("; {} would tell", needed_words(needed)));
        vec![
            code(&case.limit.of.to_string()),
            percent(case.limit.share),
            means(case.control_us, case.test_us),
            growth,
            case.outcome.word().to_owned(),
            safe(&format!("{}{needed}", case.why)),
        ]
    });
    table(&["limit", "at most", MEANS, MEDIAN, "outcome", "why"], rows.collect(), ROWS)
}

fn changes(regions: &[&ChangedRegion], most: usize) -> String {
    let rows = regions.iter().map(|region| {
        let [control, test] = region.attributed_us;
        let growth = region.growth.map_or_else(|| "—".to_owned(), interval);
        vec![code(&region.called()), means(control, test), growth]
    });
    table(&["region", MEANS, MEDIAN], rows.collect(), most)
}

fn accepted(changes: &[Honoured]) -> String {
    let rows = changes.iter().map(|one| {
        let state = match (one.honoured, one.attributed_us) {
            (true, _) => "honoured".to_owned(),
            (false, Some([_, test])) => format!("**outgrown: {}**", time(test)),
            (false, None) => "no such region".to_owned(),
        };
        let accepted = &one.accepted;
        vec![
            code(&accepted.region),
            time(accepted.up_to_us),
            state,
            safe(&format!("{} ({}, {})", accepted.reason, accepted.by, accepted.date)),
        ]
    });
    table(&["region", "up to, a step", "now", "reason"], rows.collect(), ROWS)
}

fn table(headers: &[&str], rows: Vec<Vec<String>>, most: usize) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&headers.iter().map(|header| (*header).to_owned()).collect::<Vec<_>>());
    text.push_str(&format!("|{}\n", " --- |".repeat(headers.len())));
    text.extend(rows.iter().take(most).map(|row| line(row)));
    if rows.len() > most {
        text.push_str(&format!("\n… and {} more\n", rows.len() - most));
    }
    text
}

fn folded(summary: &str, content: &str) -> String {
    format!("\n<details><summary>{summary}</summary>\n\n{content}\n</details>\n")
}

/// A name as code, elided in the middle if it is long.
fn code(name: &str) -> String {
    let long: Vec<char> = name.chars().collect();
    let text = if long.len() > NAME {
        let (head, tail) = (&long[..NAME * 2 / 3], &long[long.len() - NAME / 3..]);
        format!("{}…{}", head.iter().collect::<String>(), tail.iter().collect::<String>())
    } else {
        name.to_owned()
    };
    format!("<code>{}</code>", safe(&text))
}

/// Escapes a text: what Markdown or HTML would read as markup or as a link becomes a character reference, and an invisible character
/// keeps `@name` and `#1` from becoming a mention.
fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = ' ';
    for c in trace_view::terminal_safe(text).chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            '@' | '#' => safe.push_str(&format!("&#{};\u{2060}", u32::from(c))),
            '&' | '<' | '>' | '/' | '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '!' | '"' | '\''
            | '$' => {
                safe.push_str(&format!("&#{};", u32::from(c)));
            }
            // Of `www.`
            '.' if before == 'w' => safe.push_str("&#46;"),
            c => safe.push(c),
        }
        before = c;
    }
    safe
}
