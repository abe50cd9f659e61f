//! House rule: code, comments, messages and pages use the terms of `docs/vocabulary.md`, and names of tests are short.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use regex::Regex;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Files that name banned words on purpose.
const EXEMPT: &[&str] = &[
    // The rule itself, and the page that states it.
    "tests/house/vocabulary.rs",
    "docs/vocabulary.md",
];

/// Longest name of a Rust test, in characters.
const LONGEST_TEST_NAME: usize = 60;

/// A banned wording.
struct Rule {
    /// Matches words of prose and of identifiers alike: see [`words`].
    pattern: &'static str,
    /// What to write instead.
    instead: &'static str,
    /// How the names of the files begin and end that the rule reads.
    files: (&'static str, &'static str),
}

const fn everywhere(pattern: &'static str, instead: &'static str) -> Rule {
    Rule { pattern, instead, files: ("", "") }
}

const RULES: &[Rule] = &[
    everywhere(r"(?i)\bstretch(es)?\b", "chunk (bytes), interval (time), segment (cell)"),
    everywhere(r"(?i)\bseams?\b", "chunk boundary"),
    everywhere(r"(?i)\b(teach|teaches|teaching|taught)\b", "seed"),
    everywhere(r"(?i)\b(absorb(s|ed|ing)?|(take|takes|taken) in)\b", "merge"),
    everywhere(r"(?i)\b(let|lets|letting) (it |them )?go\b", "drop, release"),
    everywhere(r"(?i)\b(whoever|whom|somebody)\b", "the role"),
    everywhere(r"\bWho [a-z]", "the role, as a noun"),
    everywhere(r"(?i)\bunpack(s|ed|ing)?\b", "decompress (gzip), extract (archive)"),
    everywhere(r"(?i)\bodd(ly|s)?\b", "anomaly, unusual"),
    everywhere(r"(?i)\bby the letter\b", "strict"),
    everywhere(r"(?i)\bto the digit\b", "bit-exact"),
    everywhere(r"(?i)\bpatience\b", "timeout"),
    everywhere(r"(?i)\bplenty\b", "high-water mark"),
    everywhere(r"(?i)\bkits?\b", "cells toolchain"),
    everywhere(r"(?i)\bway out\b", "hint, fix"),
    everywhere(r"(?i)\bbeside each other\b", "concurrently, side by side (place)"),
    everywhere(r"(?i)\bbrought about\b", "launched"),
    everywhere(r"(?i)\b(what|whatever) (had |has )?(came|come|comes) of\b", "the result"),
    everywhere(r"(?i)\bwish(es)?\b", "signal, request"),
    everywhere(r"(?i)\bmend(s|ed|ing)?\b", "fix"),
    everywhere(r"[`}] is no [a-z]", "invalid x `v`: expected …; is not a …"),
    everywhere(r"(?i)\bof an age\b", "as old as"),
    everywhere(r"(?i)\b(lies|lie|lay) in\b", "is in"),
    everywhere(r"(?i)\b(stands|stand|stood) in\b", "is in, contains"),
    Rule { pattern: r"(?i)\bpress(es)?\b", instead: "interrupt request", files: ("", ".rs") },
    Rule { pattern: r"(?i)\bthe reading\b", instead: "parser, coordinator", files: ("crates/trace", ".rs") },
    Rule {
        pattern: r"\b(struct|enum|trait|type) ([A-Z][a-z]+ )*(Question|Ask|Asked|Asks|Say|Said|Says)\b",
        instead: "analysis, run, partial result",
        files: ("", ".rs"),
    },
    Rule {
        pattern: r"\b(struct|enum|trait|type) ([A-Z][a-z]+ )*(Others|Stretch|Part|Parts)\b",
        instead: "workers, chunk, fragment",
        files: ("crates/trace", ".rs"),
    },
];

/// Wordings that a rule finds and that are right: file (`""`: any), wording, reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("", "in memory", "what a column takes in memory"),
    ("", "is no longer", "not a kind"),
    ("", "is no more", "not a kind"),
    ("", "stands in for", "replaces"),
    ("labextension/", "stretch", "the value of CSS"),
    ("crates/trace-read/src/read/json/bits.rs", "odd", "not even"),
    ("crates/trace-view/src/report.rs", "enum Part", "a part of a report"),
];

/// Words that name nothing: every value has a place and is given or kept. Items and variables have the term of the field.
const BANNED_NAMES: &[(&str, &str)] = &[
    ("place", "index (array), position (order), location (machine, path)"),
    ("places", "indexes, positions, locations"),
    ("placed", "located, positioned"),
    ("placing", "locating"),
    ("given", "input, explicit, requested, or what it is"),
    ("kept", "retained, stored, cached, selected"),
    ("said", "message, output, log"),
    ("lent", "borrowed"),
    ("alike", "comparability, similar, equal"),
];

/// A finding: file, line, what was found, what to say.
struct Finding {
    file: String,
    line: usize,
    found: String,
    instead: String,
}

/// The text with identifiers taken apart (`OneStretch`, `one_stretch` → words), markers of comments dropped and lines joined, so
/// that wordings that go on in the next line are found; with the offset at which each line starts.
fn words(text: &str) -> (String, Vec<usize>) {
    let mut plain = String::with_capacity(text.len() * 2);
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(plain.len());
        let line = line.trim_start();
        let line = ["//!", "///", "//", "# ", "* "].iter().find_map(|marker| line.strip_prefix(marker)).unwrap_or(line);
        let mut before = ' ';
        for c in line.trim().chars() {
            if before.is_lowercase() && c.is_uppercase() {
                plain.push(' ');
            }
            plain.push(if c == '_' { ' ' } else { c });
            before = c;
        }
        plain.push(' ');
    }
    (plain, starts)
}

/// The findings of all rules in one file.
fn findings(file: &str, text: &str, rules: &[(Regex, &Rule)]) -> Vec<Finding> {
    let (mut plain, starts) = words(text);
    for (of, wording, _) in ALLOWED {
        if file.starts_with(of) {
            // As long as before, so that offsets stay, and without letters, so that nothing matches.
            plain = plain.replace(wording, &"-".repeat(wording.len()));
        }
    }
    let mut found = Vec::new();
    for (pattern, rule) in rules {
        let (start, end) = rule.files;
        if !file.starts_with(start) || !file.ends_with(end) {
            continue;
        }
        for hit in pattern.find_iter(&plain) {
            let line = starts.partition_point(|&start| start <= hit.start());
            let (file, found_text) = (file.to_owned(), hit.as_str().trim().to_owned());
            found.push(Finding { file, line, found: found_text, instead: rule.instead.to_owned() });
        }
    }
    if file.ends_with(".rs") {
        found.extend(long_test_names(file, text));
        found.extend(banned_names(file, text));
    }
    found.extend(clause_as_header(file, text));
    found
}

/// The header of a file that begins with a clause instead of a noun phrase.
fn clause_as_header(file: &str, text: &str) -> Option<Finding> {
    let header = Regex::new(
        r#"\A(?:#![^\n]*\n|// @ts-check\n|\s)*(?://! |"""|// )((?:What|How|Which|Where|Whether|Why|When)\b[^\n]*)"#,
    );
    let header = header.unwrap().captures(text)?.get(1)?;
    let line = text[..header.start()].matches('\n').count() + 1;
    let instead = "a noun phrase as the header".to_owned();
    Some(Finding { file: file.to_owned(), line, found: header.as_str().to_owned(), instead })
}

/// Names of items and variables with a banned word. Names of tests are sentences.
fn banned_names(file: &str, text: &str) -> Vec<Finding> {
    let sentences: Vec<&str> =
        test_names().captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    let (mut at, mut found) = (0, Vec::new());
    for token in tokenize(text, FrontmatterAllowed::No) {
        let start = at;
        at += token.len as usize;
        let is_name = token.kind == TokenKind::Ident;
        let Some(name) = text.get(start..at).filter(|name| is_name && !sentences.contains(name)) else { continue };
        let (segments, _) = words(name);
        let banned = segments.split_whitespace().find_map(|segment| {
            let segment = segment.to_lowercase();
            BANNED_NAMES.iter().find(|(word, _)| *word == segment)
        });
        if let Some((_, instead)) = banned {
            let line = text[..start].matches('\n').count() + 1;
            found.push(Finding { file: file.to_owned(), line, found: name.to_owned(), instead: (*instead).to_owned() });
        }
    }
    found
}

/// The names of tests.
fn test_names() -> Regex {
    Regex::new(r"#\[(?:tokio::)?test\]\s*(?:#\[[^\n]*\]\s*)*(?:pub )?(?:async )?fn ([a-z0-9_]+)").unwrap()
}

/// Names of tests that are longer than a sentence should be.
fn long_test_names(file: &str, text: &str) -> Vec<Finding> {
    let finding = |name: regex::Match<'_>| Finding {
        file: file.to_owned(),
        line: text[..name.start()].matches('\n').count() + 1,
        found: format!("{} ({})", name.as_str(), name.len()),
        instead: format!("a name of at most {LONGEST_TEST_NAME} characters"),
    };
    test_names()
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .filter(|name| name.len() > LONGEST_TEST_NAME)
        .map(finding)
        .collect()
}

fn compiled() -> Vec<(Regex, &'static Rule)> {
    RULES.iter().map(|rule| (Regex::new(rule.pattern).unwrap(), rule)).collect()
}

/// The findings in all sources and pages that git tracks.
fn all() -> Vec<Finding> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new("git").arg("ls-files").current_dir(root).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let rules = compiled();
    let mut found = Vec::new();
    let mut read = 0;
    for file in String::from_utf8_lossy(&listed.stdout).lines() {
        let is_text = [".rs", ".py", ".js", ".css", ".md", ".toml"].iter().any(|ending| file.ends_with(ending));
        // A file that is tracked but deleted in the working tree has nothing to read.
        if (is_text || matches!(file, "Makefile" | ".ci/run"))
            && !EXEMPT.contains(&file)
            && let Ok(text) = fs::read_to_string(root.join(file))
        {
            read += 1;
            found.extend(findings(file, &text, &rules));
        }
    }
    assert!(read > 300, "only {read} files were read");
    found
}

#[test]
fn words_are_those_of_the_vocabulary() {
    let lines: Vec<String> = all()
        .into_iter()
        .map(|Finding { file, line, found, instead }| format!("{file}:{line}: {found} → {instead}"))
        .collect();
    assert!(lines.is_empty(), "{} wordings, see docs/vocabulary.md:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn banned_words_are_found_in_names_and_across_lines() {
    let text = "/// Every stretch that is\n/// let\n/// go.\nfn stretches_of(x: OneStretch) {}\n// stretching, a testkit, %who\n\
                //! Who waits\nformat!(\"`{x}` is no size\");\n// `x` is no longer";
    let found = findings("src/x.rs", text, &compiled());
    let lines: Vec<(usize, &str)> = found.iter().map(|one| (one.line, one.found.as_str())).collect();
    assert_eq!(
        lines,
        [(1, "stretch"), (4, "stretches"), (4, "Stretch"), (2, "let go"), (6, "Who w"), (7, "` is no s")]
    );
    let name = "a".repeat(LONGEST_TEST_NAME + 1);
    let text = format!("#[test]\nfn short() {{}}\n\n#[test]\n#[ignore]\nfn {name}() {{}}\n");
    assert_eq!(long_test_names("src/x.rs", &text)[0].line, 6);
    let text = "// The place is given.\nfn replace(x: u8, kept_rows: &str) -> Placed {\n    \"{place}\"\n}\n\
                #[test]\nfn all_is_kept() {}\n";
    let names = banned_names("src/x.rs", text);
    let names: Vec<(usize, &str)> = names.iter().map(|one| (one.line, one.found.as_str())).collect();
    assert_eq!(names, [(2, "kept_rows"), (2, "Placed")]);
    for (file, text, line) in [
        ("src/x.rs", "//! What a task is.\n", 1),
        ("x.py", "#!/usr/bin/env python3\n\"\"\"How it runs.\"\"\"\n", 2),
        ("x.js", "// @ts-check\n// Where lanes are.\n", 2),
    ] {
        assert_eq!(clause_as_header(file, text).map(|found| found.line), Some(line), "{text}");
    }
    assert!(clause_as_header("src/x.rs", "//! Tasks.\n//! What they are.\n").is_none());
}
