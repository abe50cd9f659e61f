//! The seven calls of Ray's Jobs API. No other call is made.

use super::address::Address;
use super::token::Token;
use crate::cluster::quoted::quoted_end;
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use std::io::Read;
use std::time::Duration;
use trace_view::format;

/// Time to reach the dashboard.
const CONNECT: Duration = Duration::from_secs(5);
/// Time for an answer.
const ANSWER: Duration = Duration::from_secs(60);
/// Time to send a package.
const SEND: Duration = Duration::from_secs(600);
/// Time for the answer to a request to stop a job.
pub(super) const STOP: Duration = Duration::from_secs(5);
/// The most bytes of an answer without a list, of the state of a job, and of a refusal, which is cut there.
const MOST_ANSWER: u64 = 1 << 20;
const MOST_STATE: u64 = 16 << 20;
const MOST_REFUSAL: u64 = 64 << 10;
/// The most characters of a version.
const MOST_VERSION: usize = 40;

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Why, with the fix.
    pub(super) reason: String,
    /// Whether the same call may succeed later.
    pub(super) is_passing: bool,
    /// Whether the user ended the call.
    pub(super) is_interrupt: bool,
}

impl Refusal {
    pub(super) fn lasting(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_passing: false, is_interrupt: false }
    }

    fn passing(reason: impl Into<String>) -> Self {
        Self { is_passing: true, ..Self::lasting(reason) }
    }

    pub(super) fn interrupt() -> Self {
        Self { is_interrupt: true, ..Self::lasting("interrupted") }
    }
}

/// A call, and the bound on its answer.
struct Call<'c> {
    method: Method,
    path: &'c str,
    /// What is asked for: `the log of the job`.
    answer: &'static str,
    /// In bytes.
    most: u64,
}

impl<'c> Call<'c> {
    fn new(method: Method, path: &'c str, answer: &'static str) -> Self {
        Self { method, path, answer, most: MOST_ANSWER }
    }

    fn get(path: &'c str, answer: &'static str) -> Self {
        Self::new(Method::GET, path, answer)
    }

    fn at_most(self, most: u64) -> Self {
        Self { most, ..self }
    }
}

/// A dashboard, and the token for it. Clones share their connections.
#[derive(Debug, Clone)]
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

/// Returns the status of a job from its state.
pub(super) fn status_of(state: &Value) -> Option<&str> {
    state.get("status").and_then(Value::as_str)
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
        let (status, text) = self.call(Call::get("/api/version", "the version"), |request| request)?;
        let answer: Value =
            if status.is_success() { serde_json::from_str(&text).unwrap_or_default() } else { Value::Null };
        // It is part of all messages about the cluster.
        let is_version = |ray: &&str| {
            ray.len() <= MOST_VERSION && ray.chars().all(|c| c.is_ascii_alphanumeric() || ".+-_".contains(c))
        };
        match answer.get("ray_version").and_then(Value::as_str).filter(is_version) {
            Some(ray) => Ok(Version { ray: ray.to_owned() }),
            None => Err(Refusal::lasting(format!(
                "what answers there is no Ray dashboard ({status}); expected the address that `ray start --head` prints, port 8265"
            ))),
        }
    }

    /// 2. Tells whether the cluster has a package, which it then keeps for ten minutes more.
    pub(super) fn has_package(&self, name: &str) -> Result<bool, Refusal> {
        let (status, text) = self.call(Call::get(&package(name), "a package"), |request| request)?;
        match status {
            StatusCode::NOT_FOUND => Ok(false),
            status if status.is_success() => Ok(true),
            status => Err(unexpected("ask for a package", status, &text)),
        }
    }

    /// 3. Sends a package.
    pub(super) fn put_package(&self, name: &str, content: Vec<u8>) -> Result<(), Refusal> {
        let size = format::bytes(content.len() as u64);
        let path = package(name);
        let call = Call::new(Method::PUT, &path, "a package");
        let (status, text) = self.call(call, |request| request.timeout(SEND).body(content))?;
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
        let (status, text) = self.call(Call::new(Method::POST, "/api/jobs/", "a new job"), |request| {
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
        let path = format!("/api/jobs/{id}");
        let call = Call::get(&path, "the state of the job").at_most(MOST_STATE);
        let (status, text) = self.call(call, |request| request)?;
        match status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                let cut = |_| Refusal::passing("the state of the job arrived incomplete");
                serde_json::from_str(&text).map(Some).map_err(cut)
            }
            status => Err(unexpected("ask for a job", status, &text)),
        }
    }

    /// 6. Returns the log of a job, which has at most so many bytes.
    pub(super) fn log(&self, id: &str, most: u64) -> Result<String, Refusal> {
        let path = format!("/api/jobs/{id}/logs");
        let call = Call::get(&path, "the log of the job").at_most(most);
        let (status, text) = self.call(call, |request| request.timeout(SEND))?;
        if !status.is_success() {
            return Err(unexpected("read the log of a job", status, &text));
        }
        let log = serde_json::from_str::<Log>(&text);
        log.map(|log| log.logs).map_err(|_| Refusal::passing("the log of the job arrived incomplete"))
    }

    /// 7. Stops a job; one that has ended stays as it is.
    ///
    /// Returns `false` if the job has not started yet, or has ended: then the cluster stops nothing, and a waiting job would start later.
    pub(super) fn stop(&self, id: &str) -> Result<bool, Refusal> {
        let path = format!("/api/jobs/{id}/stop");
        let call = Call::new(Method::POST, &path, "a stopped job");
        let (status, text) = self.call(call, |request| request.timeout(STOP))?;
        let answer: Option<Value> = serde_json::from_str(&text).ok();
        let stopped = answer.and_then(|answer| answer.get("stopped").and_then(Value::as_bool));
        Ok(status.is_success() && stopped != Some(false))
    }

    fn call(
        &self,
        call: Call<'_>,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<(StatusCode, String), Refusal> {
        let url = format!("{}{}", self.address.url(), call.path);
        let mut request = with(self.client.request(call.method, url));
        let sent = self.token.as_ref().filter(|_| self.address.is_private());
        if let Some(token) = sent {
            request = request.header("Authorization", token.header());
        }
        let answer = request.send().map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        let text = self.text_of(answer, call.answer, call.most)?;
        // A dashboard, or what stands in for one, may repeat what it was sent.
        let text = if let Some(token) = sent { token.hidden_in(text) } else { text };
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(Refusal::lasting(self.refused(status, sent.is_some())))
            }
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                Err(Refusal::passing(unexpected("reach the dashboard", status, &text).reason))
            }
            status if status.is_redirection() => Err(Refusal::lasting(format!(
                "the dashboard answered {status}, which leads elsewhere and is not followed; expected the address of the dashboard itself"
            ))),
            status => Ok((status, text)),
        }
    }

    /// Reads an answer, up to a bound.
    fn text_of(&self, answer: Response, what: &str, most: u64) -> Result<String, Refusal> {
        let (is_refusal, length) = (!answer.status().is_success(), answer.content_length());
        let most = if is_refusal { MOST_REFUSAL } else { most };
        let mut bytes = Vec::new();
        if is_refusal || length.is_none_or(|length| length <= most) {
            let read = answer.take(most + 1).read_to_end(&mut bytes);
            read.map_err(|error| match error.get_ref().and_then(|inner| inner.downcast_ref::<reqwest::Error>()) {
                Some(error) => self.unreachable(error),
                None => Refusal::passing(format!("the answer of the dashboard broke off ({error})")),
            })?;
        }
        if !is_refusal && bytes.len() as u64 > most || bytes.is_empty() && length.is_some_and(|length| length > most) {
            let most = format::bytes(most);
            return Err(Refusal::lasting(format!(
                "the dashboard's answer is too long: {what} has more than {most}; check that the address is that of your own cluster"
            )));
        }
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Refusal {
        // The address is in the message already; the innermost cause is what the system says.
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let why = if error.is_timeout() { "no answer in time".to_owned() } else { cause.to_string() };
        Refusal::passing(format!(
            "cannot be reached ({why}); expected the dashboard of a Ray head, port 8265, which `ray[default]` opens and plain `ray` does not"
        ))
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

/// The answer to the question for a log.
#[derive(Deserialize)]
struct Log {
    logs: String,
}

fn unexpected(what: &str, status: StatusCode, text: &str) -> Refusal {
    let detail = quoted_end(text);
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    Refusal::lasting(format!("cannot {what}: the dashboard answered {status}{detail}"))
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
