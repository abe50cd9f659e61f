//! Downloads of a packed library for Rust cells.

use super::InstallError;
use super::fetched::Packed;
use reqwest::Url;
use reqwest::blocking::{Client, Response};
use reqwest::redirect::Policy;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

/// Time to reach the server.
const CONNECT: Duration = Duration::from_secs(30);
/// Time for each part of an answer.
const READ: Duration = Duration::from_secs(60);
/// The most redirects: a release leads to the store of its files.
const MAX_REDIRECTS: usize = 5;
/// The most bytes of an archive.
const MAX_LENGTH: u64 = 1 << 30;
/// The most bytes of a file with a checksum.
const MAX_CHECKSUM: u64 = 4 << 10;

/// Downloads the archive and its checksum into `folder`. `from` is the address of the archive, or of the folder that contains
/// the one called `name()`.
///
/// # Errors
/// If the server has none, or the transfer fails.
pub(super) fn packed(
    from: &str,
    name: impl FnOnce() -> Result<String, InstallError>,
    folder: &Path,
    report: &mut dyn FnMut(&str),
) -> Result<Packed, InstallError> {
    let mut url = Url::parse(from)
        .map_err(|error| InstallError::Fetch { from: from.to_owned(), reason: format!("invalid URL: {error}") })?;
    if !url.path().ends_with(".tar.zst") {
        let below = format!("{}/{}", url.path().trim_end_matches('/'), name()?);
        url.set_path(&below);
    }
    let name = url.path().rsplit('/').next().unwrap_or_default().to_owned();
    let client = client(&url)?;
    let mut sum = url.clone();
    sum.set_path(&format!("{}.sha256", url.path()));
    let mut checksum = String::new();
    let read = get(&client, &sum)?.take(MAX_CHECKSUM).read_to_string(&mut checksum);
    read.map_err(|error| failed(&sum, &error))?;
    let mut answer = get(&client, &url)?;
    let length = answer.content_length();
    let size = trace_view::format::bytes;
    let total = length.map_or_else(String::new, |length| format!(" of {}", size(length)));
    report(&format!(
        "  Rust cells: fetching {name}{}",
        length.map_or_else(String::new, |length| format!(" ({})", size(length)))
    ));
    let path = folder.join(&name);
    let mut file = File::create_new(&path).map_err(|source| InstallError::Write { path: path.clone(), source })?;
    let step = length.map_or(64 << 20, |length| (length / 4).max(8 << 20));
    let (mut done, mut reported, mut buffer) = (0, 0, vec![0; 1 << 18]);
    loop {
        let count = answer.read(&mut buffer).map_err(|error| failed(&url, &error))?;
        if count == 0 {
            break;
        }
        file.write_all(&buffer[..count]).map_err(|source| InstallError::Write { path: path.clone(), source })?;
        done += count as u64;
        if done > MAX_LENGTH {
            let reason = format!("it is longer than {}", size(MAX_LENGTH));
            return Err(InstallError::Fetch { from: shown(&url), reason });
        }
        if done - reported >= step {
            reported = done;
            report(&format!("  Rust cells: {}{total}", size(done)));
        }
    }
    Ok(Packed { path, name, checksum })
}

/// Returns a client that goes from https to https only.
fn client(url: &Url) -> Result<Client, InstallError> {
    let secure = url.scheme() == "https";
    let policy = Policy::custom(move |attempt| {
        if attempt.previous().len() > MAX_REDIRECTS {
            attempt.error("too many redirects")
        } else if secure && attempt.url().scheme() != "https" {
            attempt.error("a redirect leads from https to http")
        } else {
            attempt.follow()
        }
    });
    let agent = concat!("tracebook/", env!("CARGO_PKG_VERSION"));
    let builder = Client::builder().user_agent(agent).redirect(policy).connect_timeout(CONNECT).timeout(READ);
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let builder = if is_local { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| failed(url, &error))
}

/// Requests an address.
fn get(client: &Client, url: &Url) -> Result<Response, InstallError> {
    let answer = client.get(url.clone()).send().map_err(|error| failed(url, &error))?;
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let reason = if status == reqwest::StatusCode::NOT_FOUND {
        "there is none for this version and this compiler (404 Not Found)".to_owned()
    } else {
        format!("the server answered {status}")
    };
    Err(InstallError::Fetch { from: shown(url), reason })
}

fn failed(url: &Url, error: &dyn std::error::Error) -> InstallError {
    // The innermost cause is what the system says.
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    InstallError::Fetch { from: shown(url), reason: cause.to_string() }
}

/// Returns an address without what may be secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.to_string()
}
