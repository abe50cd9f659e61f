//! Errors of `object_store` → reasons with a fix. Its texts contain answers of servers, of which only known parts are
//! repeated: a refused signature is answered with everything that was signed.

use super::uri::{Scheme, Uri};
use crate::domain::without_secrets;
use crate::error::StorageReason;
use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};
use std::error::Error as StdError;

/// What precedes the status in the text of a refused request.
const STATUS: &str = "returned non-2xx status code: ";
/// The longest part of a text that is repeated.
const LONGEST: usize = 200;

/// Returns why a request failed.
pub(super) fn reason(error: &Error, uri: &Uri) -> StorageReason {
    if let Some(reason) = chain(error).find_map(|error| error.downcast_ref::<StorageReason>()) {
        return reason.clone();
    }
    let texts: Vec<String> = chain(error).map(ToString::to_string).collect();
    let all = texts.join("\n");
    if texts.iter().any(|text| text.contains("zero valid certificates found")) {
        return StorageReason::NoCertificates;
    }
    if let Some(answer) = all.split_once(STATUS).map(|(_, answer)| answer) {
        return of_answer(answer, uri);
    }
    match error {
        Error::NotFound { .. } => return StorageReason::NotFound { folder: String::new(), holds: Vec::new() },
        Error::Precondition { .. } => return StorageReason::Changed,
        _ => {}
    }
    if all.contains("without LOCATION") {
        return StorageReason::WrongRegion { region: None };
    }
    if all.contains("Content-Length") || all.contains("content length") {
        return StorageReason::NoSize;
    }
    if let Some(error) = chain(error).find_map(|error| error.downcast_ref::<HttpError>()) {
        return of_connection(error, uri);
    }
    StorageReason::Other(shortened(texts.last().map_or("", String::as_str)))
}

/// Whether the server cannot send a part of a file.
pub(super) fn has_no_ranges(error: &Error) -> bool {
    matches!(error, Error::NotSupported { .. }) || error.to_string().contains("non-partial")
}

/// Returns the causes of an error, itself first.
fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn StdError + 'static)| (*error).source())
}

/// Returns what an answer means: `403 Forbidden: <Error><Code>SignatureDoesNotMatch</Code>…`.
fn of_answer(answer: &str, uri: &Uri) -> StorageReason {
    let status: u16 = answer.get(..3).and_then(|status| status.parse().ok()).unwrap_or(0);
    let line = answer.lines().next().unwrap_or_default();
    let named = line.split_once(": ").map_or(line, |(named, _)| named);
    let code = element(answer, "Code").unwrap_or_else(|| shortened(named));
    let region =
        element(answer, "Region").filter(|region| region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    match (status, code.as_str()) {
        (_, "SignatureDoesNotMatch" | "RequestTimeTooSkewed") => StorageReason::WrongSignature { code },
        (
            _,
            "InvalidAccessKeyId"
            | "InvalidToken"
            | "ExpiredToken"
            | "TokenRefreshRequired"
            | "AuthenticationFailed"
            | "InvalidSecurity",
        )
        | (401, _) => StorageReason::WrongCredentials { code, fix: renew(uri.scheme) },
        (_, "NoSuchBucket" | "ContainerNotFound") => no_bucket(uri),
        (
            _,
            "PermanentRedirect"
            | "TemporaryRedirect"
            | "AuthorizationHeaderMalformed"
            | "IllegalLocationConstraintException",
        ) => StorageReason::WrongRegion { region },
        (403, _) => StorageReason::Denied { code, fix: check(uri.scheme) },
        _ => of_code(status, code),
    }
}

/// Returns what a status means that tells nothing of the request.
fn of_code(status: u16, code: String) -> StorageReason {
    match status {
        404 | 410 => StorageReason::NotFound { folder: String::new(), holds: Vec::new() },
        412 => StorageReason::Changed,
        501 => StorageReason::Other(format!("the server does not know this request ({code}); check the endpoint")),
        408 | 429 | 500..=599 => StorageReason::Busy { reason: code },
        _ => StorageReason::Other(format!("the server answered {code}")),
    }
}

/// Returns what the status of a host means that another one named: it was sent no credentials.
pub(super) fn of_status(scheme: Scheme, status: u16) -> StorageReason {
    match status {
        401 | 403 => StorageReason::DeniedToAnyone { code: status.to_string(), fix: give(scheme) },
        _ => of_code(status, status.to_string()),
    }
}

/// Returns the reason of a bucket or container that does not exist.
fn no_bucket(uri: &Uri) -> StorageReason {
    let fix = match uri.scheme {
        Scheme::S3 => "check its name, and AWS_ENDPOINT",
        Scheme::Az => "check its name, and AZURE_STORAGE_ACCOUNT_NAME",
        _ => "check its name",
    };
    let (what, _) = uri.scheme.first_part();
    StorageReason::NoBucket { what, bucket: uri.bucket.clone(), endpoint: None, fix }
}

fn renew(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN, which may have expired",
        Scheme::Gs => "check GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
        Scheme::Az => "check the key or token in the variables AZURE_… of the environment",
        Scheme::Http | Scheme::Https => "download the file first (curl -LO URL)",
    }
}

/// Returns how to give credentials.
fn give(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "unset AWS_SKIP_SIGNATURE, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        Scheme::Gs => "unset GOOGLE_SKIP_SIGNATURE, and name a file of credentials in GOOGLE_APPLICATION_CREDENTIALS",
        Scheme::Az => "unset AZURE_SKIP_SIGNATURE, and set AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY",
        Scheme::Http | Scheme::Https => {
            "web servers are sent none: check the address, or download the file first with yours (curl -LO URL)"
        }
    }
}

fn check(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "check the name, and the permissions s3:GetObject and s3:ListBucket",
        Scheme::Gs => "check the name, and the permissions storage.objects.get and storage.objects.list",
        Scheme::Az => "check the name, and the role Storage Blob Data Reader",
        Scheme::Http | Scheme::Https => "check the address, or download the file first (curl -LO URL)",
    }
}

/// Returns why there is no connection, or no answer.
fn of_connection(error: &HttpError, uri: &Uri) -> StorageReason {
    let texts: Vec<String> = chain(error).map(ToString::to_string).collect();
    let last = shortened(texts.last().map_or("", String::as_str));
    let has = |part: &str| texts.iter().any(|text| text.contains(part));
    let host = host(uri);
    let variable = match uri.scheme {
        Scheme::S3 => "AWS_ENDPOINT",
        Scheme::Gs => "HTTPS_PROXY",
        Scheme::Az => "AZURE_STORAGE_ACCOUNT_NAME",
        Scheme::Http | Scheme::Https => "HTTPS_PROXY",
    };
    match error.kind() {
        _ if has("dns error") || has("failed to lookup address") => StorageReason::NoHost { host, variable },
        _ if has("invalid peer certificate") || has("certificate") => StorageReason::Untrusted { host, reason: last },
        HttpErrorKind::Connect if has("URL scheme is not allowed") => {
            StorageReason::PlainHttp { endpoint: host, variable: "AWS_ALLOW_HTTP" }
        }
        HttpErrorKind::Connect => StorageReason::NoConnection { host, reason: last, variable },
        HttpErrorKind::Timeout => StorageReason::Busy { reason: "no answer in time".to_owned() },
        HttpErrorKind::Request | HttpErrorKind::Interrupted => StorageReason::Broken { reason: last },
        _ => StorageReason::Invalid { reason: last },
    }
}

/// Returns a reason with what is known of the request: the endpoint that was asked, if there is one, and whether credentials were sent.
pub(super) fn of_request(
    mut reason: StorageReason,
    scheme: Scheme,
    endpoint: Option<&str>,
    sends_credentials: bool,
) -> StorageReason {
    use StorageReason::{Denied, DeniedToAnyone, NoBucket, NoConnection, NoHost, Untrusted, WrongCredentials};
    if let (false, Denied { code, .. } | WrongCredentials { code, .. }) = (sends_credentials, &mut reason) {
        return DeniedToAnyone { code: std::mem::take(code), fix: give(scheme) };
    }
    let Some(asked) = endpoint.map(without_secrets) else { return reason };
    match &mut reason {
        NoHost { host, .. } | NoConnection { host, .. } | Untrusted { host, .. } => *host = format!("the host {asked}"),
        NoBucket { endpoint, .. } => *endpoint = Some(asked),
        _ => {}
    }
    reason
}

/// Returns the host that is asked, as far as the address tells.
fn host(uri: &Uri) -> String {
    match uri.scheme {
        Scheme::S3 | Scheme::Gs | Scheme::Az => format!("the host of {}://{}", uri.scheme.name(), uri.bucket),
        Scheme::Http | Scheme::Https => format!("the host {}", uri.bucket),
    }
}

/// Returns the text of an element of an answer in XML, if it is a short word or sentence.
fn element(answer: &str, name: &str) -> Option<String> {
    let (_, behind) = answer.split_once(&format!("<{name}>"))?;
    let (text, _) = behind.split_once("</")?;
    (!text.is_empty() && text.len() <= 80 && !text.contains('<')).then(|| shortened(text))
}

/// Returns the start of a text, on one line and without secrets.
fn shortened(text: &str) -> String {
    let line = without_secrets(text.lines().next().unwrap_or_default());
    line.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}
