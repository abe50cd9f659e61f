//! Addresses of traces: `s3://bucket/run7`, `https://host/rank0.json.gz`, `file:///shared/run7`.

use crate::Result;
use crate::domain::{has_secret, without_secrets};
use crate::error::{AddressReason, StorageError};
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// How an object is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scheme {
    S3,
    Gs,
    Az,
    Http,
    Https,
}

/// The address of an object or of a folder of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uri {
    pub(crate) scheme: Scheme,
    /// The bucket, the container, or host and port.
    pub(crate) bucket: String,
    /// The name of the object, or of the folder without its last `/`; of a web server not percent-encoded.
    pub key: String,
    /// Whether the address ends with `/`.
    pub is_folder: bool,
}

/// Where a trace is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// On this machine.
    Local(PathBuf),
    /// In object storage, or on a web server.
    Remote(Uri),
}

/// Schemes of other programs, and ours.
const OTHERS: &[(&str, &str)] = &[
    ("s3a", "s3"),
    ("s3n", "s3"),
    ("aws", "s3"),
    ("gcs", "gs"),
    ("gcp", "gs"),
    ("azure", "az"),
    ("wasb", "az"),
    ("wasbs", "az"),
    ("abfs", "az"),
    ("abfss", "az"),
    ("adl", "az"),
    ("htp", "http"),
    ("htps", "https"),
    ("files", "file"),
];

/// Where credentials belong, if it is unknown of what.
const IN_ENVIRONMENT: &str = "set them in the environment instead";

/// Parts of parameters that hold a signature or a token.
const SIGNED: &[&str] = &["signature=", "security-token=", "sig=", "token=", "credential=", "password="];

impl Scheme {
    const ALL: [Self; 5] = [Self::S3, Self::Gs, Self::Az, Self::Http, Self::Https];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gs => "gs",
            Self::Az => "az",
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) fn is_web(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// Returns where credentials belong.
    fn credentials_belong(self) -> &'static str {
        match self {
            Self::S3 => "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead",
            Self::Gs => "name a file of credentials in GOOGLE_APPLICATION_CREDENTIALS instead",
            Self::Az => "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY instead",
            Self::Http | Self::Https => "download the file first (curl -LO URL)",
        }
    }

    /// Returns what the first part of an address is, and the form of one.
    pub(super) fn first_part(self) -> (&'static str, &'static str) {
        match self {
            Self::S3 => ("bucket", "s3://BUCKET/FOLDER"),
            Self::Gs => ("bucket", "gs://BUCKET/FOLDER"),
            Self::Az => ("container", "az://CONTAINER/FOLDER"),
            Self::Http => ("host", "http://HOST/FILE"),
            Self::Https => ("host", "https://HOST/FILE"),
        }
    }

    fn allows(self, bucket: &str) -> bool {
        let all = |allowed: &str| bucket.chars().all(|c| c.is_ascii_alphanumeric() || allowed.contains(c));
        match self {
            Self::S3 | Self::Gs => all("-._"),
            Self::Az => all("-$"),
            Self::Http | Self::Https => {
                let (host, port) = match bucket.rsplit_once(':') {
                    Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
                    _ => (bucket, None),
                };
                let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
                let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
                let is_host = match inner {
                    Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
                    None => host.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)),
                };
                is_port && is_host && !host.is_empty()
            }
        }
    }
}

impl Location {
    /// Returns where a path or an address leads. A text without `://` is a path of this machine.
    ///
    /// # Errors
    /// [`StorageError::WrongAddress`], whose text has no credentials.
    pub fn of(path: &Path) -> Result<Self> {
        let wrong = |shown: String, reason| Err(StorageError::WrongAddress { address: shown, reason }.into());
        // Blanks before an address were copied with it.
        let Some((scheme, rest)) = path.to_str().and_then(|text| split(text.trim_start())) else {
            return match path.to_str().filter(|text| text.contains(":/") && has_secret(text)) {
                // It would appear in messages as a path.
                Some(text) => {
                    let shown = without_secrets(text).chars().map(|c| if c.is_control() { '�' } else { c }).collect();
                    wrong(shown, AddressReason::Credentials { fix: IN_ENVIRONMENT })
                }
                None => Ok(Self::Local(path.to_owned())),
            };
        };
        let lower = scheme.to_ascii_lowercase();
        if lower == "file" {
            return match local_path(rest) {
                Ok(path) => Ok(Self::Local(path)),
                Err(reason) => wrong(format!("file://{}", without_credentials(rest)), reason),
            };
        }
        match Scheme::ALL.into_iter().find(|known| known.name() == lower) {
            Some(scheme) => match Uri::of(scheme, rest) {
                Ok(uri) => Ok(Self::Remote(uri)),
                // Only the scheme: the rest may be a secret.
                Err(reason @ AddressReason::Credentials { .. }) => wrong(format!("{}://…", scheme.name()), reason),
                Err(reason) => wrong(format!("{}://{}", scheme.name(), without_credentials(rest)), reason),
            },
            None => {
                let rest = without_credentials(rest);
                let nearest = nearest(&lower).map(|nearest| format!("{nearest}://{rest}"));
                let reason = AddressReason::UnknownScheme { scheme: scheme.to_owned(), nearest };
                wrong(format!("{scheme}://{rest}"), reason)
            }
        }
    }
}

/// Splits the scheme of an address from what follows; `None` for a path.
fn split(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let mut chars = scheme.chars();
    let is_scheme = chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    is_scheme.then_some((scheme, rest))
}

/// Returns the known scheme that another one was probably meant to be.
fn nearest(scheme: &str) -> Option<&'static str> {
    let named = OTHERS.iter().find(|(other, _)| *other == scheme).map(|(_, ours)| *ours);
    named.or_else(|| trace_view::format::nearest(scheme, Scheme::ALL.into_iter().map(Scheme::name)))
}

/// Returns the part of an address behind its scheme up to its parameters, without user and password.
fn without_credentials(rest: &str) -> String {
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // A `:` or `@` behind it may belong to a password that contains a `/`.
    if authority.contains('@') || path.contains('@') && authority.contains(':') {
        return "…".to_owned();
    }
    rest.chars().map(|c| if c.is_control() { '�' } else { c }).collect()
}

/// Returns the path of a `file://` address.
fn local_path(rest: &str) -> std::result::Result<PathBuf, AddressReason> {
    let rest = rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest);
    if !rest.starts_with('/') {
        return Err(AddressReason::NotAbsolute);
    }
    let bytes = decoded(rest);
    if bytes.contains(&0) {
        return Err(AddressReason::WrongPath { part: "a control character" });
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}

/// Returns the bytes of a text with its `%20` decoded. A `%` before anything else is itself.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| (*byte as char).to_digit(16));
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                plain.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    plain
}

impl Uri {
    /// Parses what follows the scheme.
    fn of(scheme: Scheme, rest: &str) -> std::result::Result<Self, AddressReason> {
        let lower = rest.to_ascii_lowercase();
        let parameters = lower.split_once(['?', '#']).map(|(_, parameters)| parameters).unwrap_or_default();
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let authority = bucket.split(['?', '#']).next().unwrap_or_default();
        let has_user = authority.contains('@') || (!scheme.allows(authority) && rest.contains('@'));
        if has_user || SIGNED.iter().any(|part| parameters.contains(part)) {
            return Err(AddressReason::Credentials { fix: scheme.credentials_belong() });
        }
        if scheme.is_web() && rest.contains(['?', '#']) {
            return Err(AddressReason::Parameters);
        }
        if bucket.is_empty() || !scheme.allows(bucket) {
            let (what, expected) = scheme.first_part();
            return Err(AddressReason::NoBucket { what, expected });
        }
        let is_folder = key.is_empty() || key.ends_with('/');
        let key = key.strip_suffix('/').unwrap_or(key);
        let key = if scheme.is_web() { String::from_utf8(decoded(key)).ok() } else { Some(key.to_owned()) };
        let key = key.ok_or(AddressReason::WrongPath { part: "an invalid `%`" })?;
        let part = match () {
            () if key.chars().any(char::is_control) => Some("a control character"),
            () if key.is_empty() => None,
            () if key.split('/').any(str::is_empty) => Some("an empty part (`//`)"),
            () if key.split('/').any(|part| part == "." || part == "..") => Some("a part `.` or `..`"),
            () => None,
        };
        match part {
            Some(part) => Err(AddressReason::WrongPath { part }),
            None => Ok(Self { scheme, bucket: bucket.to_owned(), key, is_folder }),
        }
    }

    /// Returns the address of an object of the same bucket.
    #[cfg(feature = "cloud")]
    pub(crate) fn with_key(&self, key: impl Into<String>) -> Self {
        Self { key: key.into(), is_folder: false, ..self.clone() }
    }

    /// Returns the address of the folder that holds it.
    pub fn parent(&self) -> Self {
        let key = self.key.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
        Self { key: key.to_owned(), is_folder: true, ..self.clone() }
    }

    /// Returns the address as it is written, which has the form of a path too.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(self.to_string())
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/", self.scheme.name(), self.bucket)?;
        if self.scheme.is_web() {
            // `%` and what ends a path, so that it is read back as it was.
            for c in self.key.chars() {
                match c {
                    '%' | '?' | '#' | ' ' => write!(f, "%{:02X}", c as u32)?,
                    c => write!(f, "{c}")?,
                }
            }
        } else {
            f.write_str(&self.key)?;
        }
        if self.is_folder && !self.key.is_empty() { f.write_str("/") } else { Ok(()) }
    }
}

#[cfg(test)]
#[path = "uri_tests.rs"]
mod tests;
