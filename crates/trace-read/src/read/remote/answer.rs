//! Answers that are no objects: a bound on each and on all of a question, and without the secrets that were sent.

use super::uri::decoded;
use crate::error::StorageReason;
use object_store::client::{HttpError, HttpErrorKind, HttpRequest, HttpResponse};
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use trace_view::format;

/// The most bytes of an answer: a page of a listing has at most 5,000 names of 1 KiB.
const MOST_ANSWER: usize = 16 << 20;
/// The most bytes that are read of a refusal: messages repeat a word of it.
const MOST_REFUSAL: usize = 64 << 10;
/// The most bytes and pages of a listing: some 200,000 names.
const MOST_LISTING: (u64, usize) = (64 << 20, 1000);
/// The shortest text that counts as a secret, in bytes.
const SHORTEST: usize = 8;

tokio::task_local! {
    /// What the requests of this task are for.
    static EXCHANGE: Exchange;
}

/// The requests of one question to storage.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    /// The last part of the name of an object that is transferred.
    object: Option<String>,
    bytes: AtomicU64,
    pages: AtomicUsize,
}

impl Exchange {
    /// Returns the exchange for the bytes of an object, which are not bounded here.
    pub(super) fn object(key: &str) -> Self {
        Self { object: key.rsplit('/').next().map(str::to_owned), ..Self::default() }
    }

    /// Runs the requests.
    pub(super) async fn ask<T>(self, requests: impl Future<Output = T>) -> T {
        EXCHANGE.scope(self, requests).await
    }

    /// Whether a request is for the bytes of the object, not for credentials.
    pub(super) fn is_object(path: &str) -> bool {
        let path = decoded(path);
        let is_asked = |exchange: &Self| exchange.object.as_ref().is_some_and(|name| path.ends_with(name.as_bytes()));
        EXCHANGE.try_with(is_asked).unwrap_or(false)
    }

    /// Counts an answer.
    fn add(&self, bytes: usize, is_page: bool) -> Result<(), StorageReason> {
        let bytes = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        let pages = self.pages.fetch_add(usize::from(is_page), Ordering::Relaxed) + usize::from(is_page);
        let (most_bytes, most_pages) = MOST_LISTING;
        if bytes <= most_bytes && pages <= most_pages {
            return Ok(());
        }
        let most = format!("{} or {}", format::bytes(most_bytes), format::counted(most_pages, "page"));
        let fix = "name a folder with fewer files, or the files";
        Err(StorageReason::TooLong { answer: "the listing of the folder", most, fix })
    }
}

/// Whether a request is for a page of a listing.
pub(super) fn is_listing(request: &HttpRequest) -> bool {
    request.uri().query().is_some_and(|query| query.split('&').any(|part| part == "list-type=2" || part == "comp=list"))
}

/// Reads an answer, up to a bound.
///
/// # Errors
/// If it is longer; that of a refusal is cut instead.
pub(super) async fn bounded(
    answer: HttpResponse,
    is_listing: bool,
    secrets: &SentSecrets,
) -> Result<HttpResponse, HttpError> {
    let (parts, body) = answer.into_parts();
    let is_refusal = !parts.status.is_success();
    let most = if is_refusal { MOST_REFUSAL } else { MOST_ANSWER };
    let (mut pieces, mut bytes) = (body.bytes_stream(), Vec::new());
    while let Some(piece) = poll_fn(|context| pieces.as_mut().poll_next(context)).await {
        let piece = piece?;
        let room = most - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room && is_refusal {
            break;
        }
        if piece.len() > room {
            let answer = if is_listing { "a page of the listing" } else { "the answer of the server" };
            let fix = "check the address, and the endpoint if one is set";
            return Err(refused(StorageReason::TooLong { answer, most: format::bytes(most as u64), fix }));
        }
    }
    if !is_refusal {
        let counted = EXCHANGE.try_with(|exchange| exchange.add(bytes.len(), is_listing));
        counted.unwrap_or(Ok(())).map_err(refused)?;
    }
    // A cut refusal may end within a character.
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(HttpResponse::from_parts(parts, secrets.hidden_in(text).into()))
}

/// Secrets that a request holds, which a server may repeat in its answer.
#[derive(Debug, Default)]
pub(super) struct SentSecrets(Vec<String>);

impl SentSecrets {
    /// Finds the secrets of a request: tokens in headers, keys and signatures in `Authorization` and in parameters.
    pub(super) fn of(request: &HttpRequest) -> Self {
        let mut found = Vec::new();
        for (name, value) in request.headers() {
            let (name, Ok(value)) = (name.as_str(), value.to_str()) else { continue };
            if name.ends_with("authorization") {
                found.extend(parts_of_authorization(value));
            } else if name.contains("token") || name.contains("secret") || name == "cookie" {
                found.push(value.to_owned());
            }
        }
        for part in request.uri().query().unwrap_or_default().split('&') {
            let Some((name, value)) = part.split_once('=') else { continue };
            let name = name.to_ascii_lowercase();
            if ["sig", "signature", "token", "credential"].iter().any(|end| name.ends_with(end)) {
                found.extend([value.to_owned(), String::from_utf8_lossy(&decoded(value)).into_owned()]);
            }
        }
        found.retain(|secret| secret.len() >= SHORTEST);
        // The longest first: another one may be a part of it.
        found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(found)
    }

    /// Returns a text with `…` for each of them.
    fn hidden_in(&self, mut text: String) -> String {
        for secret in &self.0 {
            if text.contains(secret) {
                text = text.replace(secret, "…");
            }
        }
        text
    }
}

/// Returns the secrets of `AWS4-HMAC-SHA256 Credential=KEY/…, …, Signature=…`, of `Bearer TOKEN` and of `SharedKey ACCOUNT:SIGNATURE`.
fn parts_of_authorization(value: &str) -> Vec<String> {
    let named = value.split([' ', ',']).filter_map(|part| {
        let credential = part.strip_prefix("Credential=").and_then(|part| part.split('/').next());
        credential.or_else(|| part.strip_prefix("Signature="))
    });
    let mut found: Vec<&str> = named.collect();
    if let Some((_, token)) = value.split_once(' ').filter(|_| found.is_empty()) {
        found.extend(token.rsplit_once(':').map(|(_, signature)| signature));
        found.push(token);
    }
    found.into_iter().map(str::to_owned).collect()
}

/// Returns an error that another request would have, too, unless its reason may pass.
pub(super) fn refused(reason: StorageReason) -> HttpError {
    let kind = if reason.is_transient() { HttpErrorKind::Request } else { HttpErrorKind::Unknown };
    HttpError::new(kind, reason)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn request(uri: &str, headers: &[(&str, &str)]) -> HttpRequest {
        let mut request = HttpRequest::new(String::new().into());
        *request.uri_mut() = uri.parse().unwrap();
        for (name, value) in headers {
            let name: reqwest::header::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        request
    }

    #[test]
    fn secrets_that_were_sent_are_hidden_in_answers() {
        let signed = "AWS4-HMAC-SHA256 Credential=AKIDAKIDAKID/20260101/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, \
                      Signature=0123456789abcdef";
        let sent = request(
            "https://host/a?sig=ab%2Bcdefgh&list-type=2",
            &[
                ("authorization", signed),
                ("x-amz-security-token", "session+token/=="),
                ("x-amz-date", "20260101T000000Z"),
            ],
        );
        let text = "AKIDAKIDAKID 0123456789abcdef session+token/== ab+cdefgh ab%2Bcdefgh 20260101T000000Z us-east-1";
        assert_eq!(SentSecrets::of(&sent).hidden_in(text.to_owned()), "… … … … … 20260101T000000Z us-east-1");
        for value in ["Bearer secret-token", "SharedKey account:secret-token"] {
            let hidden = SentSecrets::of(&request("https://host/a", &[("authorization", value)]));
            assert_eq!(hidden.hidden_in("say secret-token".to_owned()), "say …");
        }
        assert!(is_listing(&sent) && !is_listing(&request("https://host/list-type=2", &[])));
    }

    #[test]
    fn exchange_has_a_bound_on_bytes_and_pages() {
        let exchange = Exchange::default();
        for _ in 0..4 {
            exchange.add(16 << 20, true).unwrap();
        }
        let error = exchange.add(1, true).unwrap_err().to_string();
        assert!(error.contains("longer than 64 MiB or 1,000 pages") && error.contains("fewer files"), "{error}");
        let exchange = Exchange::default();
        let last = (0..2000).find(|_| exchange.add(0, true).is_err());
        assert_eq!(last, Some(1000));
        (0..2000).for_each(|_| Exchange::default().add(0, false).unwrap());
    }
}
