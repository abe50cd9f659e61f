//! Texts of other programs, and addresses, as messages show them: without passwords, tokens and signatures.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The text that replaces a secret.
const HIDDEN: &str = "…";

/// A value with a name that tells that it is a secret: `password=…`, `"token": "…"`, `<Signature>…`, `Authorization: Bearer …`.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = "password|passwd|passphrase|secret|token|signature|credential|api[_-]?key|access[_-]?key|account[_-]?key|\
                 private[_-]?key|authorization|cookie|\\bsig\\b";
    let between = r#"[\w-]*\\?["']?\s*[:=>]\s*\\?["']?(?:(?:bearer|basic|aws4-hmac-sha256)\s+)?"#;
    Regex::new(&format!(r#"(?i)((?:{names}){between})[^\s"'&<>,;\\]+"#)).ok()
});

/// Secrets that are known by their form: keys of Amazon, tokens of JSON (JWT), GitHub and Hugging Face, and what follows `Bearer`.
static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}",
        r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*",
        r"\bgh[pousr]_\w{20,}",
        r"\bhf_\w{20,}",
        r"(?i:\bbearer\s+)[\w.~+/=-]{6,}",
    ];
    Regex::new(&forms.join("|")).ok()
});

/// The parameters of an address.
static PARAMETERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(:/[^\s?#"'<>`]*)([?#])[^\s"'<>`]+"#).ok());

/// Returns a text of another program, or an address, without the secrets in it: users and passwords before `@`, parameters of addresses,
/// values with a name such as `token`, keys and tokens that are known by their form. Messages show texts of servers and addresses
/// through it.
///
/// ```
/// let shown = trace::without_secrets("cannot open https://me:pw@host/a?sig=x: token=abc");
/// assert_eq!(shown, "cannot open https://…@host/a?… token=…");
/// ```
pub fn without_secrets(text: &str) -> String {
    let text = without_users(text);
    let text = replaced(&PARAMETERS, &text, |found| format!("{}{}{HIDDEN}", &found[1], &found[2]));
    let text = replaced(&NAMED, &text, |found| format!("{}{HIDDEN}", &found[1]));
    replaced(&KNOWN, &text, |_| HIDDEN.to_owned())
}

/// Whether a text has a user with a password, or a value that is a secret by its name or its form.
pub fn has_secret(text: &str) -> bool {
    let has =
        |pattern: &LazyLock<Option<Regex>>| LazyLock::force(pattern).as_ref().is_some_and(|found| found.is_match(text));
    text.split_whitespace().any(|word| user_of(word).is_some()) || has(&NAMED) || has(&KNOWN)
}

fn replaced(pattern: &LazyLock<Option<Regex>>, text: &str, with: impl Fn(&Captures<'_>) -> String) -> String {
    match LazyLock::force(pattern) {
        Some(pattern) => pattern.replace_all(text, |found: &Captures<'_>| with(found)).into_owned(),
        None => text.to_owned(),
    }
}

/// Returns a text with `…@host` for each `user:password@host`.
fn without_users(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || "\"'<>`".contains(c);
    let mut shown = String::with_capacity(text.len());
    for word in text.split_inclusive(is_end) {
        match user_of(word) {
            Some((start, end)) => {
                shown.push_str(&word[..start]);
                shown.push_str(HIDDEN);
                shown.push_str(&word[end..]);
            }
            None => shown.push_str(word),
        }
    }
    shown
}

/// Returns where a word names a user with a password, or the user of an address.
fn user_of(word: &str) -> Option<(usize, usize)> {
    let end = word.rfind('@')?;
    let address = word[..end].find("://").map(|at| at + "://".len());
    let start = address.unwrap_or(0);
    let user = &word[start..end];
    let (first, rest) = user.split_at(user.find(['/', '?', '#']).unwrap_or(user.len()));
    let is_user = match first.split_once(':') {
        // `host:8080/a@b`: a port, and a path.
        Some((_, port)) => rest.is_empty() || port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()),
        None => rest.is_empty() && address.is_some(),
    };
    is_user.then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_addresses_are_hidden() {
        for (text, shown) in [
            ("https://me:pw@host/a", "https://…@host/a"),
            ("https://token@host/a", "https://…@host/a"),
            (" s3://AKIAXXXXXXXXXXXXXXXX:ab/cd+e=@bucket/run", " s3://…@bucket/run"),
            ("s3:/id:ab/cd@bucket", "…@bucket"),
            ("me:pw@head:8265", "…@head:8265"),
            ("\"http://me:p@w@head\" and 'b:c@d'", "\"http://…@head\" and '…@d'"),
            ("https://host/a?sig=x&other=y z", "https://host/a?… z"),
            ("http://host:9000?key=x#part", "http://host:9000?…"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn secrets_with_a_name_or_a_known_form_are_hidden() {
        for (text, shown) in [
            ("password=pw, next", "password=…, next"),
            (r#"{"auth_token": "abc", "b": 1}"#, r#"{"auth_token": "…", "b": 1}"#),
            (r#"\"token\": \"abc\""#, r#"\"token\": \"…\""#),
            ("<Signature>abc</Signature>", "<Signature>…</Signature>"),
            ("X-Amz-Security-Token: abc def", "X-Amz-Security-Token: … def"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer …"),
            ("AWS_SECRET_ACCESS_KEY='ab/cd'", "AWS_SECRET_ACCESS_KEY='…'"),
            ("sent bearer abcdefgh to it", "sent … to it"),
            ("key AKIAABCDEFGHIJKLMNOP is new", "key … is new"),
            ("jwt eyJhbGciOiJI.eyJzdWIi.sig-nature", "jwt …"),
        ] {
            assert_eq!(without_secrets(text), shown);
            assert!(has_secret(text), "{text}");
        }
    }

    #[test]
    fn texts_without_secrets_stay() {
        for text in [
            "cannot open http://host:8080/a@b.json: no such file",
            "/data/run@7/x:y/rank0.json",
            "node12: out of memory (mail root@node12)",
            "s3://bucket/run7/rank0.json.gz",
            "500 Internal Server Error: Traceback (most recent call last):\n  File \"/a/b.py\", line 3",
            "the design=fine, sigma: 3",
        ] {
            assert_eq!(without_secrets(text), text);
            assert!(!has_secret(text), "{text}");
        }
    }
}
