//! The seven calls of Ray's Jobs API. No other call is made.

use super::address::Address;
use super::token::Token;
use reqwest::blocking::{Client, RequestBuilder};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use std::time::Duration;

/// Time to reach the dashboard.
const CONNECT: Duration = Duration::from_secs(5);
/// Time for an answer.
const ANSWER: Duration = Duration::from_secs(60);
/// Time to send a package.
const SEND: Duration = Duration::from_secs(600);
/// The most characters of an answer that a message repeats.
const MOST_SAID: usize = 600;

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Why, with the fix.
    pub(super) reason: String,
    /// Whether the same call may succeed later.
    pub(super) is_passing: bool,
}

impl Refusal {
    pub(super) fn lasting(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_passing: false }
    }
}

/// A dashboard, and the token for it.
#[derive(Debug)]
pub(super) struct Http {
    address: Address,
    token: Option<Token>,
    client: Client,
}

/// The Ray that answers at the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    /// The version of Ray: `2.60.0`.
    pub(super) ray: String,
}

impl Http {
    /// Prepares calls to an address.
    ///
    /// # Errors
    /// If the system refuses a client.
    pub(super) fn new(address: Address, token: Option<Token>) -> Result<Self, Refusal> {
        let agent = concat!("tracebook/", env!("CARGO_PKG_VERSION"));
        let builder =
            Client::builder().user_agent(agent).redirect(Policy::none()).connect_timeout(CONNECT).timeout(ANSWER);
        let builder = if address.is_loopback() { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| Refusal::lasting(format!("cannot prepare HTTP: {error}")))?;
        Ok(Self { address, token, client })
    }

    /// Returns the address.
    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// 1. Asks which Ray answers.
    pub(super) fn version(&self) -> Result<Version, Refusal> {
        let (status, text) = self.call(Method::GET, "/api/version", |request| request)?;
        let answer: Value =
            if status.is_success() { serde_json::from_str(&text).unwrap_or_default() } else { Value::Null };
        match answer.get("ray_version").and_then(Value::as_str) {
            Some(ray) => Ok(Version { ray: ray.to_owned() }),
            None => Err(Refusal::lasting(format!(
                "what answers there is no Ray dashboard ({status}); expected the address that `ray start --head` prints, port 8265"
            ))),
        }
    }

    /// 2. Tells whether the cluster has a package, which it then keeps for ten minutes more.
    pub(super) fn has_package(&self, name: &str) -> Result<bool, Refusal> {
        let (status, text) = self.call(Method::GET, &package(name), |request| request)?;
        match status {
            StatusCode::NOT_FOUND => Ok(false),
            status if status.is_success() => Ok(true),
            status => Err(unexpected("ask for a package", status, &text)),
        }
    }

    /// 3. Sends a package.
    pub(super) fn put_package(&self, name: &str, content: Vec<u8>) -> Result<(), Refusal> {
        let size = trace_view::format::bytes(content.len() as u64);
        let (status, text) = self.call(Method::PUT, &package(name), |request| request.timeout(SEND).body(content))?;
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => Err(Refusal::lasting(format!(
                "the program is too large for the cluster ({size}); put it on every node, and set TRACEBOOK_TASK_PROGRAM=/path/on/every/node"
            ))),
            status if status.is_success() => Ok(()),
            status => Err(unexpected("send the program", status, &text)),
        }
    }

    /// 4. Submits a job; `false` if there is one of this name.
    pub(super) fn submit(&self, job: &Value) -> Result<bool, Refusal> {
        let body = job.to_string();
        let (status, text) = self.call(Method::POST, "/api/jobs/", |request| {
            request.header("Content-Type", "application/json").body(body)
        })?;
        match status {
            status if status.is_success() => Ok(true),
            StatusCode::INTERNAL_SERVER_ERROR if text.contains("already exists") => Ok(false),
            status => Err(unexpected("submit a job", status, &text)),
        }
    }

    /// 5. Returns what is known of a job; `None` if there is none of this name.
    pub(super) fn job(&self, id: &str) -> Result<Option<Value>, Refusal> {
        let (status, text) = self.call(Method::GET, &format!("/api/jobs/{id}"), |request| request)?;
        match status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                let cut =
                    |_| Refusal { reason: "the state of the job arrived incomplete".to_owned(), is_passing: true };
                serde_json::from_str(&text).map(Some).map_err(cut)
            }
            status => Err(unexpected("ask for a job", status, &text)),
        }
    }

    /// 6. Returns the log of a job.
    pub(super) fn log(&self, id: &str) -> Result<String, Refusal> {
        let (status, text) =
            self.call(Method::GET, &format!("/api/jobs/{id}/logs"), |request| request.timeout(SEND))?;
        if !status.is_success() {
            return Err(unexpected("read the log of a job", status, &text));
        }
        let cut = || Refusal { reason: "the log of the job arrived incomplete".to_owned(), is_passing: true };
        let mut answer: Value = serde_json::from_str(&text).map_err(|_| cut())?;
        match answer.get_mut("logs").map(Value::take) {
            Some(Value::String(log)) => Ok(log),
            _ => Err(cut()),
        }
    }

    /// 7. Stops a job; one that has ended stays as it is.
    pub(super) fn stop(&self, id: &str) -> Result<(), Refusal> {
        self.call(Method::POST, &format!("/api/jobs/{id}/stop"), |request| request).map(drop)
    }

    fn call(
        &self,
        method: Method,
        path: &str,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<(StatusCode, String), Refusal> {
        let url = format!("{}{path}", self.address.url());
        let mut request = with(self.client.request(method, url));
        let sent = self.token.as_ref().filter(|_| self.address.is_private());
        if let Some(token) = sent {
            request = request.header("Authorization", token.header());
        }
        let answer = request.send().and_then(|answer| {
            let status = answer.status();
            Ok((status, answer.text()?))
        });
        let (status, text) = answer.map_err(|error| self.unreachable(&error))?;
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(Refusal::lasting(self.refused(status, sent.is_some())))
            }
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                let reason = unexpected("reach the dashboard", status, &text).reason;
                Err(Refusal { reason, is_passing: true })
            }
            status => Ok((status, text)),
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> Refusal {
        // The address is in the message already; the innermost cause is what the system says.
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let why = if error.is_timeout() { "no answer in time".to_owned() } else { cause.to_string() };
        let reason = format!(
            "cannot be reached ({why}); expected the dashboard of a Ray head, port 8265, which `ray[default]` opens and plain `ray` does not"
        );
        Refusal { reason, is_passing: true }
    }

    /// Returns why a token, or none, was refused.
    fn refused(&self, status: StatusCode, was_sent: bool) -> String {
        let where_from = "RAY_AUTH_TOKEN, the file RAY_AUTH_TOKEN_PATH, or ~/.ray/auth_token";
        if was_sent {
            return format!("the token was refused ({status}); the cluster's own belongs into {where_from}");
        }
        if self.token.is_some() {
            return "the cluster wants a token, which is not sent over plain http to another machine; use https://, or a tunnel: \
                    ssh -L 8265:localhost:8265 HEAD and --address http://127.0.0.1:8265"
                .to_owned();
        }
        format!("the cluster wants a token ({status}); it is looked for in {where_from}")
    }
}

fn package(name: &str) -> String {
    format!("/api/packages/gcs/{name}")
}

fn unexpected(what: &str, status: StatusCode, text: &str) -> Refusal {
    let said: String = text.trim().chars().rev().take(MOST_SAID).collect::<Vec<_>>().into_iter().rev().collect();
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    Refusal::lasting(format!("cannot {what}: the dashboard answered {status}{said}"))
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
