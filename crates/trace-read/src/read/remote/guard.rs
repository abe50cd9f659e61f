//! The client of all requests to storage: it follows redirects by rules, bounds answers, and hides in them the secrets that were sent.

use super::answer::{Exchange, SentSecrets, bounded, is_listing, refused};
use super::failure::of_status;
use super::redirect::{MOST_REDIRECTS, Names, PRIVATE, host_and_port, is_same_origin, next, not_followed};
use super::uri::Scheme;
use crate::error::StorageReason;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder, Method, NoProxy, Proxy, StatusCode, Url};
use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Headers that a request may take to another host: none of them can hold a secret.
const HARMLESS: &[&str] = &[
    "accept",
    "accept-encoding",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-unmodified-since",
    "range",
    "user-agent",
];

type Failure = Box<dyn StdError + Send + Sync>;

/// Makes the clients of storage of a scheme.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guarded(pub(super) Scheme);

impl HttpConnector for Guarded {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let failed = |source| object_store::Error::Generic { store: "HTTP", source };
        let names = Arc::new(Names::default());
        let client = client(options, Arc::clone(&names)).map_err(failed)?;
        let public = client_of_public_hosts(self.0, options).map_err(failed)?;
        Ok(HttpClient::new(Guard { scheme: self.0, client, public, names }))
    }
}

fn client(options: &ClientOptions, names: Arc<Names>) -> Result<Client, Failure> {
    Ok(builder(options, names)?.build()?)
}

/// Prepares a client by the options of the user, as `object_store` does, which follows no redirect.
fn builder(options: &ClientOptions, names: Arc<Names>) -> Result<ClientBuilder, Failure> {
    use ClientConfigKey as Key;
    let set = |key| options.get_config_value(&key);
    let is_on = |key| set(key).as_deref() == Some("true");
    let agent = set(Key::UserAgent).unwrap_or_else(|| concat!("tracebook/", env!("CARGO_PKG_VERSION")).to_owned());
    let mut builder = ClientBuilder::new().user_agent(agent).redirect(Policy::none()).dns_resolver(names);
    if let Some(headers) = options.get_default_headers() {
        builder = builder.default_headers(headers.clone());
    }
    if let Some(url) = set(Key::ProxyUrl) {
        let mut proxy = Proxy::all(url)?;
        if let Some(certificate) = set(Key::ProxyCaCertificate) {
            builder = builder.add_root_certificate(Certificate::from_pem(certificate.as_bytes())?);
        }
        if let Some(excludes) = set(Key::ProxyExcludes) {
            proxy = proxy.no_proxy(NoProxy::from_string(&excludes));
        }
        builder = builder.proxy(proxy);
    }
    for (key, with) in [
        (Key::Timeout, ClientBuilder::timeout as fn(ClientBuilder, Duration) -> ClientBuilder),
        (Key::ConnectTimeout, ClientBuilder::connect_timeout),
        (Key::PoolIdleTimeout, ClientBuilder::pool_idle_timeout),
        (Key::Http2KeepAliveInterval, ClientBuilder::http2_keep_alive_interval),
        (Key::Http2KeepAliveTimeout, ClientBuilder::http2_keep_alive_timeout),
    ] {
        if let Some(text) = set(key) {
            builder = with(builder, humantime::parse_duration(&text)?);
        }
    }
    if let Some(most) = set(Key::PoolMaxIdlePerHost) {
        builder = builder.pool_max_idle_per_host(most.parse()?);
    }
    if let Some(size) = set(Key::Http2MaxFrameSize) {
        builder = builder.http2_max_frame_size(Some(size.parse()?));
    }
    if is_on(Key::Http2KeepAliveWhileIdle) {
        builder = builder.http2_keep_alive_while_idle(true);
    }
    if is_on(Key::Http1Only) {
        builder = builder.http1_only();
    }
    if is_on(Key::Http2Only) {
        builder = builder.http2_prior_knowledge();
    }
    if is_on(Key::AllowInvalidCertificates) {
        builder = builder.danger_accept_invalid_certs(true);
    }
    // The size of an object is that of its answer.
    let builder = builder.no_gzip().no_brotli().no_zstd().no_deflate();
    Ok(builder.https_only(!is_on(Key::AllowHttp)))
}

/// Makes the client of hosts that a public web server names; object storage is asked where the user said.
fn client_of_public_hosts(scheme: Scheme, options: &ClientOptions) -> Result<Option<Client>, Failure> {
    scheme.is_web().then(|| client(options, Arc::new(Names::only_public()))).transpose()
}

/// A client of one bucket or web server.
#[derive(Debug)]
struct Guard {
    scheme: Scheme,
    client: Client,
    /// For hosts that a public host named.
    public: Option<Client>,
    names: Arc<Names>,
}

impl HttpService for Guard {
    fn call<'s, 'a>(
        &'s self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(self.answer(request))
    }
}

impl Guard {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (secrets, is_listing) = (SentSecrets::of(&request), is_listing(&request));
        let is_object = request.method() == Method::GET && Exchange::is_object(request.uri().path());
        let (answer, led_to) = match self.public.as_ref() {
            Some(public) => self.follow(public, request).await?,
            None => (self.stay(request).await?, None),
        };
        let status = answer.status();
        match led_to {
            Some(host) if !status.is_success() && status != StatusCode::NOT_MODIFIED => {
                Err(refused(StorageReason::Redirected {
                    host,
                    reason: Box::new(of_status(self.scheme, status.as_u16())),
                }))
            }
            // It is read in pieces, and no further than the object is long.
            _ if is_object && status.is_success() => Ok(answer),
            _ => bounded(answer, is_listing, &secrets).await,
        }
    }

    /// Asks once.
    async fn stay(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let from = url_of(&request)?;
        let answer = self.client.call(request).await?;
        if !is_redirect(answer.status()) {
            return Ok(answer);
        }
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let is_region =
            |region: &&str| region.len() < 40 && region.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if let Some(region) = header("x-amz-bucket-region").filter(is_region) {
            return Err(refused(StorageReason::WrongRegion { region: Some(region.to_owned()) }));
        }
        match header("location") {
            Some(location) => {
                let target = from.join(location).ok();
                let why = "and requests to object storage are sent nowhere else";
                Err(refused(not_followed(self.scheme, &from, target.as_ref(), why)))
            }
            // The error of a bucket in another region.
            None => Ok(answer),
        }
    }

    /// Asks a web server, and those that it names; returns the last host if it is another one.
    async fn follow(&self, public: &Client, request: HttpRequest) -> Result<(HttpResponse, Option<String>), HttpError> {
        let first = url_of(&request)?;
        let (mut from, mut at, mut is_public, mut led_to) = (first.clone(), first.clone(), false, None);
        for _ in 0..=MOST_REDIRECTS {
            let mut next_request = request.clone();
            if at != first {
                *next_request.uri_mut() =
                    at.as_str().parse().map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
            }
            if !is_same_origin(&first, &at) {
                keep_harmless(next_request.headers_mut());
            }
            let client = if is_public { public } else { &self.client };
            let answer = client.call(next_request).await.map_err(|error| {
                let is_private = causes(&error).any(|cause| cause.to_string() == PRIVATE);
                if is_private { refused(not_followed(self.scheme, &from, Some(&at), PRIVATE)) } else { error }
            })?;
            if !is_redirect(answer.status()) {
                return Ok((answer, led_to));
            }
            is_public |= self.names.is_public(&at);
            let location = answer.headers().get("location").and_then(|value| value.to_str().ok());
            let to = next(&at, location, is_public).map_err(refused)?;
            (from, at) = (at, to);
            led_to = Some(host_and_port(&at));
        }
        Err(refused(not_followed(self.scheme, &from, Some(&at), "after as many redirects as are followed")))
    }
}

fn is_redirect(status: StatusCode) -> bool {
    status.is_redirection() && status != StatusCode::NOT_MODIFIED
}

fn url_of(request: &HttpRequest) -> Result<Url, HttpError> {
    request.uri().to_string().parse().map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))
}

/// Removes all headers but those that cannot hold a secret.
fn keep_harmless(headers: &mut HeaderMap) {
    let others: Vec<_> = headers.keys().filter(|name| !HARMLESS.contains(&name.as_str())).cloned().collect();
    for name in others {
        headers.remove(name);
    }
}

/// Returns an error and its causes.
fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn StdError + 'static)| (*error).source())
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
